"""What oracle and backends share: programs, number formats, caps, declared profiles. Nothing interprets programs."""
