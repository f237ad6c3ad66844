"""Three runs made by hand: one that passes, one that fails in several ways, one that proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pytest

from mmaspec.oracle.ambiguity import Ambiguity
from mmaspec.oracle.clauses import Catalogue, Clause
from mmaspec.oracle.expectation import Defined, Region
from mmaspec.oracle.memory import poison
from mmaspec.oracle.numerics.legal import full
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import FORMATS
from mmaspec.reports.example import Example
from mmaspec.reports.layout import map_memory
from mmaspec.suites.judging.record import Element, Finding, Result
from mmaspec.suites.verdict.model import SCHEMA, Cell, ClauseResult, FindingGroup, Run, Sharpness, SpecResult, Totals

HOSTILE = "<script>alert(\"x\")</script><img src=x onerror=alert(1)>\x07\u202e ]]> | `code` & 'quoted'"
"""What a hostile backend or case file might call something."""

ROWS = tuple(
    f"{kind}-{m}x{n}-{acc}"
    for kind, acc in (("byte", "s32"), ("f16", "f32"), ("f16", "f16"))
    for m in (16, 64)
    for n in (16, 64)
)

TEXT = """\
ByteAddressBuffer inputA : register(t0);
ByteAddressBuffer inputB : register(t1);
RWByteAddressBuffer result : register(u0);

