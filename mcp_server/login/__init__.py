"""Signing in without an API key on a person's own machine: device authorization, tokens kept by the system."""
