"""`doctor`: plays the known MCP clients against a gateway and says which step fails, why, and what to change.

`profiles.toml` is what is known of the clients; `probes`, `oauth_probes` and `sign_in` send, through `gateway_client`
and nothing else; the `checks_*` are tables of rules that decide from the `observations` alone, and `sentences.toml` is
what they say; `examination` puts it together. Nothing else of this project is imported: the doctor looks at any gateway
from outside.
"""
