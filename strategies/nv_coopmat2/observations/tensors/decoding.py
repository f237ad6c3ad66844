"""The axes of decode functions."""

from __future__ import annotations

from math import prod

import numpy as np

from mmaspec.oracle.nv_coopmat2.sources.tensors import parts
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import Decode, Echo, LoadTensor, Nibbles, ScaleAndBytes
from mmaspec.strategies.axes.observation import Answer, Look
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_tensor
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every
from mmaspec.strategies.nv_coopmat2.observations.tensors.layouts import implied


def decode_of(one: TensorFacts) -> Decode:
    """The decode function of a load that has one."""
    found = one.access.decode
    assert found is not None
    return found


def told(one: TensorFacts) -> int:
    """The largest sum of coordinates times weights of an echo, without its byte."""
    decode = decode_of(one)
    assert isinstance(decode, Echo)
    weights = (np.array(decode.block, np.float64), np.array(decode.within, np.float64))
    tops = []
    for state in one.states:
        there = state.found.index >= 0
        block, within = state.found.block[there], state.found.within[there]
        if len(block) and block.shape[-1] == len(weights[0]) and within.shape[-1] == len(weights[1]):
            tops.append(int((block * weights[0]).sum(-1).max() + (within * weights[1]).sum(-1).max()))
    return max(tops, default=0)


def function(one: TensorFacts) -> Answer:
    """Which decode function."""
    decode = decode_of(one)
    if isinstance(decode, ScaleAndBytes):
        return "scale-and-bytes"
    if isinstance(decode, Nibbles):
        names = {0: "nibbles", 8: "nibbles-minus"}
        return names.get(decode.minus, "nibbles-minus-other")
    block, within, byte = any(decode.block), any(decode.within), bool(decode.byte)
    fmt = format_named(one.matrix.component)
    limit = min(1 << 32, 1 << (fmt.emax + 1) if fmt.is_float else 1 << fmt.bits)
    return every(
        ("echo-block", all(decode.block) and len(set(decode.block)) == len(decode.block)),
        ("echo-within", within),
        ("echo-byte", byte),
        ("echo-all", block and within and byte),
        ("echo-nothing", not (block or within or byte)),
        ("echo-wraps", told(one) + 255 * decode.byte >= limit),
    )


def weights(one: TensorFacts) -> Answer:
    """Weights of an echo."""
    decode = decode_of(one)
    if not isinstance(decode, Echo):
        return None
    given = [weight for weight in (*decode.block, *decode.within) if weight]
    fmt = format_named(one.matrix.component)
    held = fmt.max_value if not fmt.is_float else 1 << fmt.precision
    return every(
        ("one-dimension", len(given) == 1),
        ("powers", len(given) > 1 and _readable(one, decode)),
        ("negative", any(weight >= 1 << 31 for weight in given)),
        ("beyond-component", told(one) + 255 * decode.byte > held),
    )


def _readable(one: TensorFacts, decode: Echo) -> bool:
    """Whether every place tells another number."""
    state = one.states[0]
    there = state.found.index >= 0
    block, within = state.found.block[there], state.found.within[there]
    if block.shape[-1] != len(decode.block) or within.shape[-1] != len(decode.within):
        return False
    mine = (block * np.array(decode.block)).sum(-1) + (within * np.array(decode.within)).sum(-1)
    places = np.unique(np.concatenate([block, within], axis=-1), axis=0)
    return len(places) > 1 and np.unique(mine).size == len(places)


