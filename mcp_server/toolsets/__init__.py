"""Families of tools. Each is a folder with the same inner shape, and none imports another."""
