"""The embedded internal API: a stranger in the house, reached over HTTP like the published one it stands in for."""
