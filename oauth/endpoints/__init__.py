"""HTTP and nothing else: each module parses one kind of request, asks a flow, and renders what it says."""
