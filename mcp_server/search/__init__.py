"""Full-text search over pages, on SQLite's FTS5. It knows nothing of where the pages come from."""
