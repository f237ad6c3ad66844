"""The command line: options and help. ``mmaspec.commands`` carries the commands out; each is imported when it runs."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from mmaspec.options import (
    MOST_WORKERS,
    BackendOption,
    BaselineOption,
    CapsOption,
    IsolatedAnyway,
    MaxFailuresOption,
    ProfileOption,
    ReportOption,
    SpecOption,
    TierOption,
    WaiversOption,
    WorkersOption,
    worker_count,
)
from mmaspec.passing import Commands
from mmaspec.word_or_write import WordOrWrite

app: typer.Typer = typer.Typer(
    name="mmaspec",
    help="Check GPU matrix multiply-accumulate against its specifications.\n\n"
    "Exit codes: 0 conformant, 1 not conformant, 3 inconclusive, 2 usage error or bad input, 4 internal failure.",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import mmaspec

        typer.echo(f"mmaspec {mmaspec.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """The options that work without a command."""


@app.command()
def check(
    backend: BackendOption = "numpy",
    spec: SpecOption = None,
    profile: ProfileOption = None,
    authority: Annotated[
        str, typer.Option(help="Weakest basis of the clauses to judge: document, practice or profile.")
    ] = "profile",
    tier: TierOption = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    workers: WorkersOption = None,
    report: ReportOption = Path("mmaspec-report"),
    isolate: Annotated[
        bool,
        typer.Option(
            "--isolate",
            help="Run the backend in a child process: for all but trusted code, and whatever may crash or hang.",
        ),
    ] = False,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of one case.")] = 60.0,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run in the run folder.")] = False,
    max_failures: MaxFailuresOption = None,
    listing: Annotated[bool, typer.Option("--list", help="Print the case list and exit without running it.")] = False,
    caps: CapsOption = None,
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Run the cases on the Dask cluster with this scheduler (needs the extra dask)."
        ),
    ] = None,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="Run only share I of N of the cases; mmaspec merge combines the shares.")
    ] = "",
    no_explore: Annotated[
        bool, typer.Option("--no-explore", help="Leave out the random cases beyond the list (none at quick and smoke).")
    ] = False,
    afresh: Annotated[
        bool,
        typer.Option("--afresh", help="Judge every answer, known ones too; use and keep nothing of other runs."),
    ] = False,
) -> None:
    """Check a backend and write a report. Exit 0: conformant; 1: not conformant; 3: inconclusive.

    With waivers or a baseline, exit 0: they accept every failure; 1: they do not; 3: inconclusive.
    """
    from mmaspec.suites.running.session import begun_early

    elsewhere = listing or resume or scheduler is not None
    # First of all: its process imports what it needs while this one does, and draws the cases.
    with nullcontext() if elsewhere else begun_early(report.absolute(), worker_count(workers)) as early:
        from mmaspec.commands import check as command
        from mmaspec.commands.gate import read_expectations

        wanted = command.wanted(
            backend,
            spec,
            profile,
            authority,
            tier,
            seed,
            isolate=isolate,
            time_limit=time_limit,
            shard=shard,
            explore=not no_explore,
            afresh=afresh,
            caps=caps or (),
        )
        if listing:
            of_runs: dict[str, object] = {"--resume": resume, "--waivers": waivers, "--baseline": baseline}
            of_runs |= {"--scheduler": scheduler, "--max-failures": max_failures}
            command.list_cases(wanted, of_runs)
            return
        code = command.run(
            wanted,
            report,
            workers,
            resume=resume,
            accepted=read_expectations(waivers, baseline),
            scheduler=scheduler,
            max_failures=max_failures,
            early=early,
        )
    raise typer.Exit(code)


@app.command()
def specs() -> None:
    """List the specifications."""
    from mmaspec.commands import catalogue

    catalogue.specs()


@app.command()
def clauses(
    only: Annotated[str | None, typer.Argument(metavar="[SPEC]")] = None,
    spec: Annotated[str | None, typer.Option("--spec", "-s", metavar="S", help="The same as SPEC.")] = None,
    matrix: Annotated[
        bool,
        typer.Option("--matrix", help="Count the sensitive cases of each clause and caps row; exit 1 if one has none."),
    ] = False,
    verify_source: Annotated[
        Path | None,
        typer.Option(metavar="TEXT", help="Find the place of every clause in the document; TEXT is its text."),
    ] = None,
    publication: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="With --verify-source: TEXT is another text on which clauses rest, by its name."
        ),
    ] = None,
    tier: Annotated[
        str | None, typer.Option(help="Tier for --matrix: quick, smoke, standard or thorough. Default: smoke.")
    ] = None,
) -> None:
    """List the clauses of one specification, or of all."""
    from mmaspec.commands import catalogue, source_places
    from mmaspec.commands import matrix as matrix_command

    if only and spec:
        raise typer.BadParameter("SPEC and --spec are the same; expected one of them", param_hint="--spec")
    spec = only or spec
    if verify_source is not None:
        raise typer.Exit(source_places.verify_source(spec, verify_source, publication or ""))
    if publication is not None:
        raise typer.BadParameter("goes with --verify-source only", param_hint="--publication")
    if matrix:
        raise typer.Exit(matrix_command.matrix(spec, tier or "smoke"))
    if tier is not None:
        raise typer.BadParameter("goes with --matrix only", param_hint="--tier")
    catalogue.clauses(spec)


@app.command()
def explain(clause: Annotated[str, typer.Argument(metavar="CLAUSE")]) -> None:
    """Explain a clause or an ambiguity, with place, readings, counterfactuals; of a SPEC, list its ambiguities."""
    from mmaspec.commands import catalogue

    catalogue.explain(clause)


@app.command()
def example(clause: Annotated[str, typer.Argument(metavar="CLAUSE")]) -> None:
    """Print the golden example of a clause. It has program, operands, expected bytes and derivation."""
    from mmaspec.commands import cases

    cases.example(clause)


@app.command()
def expect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A case (JSON) or a golden example (TOML).")],
    reading: Annotated[
        list[str] | None, typer.Option(metavar="AMB=x", help="Choose reading x of ambiguity AMB; repeat for several.")
    ] = None,
    profile: ProfileOption = None,
    every: Annotated[bool, typer.Option("--all", help="Print every element of a store, not the first 32.")] = False,
) -> None:
    """Print what the specification demands of a case: rejected, undefined, or the legal sets of what is stored.

    Exit 1: the [expect] of a golden example is something else.
    """
    from mmaspec.commands import cases

    raise typer.Exit(cases.expect_file(file, reading or [], profile, None if every else cases.SHOWN))


@app.command()
def replay(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A case (JSON) or a golden example (TOML).")
    ] = None,
    backend: BackendOption = "numpy",
    profile: ProfileOption = None,
    authority: Annotated[
        str, typer.Option(help="Weakest basis of what counts as a failure: document, practice or profile.")
    ] = "profile",
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of one case.")] = 60.0,
    every: Annotated[
        Path | None, typer.Option("--all", metavar="DIR", help="Replay every case file (*.json) in a folder and below.")
    ] = None,
    isolate: IsolatedAnyway = False,
) -> None:
    """Run one or many case files on a backend. Exit 0: legal; 1: illegal; 3: nothing to judge."""
    from mmaspec.commands import cases, replay_all

    del isolate  # as the help says
    named = replay_all.named(file, every)
    replay_them = cases.replay if every is None else replay_all.replay_all
    raise typer.Exit(replay_them(named, backend, profile, authority, time_limit))


@app.command()
def backends() -> None:
    """List the built-in backends and the legal variants."""
    from mmaspec.commands import listings

    listings.backends()


@app.command()
def faults(spec: SpecOption = None) -> None:
    """List the counterfactuals and defects. Shows the clause that each breaks, and how."""
    from mmaspec.commands import listings

    listings.faults(spec)


@app.command()
def score(
    spec: SpecOption = None,
    tier: TierOption = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    workers: Annotated[
        int | None, typer.Option("-n", metavar="WORKERS", min=0, max=MOST_WORKERS, help="Number of processes.")
    ] = None,
    only: Annotated[str | None, typer.Option(help="Score one half only: faults or legal.")] = None,
    mutants: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Instead, try N mutants of each reference device, and class mutants."),
    ] = None,
    classes: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="With --mutants: only N class mutants. Default: all.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="With --mutants: mutants of pairs of classes. Default: 300.")
    ] = None,
    triples: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="With --mutants: of triples. Default: 200; at the smoke tier none."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Score the suite itself. Counts defects caught, clauses blamed correctly, false alarms; exit 1 unless perfect."""
    from mmaspec.programs.errors import BadInput

    if mutants is not None:
        from mmaspec.commands import mutants as trial

        if only is not None:
            raise BadInput("--only is for the score without --mutants; leave out one of them")
        wanted = trial.wanted(tier, classes, pairs, triples)
        raise typer.Exit(trial.mutants(spec, tier, seed, workers, mutants, wanted, as_json=as_json))
    from mmaspec.commands import score as command

    for option, given in (("classes", classes), ("pairs", pairs), ("triples", triples)):
        if given is not None:
            raise BadInput(f"--{option} goes with --mutants only; --mutants 0 tries no changes of code")

    raise typer.Exit(command.score(spec, tier, seed, workers, only, as_json=as_json))


