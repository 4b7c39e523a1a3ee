"""Metrics and traces of the HTTP process."""
