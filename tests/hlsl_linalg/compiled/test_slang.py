"""What Slang prints for a product of matrices, held against our declarations and against the text that we print.

Slang writes the same header's names from sources of its own: its compiler, on the path or in the wheel `slangtorch`, of
which nothing else is used. It knows Wave and ThreadGroup, loads and stores in read-write buffers, and one product.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs.base import Buffer
from mmaspec.programs.hlsl_linalg import (
    COMPONENTS,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MultiplyAccumulate,
    Scope,
    Store,
)

from .front_end import complaints, front_end


def slang() -> str | None:
    """Slang's compiler; None if there is none."""
    wheel = find_spec("slangtorch")
    folders = () if wheel is None else tuple(wheel.submodule_search_locations or ())
    found = [path for folder in folders for path in Path(folder, "bin").glob("slangc*") if path.is_file()]
    return shutil.which("slangc") or (str(found[0]) if found else None)


CLANG, SLANG = front_end(), slang()
pytestmark = pytest.mark.skipif(
    SLANG is None or CLANG is None, reason="SLANG'S TEXT IS NOT COMPARED: no `slangc`, or no clang that knows HLSL"
)

TYPES = {
    "F16": "half", "F32": "float", "I8": "int8_t", "U8": "uint8_t", "I16": "int16_t", "I32": "int", "U32": "uint",
    "F64": "double", "F8_E4M3FN": "FloatE4M3", "F8_E5M2": "FloatE5M2", "BFloat16": "BFloat16",
}  # fmt: skip
SCOPES = {"Wave": "Subgroup", "ThreadGroup": "Workgroup"}
LAYOUTS = {"RowMajor": "RowMajor", "ColMajor": "ColumnMajor"}
M, K, N, STRIDE = 16, 32, 8, 32

PRODUCTS: tuple[tuple[str, str, str, Scope, Layout], ...] = (
    ("F16", "F16", "F16", "Wave", "RowMajor"),
    ("F16", "F16", "F32", "ThreadGroup", "ColMajor"),
    ("I8", "U8", "I32", "Wave", "ColMajor"),
    ("U8", "U8", "U32", "ThreadGroup", "RowMajor"),
    ("F8_E5M2", "F8_E5M2", "F32", "Wave", "RowMajor"),
    ("I16", "I16", "I16", "Wave", "RowMajor"),
    ("F64", "F64", "F64", "ThreadGroup", "RowMajor"),
)


def source(a: str, b: str, c: str, scope: str, layout: str) -> str:
    """A product in Slang."""
    lines = ["using namespace linalg;", "RWByteAddressBuffer A; RWByteAddressBuffer B; RWByteAddressBuffer C;"]
    lines += ['[shader("compute")] [numthreads(32, 1, 1)] void main() {']
    extents = (("a", a, M, K, "MatrixA"), ("b", b, K, N, "MatrixB"), ("c", c, M, N, "MatrixAccumulator"))
    order = f"CoopMatMatrixLayout.{LAYOUTS[layout]}"
    for name, component, rows, columns, use in extents:
        kind = f"CoopMat<{TYPES[component]}, MemoryScope.{SCOPES[scope]}, {rows}, {columns}, CoopMatMatrixUse.{use}>"
        lines.append(f"let {name} = {kind}.Load<{order}>({name.upper()}, 0, {STRIDE});")
    lines += [f"let d = coopMatMulAdd<{TYPES[c]}, false>(a, b, c);", f"d.Store<{order}>(C, 0, {STRIDE});", "}"]
    return "\n".join([*lines, ""])


def printed(folder: Path, text: str) -> tuple[str, str]:
    """The HLSL that Slang makes of a source, and what it says against it."""
    assert SLANG is not None
    file = folder / "product.slang"
    file.write_text(text)
    options = ("-target", "hlsl", "-profile", "sm_6_10", "-stage", "compute", "-entry", "main")
    done = subprocess.run(
        [SLANG, *options, "-line-directive-mode", "none", str(file)], check=False, capture_output=True, text=True
    )
    return (done.stdout if done.returncode == 0 else ""), done.stderr


