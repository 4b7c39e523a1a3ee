"""The decisions of the authorization server, without HTTP: each takes a store and the time."""
