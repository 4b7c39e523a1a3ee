"""The widget of personas, for hosts that show one; and for those of before MCP Apps."""
