"""``mmaspec backends``, ``faults`` and ``profiles``."""

from __future__ import annotations

from rich.text import Text

from mmaspec.backends.faults import all_defects, all_faults, defects_of, faults_of
from mmaspec.backends.foreign import FOREIGN
from mmaspec.backends.legal import LEGAL
from mmaspec.commands.catalogue import show, table
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PROFILES


def backends() -> None:
    """Named backends; counterfactuals have a list of their own."""
    rows = table("BACKEND", "WHAT IT IS")
    rows.add_row("numpy", Text("the embedded default: independent of the oracle, every product sum correctly rounded"))
    for name, foreign in FOREIGN.items():
        rows.add_row(name, Text(f"{foreign.why}; needs mmaspec[{name}]"))
    for name, variant in LEGAL.items():
        source = f" Source: {variant.source}." if variant.source else ""
        rows.add_row(f"legal:{name}", Text(f"{variant.why}{source} ({', '.join(variant.specs)})"))
    rows.add_row("cmd:COMMAND", Text("a program that speaks the protocol over a pipe"))
    rows.add_row("fault:NAME", Text("a counterfactual or a defect; mmaspec faults lists them"))
    rows.add_row("module:Class", Text("a class of an installed module"))
    rows.add_row("adapter.py:Class", Text("a class in a file"))
    show(rows)


def faults(specs: list[str] | None) -> None:
    """Counterfactuals and defects, one line each."""
    wanted = sorted({spec_named(name).name for name in specs or ()})
    rows = table("FAULT", "SPEC", "BREAKS", "BEHAVES AS IF")
    of_wanted = (fault for of in (faults_of, defects_of) for name in wanted for fault in of(name))
    for fault in of_wanted if wanted else (*all_faults(), *all_defects()):
        like = f" (as {fault.imitates})" if fault.imitates else ""
        rows.add_row(fault.name, fault.spec, fault.clause, Text(f"{fault.behaves_as_if}{like}"))
    show(rows)


def profiles() -> None:
    """Named profiles; a dash leaves the point to each specification's practice."""
    rows = table("PROFILE", "SUBNORMALS", "PRODUCT SUMS", "NAN", "EXACT WINDOW", "PINNED READINGS", "WHAT IT SAYS")
    for profile in PROFILES.values():
        pins = ", ".join(f"{pin.ambiguity}={pin.reading}" for pin in profile.pins)
        model = profile.model if isinstance(profile.model, str) or profile.model is None else "fused-block"
        rows.add_row(
            profile.name,
            profile.subnormals or "-",
            profile.rounding or model or "-",
            profile.nan or "-",
            profile.window or "-",
            pins or "-",
            Text(profile.about or "-"),
        )
    show(rows)
