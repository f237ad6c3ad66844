"""Importing mmaspec changes nothing that other code in the process can see, least of all Hypothesis."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

SEEN = """
import importlib, json, locale, logging, os, random, signal, sys, threading, warnings
import hypothesis, msgspec, numpy, pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

def seen():
    return {
        "Hypothesis: providers": dict(providers.AVAILABLE_PROVIDERS),
        "Hypothesis: provider": {name: repr(value) for name, value in vars(providers.HypothesisProvider).items()},
        "Hypothesis: settings": [repr(settings.default), sorted(settings._profiles)],
        "numpy": [numpy.geterr(), {name: repr(value) for name, value in numpy.get_printoptions().items()}],
        "numpy: random": repr(numpy.random.get_state()),
        "random": repr(random.getstate()),
        "warnings": [repr(warnings.filters), repr(warnings.showwarning)],
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "hooks": [repr(hook) for hook in (sys.excepthook, sys.displayhook, sys.breakpointhook, threading.excepthook)],
        "finders": [repr(sys.meta_path), repr(sys.path), repr(sys.path_hooks)],
        "limits": [sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()],
        "signals": [repr(signal.getsignal(number)) for number in signal.valid_signals()],
        "threads": threading.active_count(),
        "logging": [logging.getLogger().level, repr(logging.getLogger().handlers)],
    }

seen()  # what asking itself settles
before = seen()
exec(sys.argv[1])
after = seen()
print(json.dumps([what for what in before if before[what] != after[what]]))
"""

EVERY_NAME = """
import mmaspec
for name in mmaspec.__all__:
    getattr(mmaspec, name)
mmaspec.strategies.cases
for spec in mmaspec.specs():
    importlib.import_module("mmaspec.programs." + spec.replace("-", "_"))
    mmaspec.strategies.cases(spec)
"""


def changed(code: str) -> Any:
    done = subprocess.run([sys.executable, "-c", SEEN, code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_public_name_changes_anything() -> None:
    assert changed(EVERY_NAME) == []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("providers.AVAILABLE_PROVIDERS['mine'] = 'mine'", "Hypothesis: providers"),
        ("providers.HypothesisProvider._maybe_draw_constant = None", "Hypothesis: provider"),
        ("settings.register_profile('mine', max_examples=3)", "Hypothesis: settings"),
        ("numpy.seterr(all='ignore')", "numpy"),
        ("random.seed(1)", "random"),
    ],
    ids=lambda text: text if " " in text and "=" not in text else None,
)
def test_a_change_would_be_seen(code: str, what: str) -> None:
    assert changed(code) == [what]


def test_no_module_imports_what_hypothesis_keeps_to_itself() -> None:
    for file in sorted((ROOT / "strategies").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                assert module in {"hypothesis", "hypothesis.strategies"} or not module.startswith("hypothesis"), file
