"""The public functions, for use from Python and in tests of a backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mmaspec.backends.protocol import Backend
from mmaspec.backends.resolve import resolve
from mmaspec.given_json import telling_json
from mmaspec.oracle.case import MAX_FILE, SCHEMA, Case, decode_case, encode_case
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import unwritable
from mmaspec.programs.input_file import read_plain
from mmaspec.programs.profile import Profile
from mmaspec.suites.judging.single import Verdict, judge_one
from mmaspec.suites.judging.telling.found import found_in

GOLDEN_SUFFIX = ".toml"


def specs() -> tuple[str, ...]:
    """The names of the specifications, sorted: ``hlsl-wave-matrix`` and so on."""
    return tuple(SPECS)


def source_text(spec: str, program: Any, caps: Any) -> str:
    """A program as source in the specification's own language, for an adapter that feeds a compiler.

    ``program`` and ``caps`` are of that specification. Raises ``BadInput`` for a specification that does not exist.
    """
    return spec_named(spec).text(program, caps)


def backend_named(name: str) -> Backend:
    """A backend by the name that the command line takes: ``numpy``, ``legal:NAME``, ``module:Class``, ``cmd:...``.

    What it answers can be logged, changed or passed on by a class of one's own. Raises ``BadInput``.
    """
    return resolve(name)


def read_case(path: str | Path) -> Case:
    """A case file (JSON), or a golden example (TOML). Raises ``BadInput``."""
    from mmaspec.generators.golden import case_of, read_golden

    path = Path(path)
    data = read_plain(path, MAX_FILE)
    if path.suffix == GOLDEN_SUFFIX:
        return case_of(read_golden(data, str(path)))
    with telling_json(path, "a case file of mmaspec", SCHEMA):
        case = decode_case(data, str(path))
    found_in(case, str(path))
    return case


def write_case(case: Case, path: str | Path) -> None:
    """Write a case as a file that ``read_case`` and ``mmaspec replay`` read. Raises ``BadInput`` where it cannot be."""
    try:
        Path(path).write_bytes(encode_case(case))
    except OSError as error:
        raise unwritable(path, error) from error


def assert_conforms(backend: Backend, case: Case, profile: Profile | None = None) -> Verdict:
    """Raise ``AssertionError`` with one line that says what is wrong, unless ``backend`` answers ``case`` legally.

    ``profile`` None means what the backend declares. A case that the specification leaves undefined, or that
    the backend need not refuse, passes; look at the returned verdict to tell.
    """
    verdict = judge_one(backend, case, profile)
    if verdict.failed:
        raise AssertionError(verdict.says)
    return verdict
