"""The HTTP edge. `app.factory` says in which order the middlewares stand."""
