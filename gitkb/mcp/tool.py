"""A tool as data: what a model is told about it, and the function that answers."""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitkb.mcp.arguments import schema_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitkb.mcp.answer import Answer
    from gitkb.mcp.arguments import Argument
    from gitkb.store.layout import Store

Effect = Literal["reads", "adds", "deletes"]


class Tool(NamedTuple):
    """One tool."""

    name: str
    description: str
    run: Callable[[Store, dict[str, Any], Answer], None]
    """Calls an operation and puts what it gave into the answer."""
    arguments: tuple[Argument, ...]
    effect: Effect
    output: dict[str, str]
    """The values of its own that every answer has: name to JSON type."""
    is_repeatable: bool = True
    """Whether calling it again with the same arguments changes nothing more."""

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return schema_of(self.arguments)

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of the values of its answers; errors have none.

        What every answer has beside (`store`, `branch`, `left_out`) is not said here: a
        conversation would pay for it once a tool.
        """
        return {
            "type": "object",
            "properties": {name: {"type": type_} for name, type_ in self.output.items()},
            "required": list(self.output),
        }

    @property
    def hints(self) -> dict[str, bool]:
        """Its annotations, by the names of the protocol. Nothing here leaves the repository."""
        return {
            "readOnlyHint": self.effect == "reads",
            "destructiveHint": self.effect == "deletes",
            "idempotentHint": self.is_repeatable,
            "openWorldHint": False,
        }
