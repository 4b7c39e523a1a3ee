"""The templates of the pages that a person sees, and their one stylesheet."""
