"""The planted devices: what is wrong with each, and what an expert who reads only the specification would blame.

The accepted clauses were decided before anything was run, from the statements of the catalogue alone. They must not be
fitted to what the tool says.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent

Kind = Literal["layout", "wave", "pass", "permutation", "range", "crash", "leak", "flake"]
Symptom = Literal["value", "died", "raised", "unstable", "between items"]
"""How a finding has to show: by wrong values, which a clause is blamed for, or in a way that blames none. What one
item of a batch leaves to another breaks no sentence of a document about one program."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A device with one defect. ``symptom`` other than "value": a finding that blames no clause."""

    spec: str
    name: str
    """Its class in ``devices_<spec>.py``."""
    kind: Kind
    says: str
    clauses: frozenset[str] = frozenset()
    """Each of them would be a right answer, in any case that fails."""
    symptom: Symptom = "value"
    either: Symptom | None = None
    """Another symptom that would be right as well."""
    shares: tuple[str, ...] = ()
    """Words that a line about what the failing cases share has to have; of words with ``|`` between them one."""
    isolate: bool = False
    """It takes its process down, so that it needs one of its own."""

    @property
    def backend(self) -> str:
        """Its name on the command line."""
        file = FOLDER / f"devices_{self.spec.replace('-', '_')}.py"
        return f"{file}:{self.name}"


RDNA3, HLSL, COOPMAT2 = "amd-rdna3-wmma", "hlsl-wave-matrix", "nv-coopmat2"
INTEL, LINALG = "intel-subgroup-mma", "hlsl-linalg"

