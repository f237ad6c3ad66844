"""A clause's place in a document can be found again, whatever happened to the white space."""

from __future__ import annotations

from mmaspec.oracle.source_text import digest, locate, sentences

TEXT = "Offsets are bytes. The stride must be\n  a multiple of four; padding stays.\n颜色。矩阵在通道之间复制。"


def test_sentences_ignore_line_breaks() -> None:
    assert sentences(TEXT)[1] == "The stride must be a multiple of four;"


def test_found_again_after_rewrapping() -> None:
    wanted = digest(sentences(TEXT)[1])
    assert locate(TEXT.replace("\n", "\r\n\t"), "stride must be", wanted) == "found"


def test_changed_sentence_is_seen() -> None:
    wanted = digest(sentences(TEXT)[1])
    assert locate(TEXT.replace("four", "eight"), "stride must be", wanted) == "changed"


def test_missing_place_is_seen() -> None:
    assert locate(TEXT, "no such words", "0" * 16) == "missing"


def test_cjk_sentences_end_without_a_space() -> None:
    assert "矩阵在通道之间复制。" in sentences(TEXT)
