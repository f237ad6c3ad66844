"""Holding a backend to the oracle: judging cases, blame, sensitivity, the recorder, verdicts and the supervisor."""
