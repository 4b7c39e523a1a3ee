"""The one database: engines for SQLite and PostgreSQL, and migrations."""
