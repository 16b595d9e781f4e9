"""What measures: builds on records, knows nothing of rsalab."""
