"""Names of backends, and one clear line for every mistake in one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mmaspec.backends.faults import all_defects, all_faults
from mmaspec.backends.foreign import FOREIGN
from mmaspec.backends.legal import LEGAL
from mmaspec.backends.resolve import backend_names, resolve
from mmaspec.oracle.spec import SPECS
from mmaspec.programs.errors import BadInput

from .programs import misbehaving


def test_the_default_backend_has_a_device_for_every_specification() -> None:
    backend = resolve("numpy")
    assert backend.describe().name == "numpy"
    assert backend.describe().profile.name == "correctly-rounded"
    assert all(backend.caps(spec) is not None for spec in SPECS)


@pytest.mark.parametrize("name", sorted(LEGAL))
def test_a_legal_variant_supports_the_specifications_it_is_legal_for(name: str) -> None:
    backend = resolve(f"legal:{name}")
    assert backend.describe().name == f"legal:{name}"
    assert backend.describe().profile == LEGAL[name].unit().profile
    assert tuple(spec for spec in SPECS if backend.caps(spec) is not None) == tuple(sorted(LEGAL[name].specs))


def test_a_backend_says_which_specifications_it_has_where_it_is_asked_for_another() -> None:
    backend = resolve("fault:wm-row-stride-ignored")
    assert backend.caps("nv-coopmat2") is None
    with pytest.raises(BadInput, match=r"has no device for nv-coopmat2, so .* is None; it has: hlsl-wave-matrix$"):
        backend.run("nv-coopmat2", None, {})


def test_every_fault_has_a_name_of_its_own() -> None:
    names = [fault.name for fault in all_faults()]
    assert len(set(names)) == len(names)
    for fault in all_faults():
        description = resolve(f"fault:{fault.name}").describe()
        assert description.name == f"fault:{fault.name}"


def test_every_name_is_listed_once() -> None:
    names = backend_names()
    assert names[0] == "numpy"
    assert len(set(names)) == len(names) == 1 + len(FOREIGN) + len(LEGAL) + len(all_faults()) + len(all_defects())


@pytest.mark.parametrize("name", ["Copies", "factory"])
def test_a_file_is_loaded(name: str) -> None:
    assert resolve(misbehaving(name)).describe().name == "Copies"


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    source = Path(__file__).with_name("misbehaving.py").read_text()
    (tmp_path / "adapter_of_mine.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert resolve("adapter_of_mine:Copies").describe().name == "Copies"
    assert resolve("adapter_of_mine.py:Copies").describe().name == "Copies"


def test_a_file_finds_its_neighbours_but_shadows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour_of_mine.py").write_text("VERSION = '3'\n")
    (tmp_path / "wave.py").write_text("raise RuntimeError('shadowed')\n")
    (tmp_path / "adapter.py").write_text(
        "import wave\nfrom neighbour_of_mine import VERSION\nfrom mmaspec.backends.protocol import Description\n"
        "class Mine:\n"
        "    def describe(self): return Description(name='mine', version=VERSION)\n"
        "    def caps(self, spec): return None\n"
        "    def run(self, spec, program, inputs): return inputs\n"
    )
    assert resolve(f"{tmp_path / 'adapter.py'}:Mine").describe().version == "3"


FILE = "misbehaving.py"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nunpy", "no backend named 'nunpy'; did you mean numpy?"),
        ("touch", "no backend named 'touch'; did you mean torch?"),
        ("sequentail", "no backend named 'sequentail'; did you mean legal:sequential?"),
        ("", "no backend named ''"),
        ("legal:pairwize", "no legal variant named 'pairwize'"),
        ("legal:", "no legal variant named ''"),
        ("fault:there-is-none", "no fault named 'there-is-none'"),
        ("cmd:", "backend 'cmd:' names no command"),
        ("cmd:  ", "backend 'cmd:' names no command"),
        ("no_such_module:Class", "no module named 'no_such_module'; for a file write path/to/file.py:Class"),
        ("no.such.module:Class", "no module named 'no.such.module'"),
        ("json:", "is not of the form"),
        (":Class", "is not of the form"),
        ("json:not a name", "is not of the form"),
        ("/no/such/adapter.py:Class", "no file /no/such/adapter.py"),
        (r"C:\no\adapter.py:Class", r"no file C:\no\adapter.py"),
        (r"C:\no\adapter.py", r"names a file but no class in it; expected C:\no\adapter.py:Class"),
        ("C:/no/adapter.py", "names a file but no class in it"),
        ("adapter.py", "names a file but no class in it; expected adapter.py:Class"),
        ("adapter", "no backend named 'adapter'"),
        ("json:JSONDecoder", "has no describe, no caps, no run; a backend has describe, caps, run"),
        ("json:dumps", "cannot be made: TypeError"),
        ("json:Nothing", "json has no class 'Nothing'"),
        (f"{FILE}:Copeis", "has no class 'Copeis'; the nearest is Copies"),
        (f"{FILE}:NUMBER", "a int is not a class"),
        (f"{FILE}:NotABackend", "has no caps, no run"),
        (f"{FILE}:CannotBeMade", "cannot be made: OSError: no device"),
        (f"{FILE}:DescribesWrongly", "describe() returned a str; expected mmaspec.Description"),
    ],
)
def test_a_mistake_is_one_clear_line(text: str, line: str) -> None:
    if text.startswith(FILE):
        text = misbehaving(text.partition(":")[2])
    with pytest.raises(BadInput) as bad:
        resolve(text)
    assert line in str(bad.value)
    assert "\n" not in str(bad.value)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("class Mine\n", "cannot be imported: SyntaxError"),
        ("import sys\nsys.exit(3)\n", "cannot be imported: SystemExit: 3"),
        ("import no_such_driver\n", "cannot be imported: ModuleNotFoundError: No module named 'no_such_driver'"),
        ("VALUE = 1\n", "it has no class at all"),
        (
            "class Abacus: ...\nclass Two: ...\nclass Three: ...\nclass Four: ...\n",
            "it has Abacus, Two, Three and 1 more",
        ),
        ("1 / 0\n", "cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_clear_line(source: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(source)
    with pytest.raises(BadInput) as bad:
        resolve(f"{tmp_path / 'adapter.py'}:Mine")
    assert line in str(bad.value)
    assert "\n" not in str(bad.value)


@pytest.mark.parametrize(
    ("name", "missing"), [("onnxruntime", "onnxruntime"), ("onnxruntime", "onnx"), ("torch", "torch")]
)
def test_a_missing_extra_is_one_clear_line(name: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, FOREIGN[name].place.partition(":")[0], raising=False)
    if missing == "onnx":
        pytest.importorskip("onnxruntime")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(BadInput) as bad:
        resolve(name)
    assert f"pip install 'mmaspec[{name}]'" in str(bad.value)
    assert str(bad.value).startswith(f"backend '{name}': ")
    assert "\n" not in str(bad.value)