@app.command()
def reach(
    only: Annotated[str | None, typer.Argument(metavar="[SPEC]", help="The same as --spec SPEC.")] = None,
    spec: SpecOption = None,
    tier: TierOption = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    workers: WorkersOption = None,
    judged: Annotated[
        bool, typer.Option("--judged", help="Only what something that is judged depends on. The default.")
    ] = False,
    seen: Annotated[bool, typer.Option("--seen", help="Whatever cases have.")] = False,
    triples: Annotated[bool, typer.Option("--triples", help="Count triples of classes too.")] = False,
    missing: Annotated[bool, typer.Option("--missing", help="List the classes that no case proves.")] = False,
    impossible: Annotated[bool, typer.Option("--impossible", help="List what no program can have, and why.")] = False,
    caps: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Caps of the device whose list is looked at: FILE, or SPEC=FILE for several. "
            "Default: the lists of all devices that it takes to have every row.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Measure the case list against the parameter space: which classes and pairs of classes its cases have."""
    from mmaspec.commands import reach as command
    from mmaspec.programs.errors import BadInput

    if judged and seen:
        raise BadInput("--judged and --seen exclude each other; leave out one of them")
    chosen = [*(spec or ()), *([only] if only else ())]
    told = command.Wanted(
        judged=not seen, triples=triples, missing=missing, impossible=impossible, caps=tuple(caps or ())
    )
    raise typer.Exit(command.reach(chosen, tier, seed, workers, told, as_json=as_json))


@app.command()
def profiles() -> None:
    """List the built-in profiles, and what each declares."""
    from mmaspec.commands import listings

    listings.profiles()


@app.command()
def report(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")]) -> None:
    """Write the reports of a run folder again. Exit code 0 once they are written, whatever the verdict is."""
    from mmaspec.commands import check as command

    command.rewrite(folder)


@app.command()
def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders of all shards of one run.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Run folder to write.")],
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
    backend: Annotated[
        str | None,
        typer.Option("--backend", "-b", metavar="B", help="Backend of the shards; waivers need it, unless built in."),
    ] = None,
) -> None:
    """Combine the shards of a run into one judged run. Exit codes are those of check."""
    from mmaspec.commands import merge as command
    from mmaspec.commands.gate import read_expectations

    raise typer.Exit(command.merge_shards(folders, out, read_expectations(waivers, baseline), backend))


@app.command()
def compare(
    before: Annotated[Path, typer.Argument(metavar="A", help="Run folder of the earlier run.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Run folder of the later run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Print what changed from run A to run B. Exit 1 if something broke or is no longer judged."""
    from mmaspec.commands import compare as command

    raise typer.Exit(command.compare_runs(before, after, as_json=as_json))


baseline_app: typer.Typer = typer.Typer(help="Write baselines, the accepted failures of a run.", no_args_is_help=True)
app.add_typer(baseline_app, name="baseline")


@baseline_app.command("update")
def baseline_update(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The baseline to write.")],
) -> None:
    """Write a run's failures to a baseline. Waived ones are left out; prints how it differs from the old one."""
    from mmaspec.commands import compare as command

    command.update_baseline(folder, file)


vectors: typer.Typer = typer.Typer(
    cls=WordOrWrite,
    help="Write a case list as files, and judge recorded answers.\n\n"
    "mmaspec vectors SPEC is short for mmaspec vectors write SPEC.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(vectors, name="vectors")


@vectors.command("write")
def write_vectors(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Name of a specification (see mmaspec specs).")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write; it must be new or empty.")],
    caps: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Caps of the device (JSON). Default: everything that mmaspec covers."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", metavar="P", help="Profile of the legal sets in the files. Default: practice."),
    ] = None,
    tier: TierOption = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    waivers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the pinned cases of these waivers.")
    ] = None,
    sparse: Annotated[
        int,
        typer.Option(
            metavar="BYTES", min=0, help="Largest sparse buffer that the device takes. Default: whole buffers only."
        ),
    ] = 0,
) -> None:
    """Write programs, inputs and legal sets of one specification as files."""
    from mmaspec.commands import vectors as command

    command.write(spec, caps, profile, tier, seed, out, waivers, sparse)


