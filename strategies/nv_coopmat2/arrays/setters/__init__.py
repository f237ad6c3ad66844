"""Setters in every order, with arguments that differ between waves and passes, in every rank."""
