"""Where minds, jobs and knowledge are kept; one file for each, functions on an open transaction."""
