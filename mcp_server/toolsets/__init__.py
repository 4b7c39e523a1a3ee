"""Families of tools. Each is a folder with the same inner shape, and a stranger to the others."""
