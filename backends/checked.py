"""Running an untrusted backend: its reply is checked and its errors are turned into failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mmaspec.backends.failures import BadReply, Died, Raised, Unasked, error_line
from mmaspec.backends.protocol import Images, Refused, Runner
from mmaspec.programs.base import Buffer

__all__ = ["BadReply", "Raised", "ask", "call", "validate_outputs"]


def validate_outputs(program_buffers: Iterable[Buffer], batch: int, outputs: object) -> None:
    """Check that ``outputs`` is every buffer's whole allocation, ``(batch, Buffer.total)`` bytes, and nothing else.

    Raises ``BadReply`` with the first thing that is not so.
    """
    if not isinstance(outputs, Mapping):
        raise BadReply(f"run returned {_kind(outputs)}; expected a mapping from buffer names to arrays")
    expected = {buffer.name: (batch, buffer.total) for buffer in program_buffers}
    if missing := [name for name in expected if name not in outputs]:
        raise BadReply(f"run returned no buffer {', '.join(map(repr, missing))}; every buffer is expected back")
    if extra := [name for name in outputs if name not in expected]:
        raise BadReply(f"run returned {', '.join(map(repr, extra))}, which the program does not have")
    for name, shape in expected.items():
        array = outputs[name]
        if not isinstance(array, np.ndarray):
            raise BadReply(f"buffer {name!r} came back as {_kind(array)}; expected a numpy array")
        if array.dtype != np.uint8:
            raise BadReply(f"buffer {name!r} came back with dtype {array.dtype}; expected uint8")
        if array.shape != shape:
            raise BadReply(
                f"buffer {name!r} came back with shape {array.shape}; expected {shape}, guard zones included"
            )


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def ask(backend: Runner, spec: str, program: Any, inputs: Images) -> Any:
    """What a backend returns, unchecked.

    Raises ``Refused``, ``Died`` (its process is gone), ``Unasked`` (it never got the question), and ``Raised`` for
    every other exception of the backend; all of them can be printed. Only an interrupt of the user passes through.
    """
    try:
        return backend.run(spec, program, inputs)
    except Refused as refusal:
        # A class of the backend's own may lack either, or hold in them what cannot be printed.
        refusal.reason = error_line(getattr(refusal, "reason", refusal))
        refusal.clauses = tuple(error_line(clause) for clause in getattr(refusal, "clauses", ()))
        raise
    except (Died, Raised, BadReply, Unasked, KeyboardInterrupt):
        raise
    except BaseException as error:  # what a backend raises is its answer, whatever it is
        raise Raised.by(error) from error


def call(backend: Runner, spec: str, program: Any, inputs: Images, batch: int) -> Images:
    """Run a program and check the answer.

    Raises what ``ask`` raises, and ``BadReply``.
    """
    outputs: Images = ask(backend, spec, program, inputs)
    validate_outputs(program.buffers, batch, outputs)
    return outputs