def padding(one: TensorFacts) -> Answer:
    """The struct against what its function reads."""
    decode = decode_of(one)
    component = format_named(one.matrix.component).nbytes
    same = every(
        ("as-component", decode.struct_bytes == component), ("unlike-component", decode.struct_bytes != component)
    )
    if isinstance(decode, Echo):
        return same
    count = prod(decode.block)
    need = -(-count // 2) if isinstance(decode, Nibbles) else 2 + count + count % 2
    return (
        *same,
        *every(
            ("exact", decode.struct_bytes <= need),
            ("padded", decode.struct_bytes > need),
            ("odd-nibbles", isinstance(decode, Nibbles) and count % 2),
            ("block-unlike-layout", decode.block != one.t.block_size),
        ),
    )


def signature(known: Facts, access: LoadTensor) -> Answer:
    """The parameters of the decode function."""
    decode = access.decode
    if decode is None:
        return None
    rank = known.program.layout(access.tensor).rank
    view = None if access.view is None else known.program.view(access.view).rank
    arrays = {len(decode.block), *([len(decode.within)] if isinstance(decode, Echo) else [])}
    found = every(
        ("by-value", decode.by_value),
        ("view-rank", view not in (None, rank) and arrays == {view}),
        ("rank-too-small", min(arrays) < rank),
        ("rank-too-large", max(arrays) > rank),
        ("from-shared", access.buffer in known.program.shared),
    )
    return found or "right"


def returned(known: Facts, access: LoadTensor) -> Answer:
    """The return type of the decode function."""
    decode = access.decode
    if decode is None:
        return None
    own = known.matrix(access.matrix).component
    kind = decode.component or own
    if kind == own:
        return own
    old, new = format_named(own), format_named(kind)
    same = old.bits == new.bits and not old.is_float and not new.is_float
    return every(
        ("other-signedness", same),
        ("other-width", old.bits != new.bits),
        ("float-for-integer", new.is_float and not old.is_float),
    )


def index(one: TensorFacts) -> Answer:
    """Struct index times struct bytes."""
    top = max(int(state.found.index.max()) for state in one.states) * one.step
    strided = one.strided and one.t.stride != implied(one)
    return every(
        ("zero", top == 0),
        ("small", 0 < top < 4096),
        ("sixteen-bits", 1 << 15 <= top < 1 << 17),
        ("beyond-17-bits", top >= 1 << 17),
        ("beyond-24-bits", top >= 1 << 24),
        ("strided", strided),
        ("inner-stride", one.t.stride[-1] > 1),
        ("base-offset", any(state.base for state in one.states)),
    )


def data(one: TensorFacts) -> Answer:
    """Values in the structs."""
    decode, access = decode_of(one), one.access
    assert isinstance(access, LoadTensor)
    if access.data is None:
        return None
    values = one.known.subject.case.values
    fmt = format_named(one.matrix.component)
    found: set[str] = set()
    for part in parts(decode, fmt):
        bits = values.get(access.data + part.suffix)
        if bits is not None and bits.size:
            names = _scales(np.unique(bits)) if part.suffix else _bytes(one, decode, bits)
            found |= set(names)
    return found


def _bytes(one: TensorFacts, decode: Decode, bits: np.ndarray) -> tuple[str, ...]:
    words = np.unique(bits)
    flat = bits.reshape(bits.shape[0], -1)
    neighbours = flat.shape[1] > 1 and bool((flat[:, 1:] != flat[:, :-1]).all(axis=1).any())
    whole = set(words.tolist())
    nibbles = {word & 15 for word in whole} | {word >> 4 for word in whole}
    is_nibbles = isinstance(decode, Nibbles)
    below = isinstance(decode, Nibbles) and any(nibble < decode.minus for nibble in nibbles)
    return every(
        ("all-bytes-differ", neighbours and one.rank),
        ("nibbles-all", is_nibbles and len(whole) == 256),
        ("nibble-below-minus", below),
        ("byte-least", isinstance(decode, ScaleAndBytes) and {0x80, 0x7F} <= whole),
        ("byte-zero", 0 in whole),
    )


def _scales(words: np.ndarray) -> tuple[str, ...]:
    low = words & np.uint64(0x7FFF)
    fraction = low & np.uint64(0x3FF)
    normal = (low >= 0x400) & (low < 0x7C00)
    return every(
        ("scale-zero", (low == 0).any()),
        ("scale-power", (normal & (fraction == 0)).any()),
        ("scale-full", (normal & (fraction == 0x3FF)).any()),
        ("scale-subnormal", ((low > 0) & (low < 0x400)).any()),
        ("scale-largest", (low == 0x7BFF).any()),
        ("scale-infinite", (low == 0x7C00).any()),
        ("scale-nan", (low > 0x7C00).any()),
    )


LOOKS: dict[str, Look] = {
    "decode-function": of_tensor(function),
    "decode-weights": of_tensor(weights),
    "decode-struct-padding": of_tensor(padding),
    "decode-signature": anywhere(LoadTensor, ("right",), signature),
    "decode-returns": anywhere(LoadTensor, (), returned),
    "decode-index": of_tensor(index),
    "decode-data": of_tensor(data),
}
"""Axis -> how its class is seen."""
