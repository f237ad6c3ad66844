"""Small kernels, written out by hand: straight ones, loops, several waves, results that go through memory."""

from __future__ import annotations

from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Repeat, Store, Wmma
from mmaspec.programs.base import Affine, Buffer, RunTime, Word

from .observed_cases import F16, IU8, IU8_W64, ROW, SAVE, A, B, C, call, case, program

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
        Repeat(
            2,
            (call(c=None), Store("d", "out", Affine(0, loop=1)), Load("a", "in", Affine(2, loop=1), "Next")),
        ),
    )
)  # fmt: skip
EXCHANGE = case(program(A, B, C, Repeat(2, (call(d="d"), Wmma(F16, "c", "a", "b", "d"))), Store("c", "out", 0)))
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
        call(), SAVE, Wmma(F16, "d", "a2", "b", "c"), Store("d", "out", 1), Store("d", "out", 3),
        extra=(Fragment("a2", "a", "half", 16),),
    )
)  # fmt: skip
