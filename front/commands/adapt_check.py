"""``mmaspec adapt --check`` tests that wiring errors around an adapter would be detected."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from mmaspec.backends.failures import BadReply, Died, Raised, error_line
from mmaspec.backends.protocol import Refused
from mmaspec.backends.resolve import isolated
from mmaspec.commands.catalogue import show, table
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import SPECS, spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.suites.planning import lists
from mmaspec.suites.planning.prepare import check_limit
from mmaspec.suites.score.wiring import PLANTS, Proof, prove
from mmaspec.suites.suited import suited

A_ROW = 6
"""Cases of each caps row."""
LOADS = ("a", "b", "c")


def check_wiring(text: str, specs: list[str], time_limit: float) -> int:
    """Plant every error in cases of every specification that the backend supports; the exit code."""
    wanted = tuple(dict.fromkeys(spec_named(name).name for name in specs or SPECS))
    check_limit(time_limit)
    proofs = {}
    with isolated(text, timeout_s=time_limit) as backend:
        try:
            description = backend.describe()
            supported = {name: caps for name in wanted if (caps := backend.caps(name)) is not None}
        except (Died, Raised, BadReply, Refused) as error:
            raise BadInput(f"backend {text}: could not say what it is or supports: {error_line(error)}") from error
        if "executes" not in description.roles:
            raise BadInput(f"backend {text}: executes nothing, so there are no results to mix up")
        for name, caps in supported.items():
            proofs[name] = proof = Proof()
            for listed in _cases(name, caps):
                case = suited(listed, description)
                if case is not None:
                    prove(backend, case, description.profile, proof)
    return _print(proofs)


def _cases(spec: str, caps: object) -> Iterator[Case]:
    """The first cases of each row that can be tested; those that load A, B and C before others."""
    rows: dict[str, list[Recipe]] = {}
    for recipe in lists.listed(spec, spec_named(spec).reported(caps).usable, "smoke", DEFAULT_SEED):
        if not recipe.target:
            rows.setdefault(recipe.row, []).append(recipe)
    for listed in rows.values():
        ranked = sorted(listed, key=_lacking)
        yield from (materialise(recipe) for recipe in ranked[:A_ROW])


def _lacking(recipe: Recipe) -> int:
    """The number of operands of a product that the case does not load."""
    sources = spec_named(recipe.spec).sources(resolve(recipe.program, recipe.words))
    return len(set(LOADS) - {source.role for source in sources})


def _print(proofs: dict[str, Proof]) -> int:
    rows = table("PLANTED", "", "SPEC", "CASES", "SEEN IN")
    for spec, proof in proofs.items():
        for name, seen in proof.plants.items():
            rows.add_row(name, PLANTS[name].says, spec, str(seen.tried), str(seen.seen) if seen.tried else "-")
    show(rows)
    troubles = [f"{spec}: {trouble}" for spec, proof in proofs.items() for trouble in proof.troubles]
    sys.stdout.write("".join(f"fails with nothing planted: {trouble}\n" for trouble in troubles[:10]))
    entries = [seen for proof in proofs.values() for seen in proof.plants.values()]
    if troubles or any(seen.tried and not seen.seen for seen in entries):
        sys.stdout.write("not every mistake would be seen\n" if not troubles else "first make it pass mmaspec check\n")
        return 1
    if not entries or not all(seen.tried for seen in entries):
        sys.stdout.write("there is no case for some mistakes\n")
        return 3
    sys.stdout.write("every mistake would be seen\n")
    return 0
