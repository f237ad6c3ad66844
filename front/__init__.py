"""mmaspec: the executable specification and conformance suite for GPU matrix multiply-accumulate.

``expect`` computes what a specification demands of a case, ``assert_conforms`` judges a backend by it, ``read_case``
reads a case file; the other names are for writing a backend. Each is imported when it is first used.

Public are the names in ``__all__`` here, in ``mmaspec.strategies`` and in ``mmaspec.programs.<spec>``, one package
for each specification. **Every other module is private**, whatever it is called: it may change in any release.
``docs/api.md`` lists all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmaspec import programs as programs
    from mmaspec import strategies as strategies
    from mmaspec.api import assert_conforms, backend_named, read_case, source_text, specs, write_case
    from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Shape, Types
    from mmaspec.backends.protocol import Backend, Description, Images, Refused
    from mmaspec.oracle.case import Case
    from mmaspec.oracle.expect import expect
    from mmaspec.oracle.expectation import Defined, Rejected, Undefined
    from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal, RunTime, at
    from mmaspec.programs.errors import BadInput
    from mmaspec.programs.formats import FORMATS, Format
    from mmaspec.programs.profile import PRACTICE, FusedBlock, Pin, Profile
    from mmaspec.suites.judging.single import Verdict

    __version__: str

__all__ = [
    "DTYPES",
    "FORMATS",
    "PRACTICE",
    "Affine",
    "ArithmeticOnly",
    "Backend",
    "BadInput",
    "Buffer",
    "Case",
    "Defined",
    "Description",
    "Format",
    "FromBuffer",
    "FusedBlock",
    "Images",
    "Literal",
    "Pin",
    "Profile",
    "Refused",
    "Rejected",
    "RunTime",
    "Shape",
    "Types",
    "Undefined",
    "Verdict",
    "__version__",
    "assert_conforms",
    "at",
    "backend_named",
    "expect",
    "programs",
    "read_case",
    "source_text",
    "specs",
    "strategies",
    "write_case",
]

_HOMES = {
    "DTYPES": "backends.arithmetic_only",
    "FORMATS": "programs.formats",
    "PRACTICE": "programs.profile",
    "Affine": "programs.base",
    "ArithmeticOnly": "backends.arithmetic_only",
    "BadInput": "programs.errors",
    "Backend": "backends.protocol",
    "Buffer": "programs.base",
    "Case": "oracle.case",
    "Defined": "oracle.expectation",
    "Description": "backends.protocol",
    "Format": "programs.formats",
    "FromBuffer": "programs.base",
    "FusedBlock": "programs.profile",
    "Images": "backends.protocol",
    "Literal": "programs.base",
    "Pin": "programs.profile",
    "Profile": "programs.profile",
    "Refused": "backends.protocol",
    "Rejected": "oracle.expectation",
    "RunTime": "programs.base",
    "Shape": "backends.arithmetic_only",
    "Types": "backends.arithmetic_only",
    "Undefined": "oracle.expectation",
    "Verdict": "suites.judging.single",
    "assert_conforms": "api",
    "at": "programs.base",
    "backend_named": "api",
    "expect": "oracle.expect",
    "read_case": "api",
    "source_text": "api",
    "specs": "api",
    "write_case": "api",
}
"""Public name -> the module below ``mmaspec`` in which it is written."""

_PACKAGES = ("programs", "strategies")


def __dir__() -> list[str]:
    """The public names only."""
    return sorted(__all__)


if not TYPE_CHECKING:  # a type checker that saw this would take any name for one of ours

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used: ``mmaspec --help`` must stay fast."""
        from importlib import import_module, metadata

        if name == "__version__":
            found = metadata.version("mmaspec")
        elif name in _PACKAGES:
            found = import_module(f"{__name__}.{name}")
        elif name in _HOMES:
            found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found
