"""The search index: SQLite with full text, derived from the data files and never their master.

`sync` keeps it right, `search` asks it; `database` guards the file, `freshness` sees what changed,
`build` and `document` turn lines into rows, `query` turns what a person typed into an expression.
Nothing outside this folder knows that it is SQLite.
"""

from __future__ import annotations
