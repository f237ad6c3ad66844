"""The command line: options and help. What a command does is in ``mmaspec.commands``, imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mmaspec.word_or_write import WordOrWrite

app: typer.Typer = typer.Typer(
    name="mmaspec",
    help="Hold GPU matrix multiply-accumulate to its specifications.\n\n"
    "Exit codes: 0 conformant, 1 not conformant, 3 inconclusive, 2 wrong use or bad input.",
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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options that need no command."""


BackendOption = Annotated[
    str,
    typer.Option(
        "--backend",
        "-b",
        metavar="B",
        help="numpy, onnxruntime, torch, legal:NAME, fault:NAME, module:Class, adapter.py:Class or cmd:COMMAND.",
    ),
]
SpecOption = Annotated[
    list[str] | None,
    typer.Option("--spec", "-s", metavar="S", help="A specification; repeat for several. Default: all."),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", metavar="P", help="A profile's name or TOML file. Default: what the backend declares."
    ),
]

WaiversOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Failures that are accepted, each with a case that shows it.")
]
BaselineOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="An earlier run's failures: only new ones count.")
]


@app.command()
def check(
    backend: BackendOption = "numpy",
    spec: SpecOption = None,
    profile: ProfileOption = None,
    authority: Annotated[
        str, typer.Option(help="document, practice or profile: how far the verdict reaches.")
    ] = "profile",
    tier: Annotated[str, typer.Option(help="smoke, standard or thorough.")] = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    workers: Annotated[
        int | None, typer.Option("-n", metavar="WORKERS", min=0, help="Processes; 0: one, without xdist.")
    ] = None,
    report: Annotated[Path, typer.Option(metavar="DIR", help="Run folder to write.")] = Path("mmaspec-report"),
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Run the backend in a child process of each worker.")
    ] = False,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="What one case may take.")] = 60.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run in DIR.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Print the case list and stop: nothing is run.")] = False,
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Answer the cases on a Dask cluster (extra dask).")
    ] = None,
    shard: Annotated[str, typer.Option(metavar="I/N", help="Answer only that share of the cases; then merge.")] = "",
) -> None:
    """Check a backend and write a report; exit 0 conformant, 1 not conformant, 3 inconclusive.

    With waivers or a baseline: exit 0 nothing but what they accept, 1 something else, 3 inconclusive.
    """
    from mmaspec.commands import check as command
    from mmaspec.commands.gate import read_expectations

    wanted = command.wanted(
        backend, spec, profile, authority, tier, seed, isolate=isolate, time_limit=time_limit, shard=shard
    )
    if listing:
        command.list_cases(wanted)
    else:
        accepted = read_expectations(waivers, baseline)
        raise typer.Exit(command.run(wanted, report, workers, resume=resume, accepted=accepted, scheduler=scheduler))


@app.command()
def specs() -> None:
    """List the specifications."""
    from mmaspec.commands import catalogue

    catalogue.specs()


@app.command()
def clauses(
    spec: Annotated[str | None, typer.Argument(metavar="[SPEC]")] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Sensitive cases per clause and caps row; exit 1 if a cell is empty.")
    ] = False,
    verify_source: Annotated[
        Path | None, typer.Option(metavar="TEXT", help="Find every clause's place in the document's text.")
    ] = None,
    tier: Annotated[str, typer.Option(help="Tier of the matrix.")] = "smoke",
) -> None:
    """List the clauses of one specification, or of all."""
    from mmaspec.commands import catalogue
    from mmaspec.commands import matrix as matrix_command

    if verify_source is not None:
        raise typer.Exit(catalogue.verify_source(spec, verify_source))
    if matrix:
        raise typer.Exit(matrix_command.matrix(spec, tier))
    catalogue.clauses(spec)


@app.command()
def explain(clause: Annotated[str, typer.Argument(metavar="CLAUSE")]) -> None:
    """Explain a clause or an ambiguity: statement, place in the document, readings, counterfactuals."""
    from mmaspec.commands import catalogue

    catalogue.explain(clause)


@app.command()
def example(clause: Annotated[str, typer.Argument(metavar="CLAUSE")]) -> None:
    """Print a clause's golden example: program, operands, expected bytes, derivation."""
    from mmaspec.commands import cases

    cases.example(clause)


@app.command()
def expect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A case (JSON) or a golden example (TOML).")],
    reading: Annotated[
        list[str] | None, typer.Option(metavar="AMB=x", help="Choose a reading; repeat for several.")
    ] = None,
    profile: ProfileOption = None,
) -> None:
    """Say what the specification demands of a case: rejected, undefined, or every element's legal set."""
    from mmaspec.commands import cases

    cases.expect_file(file, reading or [], profile)


@app.command()
def replay(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A case (JSON) or a golden example (TOML).")
    ] = None,
    backend: BackendOption = "numpy",
    profile: ProfileOption = None,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS")] = 60.0,
    every: Annotated[
        Path | None, typer.Option("--all", metavar="DIR", help="Every case file (*.json) in a folder and below.")
    ] = None,
) -> None:
    """Run one case file on a backend, or all in a folder; exit 0 legal, 1 illegal, 3 nothing to judge."""
    from mmaspec.commands import cases, replay_all

    if (file is None) == (every is None):
        raise typer.BadParameter("expected FILE, or --all DIR")
    if every is not None:
        raise typer.Exit(replay_all.replay_all(every, backend, profile, time_limit))
    assert file is not None
    raise typer.Exit(cases.replay(file, backend, profile, time_limit))


