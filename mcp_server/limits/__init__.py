"""Exact sliding windows: which of them a call is charged to, and how they stand. Pure but for the clock."""