[WaveSize(32)]
[numthreads(32, 1, 1)]
void main(uint3 id : SV_GroupThreadID)
{
    WaveMatrixLeft<int8_t4_packed, 16, 16> a;
    WaveMatrixRight<uint8_t4_packed, 16, 16> b;
    WaveMatrixAccumulator<int, 16, 16> c;
    a.Load(inputA, 64, 48, false);
    b.Load(inputB, 0, 32, false);
    c.MultiplyAccumulate(a, b);
    c.Store(result, 32, 96, false);  // 16 rows of 64 bytes, 32 bytes of padding behind each
}
"""


@dataclass(frozen=True)
class Made:
    """A run with everything that goes with it."""

    run: Run
    results: tuple[Result, ...]
    examples: dict[str, Example]
    catalogues: dict[str, Catalogue]


def catalogue() -> Catalogue:
    clause = {
        "WM-ADDR-ROW": Clause(
            kind="M",
            basis="document",
            statement="In row-major order the element in row r and column c lies r strides and c elements on.",
            section="Loading and storing",
            locator="row stride in bytes between",
            digest="0123456789abcdef",
        ),
        "WM-STORE-ONLY-ELEMS": Clause(
            kind="M", basis="derived", statement="A store changes the bytes of its elements and no others."
        ),
        "WM-INT-EXACT": Clause(
            kind="X",
            basis="document",
            statement="Integer products are summed exactly as long as the sum stays inside 32 bits.",
            section="Multiplication",
            locator="full 32-bit precision",
            readings=("WM-AMB-07",),
        ),
        "WM-FP-SUM": Clause(
            kind="X",
            basis="practice",
            statement="A floating-point sum of products lies within the envelope that every known device keeps.",
        ),
        "WM-SUBNORMAL": Clause(
            kind="X", basis="profile", statement="Subnormal operands and results survive, where the device declares so."
        ),
        "WM-LOAD-STRIDE-MIN": Clause(
            kind="V", basis="document", statement="A row stride is at least as long as one row in memory."
        ),
        "WM-DIVERGENT": Clause(
            kind="U",
            basis="document",
            statement="Matrix operations in control flow that diverges within a wave are undefined.",
            why_not="nothing is demanded of an undefined program, so generators only have to avoid it",
        ),
    }
    ambiguity = {
        "WM-AMB-07": Ambiguity(
            statement="The document promises 32-bit sums and does not say what happens beyond their range.",
            readings={
                "wrap": "The sum keeps its low 32 bits.",
                "saturate": "The sum stops at the largest or smallest value.",
            },
            default="wrap",
            clause="WM-INT-EXACT",
        )
    }
    return Catalogue(
        spec="hlsl-wave-matrix",
        title="HLSL WaveMatrix",
        revision="draft of June 2023",
        document="HLSL Shader Model 6.x WaveMatrix",
        clause=clause,
        ambiguity=ambiguity,
    )


def clause_result(
    name: str, status: str = "pass", *, why: str = "", failing: int = 0, rows: tuple[str, ...] = ROWS
) -> Any:
    entry = catalogue().clause[name]
    cells: dict[str, Cell] = {}
    for number, row in enumerate(rows):
        if status == "not testable":
            break
        if status == "fail" and number < failing:
            cells[row] = Cell(status="fail", judged=4096 * (number + 1), failed=number + 1)
        elif status == "not judged" and number % 2:
            cells[row] = Cell(status="not judged", why=why, weak=2)
        elif name == "WM-SUBNORMAL" and row.startswith("byte"):
            cells[row] = Cell(status="not applicable", why="integers have no subnormals")
        else:
            cells[row] = Cell(status="pass", judged=16384 + 700 * number)
    cases = () if status == "not testable" else ("3f1c9a0e77d2b415", "98aa01c2d3e4f567")
    return ClauseResult(status=status, basis=entry.basis, why=why or entry.why_not, rows=cells, cases=cases)  # type: ignore[arg-type]


def totals(**changed: int) -> Totals:
    counts = {"legal": 212, "illegal": 0, "refused": 0, "died": 0, "not_applicable": 4, "inconclusive": 0, **changed}
    return Totals(cases=sum(counts.values()), elements=1_482_752, clauses={"pass": 6}, **counts)


def spec_result(**statuses: Any) -> SpecResult:
    clauses = {name: clause_result(name) for name in catalogue().clause if name != "WM-DIVERGENT"}
    clauses["WM-DIVERGENT"] = clause_result("WM-DIVERGENT", "not testable")
    clauses.update(statuses)
    return SpecResult(
        title="HLSL WaveMatrix", revision="draft of June 2023", caps={}, clauses=clauses, sharpness={"mac": sharp()}
    )


def sharp(row: str = ROWS[0]) -> dict[str, Sharpness]:
    return {row: Sharpness(cases=3, judged=4096, unjudged=12, weak=2, median=0.25, widest=0.5)}


def make_run(**changed: Any) -> Run:
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "verdict": "conformant",
        "headline": "conformant on 6 of 6 clauses, 0 borrowed",
        "backend": {"name": "numpy", "version": "1", "roles": ["executes", "validates"], "borrowed": []},
        "profile": {"name": "practice"},
        "authority": "profile",
        "readings": {"WM-AMB-07": ["wrap"]},
        "seed": 0,
        "tier": "smoke",
        "case_list": "c0ffee1234567890",
        "environment": {"mmaspec": "0.1.0", "python": "3.11.7", "numpy": "2.4.6", "platform": "Linux x86_64"},
        "specs": {"hlsl-wave-matrix": spec_result()},
        "findings": [],
        "totals": totals(),
    }
    return Run(**{**fields, **changed})


def defined(buffer: Buffer, start: int, stride: int, rows: int = 16, cols: int = 16) -> Defined:
    """A 32-bit matrix stored row by row, and two words of data at the end of the buffer."""
    addresses = (start + np.arange(rows)[:, None] * stride + np.arange(cols)[None, :] * 4)[None].astype(np.int64)
    owned = np.zeros(buffer.total, np.bool_)
    for byte in range(4):
        owned[addresses + byte + buffer.base] = True
    known = owned.copy()
    known[buffer.base + buffer.size - 8 : buffer.base + buffer.size] = True
    region = Region(
        buffer.name, 0, addresses, full(FORMATS["s32"], (1, *addresses.shape), 5), np.ones(addresses.shape, np.bool_)
    )
    images = {buffer.name: poison(0, buffer.name, buffer.total)[None]}
    return Defined(images, {buffer.name: known}, {buffer.name: owned}, (), (region,))


def example(file: str, finding: Finding, *, name: str = "result", text: str = TEXT) -> Example:
    buffer = Buffer(name, 32 + 16 * 96)
    drawn = None if finding.element is None else map_memory(defined(buffer, 32, 96), buffer, finding.element)
    return Example(file, text, None, finding, drawn)


def failing_parts() -> tuple[list[FindingGroup], list[Result], dict[str, Example]]:
    elements = {
        "WM-ADDR-ROW": Element(
            buffer="result", address=32 + 4 * 96 + 20, item=3, row=4, col=5, format="s32",
            got="0000004d", got_value="77", low="fffffff4", low_value="-12", high="fffffff4", high_value="-12",
            distance=89,
        ),
        "WM-FP-SUM": Element(
            buffer="result", address=32 + 96, item=0, row=1, col=0, format="f32", got="3f800008",
            got_value="1.00000095 = 0x1.00001p+0", low="3f7ffffe", low_value="0.99999988 = 0x1.fffffcp-1",
            high="3f800002", high_value="1.00000024 = 0x1.000004p+0", nan_allowed=True, distance=6,
        ),
        "WM-STORE-ONLY-ELEMS": Element(
            buffer="result", address=32 + 2 * 96 + 70, item=1, format="byte", got="00", low="a7", high="a7"
        ),
    }  # fmt: skip
    causes = {
        "WM-ADDR-ROW": "the stride were counted in elements",
        "WM-FP-SUM": "products were rounded before they are added",
        "WM-STORE-ONLY-ELEMS": "whole rows were written, padding included",
    }
    symptoms = {"WM-STORE-ONLY-ELEMS": "touched"}
    groups, results, examples = [], [], {}
    for clause, element in elements.items():
        finding = Finding(
            symptom=symptoms.get(clause, "value"), blamed=(clause, "WM-INT-EXACT"), how="toggle",  # type: ignore[arg-type]
            says=f"buffer result, byte {element.address}: not what the program stores there", place="3",
            cause=causes[clause], element=element, wrong=37, judged=256,
        )  # fmt: skip
        file = f"{clause.lower()}-1.json"
        groups.append(FindingGroup(clause=clause, cause=causes[clause], says=finding.says, cases=11, example=file))
        results.append(
            Result(case="3f1c9a0e77d2b415", spec="hlsl-wave-matrix", row=ROWS[0], template="store-row-major",
                   outcome="illegal", finding=finding, example=file)
        )  # fmt: skip
        examples[file] = example(file, finding)
    died = Finding(
        symptom="died",
        blamed=("WM-LOAD-STRIDE-MIN",),
        how="base",
        says="the backend's process ended with signal 11, twice",
    )
    groups.append(FindingGroup(clause="WM-LOAD-STRIDE-MIN", cause="", says=died.says, cases=1, example=""))
    return groups, results, examples


@pytest.fixture
def passing() -> Made:
    return Made(make_run(), (), {}, {"hlsl-wave-matrix": catalogue()})


@pytest.fixture
def failing() -> Made:
    groups, results, examples = failing_parts()
    spec = spec_result(
        **{
            "WM-ADDR-ROW": clause_result("WM-ADDR-ROW", "fail", failing=4),
            "WM-STORE-ONLY-ELEMS": clause_result("WM-STORE-ONLY-ELEMS", "fail", failing=1),
            "WM-FP-SUM": clause_result("WM-FP-SUM", "fail", failing=8),
            "WM-LOAD-STRIDE-MIN": clause_result("WM-LOAD-STRIDE-MIN", "fail", failing=1),
        }
    )
    run = make_run(
        verdict="not conformant",
        headline="not conformant: 4 of 6 clauses fail",
        backend={
            "name": "fault:wm-stride-in-elements",
            "version": "1",
            "roles": ["executes"],
            "borrowed": ["WM-SUBNORMAL"],
        },
        profile={"name": "correctly-rounded", "subnormals": "kept", "rounding": "nearest-even"},
        readings={"WM-AMB-07": []},
        specs={"hlsl-wave-matrix": spec},
        findings=groups,
        totals=totals(illegal=34, died=1),
    )
    return Made(run, tuple(results), examples, {"hlsl-wave-matrix": catalogue()})


@pytest.fixture
def inconclusive() -> Made:
    why = "no sensitive case ran: the device died in the only one and was not tried again"
    spec = spec_result(**{"WM-FP-SUM": clause_result("WM-FP-SUM", "not judged", why=why)})
    result = Result(
        case="98aa01c2d3e4f567",
        spec="hlsl-wave-matrix",
        row=ROWS[1],
        template="mac",
        outcome="inconclusive",
        why="died once, and not again",
    )
    run = make_run(
        verdict="inconclusive",
        headline="inconclusive: 1 of 6 clauses not judged",
        specs={"hlsl-wave-matrix": spec},
        readings={"WM-AMB-07": ["saturate", "wrap"]},
        totals=totals(inconclusive=1),
    )
    return Made(run, (result,), {}, {"hlsl-wave-matrix": catalogue()})


@pytest.fixture
def hostile() -> Made:
    """Mark-up, controls and quotes in every place that a backend or a case can name."""
    element = Element(
        buffer=HOSTILE,
        address=452,
        item=3,
        row=4,
        col=5,
        format=HOSTILE,
        got=HOSTILE,
        got_value=HOSTILE,
        low=HOSTILE,
        low_value=HOSTILE,
        distance=3,
    )
    finding = Finding(
        symptom="value",
        blamed=("WM-ADDR-ROW", HOSTILE),
        how=HOSTILE,
        says=HOSTILE,
        place=HOSTILE,
        cause=HOSTILE,
        element=element,
        wrong=1,
        judged=2,
    )
    cells = {HOSTILE: Cell(status="fail", failed=1, why=HOSTILE), "other": Cell(status="not judged", why=HOSTILE)}
    clauses = {
        name: ClauseResult(status="fail", basis=HOSTILE, why=HOSTILE, rows=cells, cases=(HOSTILE,))
        for name in ("WM-ADDR-ROW", HOSTILE)
    }
    clauses["WM-DIVERGENT"] = ClauseResult(status="not testable", basis=HOSTILE, why=HOSTILE, rows={}, cases=())
    spec = SpecResult(
        title=HOSTILE, revision=HOSTILE, caps=HOSTILE, clauses=clauses, sharpness={HOSTILE: sharp(HOSTILE)}
    )
    results = (
        Result(
            case=HOSTILE,
            spec=HOSTILE,
            row=HOSTILE,
            template=HOSTILE,
            outcome="illegal",
            finding=finding,
            example=HOSTILE,
        ),
        Result(case=HOSTILE, spec=HOSTILE, row=HOSTILE, template=HOSTILE, outcome="inconclusive", why=HOSTILE),
    )
    run = make_run(
        verdict="not conformant",
        headline=HOSTILE,
        backend={"name": HOSTILE, "version": HOSTILE, "roles": [HOSTILE], "borrowed": [HOSTILE]},
        profile={"name": HOSTILE, "subnormals": HOSTILE, "pins": [{"ambiguity": HOSTILE, "reading": HOSTILE}]},
        authority=HOSTILE,
        readings={HOSTILE: [HOSTILE]},
        tier=HOSTILE,
        case_list=HOSTILE,
        environment={HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]},
        specs={HOSTILE: spec, "hlsl-wave-matrix": spec},
        findings=[
            FindingGroup(clause=clause, cause=HOSTILE, says=HOSTILE, cases=1, example=HOSTILE) for clause in clauses
        ],
    )
    return Made(
        run,
        results,
        {HOSTILE: example(HOSTILE, finding, name=HOSTILE, text=HOSTILE)},
        {"hlsl-wave-matrix": catalogue()},
    )


@pytest.fixture
def changed() -> Any:
    """``changed(run, field=value)``: a copy of a frozen struct with other fields."""
    return msgspec.structs.replace
