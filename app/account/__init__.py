"""`/account`: what a person sees and changes of their own account."""
