"""The documents say what is so: their code runs, the files they name exist, the words are the ones in use."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

from mmaspec.api import assert_conforms
from mmaspec.backends.arithmetic_clauses import arithmetic_clauses
from mmaspec.oracle.case import Case
from mmaspec.oracle.clauses import Basis
from mmaspec.oracle.demands import arithmetic
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_wave_matrix.program import Fill, Load, Matrix, Store, WaveMatrixProgram
from mmaspec.programs.profile import PROFILES, FusedBlock, Profile, decode_profile
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.record import Element, Finding, Outcome, Result
from mmaspec.suites.vectors.answers import KINDS
from mmaspec.suites.vectors.layout import ResultsFile
from mmaspec.suites.vectors.packing import EXACT_BITS, NAN, NOT_JUDGED, NUMBER
from mmaspec.suites.verdict.model import CellStatus, ClauseStatus, Exploration, Run, Sharpness, Totals
from tests.case_lists import case_list
from tests.diagnosis.blamed import finding, listed

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"])


def text_of(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def adapter() -> Any:
    """The first Python block of docs/adapters.md, as a reader would save it."""
    found = re.search(r"```python\n(.*?)```", text_of("adapters.md"), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(compile(found.group(1), "adapter.py", "exec"), names)  # noqa: S102 - the document's own example
    return names["FillAndStore"]()


def case_of(*body: Any) -> Case:
    spec = spec_named("hlsl-wave-matrix")
    program = WaveMatrixProgram(
        buffers=(Buffer("in", 16 * 64), Buffer("out", 2 * 16 * 96)),
        matrices=(Matrix("c", "accumulator", "s32", 16, 16),),
        body=body,
        waves=2,
    )
    values = {source.name: np.zeros((1, *source.shape), np.uint64) for source in spec.sources(program)}
    row = next(row.name for row in spec.rows(spec.default_caps) if "16x16" in row.name and "s32" in row.name)
    return Case(spec.name, row, "by hand", program, spec.default_caps, 1, values)


def test_the_example_adapter_conforms_where_it_can(adapter: Any) -> None:
    case = case_of(Fill("c", Literal(0x12345678)), Store("c", "out", Affine(0, 16 * 96), 96))
    assert assert_conforms(adapter, case).says == "512 elements judged"
    assert adapter.caps("hlsl-wave-matrix").answer("byte", 16, 16) is not None
    assert adapter.caps("nv-coopmat2") is None


def test_the_example_adapter_refuses_the_rest_and_fails_for_it(adapter: Any) -> None:
    case = case_of(Load("c", "in", 0, 64, data="c"), Store("c", "out", Affine(0, 16 * 96), 96))
    with pytest.raises(AssertionError, match="Load is not supported"):
        assert_conforms(adapter, case)


def test_the_example_of_a_wrapped_backend_fails_for_what_it_forgets() -> None:
    section = text_of("adapters.md").partition("## Wrapping a backend")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(compile(found.group(1), "wrapped.py", "exec"), names)  # noqa: S102 - the document's own example
    wrapped = names["ForgetsAddends"]()
    recipes = case_list("nv-coopmat2", wrapped.caps("nv-coopmat2"), "quick")
    product = materialise(next(recipe for recipe in recipes if recipe.template == "mul-add" and not recipe.target))
    with pytest.raises(AssertionError, match="KHRCM-MULADD: "):
        assert_conforms(wrapped, product)
    assert wrapped.caps("hlsl-wave-matrix") is None


def test_the_arithmetic_example_is_conformant_and_says_what_it_borrowed(tmp_path: Path) -> None:
    section = text_of("adapters.md").partition("## Arithmetic only")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    (tmp_path / "adapter.py").write_text(found.group(1), encoding="utf-8")
    # The quick list: what is asked is which clauses are judged, and that takes no array.
    words = ["check", "--backend", "adapter.py:Einsum", "--spec", "amd-rdna3-wmma", "-n", "0", "--tier", "quick"]
    done = subprocess.run(
        [sys.executable, "-m", "mmaspec", *words, "--report", "report"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    headline = re.match(
        r"conformant on (\d+) of (\d+) clauses, (\d+) borrowed; .*backend trusted \(in-process\)\n", done.stdout
    )
    assert headline is not None
    judged, applicable, borrowed = (int(number) for number in headline.groups())
    assert judged == len(arithmetic_clauses("amd-rdna3-wmma")) == applicable - borrowed


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_a_document_names_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    folders = r"(?:programs|oracle|strategies|generators|backends|suites|reports|front|docs|examples|tests|\.ci)"
    for name in re.findall(rf"`({folders}/[\w./-]*)`", text):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_lines_are_short_but_for_tables(document: Path) -> None:
    for line in document.read_text(encoding="utf-8").splitlines():
        assert len(line) <= 125 or line.startswith("|"), line


def test_every_word_of_a_verdict_is_explained() -> None:
    text = text_of("verdicts.md")
    for word in (*get_args(Outcome), *get_args(CellStatus), *get_args(ClauseStatus)):
        assert f"| {word} |" in text, word
    for basis in get_args(Basis):
        assert f"| `{basis}` |" in text, basis


def test_every_field_of_a_profile_is_explained() -> None:
    text = text_of("profiles.md")
    for struct in (Profile, FusedBlock):
        for field in msgspec.structs.fields(struct):
            assert f"| `{field.name}` |" in text, field.name
    for name in PROFILES:
        assert f"| `{name}` |" in text, name


def test_the_example_profile_is_read() -> None:
    found = re.search(r"```toml\n(.*?)```", text_of("profiles.md"), re.DOTALL)
    assert found is not None
    assert arithmetic(decode_profile(found.group(1).encode(), "profiles.md")) is not None


@pytest.mark.parametrize(
    "struct", [Run, Totals, Exploration, Sharpness, Result, Finding, Element], ids=lambda struct: struct.__name__
)
def test_every_field_of_a_run_folder_is_explained(struct: Any) -> None:
    text = text_of("run-folder.md")
    for field in msgspec.structs.fields(struct):
        name = field.encode_name
        assert f"`{name}`" in text or (name.endswith("_value") and "`_value`" in text), name


def test_every_file_of_a_vector_folder_is_explained() -> None:
    text = text_of("vectors.md")
    for kind in KINDS:
        assert f"| `<id>.{kind}` |" in text, kind
    for flag in (NUMBER, NAN, EXACT_BITS, NOT_JUDGED):
        assert f"| {flag} |" in text, flag
    found = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert found is not None
    example = found.group(1).replace("<digest from vectors.json>", "0" * 64)
    assert msgspec.json.decode(example, type=ResultsFile).backend.name == "my device"


def test_the_example_of_a_mistake_of_your_own_is_noticed() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", text_of("backends.md"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    exec(compile(code, "mine.py", "exec"), names)  # noqa: S102 - the document's own example
    backend = names["Mine"]()
    found = [finding(backend, recipe) for recipe in listed(backend, "amd-rdna3-wmma", "signs")]
    assert "RDNA3-IU-SIGN" in {one.blamed[0] for one in found if one is not None}
