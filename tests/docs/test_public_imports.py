"""Documents and examples name what is public, and no module that may change tomorrow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import Phase, settings

import mmaspec
from mmaspec.commands.catalogue import KINDS
from mmaspec.oracle.clauses import ClauseKind
from mmaspec.oracle.source import OperandRole
from mmaspec.strategies.regimes.catalogue import REGIMES

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs/api.md").read_text(encoding="utf-8")
PUBLIC = set(re.findall(r"^\| `(mmaspec[\w.]*)` \|", API, re.MULTILINE))
NEW_SPECIFICATION = (ROOT / "docs/new-specification.md").read_text(encoding="utf-8")
FOR_SPECIFICATIONS = {
    module: set(re.findall(r"`(\w+)`", names))
    for module, names in re.findall(r"^\| `(mmaspec[\w.]*)` \| (.*) \|$", NEW_SPECIFICATION, re.MULTILINE)
}
"""Module -> the names that a third party's specification may import from it."""
TOY = sorted((ROOT / "tests/third_party/toy_mac").rglob("*.py"))
FOR_USERS = [
    "README.md",
    "docs/adapters.md",
    "docs/api.md",
    "docs/external.md",
    "docs/profiles.md",
    "docs/strategies.md",
]
DOCUMENTS = [ROOT / name for name in FOR_USERS]
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*") if path.suffix in {".py", ".md"})


def python_in(path: Path) -> list[str]:
    """A Python file, or the Python blocks of a document."""
    text = path.read_text(encoding="utf-8")
    return [text] if path.suffix == ".py" else re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Every module of ours that is imported, and the name taken from it: empty for the module itself."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "mmaspec":
            yield "mmaspec", node.attr


def private(code: str) -> list[str]:
    """What a piece of code takes from mmaspec although it is not public."""
    found = []
    for module, name in imported(code):
        if module.partition(".")[0] != "mmaspec":
            continue
        if module not in PUBLIC:
            found.append(module)
        elif name and name not in import_module(module).__all__ and f"{module}.{name}" not in PUBLIC:
            found.append(f"{module}.{name}")
    return found


