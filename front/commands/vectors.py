"""``mmaspec vectors``: a case list as files, and judging the answers to it."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec.structs import replace

from mmaspec.backends.given_caps import decode_caps, read_caps
from mmaspec.commands.check import report
from mmaspec.commands.gate import NOTHING, Expectations, replay_waived
from mmaspec.commands.profile_file import profile_named
from mmaspec.commands.progress import progress
from mmaspec.options import worker_count
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import DEFAULT_SEED
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.gate.waivers import read_waivers
from mmaspec.suites.planning.plan import Plan
from mmaspec.suites.planning.prepare import Wanted
from mmaspec.suites.running.run_folder import RunFolder
from mmaspec.suites.running.supervisor import supervise
from mmaspec.suites.vectors.answers import read_results
from mmaspec.suites.vectors.evidence import weighed
from mmaspec.suites.vectors.folder import check_files, read_manifest
from mmaspec.suites.vectors.layout import MANIFEST_FILE, Manifest
from mmaspec.suites.vectors.request import NOBODY, planned
from mmaspec.suites.vectors.write import write_vectors
from mmaspec.suites.verdict.assemble import assemble


def write(
    spec: str,
    caps: Path | None,
    profile: str | None,
    tier: str,
    seed: int | None,
    out: Path,
    waivers: Path | None = None,
    sparse: int = 0,
) -> None:
    """Write the case list of a specification into a folder, and the cases that waivers of its clauses pin."""
    wanted = Wanted(
        backend="vectors",
        specs=(spec_named(spec).name,),
        profile=PRACTICE if profile is None else profile_named(profile),
        tier=tier,
        seed=DEFAULT_SEED if seed is None else seed,
    )
    pinned = () if waivers is None else read_waivers(waivers)
    plan, recipes = planned(wanted, read_caps(spec, caps), replace(NOBODY, sparse=sparse))
    with progress(f"writing {out}") as show:
        cases = [one.case for one in pinned if one.case is not None and one.spec in plan.specs]
        manifest = write_vectors(out, plan, recipes, show, cases)
    size = sum(entry.bytes for entry in manifest.files.values())
    told = spec_named(spec).reported(plan.reported[spec])
    left = plan.not_covered.get(spec, {})
    covered = f"; {len(left)} of {len(told.rows())} rows not covered" if left else ""
    lines = [f"{len(manifest.cases)} cases of {spec}, tier {tier}, {size / 1e6:.0f} MB in {out}{covered}"]
    lines += [f"  not covered: {row}: {why}" for row, why in left.items()]
    sys.stdout.write("\n".join([*lines, f"digest {manifest.digest}"]) + "\n")


def verify(
    vectors: Path,
    results: Path,
    profile: str | None,
    authority: str,
    report_to: Path,
    workers: int | None,
    accepted: Expectations = NOTHING,
) -> int:
    """Judge recorded answers, hold them to what was accepted, and report, as a live run does; the exit code."""
    manifest = read_manifest(vectors)
    check_files(vectors, manifest)
    description = replace(read_results(results, manifest), sparse=manifest.sparse or 0)
    wanted = Wanted(
        backend=f"answers in {results}",
        specs=(spec_named(manifest.spec).name,),
        profile=None if profile is None else profile_named(profile),
        authority=authority,
        tier=manifest.tier,
        seed=manifest.seed,
    )
    caps = decode_caps(manifest.spec, bytes(manifest.caps), str(vectors / MANIFEST_FILE))
    plan, recipes = planned(wanted, caps, description)
    _same_list(vectors / MANIFEST_FILE, manifest, plan, recipes)
    plan = replace(plan, recorded=(str(vectors.absolute()), str(results.absolute())))
    folder = RunFolder(report_to.absolute())
    folder.check()
    waivers = replay_waived(plan, accepted)
    with folder.owned():
        folder.clear()  # last, so that no mistake costs an earlier run
        folder.write_plan(plan, recipes)
        count = worker_count(workers)
        with progress(f"judging {description.name}") as show:
            judged, judgements = supervise(folder, count, show)
        judgements = weighed(judgements)
        # Where to replay a case is the reader's to say: the backend is not here.
        facts = {name: fact for name, fact in judged.environment.items() if name != "backend"}
        judged = assemble(plan, judgements, facts | {"answers": str(results)}, folder.cases, folder.filed)
        return report(folder.path, judged, judgements, waivers, accepted)


def _same_list(path: Path, manifest: Manifest, plan: Plan, recipes: tuple[Recipe, ...]) -> None:
    """A verdict is about the list that a live run would have; raises ``BadInput`` for another one."""
    mine = sorted(recipe.id for recipe in recipes)
    theirs = sorted(entry.id for entry in manifest.cases if not entry.pinned)
    if plan.case_list != manifest.case_list or mine != theirs:
        raise BadInput(
            f"{path}: its cases are not those of tier {manifest.tier}, seed {manifest.seed} in this version of "
            f"mmaspec; it was written by {manifest.mmaspec} (sources {manifest.code}): judge it there"
        )
