"""The arena: other correctors, each in a process of its own, scored on the same token files."""
