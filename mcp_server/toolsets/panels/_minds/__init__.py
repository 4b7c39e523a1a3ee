"""Panels, groups and questions as the internal API has them, read into the types of `_study`."""
