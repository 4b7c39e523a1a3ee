"""`/connect`: how each client is connected to this very gateway, with its exact words and links."""
