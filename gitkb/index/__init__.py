"""The search index: SQLite with full text, derived from the data files and never their master.

`sync` keeps it right, `search` asks it. `database` guards the file, `freshness` sees which data
files changed and `blocks` which of their lines, `document` says what becomes of a line and `plain`
says it quickly of most, `build` and `update` write the `rows` of all or of those that changed,
`query` turns what a person typed into an expression and `edge` asks for the graph. Nothing outside
this folder knows that it is SQLite.
"""

from __future__ import annotations
