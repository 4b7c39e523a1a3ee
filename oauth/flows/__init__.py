"""The decisions of the gatehouse, without HTTP: each takes a store and the time."""
