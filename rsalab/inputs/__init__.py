"""Keys, messages and vectors of data/inputs."""
