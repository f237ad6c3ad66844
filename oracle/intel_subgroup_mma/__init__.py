"""Sub-group matrix multiply accumulate for OpenCL C: 88 functions, for devices with sub-groups of 8 and of 16.

Not yet a specification that ``mmaspec check`` knows: that takes a grammar, counterfactuals and the catalogue,
``clauses.toml``, which waits with the tests. Read in this order: ``functions`` (the table of signatures), ``validity``
and ``undefined`` (what is refused, and where the defined ends), ``addresses`` (which work-item holds which element in
which bits), ``semantics`` (what is stored).
"""
