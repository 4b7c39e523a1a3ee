"""The edge: everything HTTP, and the only room that knows the others."""
