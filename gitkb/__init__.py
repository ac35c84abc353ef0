"""gitkb keeps a team's engineering knowledge as JSON lines next to the code it is about."""

__version__ = "0.1.0"
