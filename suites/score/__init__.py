"""The suite scored: what it catches, its coverage, the small scope, stored sensitivities."""
