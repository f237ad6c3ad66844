"""Splats, and matrices element by element, held against bytes that were worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    CountElements,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Repeat,
    Splat,
    Store,
    WriteElements,
)

from .by_hand import HALF, expected, image, in_rows, is_right, left, numbered, octets, points


def program(body, matrix=None, waves=1, wave_size=4, size=512, **other):
    return LinalgProgram(
        buffers=(Buffer("in", size, 0), Buffer("out", size, 0)),
        matrices=(matrix or Matrix("A", "F16", 4, 4, "A"),),
        body=tuple(body),
        waves=waves,
        wave_size=wave_size,
        **other,
    )


def test_a_splat_has_the_value_of_the_first_lane_of_each_wave():
    made = program([Splat("A", "int", Literal(5), lane=3, wave=10), Store("A", "out", Affine(0, 128), 16)], waves=2)
    first, second = np.full((4, 4), 5, HALF), np.full((4, 4), 15, HALF)
    assert is_right(made, {}, left(made, {}, "out", *in_rows(first, 0, 16), *in_rows(second, 128, 16)))
    for wrong in (8, 18, 5):
        other = np.full((4, 4), wrong, HALF)
        assert not is_right(made, {}, left(made, {}, "out", *in_rows(first, 0, 16), *in_rows(other, 128, 16)))
    assert {"LINALG-SPLAT-FIRST/Wave", "LINALG-SPLAT/A-constant", "LINALG-FILL-CONV/int-F16"} <= points(made, {})


def test_a_splat_from_memory():
    made = program([Splat("A", "half", FromBuffer("in", 6)), Store("A", "out", 0, 16)])
    held = {"in": image(512, (6, octets(2.5, dtype=HALF)))}
    assert is_right(made, held, left(made, held, "out", *in_rows(np.full((4, 4), 2.5, HALF), 0, 16)))
    assert not is_right(made, held, left(made, held, "out", *in_rows(np.full((4, 4), 2, HALF), 0, 16)))


def test_a_splat_of_a_packed_type_fills_components_or_words():
    made = program([Splat("A", "uint", Literal(7)), Store("A", "out", 0, 16)], Matrix("A", "U8", 4, 4, "A"))
    every = left(made, {}, "out", *in_rows(np.full((4, 4), 7, np.uint8), 0, 16))
    assert is_right(made, {}, every, {"LINALG-AMB-22": "component"})
    words = left(made, {}, "out", *in_rows(np.array([[7, 0, 0, 0]] * 4, np.uint8), 0, 16))
    assert not is_right(made, {}, words, {"LINALG-AMB-22": "component"})
    assert is_right(made, {}, words, {"LINALG-AMB-22": "word"})
    same = program([Splat("A", "uint", Literal(0)), Store("A", "out", 0, 16)], Matrix("A", "U8", 4, 4, "A"))
    assert not expected(same, {}).consulted


def test_get_reads_every_element_at_its_coordinate():
    made = program([Load("A", "in", 0, 16, "ColMajor"), ReadElements("A", "out", 8, 24)])
    values = numbered(4, 4)
    held = {"in": image(512, *in_rows(values.T, 0, 16))}
    assert is_right(made, held, left(made, held, "out", *in_rows(values, 8, 24)))
    assert not is_right(made, held, left(made, held, "out", *in_rows(values.T, 8, 24)))
    assert {"LINALG-GET/F16", "LINALG-COORD/get-A"} <= points(made, held)


def test_set_writes_the_elements_that_the_loop_takes_and_no_others():
    matrix = Matrix("A", "F16", 4, 4, "A")
    made = program([Load("A", "in", 0, 16), WriteElements("A", "in", 256, 16, 5, 0), Store("A", "out", 0, 16)], matrix)
    old, new = numbered(4, 4), numbered(4, 4) + 100
    held = {"in": image(512, *in_rows(old, 0, 16), *in_rows(new, 256, 16))}
    answer = new.copy()
    for place in (0, 5, 10, 15):  # those of which 4 x + y leaves 0 by 5: the diagonal
        answer.flat[place] = old.flat[place]
    assert is_right(made, held, left(made, held, "out", *in_rows(answer, 0, 16)))
    for wrong in (old, new, np.where(answer == old, new, old)):
        assert not is_right(made, held, left(made, held, "out", *in_rows(wrong, 0, 16)))
    assert {"LINALG-SET/F16-partly", "LINALG-COORD/set-A"} <= points(made, held)


def test_elements_that_nothing_has_set_are_not_judged():
    made = program([WriteElements("A", "in", 0, 16, 2, 1), Store("A", "out", 0, 16)])
    values = numbered(4, 4) + 1
    held = {"in": image(512, *in_rows(values, 0, 16))}
    half = np.where(np.arange(16).reshape(4, 4) % 2 == 1, 0, values).astype(HALF)
    assert is_right(made, held, left(made, held, "out", *in_rows(half, 0, 16)))
    half[0, 0] = 9
    assert not is_right(made, held, left(made, held, "out", *in_rows(half, 0, 16)))


@pytest.mark.parametrize(("component", "size"), [("F16", 2), ("I64", 8)])
def test_indices_beyond_the_range(component, size):
    matrix = Matrix("A", component, 4, 4, "A")
    made = program([Splat("A", "int", Literal(3)), Beyond("A", "out", 0, 2, 9), Store("A", "out", 256, 32)], matrix)
    kind = {"F16": HALF, "I64": np.int64}[component]
    stored = in_rows(np.full((4, 4), 3, kind), 256, 32)
    each = [(16 * thread, b"\xff" * 8 + bytes(size)) for thread in range(4)]
    assert is_right(made, {}, left(made, {}, "out", *each, *stored))
    assert not is_right(made, {}, left(made, {}, "out", *each, (0, b"\0"), *stored))
    assert not is_right(made, {}, left(made, {}, "out", *each, (8 + 48, b"\x03"), *stored))
    changed = in_rows(np.full((4, 4), 9, kind), 256, 32)
    assert not is_right(made, {}, left(made, {}, "out", *each, *changed))
    clauses = {"LINALG-COORD-BEYOND", "LINALG-GET-BEYOND", "LINALG-SET-BEYOND"}
    assert {f"{clause}/Wave-far" for clause in clauses} <= points(made, {})


@pytest.mark.parametrize(("scope", "waves"), [("Wave", 2), ("ThreadGroup", 2)])
def test_lengths_come_to_all_elements_at_least(scope, waves):
    made = program(
        [Splat("A", "int", Literal(3)), CountElements("A", "out", Affine(0, 4) if scope == "Wave" else 0)],
        Matrix("A", "F16", 4, 4, "A", scope),
        waves,
    )
    held = {"out": image(512, (0, octets(7, 1000, dtype=np.uint32)))}
    least = [7 + 16, 1000 + 16] if scope == "Wave" else [7 + 16]
    most = [7 + 64, 1000 + 64] if scope == "Wave" else [7 + 128]
    for answer in (least, most):
        assert is_right(made, held, left(made, held, "out", (0, octets(*answer, dtype=np.uint32))))
    for number in range(len(least)):
        few, many = list(least), list(most)
        few[number] -= 1
        many[number] += 1
        assert not is_right(made, held, left(made, held, "out", (0, octets(*few, dtype=np.uint32))))
        assert not is_right(made, held, left(made, held, "out", (0, octets(*many, dtype=np.uint32))))
    assert f"LINALG-LENGTH/A-{scope}" in points(made, held)


def test_a_device_has_one_layout_of_accumulators():
    made = program([AccumulatorLayout("out", Affine(0, 4))], waves=2)
    a, b, mixed = (left(made, {}, "out", (0, octets(*answer, dtype=np.uint32))) for answer in ((0, 0), (1, 1), (0, 1)))
    for reading, answer in (("like-a", a), ("like-b", b)):
        assert is_right(made, {}, answer, {"LINALG-AMB-28": reading})
        assert not is_right(made, {}, mixed, {"LINALG-AMB-28": reading})
    assert not is_right(made, {}, a, {"LINALG-AMB-28": "like-b"})


def test_waves_outside_a_branch_keep_what_they_have():
    body = [
        Splat("A", "int", Literal(1)),
        Branch(0, (Splat("A", "int", Literal(2)), Store("A", "out", Affine(0, 128), 16)), waves=1),
        Store("A", "out", Affine(256, 128), 16),
    ]
    made = program(body, waves=2, size=512)
    one, two = np.full((4, 4), 1, HALF), np.full((4, 4), 2, HALF)
    right = [*in_rows(two, 0, 16), *in_rows(two, 256, 16), *in_rows(one, 384, 16)]
    assert is_right(made, {}, left(made, {}, "out", *right))
    assert not is_right(made, {}, left(made, {}, "out", *right, *in_rows(one, 128, 16)))
    assert not is_right(made, {}, left(made, {}, "out", *right, *in_rows(two, 384, 16)))


def test_passes_of_a_loop_are_executed_one_after_the_other():
    body = [
        Splat("A", "int", Literal(0)),
        Repeat(3, (WriteElements("A", "in", Affine(0, 0, 128), 16, 3, 0), Store("A", "out", Affine(0, 0, 128), 16))),
    ]
    made = program(body)
    values = [numbered(4, 4) + 100 * number for number in range(3)]
    held = {"in": image(512, *[part for number in range(3) for part in in_rows(values[number], 128 * number, 16)])}
    kept = np.arange(16).reshape(4, 4) % 3 == 0
    answers = [np.where(kept, 0, one).astype(HALF) for one in values]
    right = [part for number in range(3) for part in in_rows(answers[number], 128 * number, 16)]
    assert is_right(made, held, left(made, held, "out", *right))
    wrong = [part for number in range(3) for part in in_rows(answers[0], 128 * number, 16)]
    assert not is_right(made, held, left(made, held, "out", *wrong))


def test_lengths_that_meet_in_a_word_come_to_all_of_them() -> None:
    """Of two waves in two passes, with and without a barrier in between."""
    count = CountElements("A", "out", 0)
    for body in ([Repeat(2, (count,))], [Repeat(2, (count, Barrier()))], [count, count]):
        made = program([Splat("A", "int", Literal(3)), *body], Matrix("A", "F16", 4, 4, "A"), 2)
        held = {"out": image(512, (0, octets(7, dtype=np.uint32)))}
        for number, right in ((7 + 63, False), (7 + 64, True), (7 + 256, True), (7 + 257, False)):
            assert is_right(made, held, left(made, held, "out", (0, octets(number, dtype=np.uint32)))) is right
