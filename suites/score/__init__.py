"""Measuring the suite: its score, its coverage, tests of small scope, stored sensitivities."""
