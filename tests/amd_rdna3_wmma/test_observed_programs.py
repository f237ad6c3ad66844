"""What is seen of the structure of small kernels: each has exactly the classes that stand here."""

from __future__ import annotations

import pytest

from mmaspec.oracle.case import Case
from mmaspec.programs.amd_rdna3_wmma.program import Wmma

from .observed_cases import IU8, SAVE, A, B, C, case, program, shown
from .observed_kernels import (
    AS_A,
    BACK,
    EXCHANGE,
    FLAGS,
    IN_PLACE,
    LITERAL,
    LOOP,
    ONCE_MORE,
    PIPELINE,
    PLAIN,
    REFILLED,
    TILES,
    TWO_LOOPS,
    UNEQUAL,
    WAVES,
    WORDS,
)

GOLDEN = (
    ("plain", PLAIN, """
        program/body-shape: straight
        program/products-in-body: one
        program/statement-order: c-last phases
        program/buffer-sharing: a-and-b
        program/fragments-declared: four
        program/dead-results: none
        program/live-registers: one-product
        product/destination: apart-fresh
        product/c-source: loaded
        product/live-after: none
        product/statement-before: load-c
        product/statement-after: store-result
        store/store-source: result-apart
        store/store-place: first
        load/load-into: uninitialised
        load/byte-offset: immediate zero
        argument/argument-kind: literal
        argument/argument-of: load-a load-b load-c store-d
        fragment/fragment-element: float half
        fragment/fragment-fill: none
        tiling/tiling-shape: single
        buffer/buffer-fit: much
        buffer/memory-flow: read-only write-only
        buffer/background: random
    """),
    ("in place", IN_PLACE, """
        product/destination: in-place
        product/old-d: none
        store/store-place: first over-c
        store/memory-flow: in-place
        program/buffer-sharing: a-and-b c-and-d
        fragment/fragment-writes: none one two
    """),
    ("literal", LITERAL, """
        product/c-source: literal
        product/fill-constant: zero
        product/destination: apart-old
        fill/fill-constant: inline-one
        fill/fill-source: declaration
        fill/fill-bits: low-half-zero one
        fragment/fragment-fill: none value-unused
    """),
    ("refilled", REFILLED, """
        fill/fill-into: result
        fill/fill-when: between directly-before
        product/c-source: loaded zero-filled
        program/repeated-products: c-changed-between
        store/store-times: before-and-after
        program/statement-order: c-last just-in-time
        product/statement-after: store-result
        product/a-source: loaded reused
    """),
    ("once more", ONCE_MORE, """
        program/dead-results: overwritten-result
        program/repeated-products: identical
        sequence/shared-operands: all
        product/statement-after: product-same-d store-result
        product/old-d: none other-result
        product/destination: apart-c-live apart-fresh apart-old
    """),
    ("loop", LOOP, """
        loop/repeat-count: three
        loop/loop-carries: accumulator
        loop/loop-invariant: none
        loop/loop-index-used: a-and-b-unequal
        loop/loop-stores: none
        loop/loop-reset: no
        loop/after-loop: store
        loop/argument-loop: one two
        loop/chain-start: loaded
        sequence/chain-length: three
        sequence/chain-link: in-place
        sequence/dependence-distance: zero
        sequence/result-used-as: c stored-only
        product/in-loop: only-in-loop
        product/c-source: loaded result
        store/store-source: result-of-loop
        tiling/k-tiles: three
        tiling/tiling-shape: deep
        program/body-shape: loop-only
        tiling/tile-order: k-inner
    """),
    ("pipeline", PIPELINE, """
        loop/loop-carries: next-operands
        loop/loop-invariant: b-outside first-pass-only
        loop/loop-reset: literal
        loop/loop-stores: own-place
        product/a-source: before-loop earlier-pass
        product/b-source: before-loop reused
        program/dead-results: dead-load
    """),
    ("exchange", EXCHANGE, """
        loop/loop-carries: apart-and-back
        sequence/chain-link: alternating
        sequence/chain-length: four
        product/in-loop: first-in-loop later-in-loop
        product/statement-before: load-c product-giving-c
        product/statement-after: none product-reading-d
        sequence/shared-operands: a-and-b
    """),
    ("two loops", TWO_LOOPS, """
        program/body-shape: two-loops
        product/c-source: loaded result result-of-loop
        loop/after-loop: operands-used product store
    """),
    ("waves", WAVES, """
        program/waves: three
        program/waves-work: same-a
        load/wave-places: gaps shared
        store/wave-places: adjacent
        argument/argument-kind: literal per-wave
        argument/argument-wave: one two zero
        tiling/n-tiles: three
        tiling/tile-owner: tile-a-wave
        tiling/tile-memory: row-of-tiles spaced
        load/load-data: named named-twice
    """),
    ("back", BACK, """
        load/load-data: as-it-stands named
        load/load-into: loaded uninitialised
        load/reinterpreted: no
        buffer/memory-flow: in-place read-back read-only write-twice
        product/c-source: loaded reloaded-result
        sequence/chain-link: by-memory
        sequence/reinterpreted: no
        load/blocks-overlap: adjacent apart same
    """),
    ("as A", AS_A, """
        load/reinterpreted: cd-as-a
        product/a-source: loaded result-by-memory
        product/wave-size: wave64
        load/vector-bytes: sixteen
    """),
    ("flags", FLAGS, """
        sequence/flags-in-sequence: a-both-ways clamp-then-not
        integer-product/clamp: off on
        integer-product/a-sign: signed unsigned
        sequence/result-used-as: stored-and-c stored-only
        sequence/chain-link: apart
        program/statement-order: c-last just-in-time stores-between
    """),
    ("words", WORDS, """
        word/word-offset: four last
        word/word-buffer: own
        word/word-value: few
        argument/argument-kind: literal run-time
        buffer/buffer-vectors: one-type words-only
        word/buffer-base: zero
        buffer/buffer-base: odd-64 zero
    """),
    ("unequal copies", UNEQUAL, """
        load/replicas: a-differs
        load/replica-contents: zeros
        store/store-source: loaded
        store/store-place: whole
        buffer/buffer-fit: exact much
        store/buffer-base: odd-128
        program/products-in-body: none
    """),
    ("tiles", TILES, """
        tiling/m-tiles: two
        tiling/n-tiles: one
        tiling/tiling-shape: flat-oblong
        tiling/tile-owner: one-wave
        store/store-times: once two-places
        sequence/shared-operands: b
        tiling/shared-operands: b
        sequence/chain-length: one
        sequence/chain-link: none
        store/untouched-memory: after-block before-block before-view between-blocks guard input-buffers
    """),
)  # fmt: skip
"""Name, case, and for groups and axes the classes that their things have."""

