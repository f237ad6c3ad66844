"""What follows from one tensor access: the values of its layout and view, and where its elements lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import array_bytes, component_bytes, elements, index_bytes, view_of
from mmaspec.oracle.nv_coopmat2.tensors.elements import Elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout, evaluate, lineage
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView, view_lineage
from mmaspec.programs.base import Place, at
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Layout,
    LoadTensor,
    Matrix,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    Slice,
    StoreTensor,
    View,
    ViewSetter,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, facts

PASSES = 16
"""Passes of a loop that are looked at."""
ILL_TYPED = (BadInput, IndexError, ValueError, KeyError)
"""What the oracle's functions raise for layouts and views that rules reject."""


@dataclass(frozen=True, slots=True)
class State:
    """A tensor access of one wave in one pass."""

    wave: int
    loop: int
    t: TensorLayout
    v: TensorView | None
    found: Elements
    base: int
    """Byte of ``elementOffset``."""


class TensorFacts:
    """A tensor access with all its waves and passes; ``states`` is empty where layout or view are ill-typed."""

    def __init__(self, known: Facts, place: Place, access: LoadTensor | StoreTensor) -> None:
        self.known: Facts = known
        self.place: Place = place
        self.access: LoadTensor | StoreTensor = access
        self.program: CoopMatProgram = known.program
        self.matrix: Matrix = known.matrix(access.matrix)
        self.load: bool = isinstance(access, LoadTensor)
        self.nbytes: int = component_bytes(self.matrix)
        self.unit: int = array_bytes(access, self.matrix)
        self.step: int = index_bytes(self.program, access)
        self.declared: Layout = self.program.layout(access.tensor)
        self.created: Layout
        self.calls: tuple[Setter, ...]
        self.created, self.calls = self._calls()
        self.viewed: View | None = None if access.view is None else self.program.view(access.view)
        self.view_calls: tuple[ViewSetter, ...] = (
            () if access.view is None else view_lineage(self.program, access.view)[1]
        )

    def _calls(self) -> tuple[Layout, tuple[Setter, ...]]:
        return lineage(self.program, self.access.tensor)

    @property
    def rank(self) -> int:
        """Dimensions of the layout."""
        return self.declared.rank

    @property
    def mode(self) -> int:
        """The clamp mode."""
        return self.created.clamp_mode

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Every wave in every pass."""
        passes = min(self.known.passes[self.place], PASSES)
        try:
            return tuple(self._state(wave, loop) for loop in range(passes) for wave in range(self.program.waves))
        except ILL_TYPED:
            return ()

    def _state(self, wave: int, loop: int) -> State:
        t = evaluate(self.program, self.access.tensor, wave, loop)
        v = view_of(self.program, self.access, wave, loop)
        base = at(self.access.offset, wave, loop) * self.unit
        return State(wave, loop, t, v, elements(self.program, self.access, wave, loop), base)

    @property
    def t(self) -> TensorLayout:
        """The layout of the first wave in the first pass."""
        return self.states[0].t

    @property
    def v(self) -> TensorView | None:
        """The view of the first wave in the first pass."""
        return self.states[0].v

    @cached_property
    def ranks(self) -> range:
        """The dimensions of the layout."""
        return range(self.rank)

    def last(self, kind: type) -> bool:
        """Whether a setter of a kind is called after the last dimensions."""
        kinds = [type(call) for call in self.calls]
        start = max((i for i, one in enumerate(kinds) if one is SetDimension), default=-1)
        return kind in kinds[start + 1 :]

    @property
    def sliced(self) -> bool:
        """Whether a slice acts."""
        return self.last(Slice)

    @property
    def strided(self) -> bool:
        """Whether strides of its own act."""
        return self.last(SetStride)

    @property
    def dimensioned(self) -> bool:
        """Whether dimensions are set."""
        return any(isinstance(call, SetDimension) for call in self.calls)

    @property
    def blocked(self) -> bool:
        """Whether block sizes are set."""
        return any(isinstance(call, SetBlockSize) for call in self.calls)

    @property
    def clipped(self) -> bool:
        """Whether the view has a clip of its own."""
        return any(isinstance(call, SetClip) for call in self.view_calls)

    @property
    def view_dimensioned(self) -> bool:
        """Whether the view's dimensions are set."""
        return any(isinstance(call, SetViewDimensions) for call in self.view_calls)

    def coordinates(self, state: State) -> NDArray[np.int64]:
        """Coordinates before clamping of every element that is not clipped, ``(elements, rank)``."""
        if not self.rank:
            return np.zeros((0, 0), np.int64)
        return state.found.span[state.found.span[..., 0] >= 0] + np.array(state.t.offset, np.int64)

    def outside(self, state: State) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which of these lie below, and which at or above the dimension."""
        c = self.coordinates(state)
        return c < 0, c >= np.array(state.t.layout_dimension, np.int64)

    @cached_property
    def beyond(self) -> bool:
        """Whether any element is out of bounds."""
        return any(bool(side.any()) for state in self.states for side in self.outside(state))

    def skipped(self, state: State) -> NDArray[np.bool_]:
        """Elements that the clip leaves out."""
        found: NDArray[np.bool_] = state.found.index == Ended.SKIPPED.value
        return found

    def bytes_of(self, state: State) -> NDArray[np.int64]:
        """First byte of every element in the buffer's view, ``(rows, cols)``; negative where there is none."""
        index = state.found.index
        return np.where(index < 0, index, state.base + index * self.step)


@lru_cache(maxsize=64)
def _facts_of(known: Facts, place: Place) -> TensorFacts:
    access = known.text[known.turn[place]].instruction
    assert isinstance(access, LoadTensor | StoreTensor)
    return TensorFacts(known, place, access)


def tensor_facts(subject: Subject, place: Place) -> TensorFacts:
    """What is known of the tensor access at a place; those of the last cases are remembered."""
    return _facts_of(facts(subject), place)


def of_tensor(look: Callable[[TensorFacts], Answer]) -> Look:
    """The look of an axis of tensor accesses, layouts, views and decode functions; only of well-typed ones."""

    def seen(subject: Subject, thing: Thing) -> Answer:
        assert thing.place is not None
        found = tensor_facts(subject, thing.place)
        return look(found) if found.states and found.rank else None

    return seen


def of_text(look: Callable[[TensorFacts], Answer]) -> Look:
    """The same for axes that ill-typed layouts and views have too."""

    def seen(subject: Subject, thing: Thing) -> Answer:
        assert thing.place is not None
        return look(tensor_facts(subject, thing.place))

    return seen
