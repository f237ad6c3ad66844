"""Arithmetic of other libraries, behind the numpy backend's memory; each needs the extra of its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from mmaspec.backends.failures import Raised
from mmaspec.backends.protocol import Backend
from mmaspec.programs.errors import BadInput


@dataclass(frozen=True, slots=True)
class Foreign:
    """A backend for a library; its name, that of the library and that of the extra are the same."""

    name: str
    place: str
    """``module:Class`` of the backend; importing the module imports the library."""
    why: str

    def make(self) -> Backend:
        """Import the library and make the backend. Raises ``BadInput`` where that is not installed."""
        module, _, attribute = self.place.partition(":")
        try:
            maker = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            extra = f"pip install 'mmaspec[{self.name}]'"
            raise BadInput(f"backend {self.name!r}: {error.name} is not installed; {extra} brings it") from error
        except Exception as error:
            raise BadInput(f"backend {self.name!r}: cannot be imported: {Raised.by(error)}") from error
        backend: Backend = maker()
        return backend


FOREIGN: Mapping[str, Foreign] = MappingProxyType(
    {
        foreign.name: foreign
        for foreign in (
            Foreign(
                "onnxruntime",
                "mmaspec.backends.foreign.onnxruntime_backend:OnnxRuntime",
                "ONNX Runtime's CPU kernels behind numpy's memory: arithmetic only, the rest is borrowed",
            ),
            Foreign(
                "torch",
                "mmaspec.backends.foreign.torch_backend:Torch",
                "PyTorch, CPU or GPU, behind numpy's memory: arithmetic only, the rest is borrowed",
            ),
        )
    }
)
"""Every foreign backend by name."""