DEVICES: tuple[Planted, ...] = (
    # C's place in the registers is what CD-W64 states; a reader of D alone sees that A*B + C is not what came out.
    Planted(
        RDNA3,
        "AddendLaneGroups",
        "layout",
        "C is read with lanes 16-31 and 32-47 exchanged, in wave64",
        frozenset({"RDNA3-CD-W64", "RDNA3-MMA"}),
    ),
    # VGPR v is row 2v or 4v: two exchanged VGPRs break the layout of D. No clause of this document is about waves.
    Planted(
        RDNA3,
        "OddWavesFirstRegisters",
        "wave",
        "in odd waves the first two VGPRs of D are exchanged",
        frozenset({"RDNA3-CD-W32", "RDNA3-CD-W64", "RDNA3-MMA"}),
    ),
    # Tiles are added up over k by loops (TILE); a load has to read the place that the kernel computes (MEM-FREE).
    Planted(
        RDNA3,
        "LatePrefetchOfB",
        "pass",
        "from the third pass on, B is that of the pass before",
        frozenset({"RDNA3-TILE", "RDNA3-MEM-FREE"}),
    ),
    # Column j belongs to lane j of its group: the layout of D in wave32, or the product as a whole.
    Planted(
        RDNA3,
        "LowerRowsRotated",
        "permutation",
        "from row 8 on the columns of D are rotated by one, in wave32",
        frozenset({"RDNA3-CD-W32", "RDNA3-MMA"}),
    ),
    # The sum of products must be exact (DOT-RANGE), the operands signed (IU-SIGN), and D the sum (MMA).
    Planted(
        RDNA3,
        "LowestBytesMultiplied",
        "range",
        "-128 times -128 is -16384 where both are signed",
        frozenset({"RDNA3-IU-DOT-RANGE", "RDNA3-IU-SIGN", "RDNA3-MMA"}),
    ),
    # A crash has no clause. What the failing cases share is the flag and the wave size.
    Planted(
        RDNA3,
        "AbortsOnClampInWave64",
        "crash",
        "the process dies of integer products with clamp in wave64",
        symptom="died",
        shares=("clamp", "64"),
        isolate=True,
    ),
    # With a literal zero the result is the plain product (ZERO-C); D is not A*B + C (MMA).
    Planted(
        RDNA3,
        "LiteralZeroKeepsNeighbour",
        "leak",
        "a literal zero for C is the result of the item before",
        frozenset({"RDNA3-ZERO-C", "RDNA3-MMA"}),
        either="between items",
    ),
    Planted(
        RDNA3,
        "FlipsAnExponentBit",
        "flake",
        "in four of ten float products a lane has a flipped exponent bit",
        symptom="unstable",
    ),
    # Where a line lies is a matter of the stride, in both orientations. Nothing else in these Loads is wrong.
    Planted(
        HLSL,
        "RunTimeStrideRounded",
        "layout",
        "a Load's run-time stride loses its low four bits",
        frozenset({"WM-ADDR-ROW", "WM-ADDR-COL", "WM-ADDR-GS"}),
    ),
    # Every wave has matrices of its own. A product of another wave's Right is not A times B either.
    Planted(
        HLSL,
        "RightOfWaveBefore",
        "wave",
        "odd waves multiply by the Right of the wave before",
        frozenset({"WM-ONE-PER-WAVE", "WM-MUL", "WM-MAC"}),
    ),
    # The offset of a column-major Load; that a Load takes place at all (LOAD-ALL) is the next best.
    Planted(
        HLSL,
        "ThirdPassLoadsSecond",
        "pass",
        "from the third pass on, column-major Loads of a Right find the pass before",
        frozenset({"WM-ADDR-COL", "WM-LOAD-ALL"}),
    ),
    # What MultiplyAccumulate adds to is the accumulator as it is; quadrants are how a device tiles 64 x 64.
    Planted(
        HLSL,
        "AddendQuadrantsExchanged",
        "permutation",
        "a 64 x 64 accumulator is added to with two quadrants exchanged",
        frozenset({"WM-MAC", "WM-TILING"}),
    ),
    # Operations with a scalar, and nothing else.
    Planted(
        HLSL,
        "ImmediateOfSixteenBits",
        "range",
        "a literal operand of an integer operation has sixteen bits",
        frozenset({"WM-SCALAR-OPS"}),
    ),
    # An exception is no statement about a clause. The failing cases share fragments loaded from arrays.
    Planted(
        HLSL,
        "RaisesOnSharedFragments",
        "crash",
        "an exception for Loads of fragments from groupshared arrays",
        symptom="raised",
        shares=("fragment|left-col-acc|right-row-acc",),
    ),
    Planted(
        HLSL,
        "ScalarOfFirstItem",
        "leak",
        "a scalar operand is that of the first item of the batch",
        frozenset({"WM-SCALAR-OPS"}),
        either="between items",
    ),
    Planted(
        HLSL,
        "LastRowLateAtTimes",
        "flake",
        "where there are barriers, four of ten Stores find the last row of the last wave zero",
        symptom="unstable",
    ),
    # Strides were set and another one is used: the setter, or the sum that it goes into.
    Planted(
        COOPMAT2,
        "PitchRoundedDown",
        "layout",
        "a stride that is set loses its low three bits",
        frozenset({"NVCM2-SETSTRIDE", "NVCM2-STRIDE-SUM"}),
    ),
    # The offsets of a slice, whether they are set or added.
    Planted(
        COOPMAT2,
        "SliceOfFirstWave",
        "wave",
        "a slice is that of the first subgroup in all of them",
        frozenset({"NVCM2-SLICE", "NVCM2-OFFSET"}),
    ),
    # A product is missing: the result is not A times B plus C. No clause is about loops.
    Planted(
        COOPMAT2,
        "LastPassOfOddLoopsLost",
        "pass",
        "the last product of a loop with an odd number of passes is left out",
        frozenset({"KHRCM-MULADD"}),
    ),
    # A change of use keeps rows and columns (CONVERT-USE); constructing a matrix keeps components (CONVERT).
    Planted(
        COOPMAT2,
        "QuadrantsExchangedByUse",
        "permutation",
        "a change of use exchanges two quadrants",
        frozenset({"NVCM2-CONVERT-USE", "KHRCM-CONVERT"}),
    ),
    # Operators act component by component and keep the low bits of the exact result.
    Planted(
        COOPMAT2,
        "MultipliesTwentyFourBits",
        "range",
        "products of 32-bit integers, component by component, take 24 bits of each",
        frozenset({"KHRCM-ARITH", "KHRCM-LENGTH"}),  # operators, and functions that index components
    ),
    Planted(
        COOPMAT2,
        "AbortsOnStoreThroughView",
        "crash",
        "the process dies of tensor stores through a view",
        symptom="died",
        shares=("view",),
        isolate=True,
    ),
    # C is not the C that was given. Of calls that repeat an earlier one the answer is right, so it may look unstable.
    Planted(
        COOPMAT2,
        "AddendOfCallBefore",
        "leak",
        "C is that of the product before it of the same type and size",
        frozenset({"KHRCM-MULADD"}),
        either="unstable",
    ),
    Planted(
        COOPMAT2,
        "TakesNeighbourAtTimes",
        "flake",
        "in four of ten products one element is that of the column before",
        symptom="unstable",
    ),
    # Only how A and B pair can be seen: which of the two is read in another order is not known. The sum is wrong, too.
    Planted(
        INTEL,
        "WordsOfBExchanged",
        "layout",
        "components 2 and 3 of B are exchanged in the 4-bit functions",
        frozenset({"ISGMMA-B-COL", "ISGMMA-A-COLS", "ISGMMA-OP"}),
    ),
    # Component m is row m of the result (ACC-COL), and of A; a row of the result is that of A (ROW-INDEP).
    Planted(
        INTEL,
        "OddGroupsFirstRows",
        "wave",
        "in odd sub-groups the first two rows of the result are exchanged",
        frozenset({"ISGMMA-ACC-COL", "ISGMMA-A-COLS", "ISGMMA-ROW-INDEP", "ISGMMA-OP"}),
    ),
    # A load has to read the place that the kernel computes (MEM-FREE); the product is of the loop's own B (OP).
    Planted(
        INTEL,
        "LateColumnsOfB",
        "pass",
        "from the third pass on, B is that of the pass before",
        frozenset({"ISGMMA-MEM-FREE", "ISGMMA-OP"}),
    ),
    # Work-item w has column w of the result, and of B.
    Planted(
        INTEL,
        "UpperRowsRotated",
        "permutation",
        "of eight rows the upper four are rotated by one work-item",
        frozenset({"ISGMMA-ACC-COL", "ISGMMA-B-COL", "ISGMMA-OP"}),
    ),
    # The sum of products must be exact; accumulator and result have 32 bits.
    Planted(
        INTEL,
        "ThirteenBitDots",
        "range",
        "sums of products of unsigned 4-bit elements keep 13 bits",
        frozenset({"ISGMMA-INT-EXACT", "ISGMMA-INT-ACC", "ISGMMA-OP"}),
    ),
    # A crash has no clause. What the failing cases share is the type.
    Planted(
        INTEL,
        "AbortsOnOneRowOfBf16",
        "crash",
        "the process dies of bfloat16 products with a single row",
        symptom="died",
        shares=("bf16",),
        isolate=True,
    ),
    Planted(
        INTEL,
        "ZerosKeepNeighbour",
        "leak",
        "a literal zero for the accumulator is the result of the item before",
        frozenset({"ISGMMA-BY-VALUE", "ISGMMA-OP"}),
        either="between items",
    ),
    Planted(
        INTEL,
        "FlipsABitOfASum",
        "flake",
        "in four of ten float products a work-item has a flipped exponent bit",
        symptom="unstable",
    ),
    # Where a column lies is a matter of the stride. Nothing else in these Loads is wrong.
    Planted(
        LINALG,
        "ColumnStrideInPairs",
        "layout",
        "the stride of a column-major Load counts 32 bytes",
        frozenset({"LINALG-LOAD-ADDR"}),
    ),
    # Every wave has matrices of its own. A product of another wave's A is not A times B either.
    Planted(
        LINALG,
        "LeftOfWaveBefore",
        "wave",
        "odd waves multiply the A of the wave before",
        frozenset({"LINALG-SCOPE-OWN", "LINALG-MUL", "LINALG-MAC"}),
    ),
    # The offset of a Load, which differs from pass to pass.
    Planted(
        LINALG,
        "ThirdPassLoadsSecond",
        "pass",
        "from the third pass on, Loads from buffers find the pass before",
        frozenset({"LINALG-LOAD-ADDR"}),
    ),
    # Element (r, c) does not come to (c, r).
    Planted(
        LINALG,
        "QuadrantsStayInTransposition",
        "permutation",
        "a Cast that transposes leaves the quadrants where they are",
        frozenset({"LINALG-CAST-TRANSPOSE", "LINALG-CAST"}),
    ),
    # What is added is not the bias; the sum that fits its type is not exact.
    Planted(
        LINALG,
        "BiasOfSixteenBits",
        "range",
        "an integer bias has sixteen bits",
        frozenset({"LINALG-VECMULADD", "LINALG-INT-EXACT"}),
    ),
    # An exception is no statement about a clause. The failing cases share sums of vectors.
    Planted(
        LINALG,
        "RaisesOnOddVectorSums",
        "crash",
        "an exception for sums of vectors whose length is no multiple of four",
        symptom="raised",
        shares=("vector-accumulate|sum-vectors",),
    ),
    Planted(
        LINALG,
        "BiasOfFirstItem",
        "leak",
        "a bias is that of the first item of the batch",
        frozenset({"LINALG-VECMULADD", "LINALG-BIAS-MEMORY"}),
        either="between items",
    ),
    Planted(
        LINALG,
        "LosesLastAddendAtTimes",
        "flake",
        "in four of ten atomic sums the last element is not added",
        symptom="unstable",
    ),
)
"""Eight for each specification, one of each kind."""

TRIAL = Planted(
    RDNA3,
    "Wave64FloatRowsExchanged",
    "layout",
    "rows 2 and 3 modulo 4 of D are exchanged in float products of wave64",
    frozenset({"RDNA3-CD-W64", "RDNA3-MMA"}),
)
"""The first trial device of an outsider, which was once put down to float accuracy. MMA is as right as the layout."""

ADAPTER = Planted(
    HLSL,
    "ADAPTER",
    "permutation",
    "the last two rows of every f32 product are exchanged, in the generated C++ adapter",
    frozenset({"WM-MUL", "WM-MAC"}),
)
"""The second trial device; ``conftest.py`` compiles it. Which lane holds a row cannot be seen: it is the product."""
