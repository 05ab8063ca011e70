"""Text in and out: tokens, sentences, windows, case, and corrections put into the text."""
