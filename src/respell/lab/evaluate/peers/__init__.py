"""Compare respell with other correctors (peers), each in its own process, on the same files."""