@vectors.command("verify")
def verify_vectors(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that mmaspec vectors wrote.")],
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder with the answers.")],
    profile: ProfileOption = None,
    authority: Annotated[
        str, typer.Option(help="Weakest basis of the clauses to judge: document, practice or profile.")
    ] = "profile",
    workers: WorkersOption = None,
    report: ReportOption = Path("mmaspec-report"),
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
) -> None:
    """Judge recorded answers and write a report. Exit codes are those of check."""
    from mmaspec.commands import vectors as command
    from mmaspec.commands.gate import read_expectations

    accepted = read_expectations(waivers, baseline)
    raise typer.Exit(command.verify(folder, results, profile, authority, report, workers, accepted))


@app.command()
def adapt(
    place: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder that --new and --schema write to.")
    ] = None,
    new: Annotated[
        str | None,
        typer.Option("--new", metavar="LANGUAGE", help="Write a working adapter in c, cpp or python to DIR."),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Write the JSON schemas of the protocol of external backends to DIR.")
    ] = False,
    check_backend: Annotated[
        str | None,
        typer.Option(
            "--check", metavar="BACKEND", help="Plant wiring errors around BACKEND; exit 1 if one is not detected."
        ),
    ] = None,
    spec: SpecOption = None,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of one case.")] = 60.0,
    isolate: IsolatedAnyway = False,
) -> None:
    """Write or test an adapter in another language. The test plants wiring errors around it."""
    from mmaspec.commands import adapt as command

    del isolate  # as the help says
    raise typer.Exit(command.adapt(place, new, check_backend, spec or [], time_limit, schema=schema))
