"""Near misses of kernels on registers: the valid kernel to start from, and changes of its call or its fragments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec.structs import replace

from mmaspec.programs.base import Affine
from mmaspec.programs.register_kernels import Load, Store
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.calls import is_product
from mmaspec.strategies.register_kernels.templates import Make, operands

Where = Literal["", "in a loop", "second call"]
"""The call that is wrong: the only one, that one in a loop, or a second one alone."""

ELSEWHERE: tuple[Where, ...] = ("second call", "in a loop")


def near_miss_base(make: Make, context: DrawContext[Any]) -> Draft:
    """A plain product with nothing at run time, one item."""
    builder = make(context, run_time=False)
    operands(builder)
    builder.fragment("c", "cd")
    builder.fragment("d", "cd")
    builder.add(builder.load("c", "C", "addend"), builder.product("d", "a", "b", "c"), builder.store("d"))
    return builder.draft("distinct", batch=1)


def fitted(program: Any) -> Any:
    """The program with its buffers large enough for every access (which are literal or affine, outside loops)."""
    ends = {buffer.name: buffer.size for buffer in program.buffers}
    for step in program.body:
        if isinstance(step, (Load, Store)):
            fragment = program.fragment(step.into if isinstance(step, Load) else step.fragment)
            block = step.block if isinstance(step.block, Affine) else Affine(int(step.block))  # type: ignore[arg-type]
            last = block.base + block.wave * (program.waves - 1)
            ends[step.buffer] = max(ends[step.buffer], (last + 1) * program.lanes * fragment.vector_bytes)
    return replace(program, buffers=tuple(replace(buffer, size=ends[buffer.name]) for buffer in program.buffers))


def with_program(draft: Draft, program: Any) -> Draft:
    """The draft with another program, whose buffers are made large enough."""
    return Draft(fitted(program), draft.regime, draft.batch, draft.words)


def with_fragments(draft: Draft, change: Callable[[Any], Any], names: Iterable[str]) -> Draft:
    """The draft with some of its fragments changed."""
    program, changed = draft.program, frozenset(names)
    fragments = tuple(change(each) if each.name in changed else each for each in program.fragments)
    return with_program(draft, replace(program, fragments=fragments))


def called(draft: Draft, repeat: Callable[[int, tuple[Any, ...]], Any], where: Where, **changes: Any) -> Draft:
    """The call changed where it stands, alone in a loop as ``repeat`` makes it, or in a second one that follows it."""
    program = draft.program
    number = next(n for n, step in enumerate(program.body) if is_product(step))
    call = program.body[number]
    new = replace(call, **changes)
    steps: dict[Where, tuple[Any, ...]] = {"": (new,), "in a loop": (repeat(2, (new,)),), "second call": (call, new)}
    body = (*program.body[:number], *steps[where], *program.body[number + 1 :])
    return with_program(draft, replace(program, body=body))