@pytest.mark.parametrize("path", [*DOCUMENTS, *EXAMPLES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_code_for_users_takes_public_names_only(path: Path) -> None:
    for code in python_in(path):
        assert private(code) == []


@pytest.mark.parametrize(
    ("code", "taken"),
    [
        ("from mmaspec.backends.protocol import Refused", ["mmaspec.backends.protocol"]),
        ("import mmaspec.oracle.spec", ["mmaspec.oracle.spec"]),
        ("from mmaspec import Refused, api", ["mmaspec.api"]),
        ("import mmaspec\nmmaspec.oracle", ["mmaspec.oracle"]),
        ("from mmaspec.programs.nv_coopmat2.program import Load", ["mmaspec.programs.nv_coopmat2.program"]),
        ("from mmaspec.programs.nv_coopmat2 import Load, lode", ["mmaspec.programs.nv_coopmat2.lode"]),
        ("import mmaspec\nmmaspec.strategies.cases('nv-coopmat2')", []),
        ("import numpy.linalg", []),
    ],
)
def test_what_is_private_would_be_seen(code: str, taken: list[str]) -> None:
    assert private(code) == taken


def test_documents_hold_code_at_all() -> None:
    blocks = {path.name: len(python_in(path)) for path in DOCUMENTS}
    assert blocks["adapters.md"] == 4
    assert blocks["api.md"] == 2
    assert blocks["strategies.md"] == 2
    assert sum("mmaspec" in code for path in DOCUMENTS for code in python_in(path)) == 8


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_names_in_the_text_are_public(path: Path) -> None:
    """Whatever a document writes as code and begins with ``mmaspec.``, file names apart."""
    for name in re.findall(r"`(mmaspec(?:\.\w+)+)[`(]", path.read_text(encoding="utf-8")):
        module, _, last = name.rpartition(".")
        assert name in PUBLIC or (module in PUBLIC and last in import_module(module).__all__), name


def test_the_strategies_example_passes_and_can_fail() -> None:
    code, _ = python_in(ROOT / "docs/strategies.md")
    # Fewer cases, and what fails is not made small: that takes a minute, and is tested by itself.
    few = "max_examples=10, phases=[Phase.generate], deadline=None"
    assert "max_examples=30, deadline=None" in code
    names: dict[str, object] = {"Phase": Phase}
    exec(compile(code.replace("max_examples=30, deadline=None", few), "test_my_device.py", "exec"), names)  # noqa: S102
    test, device = names["test_my_device"], names["Device"]
    assert callable(test)
    test()

    def forgets_the_addend(self: object, shape: object, types: object, a: object, b: object, c: object) -> object:
        return right(self, shape, types, a, b, c) - c  # type: ignore[operator]

    right = device.mma  # type: ignore[attr-defined]
    device.mma = forgets_the_addend  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="RDNA3-"):
        test()


def test_the_example_of_other_devices_passes() -> None:
    _, code = python_in(ROOT / "docs/strategies.md")
    names: dict[str, object] = {}
    exec(compile(code, "test_my_compiler.py", "exec"), names)  # noqa: S102 - the document's own example
    test = names["test_my_compiler"]
    assert callable(test)
    settings(max_examples=5)(test)()


def test_the_example_of_asking_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asking, importing = python_in(ROOT / "docs/api.md")
    example = ROOT / "examples/clauses/WM-ADDR-ROW.toml"
    (tmp_path / "case.toml").write_bytes(example.read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(asking.replace("case.json", "case.toml"), "ask.py", "exec"), {})  # noqa: S102
    assert re.fullmatch(r"\d+ stores, \d+ clauses act\n", capsys.readouterr().out)
    exec(compile(importing, "import.py", "exec"), {})  # noqa: S102
    assert mmaspec.programs.__doc__


def beyond(code: str) -> list[str]:
    """What a piece of code takes from mmaspec although a specification may not."""
    return [
        f"{module}.{name}"
        for module, name in imported(code)
        if module.partition(".")[0] == "mmaspec"
        and name not in FOR_SPECIFICATIONS.get(module, ())
        and not (module in PUBLIC and name in import_module(module).__all__)
    ]


@pytest.mark.parametrize("path", TOY, ids=lambda path: path.name)
def test_a_specification_takes_what_it_may(path: Path) -> None:
    assert beyond(path.read_text(encoding="utf-8")) == []


def test_what_a_specification_may_not_take_would_be_seen() -> None:
    assert beyond("from mmaspec.oracle.spec import Row, spec_named") == ["mmaspec.oracle.spec.spec_named"]
    assert beyond("import mmaspec.oracle.judge") == ["mmaspec.oracle.judge."]
    assert beyond("from mmaspec import Buffer\nimport numpy") == []


@pytest.mark.parametrize("module", FOR_SPECIFICATIONS)
def test_what_a_specification_may_take_is_there(module: str) -> None:
    found = import_module(module)
    assert module not in PUBLIC
    assert [name for name in FOR_SPECIFICATIONS[module] if not hasattr(found, name)] == []


def test_the_list_for_specifications_is_read() -> None:
    taken = {module for path in TOY for module, _ in imported(path.read_text(encoding="utf-8"))}
    used = {module for module in taken if module.startswith("mmaspec.")}
    assert len(used) > 10
    assert used <= set(FOR_SPECIFICATIONS)


def test_the_document_names_every_kind_role_and_regime() -> None:
    for name in REGIMES:
        assert f"`{name}`" in NEW_SPECIFICATION, name
    for kind in get_args(ClauseKind):
        assert f"`{kind}` {KINDS[kind]}" in " ".join(NEW_SPECIFICATION.split()), kind
    for role in get_args(OperandRole):
        assert f"`{role}`" in NEW_SPECIFICATION, role
