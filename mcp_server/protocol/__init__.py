"""The wire: JSON-RPC over HTTP and stdio, in both protocol eras."""
