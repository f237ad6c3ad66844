"""The parts of the grammar of a specification: templates, near misses, frames and free programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Word
from mmaspec.programs.call_shapes import takes
from mmaspec.strategies.choices import Choices

EXPLORATION = "exploration"
"""Stands in every explored case for its template; no template or array is called so."""

C = TypeVar("C")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DrawContext(Generic[C]):
    """The argument of every part of a grammar: how to choose, and the caps row for which a case is drawn."""

    choices: Choices
    row: Row[Any]
    """Its entry is what the specification's own caps have."""
    caps: C


@dataclass(frozen=True, slots=True)
class Draft:
    """The result of a template: a program, the words of its run-time arguments, and how to draw its data.

    ``regime`` names a data regime (``mmaspec.strategies.regimes.catalogue``); ``batch`` is the number of items.
    """

    program: Any
    regime: str
    batch: int
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """A family of programs about a few clauses; everything else is drawn.

    ``rows`` are tags, one of which a caps row must carry (none: every row). ``build`` returns None where
    the drawn combination has no program in this row.
    """

    name: str
    focus: tuple[str, ...]
    build: Callable[[DrawContext[Any]], Draft | None]
    rows: tuple[str, ...] = ()
    weight: int = 1
    """How many cases a row gets at the smoke tier."""
    under: str = ""
    """A tag that the row must carry besides, such as the revision of the text that has what the programs need."""

    def meets(self, row: Row[Any]) -> bool:
        """Whether it has programs in a row."""
        return (not self.under or self.under in row.tags) and (not self.rows or not row.tags.isdisjoint(self.rows))


Chosen = Mapping[str, str]
"""Axis -> the class that a case has to have."""


@dataclass(frozen=True, slots=True)
class Array:
    """Programs in which the classes of some axes meet: no chance draws, but together every pair of classes.

    Axes and classes have the names of the parameter space (``axes/``) where it has them. ``build`` makes a program that
    has just the classes that are chosen; None where it finds none.
    """

    name: str
    focus: tuple[str, ...]
    axes: Mapping[str, tuple[str, ...]]
    build: Callable[[DrawContext[Any], Chosen], Draft | None]
    rules: tuple[str, ...] = ()
    """What may not meet, each as ``axis=one|other with axis=class``: what has no meaning or cannot be made."""
    rows: tuple[str, ...] = ()
    """Tags, one of which a caps row must carry (none: every row)."""
    fits: Callable[[Row[Any], Any, str, str], bool] | None = None
    """(row, caps, axis, class) -> whether the row can have the class at all; None: every row can."""
    costly: tuple[str, ...] = ()
    """Classes, ``axis=class``, that take long to run: only the list of the thorough tier has each with all others."""

    def meets(self, row: Row[Any]) -> bool:
        """Whether it has cases in a row."""
        return not self.rows or not row.tags.isdisjoint(self.rows)


NearMiss = Callable[[DrawContext[Any], Draft], Draft | None]
"""(context, a valid draft) -> the draft with exactly one validity clause broken, or None."""


def drawing_nothing(change: Callable[[Draft], Draft]) -> NearMiss:
    """The near miss that makes the same change in every row and has nothing to choose."""

    def near_miss(_: DrawContext[Any], draft: Draft) -> Draft:
        return change(draft)

    return near_miss


@dataclass(frozen=True, slots=True)
class Form:
    """One of the ways to break a clause.

    ``rows`` are tags, one of which a caps row must carry (none: every row); ``possible`` tells of a row and the caps
    whether they leave something to break, where tags do not say it (None: they do). ``name`` says in words what is
    broken; no other form of the clause has it. It is a label of the case.
    """

    change: NearMiss
    rows: tuple[str, ...] = ()
    name: str = ""
    possible: Callable[[Row[Any], Any], bool] | None = None

    def fits(self, row: Row[Any], caps: object) -> bool:
        """Whether the form is for that row of the caps."""
        tagged = not self.rows or not row.tags.isdisjoint(self.rows)
        return tagged and (self.possible is None or self.possible(row, caps))


@dataclass(frozen=True, slots=True)
class Forms:
    """A near miss of several forms. A case list has each of them at least once, however few rows there are."""

    forms: tuple[Form, ...]

    def __call__(self, context: DrawContext[Any], draft: Draft) -> Draft | None:
        """Any of the forms that the row can have; None where it can have none."""
        fitting = [form for form in self.forms if form.fits(context.row, context.caps)]
        return context.choices.one_of(fitting).change(context, draft) if fitting else None


Ways = Callable[[DrawContext[Any], Draft, T], Draft | None]
"""A near miss with a third argument, which says in which way it breaks the clause."""