@app.command()
def backends() -> None:
    """List the backends that have a name."""
    from mmaspec.commands import listings

    listings.backends()


@app.command()
def faults(spec: SpecOption = None) -> None:
    """List counterfactuals and defects: which clause each breaks, and how."""
    from mmaspec.commands import listings

    listings.faults(spec)


@app.command()
def score(
    spec: SpecOption = None,
    tier: Annotated[str, typer.Option(help="smoke, standard or thorough.")] = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    workers: Annotated[int | None, typer.Option("-n", metavar="WORKERS", min=0, help="Processes.")] = None,
    only: Annotated[str | None, typer.Option(help="faults or legal: score one half.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score the suite itself: defects caught, clauses blamed rightly, false alarms; exit 1 unless perfect."""
    from mmaspec.commands import score as command

    raise typer.Exit(command.score(spec, tier, seed, workers, only, as_json=as_json))


@app.command()
def profiles() -> None:
    """List the profiles that have a name, and what each demands."""
    from mmaspec.commands import listings

    listings.profiles()


@app.command()
def report(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")]) -> None:
    """Write the reports of a run folder again."""
    from mmaspec.commands import check as command

    command.rewrite(folder)


@app.command()
def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Every shard of one run.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Run folder to write.")],
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
) -> None:
    """Judge the shards of a run together, as one run would be; exit codes are those of check."""
    from mmaspec.commands import merge as command
    from mmaspec.commands.gate import read_expectations

    raise typer.Exit(command.merge_shards(folders, out, read_expectations(waivers, baseline)))


@app.command()
def compare(
    before: Annotated[Path, typer.Argument(metavar="A", help="A run folder.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="A later one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what changed from run A to run B; exit 1 if something broke or is no longer judged."""
    from mmaspec.commands import compare as command

    raise typer.Exit(command.compare_runs(before, after, as_json=as_json))


baseline_app: typer.Typer = typer.Typer(help="Work with baselines.", no_args_is_help=True)
app.add_typer(baseline_app, name="baseline")


@baseline_app.command("update")
def baseline_update(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run folder.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The baseline to write.")],
) -> None:
    """Accept just what a run shows, and say how that differs from what was accepted; waived failures stay apart."""
    from mmaspec.commands import compare as command

    command.update_baseline(folder, file)


vectors: typer.Typer = typer.Typer(
    cls=WordOrWrite,
    help="Write a case list as files, to be run where there is no Python, and judge what comes back.\n\n"
    "mmaspec vectors SPEC is short for mmaspec vectors write SPEC.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(vectors, name="vectors")


@vectors.command("write")
def write_vectors(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="A specification.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write: a new or empty one.")],
    caps: Annotated[
        Path | None, typer.Option(metavar="F", help="Caps of the device (JSON). Default: all that is in reach.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option("--profile", "-p", metavar="P", help="Profile of the legal sets in the files. Default: practice."),
    ] = None,
    tier: Annotated[str, typer.Option(help="smoke, standard or thorough.")] = "smoke",
    seed: Annotated[int | None, typer.Option(help="Seed of the case list. Default: a fixed one.")] = None,
    waivers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the pinned cases of these waivers too.")
    ] = None,
) -> None:
    """Write programs, inputs and legal sets of one specification as files."""
    from mmaspec.commands import vectors as command

    command.write(spec, caps, profile, tier, seed, out, waivers)


@vectors.command("verify")
def verify_vectors(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that mmaspec vectors wrote.")],
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder of answers to it.")],
    profile: ProfileOption = None,
    authority: Annotated[
        str, typer.Option(help="document, practice or profile: how far the verdict reaches.")
    ] = "profile",
    workers: Annotated[
        int | None, typer.Option("-n", metavar="WORKERS", min=0, help="Processes; 0: one, without xdist.")
    ] = None,
    report: Annotated[Path, typer.Option(metavar="DIR", help="Run folder to write.")] = Path("mmaspec-report"),
    waivers: WaiversOption = None,
    baseline: BaselineOption = None,
) -> None:
    """Judge results from elsewhere and write a report; exit codes are those of check."""
    from mmaspec.commands import vectors as command
    from mmaspec.commands.gate import read_expectations

    accepted = read_expectations(waivers, baseline)
    raise typer.Exit(command.verify(folder, results, profile, authority, report, workers, accepted))


@app.command()
def adapt(
    place: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="Where --new and --schema write.")] = None,
    new: Annotated[
        str | None, typer.Option("--new", metavar="LANGUAGE", help="cpp or python: write an adapter that runs to DIR.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Write the JSON schemas of the protocol of external backends to DIR.")
    ] = False,
    check_backend: Annotated[
        str | None,
        typer.Option(
            "--check", metavar="BACKEND", help="Plant wiring errors around BACKEND; exit 1 if one is not seen."
        ),
    ] = None,
    spec: SpecOption = None,
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="What one case may take.")] = 60.0,
) -> None:
    """Begin an adapter in another language, or prove that mistakes around it would be seen."""
    from mmaspec.commands import adapt as command

    raise typer.Exit(command.adapt(place, new, check_backend, spec or [], time_limit, schema=schema))
