"""Reports of a study as files."""
