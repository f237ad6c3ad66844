"""Code in the sentences of findings, which stands between backticks: in HTML, and where there is no mark-up."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup, escape

from mmaspec.reports.plain import visible


def spans(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of ``text``, each with whether it is code; code whose end is cut off is still code."""
    for number, part in enumerate(text.split("`")):
        if part:
            yield part, number % 2 == 1


def bare(text: str) -> str:
    """``text`` for a terminal: code between quotation marks."""
    return text.replace("`", '"')


def marked(text: str) -> Markup:
    """``text`` for HTML: escaped, and code as code."""
    said = ((escape(visible(part)), code) for part, code in spans(text))
    return Markup("").join(Markup("<code>{}</code>").format(part) if code else part for part, code in said)


def without_reasons(says: str) -> str:
    """What is wrong, in the first words of a finding: what goes away with what, the finding itself has."""
    return says.partition("; ")[0]
