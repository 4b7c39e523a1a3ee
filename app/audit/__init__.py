"""The audit log of the HTTP process: its sinks, what is told to it, and how it is read."""
