"""kubegap's own entry in the configuration files of coding agents: put there, taken out, looked at.

Text in, text out: `forms` edits the text of a file, `entry` says what a client needs, `clients` where it looks for it.
Only `files` writes, and only `probe` starts a program. `serve` loads none of it.
"""
