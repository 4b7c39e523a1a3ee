"""The shapes of requests and responses that several resources or panels share, as pydantic models."""
