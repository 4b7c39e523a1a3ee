"""A serving process: uvicorn's server and protocol, workers, start checks and shutdown."""
