"""Arrays of nv-coopmat2: programs in which every two classes of an access meet."""

from __future__ import annotations

from mmaspec.strategies.nv_coopmat2.arrays.arithmetic import ARITHMETIC, LOOPS_OVER_COMPONENTS, NEGATIONS
from mmaspec.strategies.nv_coopmat2.arrays.constructions import SPLATS, TRANSPOSED_ANYTHING, TRANSPOSES
from mmaspec.strategies.nv_coopmat2.arrays.conversions import CONVERSION_CHAINS, CONVERSION_TYPES
from mmaspec.strategies.nv_coopmat2.arrays.decoding import DECODING_LOADS
from mmaspec.strategies.nv_coopmat2.arrays.element_functions import ELEMENT_FUNCTIONS
from mmaspec.strategies.nv_coopmat2.arrays.loops import LOOPS
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.cases import FAR_MAGNITUDES, MAGNITUDES
from mmaspec.strategies.nv_coopmat2.arrays.plain_access import PLAIN_LOADS, PLAIN_STORES
from mmaspec.strategies.nv_coopmat2.arrays.products import PRODUCTS
from mmaspec.strategies.nv_coopmat2.arrays.programs import PROGRAMS
from mmaspec.strategies.nv_coopmat2.arrays.reductions import REDUCTIONS
from mmaspec.strategies.nv_coopmat2.arrays.reductions_in_place import REDUCTIONS_IN_PLACE
from mmaspec.strategies.nv_coopmat2.arrays.scenes.cases import SCENE_CASES
from mmaspec.strategies.nv_coopmat2.arrays.scenes.matrix_sizes import MATRIX_SIZES
from mmaspec.strategies.nv_coopmat2.arrays.setters.layouts import CLAMPED_SETTERS, LAYOUT_SETTERS, STORED_SETTERS
from mmaspec.strategies.nv_coopmat2.arrays.setters.moving import MOVING_SETTERS, MOVING_VIEW_SETTERS
from mmaspec.strategies.nv_coopmat2.arrays.setters.views import VIEW_SETTERS
from mmaspec.strategies.nv_coopmat2.arrays.setters.wild import WILD_SETTERS
from mmaspec.strategies.nv_coopmat2.arrays.tensor_access import TENSOR_LOADS, TENSOR_STORES
from mmaspec.strategies.nv_coopmat2.arrays.told import TOLD_COORDINATES

ARRAYS = (
    PLAIN_LOADS, PLAIN_STORES, PRODUCTS, TENSOR_LOADS, TENSOR_STORES, CONVERSION_TYPES, CONVERSION_CHAINS,
    REDUCTIONS, ARITHMETIC, LOOPS_OVER_COMPONENTS, NEGATIONS, ELEMENT_FUNCTIONS, SPLATS, TRANSPOSES, LOOPS,
    LAYOUT_SETTERS, CLAMPED_SETTERS, STORED_SETTERS, VIEW_SETTERS, DECODING_LOADS, MAGNITUDES, FAR_MAGNITUDES,
    SCENE_CASES,
    MATRIX_SIZES, TRANSPOSED_ANYTHING, *PROGRAMS, TOLD_COORDINATES, REDUCTIONS_IN_PLACE,
    MOVING_SETTERS, MOVING_VIEW_SETTERS, WILD_SETTERS,
)  # fmt: skip
"""All of them."""
