"""The embedded internal API: a stranger in the house, reached over HTTP only, as the published one is."""
