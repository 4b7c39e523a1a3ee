"""Personas that answer: one engine interface, with a language model behind it or offline."""
