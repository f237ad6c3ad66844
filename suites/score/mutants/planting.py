"""The reference device of a specification, made from a copy of its modules in which some are changed.

The modules are imported anew for every device and taken out of ``sys.modules`` again, so that neither what a module
computes when it is imported nor what a function remembers passes from one device to the next. No file is written.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from mmaspec.backends import numpy as home
from mmaspec.backends.numpy.backend import NumpyBackend

HOME = home.__name__
PLUMBING = frozenset({HOME, f"{HOME}.backend", f"{HOME}.devices"})
"""Modules that compute nothing: they make devices and hand programs on."""


@cache
def place_of(module: str) -> Path:
    """The file of a module below `HOME`; raises ``ModuleNotFoundError`` for what is none."""
    path = Path(home.__path__[0]).joinpath(*module.removeprefix(HOME).split(".")[1:])
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    raise ModuleNotFoundError(f"no module named {module}", name=module)


@cache
def text_of(module: str) -> str:
    """The source of a module."""
    return place_of(module).read_text(encoding="utf-8")


@cache
def _code_of(module: str) -> CodeType:
    return compile(text_of(module), module, "exec", dont_inherit=True)


class _Copies(MetaPathFinder, Loader):
    """Finds the modules below `HOME`, the changed ones as they were changed; code is filed under a module's name."""

    def __init__(self, changed: Mapping[str, ast.Module]) -> None:
        self.changed = changed

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """The specification of a module of ours; None for every other."""
        del path, target
        if not _below(fullname):
            return None
        file = place_of(fullname)
        return spec_from_loader(fullname, self, origin=str(file), is_package=file.name == "__init__.py")

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its code in it."""
        tree = self.changed.get(module.__name__)
        code = _code_of(module.__name__) if tree is None else compile(tree, module.__name__, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - our own code, in which one thing is changed


def _below(name: str) -> bool:
    return name == HOME or name.startswith(f"{HOME}.")


@contextmanager
def _apart(changed: Mapping[str, ast.Module]) -> Iterator[None]:
    """Imports below `HOME` come from copies; what was imported before is there again afterwards."""
    kept = {name: sys.modules.pop(name) for name in [*sys.modules] if _below(name)}
    parent, _, last = HOME.rpartition(".")
    finder = _Copies(changed)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [*sys.modules]:
            if _below(name):
                del sys.modules[name]
        sys.modules.update(kept)
        setattr(sys.modules[parent], last, home)


def planted(spec: str, changed: Mapping[str, ast.Module]) -> tuple[NumpyBackend, dict[str, ModuleType]]:
    """The backend over modules of its own, with these modules. Raises whatever a changed module raises on import."""
    with _apart(changed):
        device = import_module(f"{HOME}.{spec.replace('-', '_')}").DEVICE
        unit = import_module(f"{HOME}.units.exact").ExactUnit()
        backend: NumpyBackend = import_module(f"{HOME}.backend").NumpyBackend(unit, {spec: device.make})
        return backend, {name: module for name, module in sys.modules.items() if _below(name)}
