"""Statements on an open transaction: one file for the rows of each subject."""
