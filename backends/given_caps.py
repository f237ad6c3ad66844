"""Built-in backends as other devices: the caps of one specification from a file, in place of the backend's own.

``numpy@amd-rdna3-wmma=device.json`` is the numpy backend as a device that reports the caps in that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from mmaspec.backends.foreign import FOREIGN
from mmaspec.backends.protocol import Backend
from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.allowed_values import telling_allowed
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import check_keys, read_plain, strictly
from mmaspec.programs.specifications import SPECS

MAX_CAPS = 1 << 20
"""Largest file of caps that is read, in bytes."""

MOST_TOLD = 3
"""Rows that cannot be tested of which an error says why, where there are no others."""

FAMILIES = frozenset({"legal", "fault"})
"""What the names of built-in backends begin with, where they have two parts."""

_NAME = re.compile(r"[A-Za-z0-9.-]+")
"""Names of specifications: what else stands before an equals sign belongs to a file's name."""


@runtime_checkable
class Reporting(Protocol):
    """A backend that can be told what to report."""

    def report(self, spec: str, caps: Any) -> None:
        """Report ``caps`` from now on, and hold programs to them, as another device would."""
        ...


def decode_caps(spec: str, data: bytes, where: str) -> Any:
    """Caps in the specification's own terms, or as a driver reports them, from JSON. Raises ``BadInput``."""
    found = spec_named(spec)
    with strictly(where, f"caps of {spec}"):
        caps: object = None if found.recorded is None else found.recorded(data, where)
        if caps is None:
            with telling_allowed(found.caps_type):
                caps = msgspec.json.decode(data, type=found.caps_type)
        check_keys(data)
    report = found.reported(caps)
    check_written(report, where)
    if not found.rows(report.usable):
        why = "".join(f"; {row}: {reason}" for row, reason in list(report.not_covered().items())[:MOST_TOLD])
        raise BadInput(f"{where}: caps of {spec} without a single row that can be tested{why}")
    return caps


def read_caps(spec: str, path: Path | None) -> Any:
    """Caps from a file; the specification's default caps where there is none. Raises ``BadInput``."""
    if path is None:
        return spec_named(spec).default_caps
    return decode_caps(spec, read_plain(path, MAX_CAPS), str(path))


def with_files(backend: str, specs: Iterable[str], files: Iterable[str]) -> str:
    """The name of a built-in backend that reports the caps in these files, as `caps_files` takes them.

    Raises ``BadInput``.
    """
    family, colon, _ = backend.partition(":")
    if backend != "numpy" and backend not in FOREIGN and not (colon and family in FAMILIES):
        raise BadInput(f"backend {backend!r}: reports its own caps; only built-in backends report those of a file")
    return backend + "".join(f"@{spec}={path}" for spec, path in caps_files(specs, files).items())


def caps_files(specs: Iterable[str], files: Iterable[str]) -> dict[str, str]:
    """Specification -> the file of caps for it; each given as ``FILE`` or ``SPEC=FILE``.

    ``specs`` are the specifications asked for: a file alone is of the only one. Paths become absolute, as they are kept
    in reports. Raises ``BadInput``, for a file without usable caps as well.
    """
    asked = tuple(dict.fromkeys(specs))
    found: dict[str, str] = {}
    for given in files:
        spec, equals, path = given.partition("=")
        if not equals or not _NAME.fullmatch(spec):
            if len(asked) != 1:
                raise BadInput(
                    f"caps {given!r}: of which specification? Write SPEC={given}, or ask for one with --spec"
                )
            spec, path = asked[0], given
        if asked and spec not in asked:
            raise BadInput(f"caps {given!r}: {spec} is not among the specifications asked for: {', '.join(asked)}")
        if spec in found:
            raise BadInput(f"caps {given!r}: there are caps of {spec} already")
        read_caps(spec, Path(path))
        found[spec] = str(Path(path).absolute())
    return found


def parted(text: str) -> tuple[str, dict[str, str]]:
    """A backend's name without caps, and specification -> file of the caps that it is to report.

    Only names of specifications part it, as files may have any of its signs in theirs.
    """
    names = "|".join(map(re.escape, SPECS))
    name, *given = re.split(rf"@(?=(?:{names})=)", text)
    return name, dict(one.split("=", 1) for one in given)


def reporting(backend: Backend, text: str, files: dict[str, str]) -> Backend:
    """The backend, which from now on reports the caps in these files. Raises ``BadInput`` where it cannot."""
    if files and not isinstance(backend, Reporting):
        raise BadInput(f"backend {text!r}: reports its own caps; only built-in backends report those of a file")
    for spec, path in files.items():
        if backend.caps(spec) is None:
            raise BadInput(f"backend {text!r}: does not support {spec}, whose caps {path} has")
        backend.report(spec, read_caps(spec, Path(path)))  # type: ignore[attr-defined]
    return backend
