"""The offline engine: answers from a persona's own knowledge by quoting it, without a model and without an account."""
