"""Arrays of programs rather than of single instructions: what stands before and behind, in which numbers and places."""

from __future__ import annotations

from mmaspec.strategies.nv_coopmat2.arrays.programs.branches import BRANCHES
from mmaspec.strategies.nv_coopmat2.arrays.programs.decoding_blocks import DECODING_BLOCKS
from mmaspec.strategies.nv_coopmat2.arrays.programs.decoding_far import DECODING_FAR
from mmaspec.strategies.nv_coopmat2.arrays.programs.element_places import ELEMENT_PLACES
from mmaspec.strategies.nv_coopmat2.arrays.programs.elementwise_chains import ELEMENTWISE_CHAINS
from mmaspec.strategies.nv_coopmat2.arrays.programs.flows import FLOWS
from mmaspec.strategies.nv_coopmat2.arrays.programs.handed_over import HANDED_OVER
from mmaspec.strategies.nv_coopmat2.arrays.programs.in_place import IN_PLACE
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_far import PLAIN_FAR
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_numbers import LAST_BYTES, PLAIN_ENDS, PLAIN_NUMBERS
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_overlaps import PLAIN_OVERLAPS
from mmaspec.strategies.nv_coopmat2.arrays.programs.product_data import PRODUCT_DATA
from mmaspec.strategies.nv_coopmat2.arrays.programs.product_forms import PRODUCT_FORMS, PRODUCT_SIZES
from mmaspec.strategies.nv_coopmat2.arrays.programs.shared_functions import SHARED_FUNCTIONS
from mmaspec.strategies.nv_coopmat2.arrays.programs.whole_programs import INSTANCE_DATA, STAGED, WHOLE_PROGRAMS

PROGRAMS = (
    PLAIN_NUMBERS, PLAIN_ENDS, PLAIN_FAR, PLAIN_OVERLAPS, DECODING_FAR, ELEMENT_PLACES,
    LAST_BYTES, IN_PLACE, PRODUCT_DATA, PRODUCT_FORMS, PRODUCT_SIZES, FLOWS,
    DECODING_BLOCKS, ELEMENTWISE_CHAINS, SHARED_FUNCTIONS, WHOLE_PROGRAMS, INSTANCE_DATA, BRANCHES, HANDED_OVER, STAGED,
)  # fmt: skip
"""All of them."""
