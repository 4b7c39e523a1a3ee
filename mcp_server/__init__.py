"""The workshop: the tools, and the spine that runs them on every transport."""
