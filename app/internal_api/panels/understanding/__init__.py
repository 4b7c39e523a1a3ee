"""What kind of answer a survey question asks for, read from its wording. Pure and deterministic."""
