"""The reducer on planted failures: small results, few calls, equal every time."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from mmaspec.oracle.case import Case
from mmaspec.programs.base import Affine, Buffer, RunTime, Word
from mmaspec.programs.formats import format_named
from mmaspec.programs.outside import in_one_wave, outside_loops
from mmaspec.programs.tree import drop, paths, unrolled
from mmaspec.strategies.reducer import PATIENCE, SHARE, STEPS, reduce_case, simple_codes
from mmaspec.strategies.reducer_program import fewer_waves, leading_to, pruned, simpler_loops
from mmaspec.strategies.regimes.catalogue import draw


class Counting:
    """A predicate that counts its calls."""

    def __init__(self, holds: Callable[[Case], bool]) -> None:
        self.calls = 0
        self._holds = holds

    def __call__(self, case: Case) -> bool:
        self.calls += 1
        return self._holds(case)


@pytest.fixture
def looping(toy: SimpleNamespace) -> Case:
    """A program with a loop over waves and passes, frames, and a buffer for run-time arguments."""
    load, mac = toy.Load, toy.Mac()
    program = toy.ToyProgram(
        (Buffer("inputs", 1 << 16), Buffer("words", 16), Buffer("out", 4096)),
        (
            toy.Fill("b", toy.LiteralBits(1)),
            load("c", "inputs", RunTime("words", 4), "C"),
            load("b", "inputs", 4096, "B"),
            toy.Repeat(4, (load("a", "inputs", Affine(8192, 1024, 128), "A"), mac, toy.Fill("a", toy.LiteralBits(3)))),
            toy.Store("out", RunTime("words", 8)),
            toy.Store("out", 512),
        ),
        waves=4,
        read_only=("inputs", "words"),
    )
    words = (Word("words", 4, 64), Word("words", 8, 128))
    resolved = toy.ToyProgram(program.buffers, (program.body[2], program.body[3]), waves=4)
    values = draw("normal", 5, (*toy.sources(resolved),), 16)
    values["C"] = draw("normal", 5, (toy.make_source("C", "c", "f32", (1, 1, 8, 8)),), 16)["C"]
    return Case(toy.NAME, "half", "mac", program, toy.ToyCaps(), 16, values, words, labels=("normal",))


@pytest.fixture
def long_loop(toy: SimpleNamespace) -> Case:
    """A loop of 512 passes over nine instructions, and no data."""
    body = tuple(toy.Fill(f"f{number}", toy.LiteralBits(number)) for number in range(9))
    return Case(toy.NAME, "half", "mac", toy.ToyProgram((), (toy.Repeat(512, body),)), toy.ToyCaps(), 1, {})


def executed_by(candidate: Case) -> int:
    """How many instructions a wave executes, each pass of a loop counted."""
    return sum(1 for _ in unrolled(candidate.program))


def nonzero(case: Case) -> dict[str, int]:
    return {name: int(np.count_nonzero(bits)) for name, bits in case.values.items()}


def test_two_elements_are_left_of_three_matrices(toy: SimpleNamespace) -> None:
    sources = toy.make_triple("f16", "f32")
    loads = tuple(toy.Load(s.role, "inputs", 1024 * i, s.name) for i, s in enumerate(sources))
    program = toy.ToyProgram((Buffer("inputs", 4096),), (*loads, toy.Mac(), toy.Store("inputs", 0)))
    values = {name: bits[..., :8, :8] | np.uint64(1) for name, bits in draw("wild", 3, sources, 64).items()}
    case = Case(toy.NAME, "half", "mac", program, toy.ToyCaps(), 64, values)

    def fails(candidate: Case) -> bool:
        a, b = candidate.values.get("A"), candidate.values.get("B")
        return a is not None and b is not None and bool((a[:, 0, 0, 3, 5] * b[:, 0, 0, 5, 2]).any())

    counting = Counting(fails)
    small = reduce_case(case, counting)
    assert nonzero(small) == {"A": 1, "B": 1}
    assert small.batch == 1
    assert small.values["A"][0, 0, 0, 3, 5] == small.values["B"][0, 0, 0, 5, 2] == 0x3C00
    assert len(small.program.body) == 2
    assert counting.calls < 100


def test_a_failure_of_one_late_item_keeps_that_item(looping: Case) -> None:
    wanted = int(looping.values["C"][11, 0, 0, 2, 2])
    small = reduce_case(looping, lambda c: "C" in c.values and wanted in c.values["C"][:, 0, 0, 2, 2])
    assert small.batch == 1
    assert nonzero(small) == {"C": 1}


@pytest.mark.usefixtures("toy")
def test_programs_lose_instructions_loops_waves_and_declarations(looping: Case) -> None:
    def fails(case: Case) -> bool:
        kinds = [type(node).__name__ for node in case.program.body]
        inner = [type(n).__name__ for node in case.program.body for n in getattr(node, "body", ())]
        return "Mac" in kinds + inner and "Store" in kinds

    small = reduce_case(looping, fails)
    assert [type(node).__name__ for node in small.program.body] == ["Mac", "Store"]
    assert small.program.waves == 1
    assert small.values == {}
    assert {word.offset for word in small.words} <= {8}
    assert {buffer.name for buffer in small.program.buffers} <= {"out", "words"}
    assert set(small.program.read_only) <= {"words"}


def test_a_failure_in_the_last_pass_keeps_the_loop_and_its_values(looping: Case) -> None:
    def fails(case: Case) -> bool:
        a = case.values.get("A")
        return a is not None and a.shape[2] >= 3 and bool(a[:, 0, 2, 1, 1].any())

    small = reduce_case(looping, fails)
    assert small.program.body[0].count == 3
    assert small.values["A"].shape == (1, 1, 3, 8, 8)
    assert nonzero(small) == {"A": 1}


def test_a_failure_of_several_items_together_keeps_them(looping: Case) -> None:
    small = reduce_case(looping, lambda c: c.batch == 16 and bool(c.values.get("B", np.zeros(1)).any()))
    assert small.batch == 16
    assert set(small.values) == {"B"}


def test_equal_arguments_give_equal_results_within_the_budget(looping: Case) -> None:
    def fails(case: Case) -> bool:
        return "B" in case.values and int(np.count_nonzero(case.values["B"])) >= 20

    counting = Counting(fails)
    first, second = reduce_case(looping, counting, budget=80), reduce_case(looping, fails, budget=80)
    assert counting.calls <= 80
    assert first.program == second.program
    assert np.array_equal(first.values["B"], second.values["B"])


def test_what_leads_to_the_wrong_store_is_tried_first(toy: SimpleNamespace) -> None:
    first, second = toy.Fill("b", toy.LiteralBits(1)), toy.Fill("b", toy.LiteralBits(2))
    others = tuple(toy.Fill(f"f{number}", toy.LiteralBits(number)) for number in range(20))
    program = toy.ToyProgram((Buffer("out", 4096),), (*others[:7], first, *others[7:], second))
    assert leading_to(program, (21,)) == {(7,), (21,)}
    assert leading_to(program, (7,)) == {(7,)}
    case = Case(toy.NAME, "half", "mac", program, toy.ToyCaps(), 1, {})

    def fails(candidate: Case) -> bool:
        return first in candidate.program.body and second in candidate.program.body

    few, more = Counting(fails), Counting(fails)
    by_store, without = reduce_case(case, few, wrong=(21,)), reduce_case(case, more)
    assert by_store.program == without.program
    assert by_store.program.body == (first, second)
    assert few.calls < more.calls


def test_instructions_that_all_matter_are_not_tried_without_end(toy: SimpleNamespace) -> None:
    body = tuple(toy.Fill(f"f{number}", toy.LiteralBits(number)) for number in range(64))
    case = Case(toy.NAME, "half", "mac", toy.ToyProgram((), body), toy.ToyCaps(), 1, {})
    counting = Counting(lambda candidate: candidate.program.body == body)
    assert reduce_case(case, counting).program.body == body
    assert counting.calls == max(PATIENCE, len(body) // SHARE)


def test_a_long_program_loses_what_stands_between_instructions_that_matter(toy: SimpleNamespace) -> None:
    """Every long run of them has one that matters, so that none is left out before short ones are tried."""
    body = tuple(toy.Fill(f"f{number}", toy.LiteralBits(number)) for number in range(160))
    needed = set(body[::10])
    case = Case(toy.NAME, "half", "mac", toy.ToyProgram((), body), toy.ToyCaps(), 1, {})
    found = reduce_case(case, Counting(lambda candidate: needed <= set(candidate.program.body)))
    assert set(found.program.body) == needed


def test_a_long_loop_is_shortened_before_anything_is_left_out(long_loop: Case) -> None:
    body = long_loop.program.body[0].body
    executed = []

    def fails(candidate: Case) -> bool:
        executed.append(executed_by(candidate))
        return any(instruction == body[3] for _, instruction in unrolled(candidate.program))

    assert reduce_case(long_loop, fails).program.body == (body[3],)
    assert max(executed) == len(body)


def test_a_loop_that_matters_is_not_executed_without_end(long_loop: Case) -> None:
    executed = []

    def fails(candidate: Case) -> bool:
        executed.append(executed_by(candidate))
        return False

    assert reduce_case(long_loop, fails) is long_loop
    assert sum(executed[:-1]) < STEPS <= sum(executed)


def test_nothing_left_of_the_budget_returns_the_case(looping: Case) -> None:
    assert reduce_case(looping, lambda _: True, budget=0) is looping


def test_simple_codes() -> None:
    assert [int(code) for code in simple_codes(format_named("f16"))] == [0x3C00, 0xBC00, 0x4000, 0x4200]
    assert [int(code) for code in simple_codes(format_named("s8"))] == [1, 0xFF, 2, 3]
    assert [int(code) for code in simple_codes(format_named("u8"))] == [1, 2, 3]
    assert [int(code) for code in simple_codes(format_named("e4m3"))] == [0x38, 0xB8, 0x40, 0x44]


def test_program_steps(toy: SimpleNamespace, looping: Case) -> None:
    program = looping.program
    assert paths(program) == ((0,), (1,), (2,), (3, 0), (3, 1), (3, 2), (4,), (5,))
    assert len(drop(program, [(3, 0), (3, 1), (3, 2)]).body) == 5
    assert [p.body[3].count for p in simpler_loops(program) if isinstance(p.body[3], toy.Repeat)] == [1, 2, 3]
    assert [p.waves for p in fewer_waves(program)] == [1, 2, 3]
    smaller, words = pruned(drop(program, [(1,)]), looping.words)
    assert [word.offset for word in words] == [8]
    assert smaller.buffers == program.buffers


def test_what_leaves_a_loop_names_no_pass_and_one_wave_no_wave(looping: Case) -> None:
    unrolled, *fewer = simpler_loops(looping.program)
    loops = [step for program in fewer for step in program.body if hasattr(step, "count")]
    assert outside_loops(unrolled.body) == unrolled.body
    assert all(outside_loops(loop) != loop for loop in loops)
    alone, *several = fewer_waves(looping.program)
    assert alone.waves == 1
    assert in_one_wave(alone.body) == alone.body
    assert all(in_one_wave(program.body) != program.body for program in several)


def test_where_no_data_matter_one_call_makes_all_of_them_zero(looping: Case) -> None:
    start, tried = looping.item(0), []

    def fails(case: Case) -> bool:
        if case.program == start.program:
            tried.append(nonzero(case))
        return case.program == start.program

    assert len([name for name, count in nonzero(start).items() if count]) > 1
    assert not any(nonzero(reduce_case(start, fails)).values())
    assert not any(tried[0].values())
