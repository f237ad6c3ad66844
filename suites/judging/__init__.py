"""Judging a case: asking the backend, blame, findings, reduction, sensitivity."""
