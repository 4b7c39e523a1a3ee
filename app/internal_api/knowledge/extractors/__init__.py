"""One small file per family of formats: bytes in, readable parts out."""
