"""From the model's ranking to corrections: thresholds, rules, case, the user's words."""
