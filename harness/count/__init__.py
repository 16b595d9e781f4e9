"""Exact counts of executed instructions: by the plugin of qemu-arm, or by Unicorn."""
