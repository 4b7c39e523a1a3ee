"""The windows that several processes share: Redis, what happens without it, and the limits of the OAuth endpoints."""
