"""A folder of recorded answers, and a backend that returns them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mmaspec.backends.failures import BadReply, Died, Raised, Unanswered, error_line
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import expect_folder, plain_size, read_plain, strictly
from mmaspec.suites.vectors.folder import read_manifest
from mmaspec.suites.vectors.layout import MANIFEST_FILE, RESULTS, RESULTS_FILE, CaseEntry, Manifest, ResultsFile
from mmaspec.suites.vectors.write import run_key

KINDS = ("bin", "refused", "raised", "died")
"""Suffixes of answers: the bytes of every run, or why there are none."""
MAX_TEXT = 64 << 10
"""Largest answer in words, in bytes."""
MAX_RESULTS = 1 << 20
"""Largest ``results.json`` that is read, in bytes."""


def read_results(folder: Path, manifest: Manifest) -> Description:
    """The description of the backend; checks first that the folder answers these vectors. Raises ``BadInput``."""
    path = folder / RESULTS_FILE
    expect_folder(folder, f"one with {RESULTS_FILE} and answers")
    with strictly(str(path), f"results ({RESULTS})"):
        found = msgspec.json.decode(read_plain(path, MAX_RESULTS, links=False), type=ResultsFile)
    if found.vectors != manifest.digest:
        raise BadInput(
            f"{path}: answers vectors {found.vectors[:16]}; {MANIFEST_FILE} has the digest {manifest.digest}"
        )
    _check_names(folder, manifest)
    return found.backend


def _check_names(folder: Path, manifest: Manifest) -> None:
    """Each case has at most one answer, in a plain file, and each answer a case."""
    known = {entry.id for entry in manifest.cases}
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise BadInput(f"{folder}: cannot be read: {error.strerror}") from error
    for path in found:
        if path.suffix[1:] in KINDS and path.stem not in known:
            raise BadInput(f"{path}: answers no case of these vectors")
    for entry in manifest.cases:
        given = given_for(folder, entry.id)
        if len(given) > 1:
            raise BadInput(f"{given[1]}: a second answer beside {given[0].name}")
        if given and given[0].suffix != ".bin":
            read_plain(given[0], MAX_TEXT, links=False)


def given_for(folder: Path, identity: str) -> list[Path]:
    """The answers to one case. Raises ``BadInput`` where one is not a plain file."""
    paths = [folder / f"{identity}.{kind}" for kind in KINDS]
    return [path for path in paths if plain_size(path, links=False) is not None]


class Replayed:
    """A backend that returns recorded answers. Programs that nobody ran have none."""

    def __init__(self, vectors: Path, results: Path) -> None:
        manifest = read_manifest(vectors)
        self._description = read_results(results, manifest)
        self._spec = manifest.spec
        self._results = results
        self._runs = {key: (entry, number) for entry in manifest.cases for number, key in enumerate(entry.runs)}

    def describe(self) -> Description:
        """The description in ``results.json``."""
        return self._description

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """The recorded answer to this very run. Raises ``Unanswered`` where there is none."""
        found = self._runs.get(run_key(program, inputs)) if spec == self._spec else None
        if found is None:
            raise Unanswered("these vectors have no run of this program with these inputs")
        try:
            return self._answer(*found, program, inputs)
        except (OSError, BadInput) as error:
            raise Unanswered(f"the answer cannot be read: {error}") from error

    def _answer(self, entry: CaseEntry, number: int, program: Any, inputs: Images) -> Images:
        given = given_for(self._results, entry.id)
        if not given:
            raise Unanswered("never answered")
        if given[0].suffix == ".bin":
            if entry.demand == "refusal" or "executes" not in self._description.roles:
                return {}  # that there is an answer says it all: nobody looks at what is in it
            return _images(given[0], number, len(entry.runs), {b.name: inputs[b.name].shape for b in program.buffers})
        text = read_plain(given[0], MAX_TEXT, links=False).decode("utf-8", "replace").split("\n")
        reason = error_line(text[0]) or "no reason given"
        if given[0].suffix == ".refused":
            raise Refused(reason, [clause.strip() for clause in text[1:] if clause.strip()])
        if given[0].suffix == ".raised":
            raise Raised(reason)
        raise Died("crash", reason)


def _images(path: Path, number: int, runs: int, shapes: Mapping[str, tuple[int, ...]]) -> Images:
    """One run's buffers from a file that holds those of every run. Raises ``BadReply`` where its size is wrong."""
    length = sum(prod(shape) for shape in shapes.values())
    size = plain_size(path, links=False)
    if size != length * runs:
        raise BadReply(f"{path.name} has {size} bytes; expected {runs} runs of {length}")
    with path.open("rb") as file:
        file.seek(number * length)
        data = np.frombuffer(file.read(length), np.uint8)
    if data.size != length:
        raise BadReply(f"{path.name} was cut short while it was read")
    images = {}
    start = 0
    for name, shape in shapes.items():
        stop = start + prod(shape)
        images[name] = data[start:stop].reshape(shape)
        start = stop
    return images