def in_forms(change: Ways[T], options: Mapping[str, T] | Iterable[T], rows: tuple[str, ...] = ()) -> Forms:
    """The near miss that has a form for every option, which is the third argument of ``change``.

    Each is named by its key, or is its own name where there are no keys.
    """
    keyed: Any = options
    named: dict[str, T] = dict(keyed) if isinstance(options, Mapping) else {str(option): option for option in options}
    return Forms(tuple(form_of(change, option, name, rows) for name, option in named.items()))


def form_of(
    change: Ways[T],
    option: T,
    name: str,
    rows: tuple[str, ...] = (),
    possible: Callable[[Row[Any], Any], bool] | None = None,
) -> Form:
    """The form of ``change`` with one third argument."""
    return Form(lambda context, draft: change(context, draft, option), rows, name, possible)


def joined(*near_misses: Forms) -> Forms:
    """The near miss with the forms of several."""
    return Forms(tuple(form for near_miss in near_misses for form in near_miss.forms))


def forms_of(near_miss: NearMiss) -> tuple[Form, ...]:
    """The forms of a near miss: itself alone where it does not say that it has several."""
    return near_miss.forms if isinstance(near_miss, Forms) else (Form(near_miss),)


def each_form(wrap: Callable[[NearMiss], NearMiss], near_miss: NearMiss) -> NearMiss:
    """The near miss with every form changed by ``wrap``."""
    if not isinstance(near_miss, Forms):
        return wrap(near_miss)
    return Forms(tuple(replace(form, change=wrap(form.change)) for form in near_miss.forms))


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of one specification."""

    spec: str
    templates: tuple[Template, ...]
    near_misses: Mapping[str, NearMiss]
    """Validity clause -> how to break it in a draft of ``near_miss_base``; `Forms` where there are several ways."""
    near_miss_base: Callable[[DrawContext[Any]], Draft]
    """The valid draft that near misses start from."""
    frame: Callable[[DrawContext[Any], Draft], Draft]
    """Puts unrelated or overwriting instructions around and between those of a draft."""
    free: Callable[[DrawContext[Any]], Draft]
    """A random program."""
    arrays: tuple[Array, ...] = ()
    """Listed beside the templates, by strength."""
    random_caps: Callable[[Choices], Any] | None = None
    """Caps as some device could report them, for tests under many devices; None where nobody wrote it."""


def flaws(grammar: Grammar, catalogue: Catalogue) -> Iterator[str]:
    """What is wrong with a grammar as far as can be seen without drawing from it."""
    if grammar.spec != catalogue.spec:
        yield f".spec is {grammar.spec!r}; expected {catalogue.spec!r}"
    for template in grammar.templates:
        if unknown := [name for name in template.focus if name not in catalogue.clause]:
            yield f": template {template.name!r} names {', '.join(unknown)}, which the catalogue does not have"
        if not takes(template.build, 1):
            yield f": the build of template {template.name!r} is not a function of (context)"
    yield from _of_arrays(grammar, catalogue)
    for clause, near_miss in grammar.near_misses.items():
        if clause not in catalogue.clause:
            yield f".near_misses names {clause!r}, which is no clause of the catalogue"
        elif catalogue.clause[clause].kind != "V":
            yield f".near_misses names {clause}, which is not a validity clause"
        if not takes(near_miss, 2):
            yield f": the near miss of {clause} is not a function of (context, draft)"
        yield from _named_twice(clause, near_miss)
    if grammar.random_caps is not None and not takes(grammar.random_caps, 1):
        yield ".random_caps is not a function of (choices)"
    for name, arguments in (("near_miss_base", 1), ("frame", 2), ("free", 1)):
        if not takes(getattr(grammar, name), arguments):
            yield f".{name} is not a function of {'(context, draft)' if arguments == 2 else '(context)'}"


def _of_arrays(grammar: Grammar, catalogue: Catalogue) -> Iterator[str]:
    names = [*(one.name for one in grammar.templates), *(one.name for one in grammar.arrays)]
    yield from (
        f": {names.count(name)} templates or arrays named {name!r}"
        for name in sorted({*names})
        if names.count(name) > 1
    )
    if EXPLORATION in names:
        yield f": a template or array is named {EXPLORATION!r}, as explored cases are"
    for array in grammar.arrays:
        if unknown := [name for name in array.focus if name not in catalogue.clause]:
            yield f": array {array.name!r} names {', '.join(unknown)}, which the catalogue does not have"
        if not takes(array.build, 2):
            yield f": the build of array {array.name!r} is not a function of (context, chosen)"


def _named_twice(clause: str, near_miss: NearMiss) -> Iterator[str]:
    names = [form.name for form in forms_of(near_miss) if form.name]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f": the near miss of {clause} has two forms named {name!r}"
