"""A panel's report as a file: each format is a pure function from a `Report` to bytes."""
