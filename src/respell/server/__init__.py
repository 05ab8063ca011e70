"""The HTTP server: its own API, a LanguageTool API, and a web page."""
