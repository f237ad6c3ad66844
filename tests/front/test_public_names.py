"""What Python code may rely on: it is there, described, listed in docs/api.md, and enough."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import mmaspec

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs/api.md").read_text(encoding="utf-8")
PACKAGES = [f"mmaspec.programs.{spec.replace('-', '_')}" for spec in mmaspec.specs()]
PUBLIC_MODULES = ["mmaspec", "mmaspec.strategies", *PACKAGES]
NAMES = sorted(set(mmaspec.__all__) - {"__version__", "programs", "strategies"})


def text_below(source: str, name: str) -> str | None:
    """The text that stands below the assignment of a constant or type."""
    for node, after in pairwise(ast.parse(source).body):
        if name in assigned(node):
            text = after.value if isinstance(after, ast.Expr) else None
            return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
    return None


def assigned(node: ast.stmt) -> set[str]:
    """The names to which a statement assigns; of an `if`, those of its first branch."""
    if isinstance(node, ast.If):
        return set().union(*map(assigned, node.body))
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}


def described(module: str, name: str) -> str | None:
    """A class's own docstring, a function's, or the text below anything else in the module."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        return vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    return text_below(inspect.getsource(import_module(module)), name)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_there_and_described(name: str) -> None:
    home = f"mmaspec.{mmaspec._HOMES[name]}"
    assert getattr(mmaspec, name) is getattr(import_module(home), name)
    assert described(home, name)


def test_only_the_text_right_below_describes() -> None:
    source = 'A = int\n"""One."""\nB: type = int\nC, D = 1, 2\n"""Two."""\n'
    assert [text_below(source, name) for name in "ABCDE"] == ["One.", None, "Two.", "Two.", None]


def test_dir_lists_the_public_names_and_no_others() -> None:
    assert dir(mmaspec) == sorted(mmaspec.__all__)
    assert dir(mmaspec.strategies) == ["caps", "cases", "programs"]
    assert set(mmaspec._HOMES) == set(NAMES)
    assert len(mmaspec.__all__) == len(set(mmaspec.__all__))


def test_a_fresh_process_reaches_every_name_by_attribute() -> None:
    code = (
        "import sys, mmaspec\n"
        "assert not {name for name in sys.modules if name.startswith('mmaspec.')}\n"
        "assert callable(mmaspec.strategies.cases) and mmaspec.programs.__doc__\n"
        "from mmaspec import *\n"
        "print(*(name for name in mmaspec.__all__ if name not in globals()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize("module", [mmaspec, mmaspec.strategies], ids=lambda module: module.__name__)
def test_unknown_name_is_an_attribute_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match="no attribute 'exepct'"):
        getattr(module, "exepct")  # noqa: B009


def own_names(package: str) -> set[str]:
    """Every public name that the modules of a specification's vocabulary define, or share with others."""
    found = set()
    for module in ("caps", "components", "program", "removed", "threads", "instruction"):
        if find_spec(f"{package}.{module}") is None:
            continue
        for node in ast.parse(inspect.getsource(import_module(f"{package}.{module}"))).body:
            if isinstance(node, ast.ImportFrom) and node.module == "mmaspec.programs.register_kernels":
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            found |= assigned(node)
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_programs_exports_all_that_its_modules_define(package: str) -> None:
    found = import_module(package)
    assert set(found.__all__) == own_names(package)
    assert "DEFAULT_CAPS" in found.__all__
    assert all(hasattr(found, name) for name in found.__all__)


def test_the_document_lists_the_modules_and_the_names() -> None:
    modules, _, rest = API.partition("## Names of `mmaspec`")
    assert re.findall(r"^\| `(mmaspec[\w.]*)` \|", modules, re.MULTILINE) == PUBLIC_MODULES
    lines = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", rest, re.MULTILINE)
    names = [name for line in lines for name in re.findall(r"`(\w+)`", line)]
    assert sorted(names) == NAMES
    for name in set(mmaspec.__all__) - set(NAMES):
        assert f"`{name}`" in rest, name
    assert "Every other module is private" in API
    assert "Every other module is private" in str(mmaspec.__doc__)


def types_in(hint: Any) -> set[type]:
    """Every class in a type, however deep."""
    inner = [types_in(part) for part in get_args(hint)]
    return {hint}.union(*inner) if isinstance(hint, type) else set().union(*inner)


def signatures(name: str) -> list[Any]:
    """A public function, or the public methods of a public class."""
    value = getattr(mmaspec, name)
    if not inspect.isclass(value):
        return [value] if inspect.isfunction(value) else []
    methods = [
        (key, method) for key, method in inspect.getmembers(value, inspect.isfunction) if not key.startswith("_")
    ]
    return [method for _, method in methods if method.__module__.startswith("mmaspec.")]


ENTRIES = [
    name for name in NAMES if name in {"Backend", "ArithmeticOnly"} or inspect.isfunction(getattr(mmaspec, name))
]


@pytest.mark.parametrize("name", [*ENTRIES, *mmaspec.strategies.__all__])
def test_what_a_public_function_takes_and_returns_is_public(name: str) -> None:
    public = {getattr(mmaspec, other) for other in NAMES if inspect.isclass(getattr(mmaspec, other))}
    functions = [getattr(mmaspec.strategies, name)] if name in mmaspec.strategies.__all__ else signatures(name)
    assert functions
    for function in functions:
        for hint in get_type_hints(function).values():
            ours = {found for found in types_in(hint) if found.__module__.startswith("mmaspec.")}
            assert ours <= public, function.__name__
