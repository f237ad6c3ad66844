"""How the classes of tensor accesses, layouts and views are seen."""
