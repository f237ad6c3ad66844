"""docs/external.md says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from mmaspec.backends.external.command import REPLY, REQUEST, STDIO
from mmaspec.backends.external.descriptors import IN, OUT
from mmaspec.backends.external.messages import PROTOCOL, Ran, Reply, Request, Run
from mmaspec.backends.failures import Death
from mmaspec.backends.processes.pipes import FLOOD
from mmaspec.suites.score.wiring import PLANTS

TEXT = (Path(__file__).parents[2] / "docs" / "external.md").read_text(encoding="utf-8")


def test_its_words_are_the_ones_in_use() -> None:
    for word in (REQUEST, REPLY, STDIO, IN, OUT):
        assert word in TEXT
    for word in (*get_args(Death), *PLANTS):
        assert f"`{word}`" in TEXT, word
    assert f"{FLOOD >> 20} MiB" in TEXT


@pytest.mark.parametrize("struct", [*get_args(Request), *get_args(Reply)], ids=lambda s: s.__name__)
def test_every_field_of_a_message_is_explained(struct: Any) -> None:
    for field in msgspec.structs.fields(struct):
        assert f"`{field.encode_name}`" in TEXT or f'"{field.encode_name}":' in TEXT, field.name


def test_its_examples_are_messages() -> None:
    blocks = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = [line for block in blocks for line in block.replace(",\n ", ",").replace("{...}", "{}").splitlines()]
    kinds = [json.loads(line)["type"] for line in lines]
    assert sorted(kinds) == ["error", "hello", "mma", "product", "ran", "refused", "run"]
    for line, kind in zip(lines, kinds, strict=True):
        asked: Any = Request if kind in ("hello", "run", "mma") else Reply
        decoded: object = msgspec.json.decode(line, type=asked)
        if isinstance(decoded, Run | Ran):
            assert decoded.body == sum(extent.bytes for extent in decoded.buffers) * 64
    assert json.loads(lines[0])["protocol"] == PROTOCOL
