"""The offline engine: answers by quoting a persona's own knowledge, without a model or an account."""
