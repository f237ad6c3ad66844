"""Exact arithmetic of the oracle: formats, codes, sums, and what a legal device may answer.

One module a subject, each readable alone:

- `formats`   the formats as rows of data; the only module that a backend may import
- `codec`     bits to exact values, by integer code
- `ordinals`  the monotone integer code of a format's values, for whole arrays
- `rounding`  an exact value to the bits of a format, one function with a mode
- `rules`     the parameters of a float contract
- `legal`     the set of legal contents of an array, and judging against it
- `dot`       the definition of the float contract for one element, in fractions
- `referee`   the same answers in scaled integers
- `bulk`      the same answers for whole batches, in certified float64
- `models`    arithmetics that are named completely, as data; `model_definition` says what they answer, for one element
- `model_bulk`  the same for whole batches
- `contract`  multiply-add on floats, the entry point
- `integer`   multiply-add on integers

Only the standard library and numpy are imported, and nothing from the rest of mmaspec.
"""
