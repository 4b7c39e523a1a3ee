"""The resources of the API, one file each: its handlers, and their rows in the table of operations."""
