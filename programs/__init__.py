"""What oracle and backends may both know: programs, number formats, caps, declared profiles. It interprets nothing."""
