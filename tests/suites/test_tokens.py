"""What counts as code: a change of a token does, a change of a comment, a docstring or the layout does not."""

from __future__ import annotations

import io
import sys
import tokenize
from pathlib import Path

import pytest

import mmaspec.suites.score
from mmaspec.suites.score.tokens import logical_lines

SOURCE = '''"""Says what it is."""
import re  # why


class Kept(Exception):
    """So."""

    LIMIT = 3
    """A limit."""

    def text(self, name: str) -> str:
        """One
        thing."""
        if name:
            return f"{name!r}: # {{{self.LIMIT}}} 'x'"
        return (
            r"\\d" "a"
            'b'
        )
'''


def lines(source: str) -> list[tuple[str, ...]]:
    return list(logical_lines(source))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Says what it is."""', '"""Says."""'),
        ('"""Says what it is."""\n', ""),
        ("  # why", ""),
        ("import re", "# first\n\nimport re"),
        ('    """So."""\n\n', ""),
        ('    """A limit."""\n', "    # A limit.\n"),
        ("One\n        thing", "Two"),
        ('            r"\\d" "a"\n            \'b\'\n        ', 'r"\\d" "a" \'b\''),
        ("    ", "\t"),
        ("    ", "  "),
        ("LIMIT = 3", "LIMIT = \\\n  3"),
        ("\n", "\r\n"),
    ],
    ids=range(12),
)
def test_what_is_no_code(old: str, new: str) -> None:
    assert old in SOURCE
    assert lines(SOURCE.replace(old, new)) == lines(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", 'LIMIT = "3"'),
        ("LIMIT = 3", "LIMIT = 3, "),
        ('"a"', '"b"'),
        ("'b'", "'b '"),
        ("{{{self", "{{ {self"),
        (": # {{", ": {{"),
        ("!r", "!s"),
        ("            return f", "        return f"),
        ("        return (", "            return ("),
        ("import re", "importre"),
        ("(Exception)", ""),
    ],
    ids=range(12),
)
def test_what_is_code(old: str, new: str) -> None:
    assert old in SOURCE
    assert lines(SOURCE.replace(old, new)) != lines(SOURCE)


def test_strings_that_are_read_are_code() -> None:
    assert lines('x = """a"""\n') != lines('x = """b"""\n')
    assert lines('f(\n"""a"""\n)\n') != lines('f(\n"""b"""\n)\n')
    assert lines("x = 'it\\'s # no comment'\n") != lines("x = 'it\\'s # another'\n")


def of_the_library(source: str) -> str:
    """Tokens of the standard library but comments, layout and strings; f-strings come in parts from Python 3.12 on."""
    inside = 0
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        inside += name.endswith("STRING_START")
        if not inside and token.type in {tokenize.NAME, tokenize.NUMBER, tokenize.OP}:
            found.append(token.string)
        inside -= name.endswith("STRING_END")
    return "".join(found)


def test_nothing_is_lost_or_taken_for_something_else() -> None:
    """Against the standard library, over the code of the project."""
    files = sorted(Path(mmaspec.suites.score.__file__).parents[1].rglob("*.py"))
    assert len(files) > 40
    for path in files:
        source = path.read_text(encoding="utf-8")
        mine = [word for line in lines(source) for word in line[1:] if word[-1] not in "'\""]
        assert "".join(mine) == of_the_library(source), f"{path}, Python {sys.version}"
