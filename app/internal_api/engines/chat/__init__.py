"""How a language model is asked: messages out, a stream of server-sent events in, citations read."""
