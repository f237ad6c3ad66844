"""Making a backend from its name on the command line."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from mmaspec.backends.failures import Raised, error_line
from mmaspec.backends.foreign import FOREIGN
from mmaspec.backends.given_caps import FAMILIES, parted, reporting
from mmaspec.backends.processes.child_backend import ChildBackend
from mmaspec.backends.processes.isolated import IsolatedBackend
from mmaspec.backends.protocol import Backend, Description
from mmaspec.programs.errors import BadInput

_METHODS = ("describe", "caps", "run")
_FORMS = "numpy, onnxruntime, torch, legal:NAME, fault:NAME, module:Class, path/to/adapter.py:Class or cmd:COMMAND"


def backend_names() -> tuple[str, ...]:
    """The names of all built-in backends, as on the command line."""
    from mmaspec.backends.faults import all_defects, all_faults
    from mmaspec.backends.legal import LEGAL

    faults = (f"fault:{fault.name}" for fault in (*all_faults(), *all_defects()))
    return ("numpy", *FOREIGN, *(f"legal:{name}" for name in LEGAL), *faults)


def resolve(text: str) -> Backend:
    r"""Make the backend that ``text`` names. Raises ``BadInput``, one line, for whatever is wrong with it.

    ``numpy``, ``legal:NAME`` and ``fault:NAME`` are built in, ``onnxruntime`` and ``torch`` are too but need
    the extra of that name; ``cmd:COMMAND`` starts a program that speaks the
    protocol of ``docs/external.md``; ``module:Class`` and ``adapter.py:Class`` are imported and called without
    arguments (the last colon counts, so ``C:\x.py:Class`` is a file). A built-in one followed by ``@SPEC=FILE`` reports
    the caps in that file.
    """
    plain, files = parted(text)
    family, colon, name = plain.partition(":")
    if plain == "numpy" or plain in FOREIGN or (colon and family in FAMILIES):
        return reporting(_built_in(family, name), plain, files)
    family, colon, name = text.partition(":")
    if colon and family == "cmd":
        return _built_in(family, name)
    place, colon, attribute = text.rpartition(":")
    if not colon:
        if text.endswith(".py"):
            raise BadInput(f"backend {text!r} names a file but no class in it; expected {text}:Class")
        raise BadInput(f"no backend named {text!r}{_near(text)}; expected {_FORMS}")
    if len(place) == 1 and attribute.startswith(("\\", "/")):
        raise BadInput(f"backend {text!r} names a file but no class in it; expected {text}:Class")
    if not place or not attribute.isidentifier():
        raise BadInput(f"backend {text!r} is not of the form {_FORMS}")
    return _made(text, _attribute(_module(text, place), place, attribute))


def _built_in(family: str, name: str) -> Backend:
    if family == "cmd":
        from mmaspec.backends.external.backend import ExternalBackend

        return ExternalBackend(name)
    if family == "fault":
        from mmaspec.backends.faults import fault_named

        return fault_named(name).make()
    if family == "legal":
        from mmaspec.backends.legal import LEGAL

        if name not in LEGAL:
            there = _near(f"legal:{name}") or f"; there are {', '.join(LEGAL)}"
            raise BadInput(f"no legal variant named {name!r}{there}")
        return LEGAL[name].make()
    if family in FOREIGN:
        return FOREIGN[family].make()
    from mmaspec.backends.numpy.backend import NumpyBackend
    from mmaspec.backends.numpy.devices import DEVICES
    from mmaspec.backends.numpy.units.catalogue import ExactUnit

    return NumpyBackend(ExactUnit(), DEVICES)


def _near(text: str) -> str:
    names = backend_names()
    plain = {name.partition(":")[2] or name: name for name in names}
    near = get_close_matches(text, names, n=2) or [plain[found] for found in get_close_matches(text, plain, n=2)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _module(text: str, place: str) -> ModuleType:
    """The module at a path or of a dotted name."""
    if not (place.endswith(".py") or "/" in place or "\\" in place):
        _reach(Path.cwd())
        try:
            return import_module(place)
        except ModuleNotFoundError as error:
            if error.name and (place == error.name or place.startswith(f"{error.name}.")):
                raise BadInput(
                    f"backend {text!r}: no module named {place!r}; for a file write path/to/file.py:Class"
                ) from error
            raise BadInput(f"backend {text!r}: cannot be imported: {Raised.by(error)}") from error
        except (Exception, SystemExit) as error:
            raise BadInput(f"backend {text!r}: cannot be imported: {Raised.by(error)}") from error
    path = Path(place)
    if not path.is_file():
        raise BadInput(f"backend {text!r}: no file {place}")
    # Registered under a name of its own before it runs: dataclasses and structs look their module up.
    name = f"mmaspec_adapter_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"backend {text!r}: {place} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    _reach(path.resolve().parent)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise BadInput(f"backend {text!r}: cannot be imported: {Raised.by(error)}") from error
    return module


def _reach(folder: Path) -> None:
    """Let imports find modules in ``folder``, after all others: it must not stand in for installed ones."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _attribute(module: ModuleType, place: str, attribute: str) -> object:
    """``module.attribute``; ``BadInput`` with the nearest names if there is none."""
    if hasattr(module, attribute):
        found: object = getattr(module, attribute)
        return found
    own = [
        name for name, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__
    ]
    if near := get_close_matches(attribute, own, n=2, cutoff=0.5):
        hint = f"; the nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}"
    elif own:
        hint = f"; it has {', '.join(own[:3])}" + (f" and {len(own) - 3} more" if len(own) > 3 else "")
    else:
        hint = "; it has no class at all"
    raise BadInput(f"{place} has no class {attribute!r}{hint}")


def _made(text: str, maker: object) -> Backend:
    """Call the class and check that it describes itself."""
    if not callable(maker):
        raise BadInput(f"backend {text!r}: a {type(maker).__name__} is not a class")
    if isinstance(maker, type) and (lacks := [name for name in _METHODS if not hasattr(maker, name)]):
        raise BadInput(f"backend {text!r}: the class has no {', no '.join(lacks)}; a backend has {', '.join(_METHODS)}")
    try:
        backend: Any = maker()
    except (Exception, SystemExit) as error:
        raise BadInput(f"backend {text!r}: cannot be made: {Raised.by(error)}") from error
    if lacks := [name for name in _METHODS if not callable(getattr(backend, name, None))]:
        raise BadInput(f"backend {text!r}: has no {', no '.join(lacks)}; a backend has {', '.join(_METHODS)}")
    try:
        description = backend.describe()
    except (Exception, SystemExit) as error:
        raise BadInput(f"backend {text!r}: describe() raised {Raised.by(error)}") from error
    if not isinstance(description, Description):
        got = error_line(type(description).__name__)
        raise BadInput(f"backend {text!r}: describe() returned a {got}; expected mmaspec.Description")
    try:
        msgspec.convert(msgspec.to_builtins(description), Description)
    except (TypeError, ValueError, msgspec.ValidationError) as error:
        raise BadInput(f"backend {text!r}: describe() returned a wrong Description: {error_line(error)}") from error
    made: Backend = backend
    return made


def isolated(backend_text: str, *, timeout_s: float = 60.0) -> IsolatedBackend:
    """The backend of that name in a child process; an external program is such a process already."""
    family, colon, command = backend_text.partition(":")
    if colon and family == "cmd":
        from mmaspec.backends.external.backend import ExternalBackend

        return ExternalBackend(command, timeout_s=timeout_s)
    return ChildBackend(backend_text, timeout_s=timeout_s)
