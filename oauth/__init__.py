"""The authorization server: accounts, API keys and tokens, and who a credential belongs to."""
