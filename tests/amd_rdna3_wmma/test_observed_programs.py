"""What is seen of the structure of small kernels: each is written out with the classes that it has."""

from __future__ import annotations

import pytest

from mmaspec.oracle.case import Case
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Repeat, Store, Wmma
from mmaspec.programs.base import Affine, Buffer, RunTime, Word

from .observed_cases import IU8, IU8_W64, ROW, SAVE, A, B, C, call, case, program, shown

PLAIN = case(program(A, B, C, call(), SAVE))
IN_PLACE = case(program(A, B, C, call(d="c"), Store("c", "addend", 0)))
LITERAL = case(program(A, B, call(c=None), SAVE, fills={"d": 0x3F800000}))
REFILLED = case(program(A, B, C, call(d="c"), Store("c", "out", 0), Fill("c", 0), call(d="c"), Store("c", "out", 1)))
ONCE_MORE = case(program(A, B, C, call(), call(), SAVE))
LOOP = case(
    program(
        C,
        Repeat(3, (Load("a", "in", Affine(0, loop=1), "A"), Load("b", "in", Affine(4, loop=2), "B"), call(d="c"))),
        Store("c", "out", 0),
    )
)
PIPELINE = case(
    program(
        A, B,
        Repeat(2, (call(d="d", c=None), Store("d", "out", Affine(0, loop=1)), Load("a", "in", Affine(2, loop=1), "Next"))),
    )
)  # fmt: skip
EXCHANGE = case(
    program(A, B, C, Repeat(2, (call(d="d"), Wmma("f32_16x16x16_f16_w32", "c", "a", "b", "d"))), Store("c", "out", 0))
)
TWO_LOOPS = case(program(A, B, C, Repeat(2, (call(d="c"),)), Repeat(2, (call(d="c"),)), Store("c", "out", 0)))
WAVES = case(
    program(A, Load("b", "in", Affine(4, wave=2), "B"), C, call(), Store("d", "out", Affine(0, wave=1)), waves=3)
)
BACK = case(program(A, B, C, call(), SAVE, Load("c", "out", 0), call(), Store("d", "out", 0)))
AS_A = case(
    program(A, B, C, call(IU8_W64), SAVE, Load("a", "out", 0), call(IU8_W64), Store("d", "out", 1), builtin=IU8_W64)
)
FLAGS = case(
    program(
        A,
        B,
        C,
        call(IU8, flags=(True, False, True)),
        SAVE,
        call(IU8, "c", "d", (False, False, False)),
        Store("c", "out", 1),
        builtin=IU8,
    )
)
WORDS = case(
    program(A, B, C, call(), Store("d", "out", RunTime("args", 4)), buffers=(Buffer("args", 8, 0),)),
    words=(Word("args", 4, 2),),
)
UNEQUAL = case(
    program(Load("a", "in", 0, "A", ("A1",)), Store("a", "out", 0), buffers=(Buffer("out", ROW, 128),)), {"A1": 0}
)
TILES = case(
    program(
        A, B, Load("a2", "in", 2, "A2"), C,
        call(), SAVE, Wmma("f32_16x16x16_f16_w32", "d", "a2", "b", "c"), Store("d", "out", 1), Store("d", "out", 3),
        extra=(Fragment("a2", "a", "half", 16),),
    )
)  # fmt: skip

GOLDEN: dict[str, tuple[Case, str, set[str]]] = {}


def golden(name: str, of: Case, **classes: set[str]) -> None:
    for axis, expected in classes.items():
        group, _, rest = axis.partition("__")
        GOLDEN[f"{name}: {axis}"] = (of, f"{group.replace('_', '-')}/{rest.replace('_', '-')}", expected)


