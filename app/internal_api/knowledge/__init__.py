"""What a persona knows: documents fetched, extracted, cut into chunks and searched."""
