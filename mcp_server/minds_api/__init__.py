"""The client of the internal API: its two dialects, credentials, pages, streams and refusals."""
