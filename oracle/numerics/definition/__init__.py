"""The float contract for one element: the definition in fractions, and its referee in integers."""
