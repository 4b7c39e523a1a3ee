"""The stores: where accounts and keys are kept."""
