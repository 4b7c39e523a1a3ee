"""The tools: one file, one function and one TOOL each."""
