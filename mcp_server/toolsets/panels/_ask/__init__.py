"""One ask from the request to its end: planned, run, and followed by whoever listens."""
