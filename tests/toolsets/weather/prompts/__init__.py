"""The prompts: one file, one function and one PROMPT each."""
