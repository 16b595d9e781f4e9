"""What this machine has, and what it does not have."""
