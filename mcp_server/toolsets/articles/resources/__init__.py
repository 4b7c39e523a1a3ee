"""The resources: one file, one function and one RESOURCE each."""
