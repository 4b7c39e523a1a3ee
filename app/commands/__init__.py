"""The commands of `python -m app`, one module each, and what they share."""
