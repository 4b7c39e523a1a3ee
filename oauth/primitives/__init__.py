"""Checks and small tools that know no store and no HTTP server: strings and bytes in, answers or refusals out."""
