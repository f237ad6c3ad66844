"""What runs found that the next one need not work out again: how much sets accept, and the results of answers."""