golden(
    "plain", PLAIN,
    program__body_shape={"straight"}, program__products_in_body={"one"}, program__statement_order={"phases", "c-last"},
    program__buffer_sharing={"a-and-b"}, program__fragments_declared={"four"}, program__dead_results={"none"},
    program__live_registers={"one-product"}, product__destination={"apart-fresh"}, product__c_source={"loaded"},
    product__live_after={"none"}, product__statement_before={"load-c"}, product__statement_after={"store-result"},
    store__store_source={"result-apart"}, store__store_place={"first"}, load__load_into={"uninitialised"},
    load__byte_offset={"zero", "immediate"}, argument__argument_kind={"literal"}, argument__argument_of={"load-a", "load-b", "load-c", "store-d"},
    fragment__fragment_element={"half", "float"}, fragment__fragment_fill={"none"}, tiling__tiling_shape={"single"},
    buffer__buffer_fit={"much"}, buffer__memory_flow={"read-only", "write-only"}, buffer__background={"random"},
)  # fmt: skip
golden(
    "in place", IN_PLACE,
    product__destination={"in-place"}, product__old_d={"none"}, store__store_place={"first", "over-c"}, store__memory_flow={"in-place"},
    program__buffer_sharing={"a-and-b", "c-and-d"}, fragment__fragment_writes={"none", "one", "two"},
)  # fmt: skip
golden(
    "literal", LITERAL,
    product__c_source={"literal"}, product__fill_constant={"zero"}, product__destination={"apart-old"}, fill__fill_constant={"inline-float"},
    fill__fill_source={"declaration"}, fill__fill_bits={"one", "low-half-zero"}, fragment__fragment_fill={"none", "value-unused"},
)  # fmt: skip
golden(
    "refilled", REFILLED,
    fill__fill_into={"result"}, fill__fill_when={"between", "directly-before"}, product__c_source={"loaded", "zero-filled"},
    program__repeated_products={"c-changed-between"}, store__store_times={"before-and-after"}, program__statement_order={"c-last", "just-in-time"},
    product__statement_after={"store-result"}, product__a_source={"loaded", "reused"},
)  # fmt: skip
golden(
    "once more", ONCE_MORE,
    program__dead_results={"overwritten-result"}, program__repeated_products={"identical"}, sequence__shared_operands={"all"},
    product__statement_after={"product-same-d", "store-result"}, product__old_d={"none", "other-result"}, product__destination={"apart-fresh", "apart-c-live", "apart-old"},
)  # fmt: skip
golden(
    "loop", LOOP,
    loop__repeat_count={"three"}, loop__loop_carries={"accumulator"}, loop__loop_invariant={"none"}, loop__loop_index_used={"a-and-b-unequal"},
    loop__loop_stores={"none"}, loop__loop_reset={"no"}, loop__after_loop={"store"}, loop__argument_loop={"one", "two"}, loop__chain_start={"loaded"},
    sequence__chain_length={"three"}, sequence__chain_link={"in-place"}, sequence__dependence_distance={"zero"}, sequence__result_used_as={"c", "stored-only"},
    product__in_loop={"only-in-loop"}, product__c_source={"loaded", "result"}, store__store_source={"result-of-loop"},
    tiling__k_tiles={"three"}, tiling__tiling_shape={"deep"}, program__body_shape={"loop-only"}, tiling__tile_order={"k-inner"},
)  # fmt: skip
golden(
    "pipeline", PIPELINE,
    loop__loop_carries={"next-operands"}, loop__loop_invariant={"b-outside", "first-pass-only"}, loop__loop_reset={"literal"}, loop__loop_stores={"own-place"},
    product__a_source={"before-loop", "earlier-pass"}, product__b_source={"before-loop", "reused"}, program__dead_results={"dead-load"},
)  # fmt: skip
golden(
    "exchange", EXCHANGE,
    loop__loop_carries={"apart-and-back"}, sequence__chain_link={"alternating"}, sequence__chain_length={"four"}, product__in_loop={"first-in-loop", "later-in-loop"},
    product__statement_before={"load-c", "product-giving-c"}, product__statement_after={"product-reading-d", "none"}, sequence__shared_operands={"a-and-b"},
)  # fmt: skip
golden(
    "two loops",
    TWO_LOOPS,
    program__body_shape={"two-loops"},
    product__c_source={"loaded", "result", "result-of-loop"},
    loop__after_loop={"product", "store", "operands-used"},
)
golden(
    "waves", WAVES,
    program__waves={"three"}, program__waves_work={"same-a"}, load__wave_places={"shared", "gaps"}, store__wave_places={"adjacent"},
    argument__argument_kind={"literal", "per-wave"}, argument__argument_wave={"zero", "one", "two"}, tiling__n_tiles={"three"}, tiling__tile_owner={"tile-a-wave"},
    tiling__tile_memory={"row-of-tiles", "spaced"}, load__load_data={"named", "named-twice"},
)  # fmt: skip
golden(
    "back", BACK,
    load__load_data={"named", "as-it-stands"}, load__load_into={"uninitialised", "loaded"}, load__reinterpreted={"no"}, buffer__memory_flow={"read-only", "read-back", "write-twice", "in-place"},
    product__c_source={"loaded", "reloaded-result"}, sequence__chain_link={"by-memory"}, sequence__reinterpreted={"no"}, load__blocks_overlap={"same", "adjacent", "apart"},
)  # fmt: skip
golden(
    "as A",
    AS_A,
    load__reinterpreted={"cd-as-a"},
    product__a_source={"loaded", "result-by-memory"},
    product__wave_size={"wave64"},
    load__vector_bytes={"sixteen"},
)
golden(
    "flags", FLAGS,
    sequence__flags_in_sequence={"a-both-ways", "clamp-then-not"}, integer_product__clamp={"on", "off"}, integer_product__a_sign={"signed", "unsigned"},
    sequence__result_used_as={"stored-and-c", "stored-only"}, sequence__chain_link={"apart"}, program__statement_order={"c-last", "stores-between", "just-in-time"},
)  # fmt: skip
golden(
    "words", WORDS,
    word__word_offset={"four", "last"}, word__word_buffer={"own"}, word__word_value={"few"}, argument__argument_kind={"literal", "run-time"},
    buffer__buffer_vectors={"one-type", "words-only"}, word__buffer_base={"zero"}, buffer__buffer_base={"zero", "odd-64"},
)  # fmt: skip
golden(
    "unequal copies", UNEQUAL,
    load__replicas={"a-differs"}, load__replica_contents={"zeros"}, store__store_source={"loaded"}, store__store_place={"whole"}, buffer__buffer_fit={"exact", "much"},
    store__buffer_base={"odd-128"}, program__products_in_body={"none"},
)  # fmt: skip
golden(
    "tiles", TILES,
    tiling__m_tiles={"two"}, tiling__n_tiles={"one"}, tiling__tiling_shape={"flat-oblong"}, tiling__tile_owner={"one-wave"}, store__store_times={"once", "two-places"},
    sequence__shared_operands={"b"}, tiling__shared_operands={"b"}, sequence__chain_length={"one"}, sequence__chain_link={"none"}, store__untouched_memory={"before-view", "before-block", "after-block", "between-blocks", "guard", "input-buffers"},
)  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_a_kernel_shows_its_classes(name: str) -> None:
    of, axis, expected = GOLDEN[name]
    group, _, rest = axis.partition("/")
    assert shown(of, group, rest) == expected