LINES = [(name, of, line) for name, of, text in GOLDEN for line in text.strip().splitlines()]


@pytest.mark.exhaustive(every=6)
@pytest.mark.parametrize(
    ("name", "of", "line"), LINES, ids=[f"{name}, {line.split(':')[0].strip()}" for name, _, line in LINES]
)
def test_a_kernel_shows_its_classes(name: str, of: Case, line: str) -> None:
    where, _, expected = line.strip().partition(": ")
    assert shown(of, *where.split("/")) == set(expected.split()), name


@pytest.mark.parametrize("signs", [(True, True), (False, False), (True, False), (False, True)])
@pytest.mark.parametrize("products", [1, 2])
def test_one_fragment_under_both_signs(products: int, signs: tuple[bool, bool]) -> None:
    """As A and as B of one product, and as A of one and B of the next."""
    as_a, as_b = signs
    calls = (
        [Wmma(IU8, "d", "a", "a", "c", as_a, as_b, False)]
        if products == 1
        else [Wmma(IU8, "d", "a", "b", "c", as_a, True, False), Wmma(IU8, "d", "b", "a", "c", True, as_b, False)]
    )
    made = case(program(A, B, C, *calls, SAVE, builtin=IU8))
    for group in ("integer-product", "sequence")[:products]:  # one product is no sequence
        assert ("roles-differ" in shown(made, group, "flags-in-sequence")) is (as_a != as_b)
