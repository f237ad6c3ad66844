"""The gate: waivers, baselines, and what counts as new."""
