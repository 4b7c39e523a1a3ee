"""What every resource is served with: one ASGI application, its table of operations, calls, bodies and streams."""
