"""Every specification keeps the same job in a room of the same name, under the same name."""

from __future__ import annotations

from importlib import import_module

import pytest

from mmaspec.oracle.spec import SPECS, spec_named

ROOMS = {
    "rows": ("rows",),
    "validity": ("rejected",),
    "undefined": ("undefined",),
    "semantics": ("execute",),
    "sources": ("sources",),
    "blame": ("ablations", "instrumented"),
    "text": ("text",),
}
"""Room -> what it offers, as ``Spec`` calls it."""


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", SPECS)
def test_rooms_offer_what_the_specification_does(name: str, room: str) -> None:
    folder = name.replace("-", "_")
    place = f"mmaspec.oracle.{folder}.{room}"
    for public in ROOMS[room]:
        offered = getattr(import_module(place), public)
        assert offered is getattr(spec_named(name), public)
        assert f"{offered.__module__}.".startswith(f"{place}."), "made in another room"


@pytest.mark.parametrize("name", SPECS)
def test_vocabularies_have_the_same_modules(name: str) -> None:
    folder = name.replace("-", "_")
    for module, public in (("operands", "writes"), ("well_formed", "check_well_formed")):
        assert callable(getattr(import_module(f"mmaspec.programs.{folder}.{module}"), public))
    for module in ("program", "caps"):
        import_module(f"mmaspec.programs.{folder}.{module}")
    import_module(f"mmaspec.oracle.{folder}.coverage")
    import_module(f"mmaspec.oracle.{folder}.addresses")
