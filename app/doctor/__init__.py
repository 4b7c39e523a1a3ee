"""`doctor`: plays the known MCP clients against a gateway and says which step fails, why, and what to change.

`profiles` is what is known of the clients, `observe` and its neighbours ask (through `door`, and nothing else),
`judging` decides from the answers alone, `report` tells. The rooms of this project are strangers to it: it looks at
any gateway from outside.
"""
