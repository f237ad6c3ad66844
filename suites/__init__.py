"""Checking a backend against the oracle: judging cases, blame, sensitivity, running, verdicts, the gate, the score."""
