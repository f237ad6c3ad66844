"""Profiles: declarations where a specification leaves freedom. ``mmaspec.oracle.demands`` has their consequences."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from mmaspec.programs.allowed_values import telling_allowed
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.input_file import strictly
from mmaspec.programs.models import MAX_KEPT_BITS, MAX_PRODUCTS, MAX_RESULT_BITS, Chain
from mmaspec.programs.models import FusedBlock as FusedBlockArithmetic
from mmaspec.programs.rounding_mode import Mode

Rounding = Literal["nearest-even", "nearest-away", "toward-zero", "down", "up"]
Shorter = Literal["tf32", "bf16"]
ChainName = Literal["sequential", "sequential-f32", "fma-chain", "fma-chain-f32"]
BlockRounding = Literal["nearest-even", "toward-zero", "down", "up"]


class Pin(Struct, frozen=True, forbid_unknown_fields=True):
    """A reading that the implementation declares for one ambiguity."""

    ambiguity: str
    reading: str


class FusedBlock(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
    tag_field="arithmetic",
    tag="fused-block",
):
    """Products added in blocks, as tensor cores do; what each field does is said in ``docs/profiles.md``.

    Raises ValueError for a format that does not exist.
    """

    products: Annotated[int, Meta(ge=1, le=MAX_PRODUCTS)]
    kept_fraction_bits: Annotated[int, Meta(ge=1, le=MAX_KEPT_BITS)]
    operands: tuple[str, ...]
    """Formats of A and B for which this is declared, each with each."""
    rounding: dict[str, BlockRounding]
    """Format of C and D, and how a block's sum is rounded into it. Other formats are not declared."""
    zero_products: Literal["dropped", "aligned"] = "dropped"
    addend: Literal["first", "last"] = "first"
    exponent_floor: Annotated[int, Meta(ge=-2200, le=0)] = -133
    result_fraction_bits: Annotated[int, Meta(ge=1, le=MAX_RESULT_BITS)] | None = None
    """Fraction bits of a block's sum where the format of C has more."""

    def __post_init__(self) -> None:
        floats = [name for name, fmt in FORMATS.items() if fmt.is_float]
        sums = [name for name in floats if FORMATS[name].infinities]
        for given, known, what in ((self.operands, floats, "operands"), (self.rounding, sums, "rounding")):
            if not given:
                raise ValueError(f"{what} names no format; there are {', '.join(known)}")
            for name in given:
                if name not in known:
                    raise ValueError(f"{what} names {name!r}; there are {', '.join(known)}")
        least = min(FORMATS[name].emin for name in self.rounding)
        if self.exponent_floor > least:
            raise ValueError(f"exponent_floor {self.exponent_floor} is above {least}, the smallest normal of C")

    def model(self) -> FusedBlockArithmetic:
        """The arithmetic itself."""
        return FusedBlockArithmetic(
            products=self.products,
            kept_fraction_bits=self.kept_fraction_bits,
            operands=self.operands,
            roundings=tuple((name, Mode(mode)) for name, mode in sorted(self.rounding.items())),
            zero_products=self.zero_products,
            addend=self.addend,
            exponent_floor=self.exponent_floor,
            result_fraction_bits=self.result_fraction_bits,
        )


CHAINS: Mapping[ChainName, Chain] = MappingProxyType(
    {
        "sequential": Chain(fused=False),
        "sequential-f32": Chain(fused=False, running="f32"),
        "fma-chain": Chain(fused=True),
        "fma-chain-f32": Chain(fused=True, running="f32"),
    }
)
"""Chains that a profile may name; ``-f32``: the running sum is kept in f32, and rounded into C once."""


