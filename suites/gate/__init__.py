"""The gate: waivers, baselines, and which failures count as new."""
