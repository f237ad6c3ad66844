"""One small vector folder, answered by several devices."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from mmaspec.backends.protocol import Backend
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted
from mmaspec.suites.score.matrix import sensitivities
from mmaspec.suites.vectors.request import planned
from mmaspec.suites.vectors.write import write_vectors

from . import devices
from .lab import answer

WANTED = Wanted(backend="vectors", specs=(devices.SPEC,), tier="quick", profile=PRACTICE)
DEVICES = Path(devices.__file__)


def silent(*_: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class Written:
    """A vector folder and what it was made from."""

    folder: Path
    plan: Plan
    recipes: tuple[Recipe, ...]
    known: dict[str, tuple[str, ...]]
    """Case ID -> counterfactuals that the case would catch."""


@cache
def small_list() -> tuple[Plan, tuple[Recipe, ...]]:
    """The smoke list of one builtin."""
    return planned(WANTED, devices.CAPS)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The smoke list of one builtin as files."""
    folder = tmp_path_factory.mktemp("vectors") / "small"
    plan, recipes = small_list()
    write_vectors(folder, plan, recipes, silent)
    return Written(folder, plan, recipes, sensitivities(recipes, silent))


@pytest.fixture(scope="session")
def answered(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Callable[[type[Backend]], Path]:
    """``answered(Device)``: the folder of that device's answers, made once; nobody may change it."""
    base = tmp_path_factory.mktemp("answers")

    def folder_of(device: type[Backend]) -> Path:
        folder = base / device.__name__
        if not folder.exists():
            answer(written.folder, folder, device())
        return folder

    return folder_of


@pytest.fixture
def own(written: Written, answered: Callable[[type[Backend]], Path], tmp_path: Path) -> tuple[Path, Path]:
    """Copies of the vectors and of good answers that a test may change."""
    vectors, results = tmp_path / "vectors", tmp_path / "results"
    shutil.copytree(written.folder, vectors)
    shutil.copytree(answered(devices.Device), results)
    return vectors, results
