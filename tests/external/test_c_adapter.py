"""The adapter in C, written from the documents alone, conforms; with one mistake in each device it does not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.oracle.amd_rdna3_wmma import SPEC as RDNA3
from mmaspec.oracle.intel_subgroup_mma import SPEC as ISGMMA
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF
from mmaspec.strategies.recipe import Recipe

from .judged import judged, recipes

SOURCES = sorted((Path(__file__).parents[2] / "examples" / "adapters" / "c").glob("*.c"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic"]
DEVICES = [(RDNA3.name, ""), (ISGMMA.name, ""), (ISGMMA.name, " 16")]
DEVICE = pytest.mark.parametrize(("spec", "words"), DEVICES, ids=["rdna3", "sub-groups-of-8", "sub-groups-of-16"])


def compiler() -> list[str] | None:
    """A command that compiles C; None if there is none."""
    on_path = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if on_path:
        return [on_path]
    return [sys.executable, "-m", "ziglang", "cc"] if find_spec("ziglang") else None


CC = compiler()
pytestmark = pytest.mark.skipif(CC is None, reason="NO ADAPTER IN C IS BUILT: no C compiler, and `ziglang` is absent")


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The adapter, compiled."""
    assert CC is not None
    place = tmp_path_factory.mktemp("built") / "adapter.exe"
    done = subprocess.run(
        [*CC, "-std=c11", "-O2", *WARNINGS, "-o", str(place), *map(str, SOURCES), "-lm"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return place


@contextmanager
def started(adapter: Path, words: str) -> Iterator[ExternalBackend]:
    """The adapter with these words."""
    with ExternalBackend(f'"{adapter}"{words}') as backend:
        assert backend.describe().borrowed == ()
        yield backend


def some(backend: ExternalBackend, spec: str, wanted: int) -> list[Recipe]:
    """About so many listed cases, from all of the list."""
    every = recipes(backend, spec)
    return list(every[:: max(1, len(every) // wanted)])


@DEVICE
def test_it_conforms(adapter: Path, spec: str, words: str, times: int) -> None:
    with started(adapter, words) as backend:
        chosen = some(backend, spec, 24 * times)
        assert len(chosen) > 16
        assert {result.outcome for result in judged(backend, chosen)} == {"legal"}


MISTAKES = {RDNA3.name: {"RDNA3-CD-W32", "RDNA3-CD-W64"}, ISGMMA.name: {"ISGMMA-A-COLS"}}


@DEVICE
def test_its_broken_twin_is_found_and_the_clause_named(adapter: Path, spec: str, words: str) -> None:
    with started(adapter, f"{words} --broken") as backend:
        findings = [result.finding for result in judged(backend, some(backend, spec, 8))]
    blamed = Counter(finding.blamed[0] for finding in findings if finding is not None and finding.blamed)
    assert {clause for clause, _ in blamed.most_common(len(MISTAKES[spec]))} == MISTAKES[spec]


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("size", [8, 16])
def test_it_has_every_builtin_and_function(adapter: Path, size: int) -> None:
    with started(adapter, f" {size}") as backend:
        assert set(backend.caps(RDNA3.name).builtins) >= set(FORMS)
        caps = backend.caps(ISGMMA.name)
        assert (caps.sub_group_size, caps.in_reach) == (size, FORMS_OF[size])  # type: ignore[index]
