"""Data regimes for the ends of formats: largest and smallest numbers, infinities, NaN of every kind."""
