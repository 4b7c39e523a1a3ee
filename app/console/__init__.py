"""The product's own pages: what a signed-in person sees and does of their personas and panels."""
