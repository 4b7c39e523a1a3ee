"""The edge's middlewares, each one plain ASGI class. `app.factory` says in which order they stand."""
