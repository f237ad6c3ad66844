"""How the classes of the parameter space of the sub-group matrix functions are seen in a case."""
