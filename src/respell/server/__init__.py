"""The corrector over HTTP: its own API, LanguageTool's, and a web page."""
