"""DXC as a library: the last one that knew WaveMatrix, as `compushady-lrtu` brings it for Linux (an extra)."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

OPTIONS = ("-T", "cs_6_8", "-E", "CSMain", "-enable-16bit-types", "-Vd")
"""Without validation, which never knew the instructions of WaveMatrix."""

UTF8 = 65001
COMPILER = UUID("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0").bytes_le
INTERFACE = UUID("228b4687-5a6a-4730-900c-9702b2203f54").bytes_le
RESULT = UUID("58346cda-dde7-4497-9461-6f87af5e0659").bytes_le

RELEASE, COMPILE, STATUS, ERRORS, POINTER, SIZE = 2, 3, 3, 5, 3, 4
"""Places in the tables of functions: of every object; of the compiler; of a result (twice); of a blob (twice)."""


def library() -> Path | None:
    """Where DXC lies; None if nothing brings it."""
    package = find_spec("compushady")
    folders = () if package is None else tuple(package.submodule_search_locations or ())
    found = (Path(folder, "backends", "libdxcompiler_x86_64.so") for folder in folders)
    return next((path for path in found if path.is_file()), None)


class _Buffer(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char_p), ("size", ctypes.c_size_t), ("encoding", ctypes.c_uint32))


class Dxc:
    """One compiler."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._it = ctypes.c_void_p()
        create = self._library.DxcCreateInstance
        create.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
        assert create(COMPILER, INTERFACE, ctypes.byref(self._it)) == 0

    def complaint(self, text: str) -> str:
        """The first error of a shader; empty if it compiles."""
        source = text.encode()
        given = _Buffer(source, len(source), UTF8)
        options = (ctypes.c_wchar_p * len(OPTIONS))(*OPTIONS)
        result, status, errors = ctypes.c_void_p(), ctypes.c_int32(), ctypes.c_void_p()
        arguments = (ctypes.byref(given), options, len(OPTIONS), None, RESULT, ctypes.byref(result))
        assert _call(self._it, COMPILE, ctypes.c_int32, *arguments) == 0
        try:
            _call(result, STATUS, ctypes.c_int32, ctypes.byref(status))
            if not status.value:
                return ""
            _call(result, ERRORS, ctypes.c_int32, ctypes.byref(errors))
            size = _call(errors, SIZE, ctypes.c_size_t)
            said = ctypes.string_at(_call(errors, POINTER, ctypes.c_void_p), size).decode()
            _call(errors, RELEASE, ctypes.c_uint32)
            return next((line for line in said.splitlines() if "error:" in line), said)
        finally:
            _call(result, RELEASE, ctypes.c_uint32)


def _call(it: ctypes.c_void_p, number: int, returns: Any, *arguments: Any) -> Any:
    """Call a function of an object by its number."""
    table = ctypes.cast(it, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    kinds = [ctypes.c_uint32 if isinstance(one, int) else ctypes.c_void_p for one in arguments]
    given = [ctypes.cast(one, ctypes.c_void_p) if isinstance(one, bytes) else one for one in arguments]
    return ctypes.CFUNCTYPE(returns, ctypes.c_void_p, *kinds)(table[number])(it, *given)
