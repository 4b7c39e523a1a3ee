"""Logs, traces and call events, with secrets redacted."""
