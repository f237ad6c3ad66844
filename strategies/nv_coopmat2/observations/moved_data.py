"""The axes about data that are only moved: values in memory, and clamp values."""

from __future__ import annotations

import numpy as np

from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.program import CONSTANT, SetClampValue
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import every, facts
from mmaspec.strategies.nv_coopmat2.observations.values import integer_classes, special_kinds


def tensor(subject: Subject, thing: Thing) -> Answer:
    """Values in memory for pure movement."""
    access = thing.of
    bits = None if access.data is None else subject.case.values.get(access.data)
    if bits is None or not bits.size or getattr(access, "decode", None) is not None:
        return None
    fmt = format_named(facts(subject).matrix(access.matrix).component)
    words = np.unique(bits)
    flat = bits.reshape(bits.shape[0], -1)
    differ = flat.shape[1] > 1 and any(np.unique(row).size == row.size for row in flat)
    whole = fmt.sign_bit if fmt.signed and not fmt.is_float else fmt.mask
    kinds = special_kinds(fmt, words)
    assert thing.place is not None
    beyond = thing.group == "tensor-load" and tensor_facts(subject, thing.place).states != ()
    return every(
        ("all-differ", differ),
        ("bytes-differ", fmt.nbytes > 1 and _bytes_differ(fmt, words)),
        ("nan-payloads", "nan" in kinds and int((words & np.uint64(fmt.sign_bit - 1) > _top(fmt)).sum()) > 2),
        ("subnormals", "subnormal" in kinds),
        ("minus-zero", fmt.is_float and (words == fmt.sign_bit).any()),
        ("infinities", "infinity" in kinds),
        ("all-bits", ((words == fmt.mask) | (words == whole)).any()),
        ("guard-differs", beyond and tensor_facts(subject, thing.place).beyond),
    )


def _top(fmt: Format) -> int:
    return fmt.infinity_magnitude if fmt.is_float else fmt.mask


def _bytes_differ(fmt: Format, words: np.ndarray) -> bool:
    if not fmt.is_float:
        return "bytes-differ" in integer_classes(fmt, words)
    return any(len(set(int(word).to_bytes(fmt.nbytes, "little"))) == fmt.nbytes for word in words[:4096])


def clamp_value(one: TensorFacts) -> Answer:
    """The clamp value against the component type."""
    if one.mode != CONSTANT and not any(isinstance(call, SetClampValue) for call in one.calls):
        return None
    if not any(isinstance(call, SetClampValue) for call in one.calls):
        return "default"
    fmt = format_named(one.matrix.component)
    return {name for state in one.states for name in _clamp(fmt, state.t.clamp_value)}


def _clamp(fmt: Format, word: int) -> tuple[str, ...]:
    low = word & fmt.mask
    magnitude = low & (fmt.sign_bit - 1) if fmt.is_float else low
    top = fmt.infinity_magnitude if fmt.is_float else fmt.mask + 1
    fraction = magnitude & ((1 << fmt.fraction_bits) - 1)
    quiet = 1 << (fmt.fraction_bits - 1) if fmt.is_float else 0
    least = 1 << fmt.fraction_bits if fmt.is_float else 0
    parts = set(word.to_bytes(4, "little"))
    nan = fmt.is_float and magnitude > top
    half = fmt.is_float and fmt.bits == 16 and word >> 16
    return every(
        ("zero", word == 0),
        ("all-ones", word == 0xFFFF_FFFF or (low == fmt.mask and fmt.bits <= 32)),
        ("bytes-differ", len(parts) == 4),
        ("high-bits-only", word and not low),
        ("low-byte-only", 0 < word < 256),
        ("sign-bit", low == 1 << (min(fmt.bits, 32) - 1)),
        ("number", least <= magnitude < top and magnitude),
        ("infinity", fmt.is_float and magnitude == top),
        ("signalling-nan", nan and not fraction & quiet),
        ("quiet-nan", nan and fraction & quiet),
        ("subnormal", fmt.is_float and 0 < magnitude < least),
        ("number-of-f32", half and 0 < (word >> 23 & 255) < 255),
        ("double", fmt.bits == 64),
    )


LOOKS: dict[str, Look] = {"tensor-data": tensor, "clamp-value": of_tensor(clamp_value)}
"""Axis -> how its classes are seen."""
