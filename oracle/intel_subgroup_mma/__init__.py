"""Sub-group matrix multiply accumulate for OpenCL C: 88 functions, for devices with sub-groups of 8 and of 16.

Not yet a specification that ``mmaspec check`` knows: that takes the catalogue, ``clauses.toml``, and the rest of what
``docs/new-specification.md`` lists. What stands: ``functions`` (the table of signatures) and ``addresses`` (which
work-item holds which element in which bits).
"""
