"""docs/gate.md and the files for continuous integration say what is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from typer.main import get_command

from mmaspec.cli import app
from mmaspec.suites.gate.model import Failure, Gate, State, WaiverState
from mmaspec.suites.gate.waivers import Waiver, decode_waivers

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
CI = sorted((ROOT / "examples" / "ci").iterdir())


def test_the_example_waiver_is_read_and_shows_every_field() -> None:
    found = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    decode_waivers(found.group(1).encode(), "gate.md")
    for field in msgspec.structs.fields(Waiver):
        assert re.search(rf"^{field.name} = ", found.group(1), re.MULTILINE), field.name


def test_every_state_of_a_waiver_is_explained() -> None:
    for state in get_args(State):
        assert f"| {state} |" in TEXT, state


def test_every_field_of_a_gate_is_explained() -> None:
    text = (ROOT / "docs" / "run-folder.md").read_text(encoding="utf-8")
    for struct in (Gate, WaiverState, Failure):
        for field in msgspec.structs.fields(struct):
            assert f"`{field.name}`" in text, field.name


def commands(text: str) -> list[list[str]]:
    """Every call of ``mmaspec`` in a file, as words; variables are left as they are."""
    joined = re.sub(r"\\\n\s*|\n\s+--", lambda found: " --" if "--" in found.group() else " ", text)
    calls = re.findall(r"(?:^|[\s/`])mmaspec ((?:check|merge|compare|baseline|replay)\b[^\n`]*)", joined)
    return [shlex.split(re.sub(r"\$\{\{.*?\}\}", "1", call), comments=True) for call in calls]


@pytest.mark.parametrize("path", [*CI, ROOT / "docs" / "gate.md"], ids=lambda path: path.name)
def test_commands_that_a_file_shows_exist_with_their_options(path: Path) -> None:
    found = commands(path.read_text(encoding="utf-8"))
    assert found
    for name, *words in found:
        command = get_command(app).commands[name]  # type: ignore[attr-defined]
        if name == "baseline":
            command = command.commands[words[0]]
        known = {option for parameter in command.params for option in parameter.opts}
        for word in words:
            if word.startswith("-"):
                assert word in known, (name, word)


def test_there_is_a_file_for_each_system() -> None:
    assert {path.name for path in CI} == {"Jenkinsfile", "github.yml", "gitlab.yml"}
