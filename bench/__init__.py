"""The gateway beside its peers: the same calls, the same upstream, the same client, in one run."""