def ours(a: str, b: str, c: str, scope: Scope, layout: Layout) -> str:
    """The same product as we print it: strides are in bytes."""
    extents = (("A", a, M, K, "A"), ("B", b, K, N, "B"), ("C", c, M, N, "Accumulator"))
    matrices = tuple(Matrix(name, kind, rows, columns, use, scope) for name, kind, rows, columns, use in extents)  # type: ignore[arg-type]
    loads = [Load(one.name, one.name, 0, STRIDE * COMPONENTS[one.component].format.nbytes, layout) for one in matrices]
    stored = Store("C", "C", 0, loads[-1].stride, layout)
    buffers = tuple(Buffer(one.name, 1 << 14, 128) for one in matrices)
    return SPEC.text(LinalgProgram(buffers, (*loads, MultiplyAccumulate("C", "A", "B"), stored), matrices), None)


KIND = re.compile(r"Matrix<ComponentType::(\w+), (\d+), (\d+), MatrixUse::(\w+), MatrixScope::(\w+)>")
STATED = re.compile(r"(\w+(?:<[^;]*?>)?)(?:\)?\.|::)(Load|Store)(?:<[^>]*>)?\(.*?MatrixLayout::(\w+)\)")
SCALED = re.compile(r"Matrix<ComponentType::(\w+),[^;]*::Load\([^;]*\* (\d+)U\), MatrixLayout::(\w+)\)")


def plain(text: str) -> str:
    """A text without the names of namespaces."""
    return text.replace("dx::linalg::", "")


def shader(text: str) -> str:
    """Slang's text as the front end takes ours: after the line that includes the header."""
    return re.sub(r"^.*?#include \"dx/linalg\.h\"\n", "#include <dx/linalg.h>\n", text, count=1, flags=re.DOTALL)


@pytest.mark.parametrize("product", PRODUCTS, ids="-".join)
def test_slang_prints_the_same_product(product: tuple[str, str, str, Scope, Layout], tmp_path: Path) -> None:
    assert CLANG is not None
    theirs, said = printed(tmp_path, source(*product))
    assert theirs, said
    mine = ours(*product)
    assert complaints(CLANG, [shader(theirs), mine]) == [[], []]
    assert set(KIND.findall(plain(theirs))) == set(KIND.findall(plain(mine)))
    calls = [Counter((name, layout) for _, name, layout in STATED.findall(plain(text))) for text in (theirs, mine)]
    # Slang has one function for each type that is loaded, and calls it.
    assert set(calls[0]) == set(calls[1]) == {("Load", product[4]), ("Store", product[4])}
    assert calls[1]["Load", product[4]] == 3
    assert [text.count(".MultiplyAccumulate(") for text in (theirs, mine)] == [1, 1]
    scaled = {name: int(factor) for name, factor, _ in SCALED.findall(plain(theirs))}
    sizes = {name: COMPONENTS[name].format.nbytes for name in product[:3]}
    assert scaled == {name: size for name, size in sizes.items() if size > 1}


def test_slang_has_an_older_name_of_one_type(tmp_path: Path) -> None:
    """It writes F8_E4M3 for what the document calls F8_E4M3FN: nothing else keeps its text from compiling."""
    assert CLANG is not None
    product: tuple[str, str, str, Scope, Layout] = ("F8_E4M3FN", "F8_E4M3FN", "F32", "Wave", "RowMajor")
    theirs, said = printed(tmp_path, source(*product))
    assert theirs, said
    renamed = re.sub(r"\bF8_E4M3\b", "F8_E4M3FN", theirs)
    assert set(KIND.findall(plain(renamed))) == set(KIND.findall(plain(ours(*product))))
    assert complaints(CLANG, [shader(renamed)]) == [[]]
    if renamed != theirs:
        assert all("F8_E4M3'" in one for one in complaints(CLANG, [shader(theirs)])[0])


def test_slang_has_no_bfloat16_in_hlsl(tmp_path: Path) -> None:
    theirs, said = printed(tmp_path, source("BFloat16", "BFloat16", "F32", "Wave", "RowMajor"))
    assert (theirs, "unsupported cooperative matrix element type" in said) == ("", True)


def test_no_scope_or_layout_is_forgotten() -> None:
    assert set(SCOPES) == set(get_args(Scope)) - {"Thread"}
    assert {one[3] for one in PRODUCTS} == set(SCOPES)
    assert {one[4] for one in PRODUCTS} == set(LAYOUTS)
