"""What a step changes, in tables."""
