"""The same rooms under the same names in every specification, each with its agreed public names; no room is a hall."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.strategies.grammar import DrawContext

ROOT = Path(__file__).parents[2]
FOLDERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values()
MOST_FILES, MOST_LINES = 25, 500

# Room -> its public names; of a function also the names of its parameters, None for what is no function.
ROOMS: MappingProxyType[str, dict[str, dict[str, tuple[str, ...] | None]]] = MappingProxyType(
    {
        "oracle": {
            "caps_report": {"caps_report": ("caps",)},
            "rows": {"rows": ("caps",)},
            "rule_context": {"Context": None},
            "validity": {"rejected": ("program", "caps")},
            "undefined": {"undefined": ("program", "caps")},
            "addresses": {},
            "semantics": {"execute": ("program", "memory", "profile", "readings")},
            "coverage": {},
            "sources": {"sources": ("program",)},
            "blame": {"instrumented": ("program",), "ablations": ("program", "place")},
            "text": {"text": ("program", "caps")},
        },
        "programs": {
            "program": {},
            "caps": {"DEFAULT_CAPS": None},
            "well_formed": {"check_well_formed": ("program",)},
        },
        "strategies": {
            "builder": {"ProgramBuilder": None},
            "templates": {"TEMPLATES": None},
            "caps": {"random_caps": ("choices",)},
            "near_misses": {"NEAR_MISSES": None, "near_miss_base": ("context",)},
            "frames": {"frame": ("context", "draft"), "free": ("context",)},
        },
        "backends.numpy": {"device": {}, "validity": {}, "offered": {"offered": ("caps", "supports")}},
        "backends.faults": {"catalogue": {"FAULTS": None}, "devices": {}, "defects": {"DEFECTS": None}},
    }
)
EVERY_ROOM = [(spec, layer, room) for spec in SPECS for layer, rooms in ROOMS.items() for room in rooms]


def package_of(spec: str, layer: str) -> str:
    return f"mmaspec.{layer}.{spec.replace('-', '_')}"


def parameters(function: Any) -> tuple[str, ...]:
    """What a caller has to give: what is by keyword and has a default is a specification's own matter."""
    every = inspect.signature(function).parameters.values()
    return tuple(one.name for one in every if one.kind is not one.KEYWORD_ONLY or one.default is one.empty)


def wrong(room: Any, offered: dict[str, tuple[str, ...] | None]) -> Iterator[str]:
    """What a room lacks of what it has to offer."""
    for name, wanted in offered.items():
        found = getattr(room, name, None)
        if found is None:
            yield f"no {name}"
        elif wanted is not None and parameters(found) != wanted:
            yield f"{name}{parameters(found)} in place of {name}{wanted}"


@pytest.mark.parametrize(("spec", "layer", "room"), EVERY_ROOM)
def test_every_specification_has_the_room_and_its_public_names(spec: str, layer: str, room: str) -> None:
    found = import_module(f"{package_of(spec, layer)}.{room}")
    assert list(wrong(found, ROOMS[layer][room])) == []


def test_another_name_or_another_order_is_noticed() -> None:
    swapped = SimpleNamespace(rejected=lambda caps, program: frozenset((caps, program)))
    assert list(wrong(swapped, ROOMS["oracle"]["validity"])) == [
        "rejected('caps', 'program') in place of rejected('program', 'caps')"
    ]
    assert list(wrong(SimpleNamespace(), ROOMS["strategies"]["frames"])) == ["no frame", "no free"]


@pytest.mark.parametrize("spec", SPECS)
def test_the_clauses_stand_beside_the_oracle(spec: str) -> None:
    assert files(package_of(spec, "oracle")).joinpath("clauses.toml").is_file()


@pytest.mark.parametrize("spec", SPECS)
def test_rules_take_one_context(spec: str) -> None:
    context = import_module(f"{package_of(spec, 'oracle')}.rule_context").Context
    assert issubclass(context, RuleContext)
    for room in ("validity", "undefined"):
        package = import_module(f"{package_of(spec, 'oracle')}.{room}")
        module = package if hasattr(package, "RULES") else import_module(f"{package.__name__}.program")
        assert {parameters(rule) for rule in module.RULES.values()} == {("context",)}


@pytest.mark.parametrize("spec", SPECS)
def test_whatever_draws_takes_one_context(spec: str) -> None:
    grammar = package_of(spec, "strategies")
    builder = import_module(f"{grammar}.builder").ProgramBuilder
    first = next(iter(inspect.signature(builder, eval_str=True).parameters.values()))
    assert first.name == "context"
    assert first.annotation.__origin__ is DrawContext
    assert {parameters(template.build) for template in import_module(f"{grammar}.templates").TEMPLATES} == {
        ("context",)
    }
    misses = import_module(f"{grammar}.near_misses").NEAR_MISSES.values()
    assert {parameters(miss)[1:] for miss in misses} == {("draft",)}


@pytest.mark.parametrize("spec", SPECS)
def test_reference_devices_have_one_face(spec: str) -> None:
    module = import_module(f"{package_of(spec, 'backends.numpy')}.device")
    devices = [kind for kind in vars(module).values() if inspect.isclass(kind) and kind.__module__ == module.__name__]
    (device,) = [kind for kind in devices if hasattr(kind, "broken")]
    assert device.unchecked == frozenset()
    offered = {"broken": ("self", "submitted"), "run": ("self", "program", "inputs")}
    assert list(wrong(device, offered)) == []
    assert isinstance(device(ExactUnit()).caps, spec_named(spec).caps_type)


def halls(root: Path) -> Iterator[str]:
    """Folders and files under ``root`` that hold too much."""
    for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
        sources = list(folder.glob("*.py"))
        if len(sources) > MOST_FILES:
            yield f"{folder.name}: {len(sources)} files"
        for source in sources:
            lines = len(source.read_text(encoding="utf-8").splitlines())
            if lines > MOST_LINES:
                yield f"{source.name}: {lines} lines"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_room_is_a_hall_and_no_file_is_long(folder: str) -> None:
    assert list(halls(ROOT / folder)) == []


def test_a_hall_and_a_long_file_are_noticed(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    for number in range(MOST_FILES + 1):
        (room / f"part{number:02}.py").write_text("pass\n" * (MOST_LINES + 1 if number == 3 else MOST_LINES))
    assert sorted(halls(tmp_path)) == ["part03.py: 501 lines", "room: 26 files"]


def test_no_file_is_a_link() -> None:
    """One was, to a folder that only its author had."""
    kept = {Path(folder).parts[0] for folder in FOLDERS} - {"."} | {"tests", "docs", "examples", "benchmarks"}
    found = [path for folder in sorted(kept) for path in (ROOT / folder).rglob("*") if path.is_symlink()]
    assert not found
