"""The change with which a failure goes away is told in lines of the two programs' own texts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from mmaspec.backends.resolve import resolve as backend_named
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import SPECS, Ablation, spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.programs.tree import walk
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.blaming import instead as instead_module
from mmaspec.suites.judging.blaming.instead import LONGEST, instead
from mmaspec.suites.judging.judge_case import CaseJudge

from .conftest import every_recipe

SAID = re.compile(
    r"`(?P<new>.*?)` instead of `(?P<old>.*?)`(?: \(`(?P<name>\w+)`(?P<means>.*)\))?"
    r"|`(?P<added>.*)` added|`(?P<left>.*)` left out"
)


def stands(shown: str | None, text: str) -> bool:
    """Whether what is shown is a line of a text, which may be cut on both sides."""
    if shown is None:
        return True
    kept = shown.removeprefix("...").removesuffix("...") if len(shown) == LONGEST else shown
    return any(kept in line for line in text.splitlines())


def test_of_long_lines_what_differs_is_shown() -> None:
    fill = "0123456789abcdef" * 16
    for at in (0, 5, LONGEST - 3, LONGEST, LONGEST + 30, len(fill) - 1):
        before, after = (f"{fill[:at]}{one}{fill[at + 1 :]}" for one in "XY")
        shown = [instead_module._shown(line, at) for line in (before, after)]
        assert shown[0] != shown[1]
        assert all(len(one) <= LONGEST for one in shown)
        assert all(
            one.removeprefix("...").removesuffix("...") in line
            for one, line in zip(shown, (before, after), strict=True)
        )


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("spec", SPECS)
def test_what_is_told_stands_in_the_texts(spec: str) -> None:
    named = spec_named(spec)
    told = 0
    for recipe in [one for one in every_recipe() if one.spec == spec and not one.target][::36]:
        case = materialise(recipe)
        program = resolve(case.program, case.words)
        for place, _, _ in walk(program):
            for ablation in named.ablations(program, place):
                says = instead(named, program, case.caps, ablation)
                if ablation.data:
                    assert says == f"other data ({ablation.data})"
                    continue
                if ablation.says:  # where the texts do not show it well
                    assert says == ablation.says
                    continue
                old, new = named.text(program, case.caps), named.text(ablation.program, case.caps)
                assert bool(says) == (old != new)
                found = SAID.fullmatch(says)
                assert found is not None or not says
                if found is not None:
                    told += 1
                    assert stands(found["new"] or found["added"], new), says
                    assert stands(found["old"] or found["left"], old), says
                    assert found["new"] is None or found["new"] != found["old"]
                    if found["name"]:
                        assert re.search(rf"\b{found['name']}\b", new)
                        assert not re.search(rf"\b{found['name']}\b", old)
    assert told > 20


CALLS = ["tensorLayoutNV<2> t = create(2);", "t = setDimension(t, 8, 9);", "t = setStride(t, 10, 1);"]
USED = "coopMatLoadTensorNV(a, in_, 0, t);"


@pytest.mark.parametrize(
    ("old", "new", "means"),
    [
        ([], [*CALLS[:2]], "`toggled` is `t` without `t = setStride(t, 10, 1);`"),
        ([], [*CALLS, "t = slice(t, 1, 8);"], "`toggled` is `t` with `t = slice(t, 1, 8);`"),
        (
            [],
            [*CALLS[:2], "t = setStride(t, 16, 1);"],
            "`toggled` is `t` with `t = setStride(t, 16, 1);` instead of `t = setStride(t, 10, 1);`",
        ),
        (
            # What it is a copy of is made out as well.
            ["tensorLayoutNV<2> t2 = t;", "t2 = slice(t2, 1, 8);"],
            [*CALLS],
            "`toggled` is `t2` without `t2 = slice(t2, 1, 8);`",
        ),
        ([], ["tensorLayoutNV<2> t = other();"], "`toggled`: `tensorLayoutNV<2> toggled = other();`"),
    ],
    ids=["left-out", "added", "another", "copy", "new"],
)
def test_what_a_new_name_means_is_told(old: list[str], new: list[str], means: str) -> None:
    used = USED.replace(" t)", " t2)") if old else USED
    made = [re.sub(r"\bt\b", "toggled", line) for line in new]
    program, ablated = [*CALLS, *old, used], [*CALLS, *old, *made, USED.replace(" t)", " toggled)")]
    texts = iter(["\n".join(program), "\n".join(ablated)])
    spec = replace(spec_named(SPECS[0]), text=lambda *_: next(texts))
    says = instead(spec, every_recipe()[0].program, None, Ablation("", every_recipe()[0].program))
    assert says == f"`{USED.replace(' t)', ' toggled)')}` instead of `{used}` ({means})"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (["M<float16_t> Y;", "Y.Load(in_, 576, 4);"], ["M<float32_t> Y;", "Y.Load(moved_3, 0, 4);"], "M<float32_t> Y;"),
        (["Y.Load(in_, 576, 4);"], ["Y.Load(moved_3, 0, 4);"], "Y.Load(moved_3, 0, 4);"),
        (["V.Store(out_, 0, 6);", "W.Store(out_, 4, 6);"], ["V.Store(own, 0, 4);"], "V.Store(own, 0, 4);"),
    ],
    ids=["declared", "moved", "alone"],
)
def test_the_line_that_changes_is_told_beside_its_own(old: list[str], new: list[str], says: str) -> None:
    """What only lies elsewhere is told where nothing else changes; no line is told beside that of another matrix."""
    texts = iter(["\n".join(lines) for lines in (old, new)])
    spec = replace(spec_named(SPECS[0]), text=lambda *_: next(texts))
    found = instead(spec, every_recipe()[0].program, None, Ablation("", every_recipe()[0].program))
    assert found.startswith(f"`{says}` instead of `{old[0]}`")


def test_a_text_that_cannot_be_written_tells_nothing() -> None:
    recipe = next(one for one in every_recipe() if not one.target)
    named = spec_named(recipe.spec)
    program = resolve(recipe.program, recipe.words)

    def text(*_: object) -> str:
        raise ValueError("no such builtin")

    assert instead(replace(named, text=text), program, recipe.caps, Ablation("", program)) == ""


@pytest.mark.parametrize(
    ("fault", "clause"), [("wm-row-stride-ignored", "WM-ADDR-ROW"), ("wm-col-stride-ignored", "WM-ADDR-COL")]
)
def test_a_finding_tells_the_change(fault: str, clause: str) -> None:
    backend = backend_named(f"fault:{fault}")
    for recipe in every_recipe():
        if recipe.spec == "hlsl-wave-matrix" and not recipe.target:
            judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
            finding = judge.judge_listed(recipe)[0].finding
            if finding is not None and finding.instead:
                assert finding.blamed[0] == clause
                found = re.fullmatch(
                    r"`(\w+)\.Load\((.*)\);` instead of `(\w+)\.Load\((.*?)\);`(?: \(`moved_\w+`: .*\))?",
                    finding.instead,
                )
                assert found is not None, finding.instead
                assert found[1] == found[3], "the same matrix"
                assert found[2] != found[4]
                return
    raise AssertionError("no failure goes away with one change")


def test_a_buffer_that_may_be_written_is_told_and_not_the_registers_of_the_others() -> None:
    programs: list[Any] = [one.program for one in every_recipe() if one.spec == "hlsl-wave-matrix"]
    # Of the others the registers change, and the last of them is another buffer's.
    first = next(one for one in programs if one.read_only and one.buffers[-1].name not in one.read_only)
    recipe = next(one for one in every_recipe() if one.program is first)
    program: Any = resolve(recipe.program, recipe.words)
    writable = msgspec.structs.replace(program, read_only=())
    says = instead(spec_named(recipe.spec), program, recipe.caps, Ablation("WM-LOAD-ALL", writable))
    assert re.match(r"`RWByteAddressBuffer (\w+) : .*` instead of `ByteAddressBuffer \1 : ", says), says
