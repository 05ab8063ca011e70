"""The model: its folder on disk, its input features, and the session that runs it."""
