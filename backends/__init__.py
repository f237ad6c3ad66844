"""The things under test: the adapter protocol, the numpy backend, processes, legal variants and counterfactuals."""
