"""The embedded internal API: a stranger in the house, reached over HTTP only, like the published one it stands in for."""
