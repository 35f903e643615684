"""Verdicts and incidents become answers: pure, typed, in two languages, each in a structured and a text form."""
