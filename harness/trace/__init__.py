"""What a snapshot does, instruction by instruction: where it goes and which memory it uses."""