class Profile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a run demands beyond the documents.

    ``None`` leaves a field to the specification's own practice (each specification's ``practice.py``).
    Sharper values are only ever declared by an implementation, which is then held to them. The symbols are those
    of the float contract (``numerics.dot``). Raises ValueError for fields that contradict each other.
    """

    name: str = "practice"
    about: str = ""
    """One line for a list of profiles."""
    evidence: tuple[str, ...] = ()
    """What the declaration rests on."""
    accumulator_precision: Annotated[int, Meta(ge=2, le=53)] | None = None
    """t: significand bits of the running sum. Practice: those of the accumulator's format."""
    kept_fraction_bits: Annotated[int, Meta(ge=1, le=60)] | None = None
    """f: fraction bits that terms keep when they are aligned on the largest. Practice: t - 1."""
    zero_terms: Literal["dropped", "aligned"] | None = None
    """``aligned``: a zero operand takes part in the alignment as the smallest normal does."""
    subnormals: Literal["kept", "may-flush", "may-flush-inputs", "may-flush-results"] | None = None
    """``kept``: subnormal operands and results of floating-point sums must survive. Else one or both may be flushed."""
    f32_operands: Shorter | None = None
    """f32 factors may be rounded to this shorter format, up or down, before they are multiplied. Practice: they are
    not. What this format has is read as it is."""
    rounding: Rounding | None = None
    """Every product sum is the exact sum, rounded once in this mode: this names the arithmetic completely."""
    final_rounding: Rounding | None = None
    """The mode in which the running sum becomes the result (rule R). Practice: any faithful rounding."""
    nan: Literal["required", "reported"] | None = None
    """Whether NaN operands, Inf x 0 and Inf - Inf must give NaN."""
    window: Literal["required", "reported"] | None = None
    """Whether sums of small integers must be exact (rule X of the float contract)."""
    model: ChainName | FusedBlock | tuple[FusedBlock, ...] | None = None
    """An arithmetic named completely: where it covers the formats, and the addend is known to the bit, results must
    equal it, NaN for NaN. The other fields hold for the rest. Several fused blocks differ by the formats they cover."""
    f64: Literal["double", "single"] | None = None
    """The precision of operations in f64 other than products. Practice: ``double``; Vulkan promises ``single`` only."""
    integer_quotients: Literal["toward-zero", "reported"] | None = None
    """What becomes of quotients of integers that are not exact; no document says it. Practice: ``toward-zero``."""
    pins: tuple[Pin, ...] = ()
    """Readings that the implementation declares; the others stay open."""

    def __post_init__(self) -> None:
        if not self.name.isprintable() or not self.name:
            raise ValueError(f"name {self.name!r} is empty or not printable")
        self._check_whole_arithmetic()
        self._check_blocks()
        pinned = [pin.ambiguity for pin in self.pins]
        for ambiguity in pinned:
            if pinned.count(ambiguity) > 1:
                raise ValueError(f"pins {ambiguity} more than once")

    def _check_whole_arithmetic(self) -> None:
        """Nothing else about a sum may be declared beside what names it completely."""
        if self.model is not None and self.rounding is not None:
            raise ValueError("model and rounding both name the whole arithmetic; declare one of them")
        whole = "model" if self.model is not None else "rounding"
        if self.model is None and self.rounding is None:
            return
        for field in ("final_rounding", "accumulator_precision", "kept_fraction_bits", "zero_terms", "f32_operands"):
            if getattr(self, field) is not None:
                raise ValueError(f"{whole} names the whole arithmetic; with it there is no {field} to declare")
        if self.model is not None and (self.nan == "reported" or self.subnormals not in (None, "kept")):
            raise ValueError("model says what becomes of subnormals and NaN; nan and subnormals cannot take it back")

    def _check_blocks(self) -> None:
        """Every pair of operand formats has one block for each accumulator."""
        if self.model == ():
            raise ValueError("model names no fused block")
        covered: set[tuple[str, str, str]] = set()
        for block in self.blocks:
            here = {(a, b, c) for a in block.operands for b in block.operands for c in block.rounding}
            if twice := sorted(covered & here):
                a, b, c = twice[0]
                raise ValueError(f"model has two fused blocks for {a} x {b} into {c}")
            covered |= here

    @property
    def blocks(self) -> tuple[FusedBlock, ...]:
        """The fused blocks that ``model`` names; none where it names no or another arithmetic."""
        if isinstance(self.model, FusedBlock):
            return (self.model,)
        return self.model if isinstance(self.model, tuple) else ()


PRACTICE = Profile()
"""The default: sound for every legal device (``docs/verdicts.md``)."""

DOCUMENT = Profile(
    name="document", accumulator_precision=8, kept_fraction_bits=8, f64="single", integer_quotients="reported"
)
"""Practice without what only practice demands and can be told apart from what the documents do (clauses that are
``apart``). A failure that it does not share breaks practice and no document.

No document says how accurate a sum of floats is. An error beyond an accumulator of eight bits, the fewest of any format
that sums are kept in, is none of accuracy."""


def decode_profile(data: bytes, where: str) -> Profile:
    """The profile in the text of a TOML file called ``where``. Raises ``BadInput``, which names it."""
    with strictly(where, "a profile"), telling_allowed(Profile):
        return msgspec.convert(_complete(tomllib.loads(data.decode())), Profile)


def _complete(text: dict[str, Any]) -> dict[str, Any]:
    """The tables of a file, if they say what a file has to say. Raises ValueError."""
    if "name" not in text:
        raise ValueError("it has no name")
    model = text.get("model")
    for table in model if isinstance(model, list) else (model,):
        if isinstance(table, dict) and "arithmetic" not in table:
            raise ValueError('the table model does not say arithmetic = "fused-block"')
    return text


def _shipped() -> Mapping[str, Profile]:
    folder = resources.files("mmaspec.programs").joinpath("profiles")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    declared = [decode_profile(file.read_bytes(), file.name) for file in files]
    return MappingProxyType({profile.name: profile for profile in (PRACTICE, *declared)})


PROFILES = _shipped()
"""Profiles that can be named on the command line: practice, and those of ``programs/profiles/``."""
