"""The command line as click sees it: help, usage errors, completion.

Built from the same data that `arguments.parse_quickly` reads.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from gitkb import __version__
from gitkb.cli.arguments import LARGEST_NUMBER
from gitkb.cli.call import AnswerError, say, say_error
from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.errors import EXIT_USAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.arguments import Argument, Option, Verb

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def parse_carefully(verb: Verb, words: Sequence[str]) -> dict[str, Any]:
    """Read the words after a verb as click does: prints help or a usage error, and exits."""
    command = command_of(verb)
    try:
        with command.make_context(f"gitkb {verb.name}", list(words)) as context:
            return dict(context.params)
    except click.exceptions.Exit as done:
        raise SystemExit(done.exit_code) from None
    except click.ClickException as error:
        _show(error, verb)
        raise SystemExit(EXIT_USAGE) from None
    except OSError as error:  # click prints help by itself
        raise AnswerError(error) from None


def run_group(words: Sequence[str], prog: str) -> int:
    """Answer a call without a known verb: help, the version, a suggestion."""
    if words and words[0] == "help":  # as people type it, `gitkb help add`
        words = [*words[1:2], "--help"]
    unknown = next((word for word in words if not word.startswith("-")), None)
    if unknown is not None and load_verb(unknown) is None:
        return _refuse_verb(unknown)
    try:
        return int(_Group(**_group_settings()).main(list(words), prog, standalone_mode=False) or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _show(error, None)
        return EXIT_USAGE
    except OSError as error:
        raise AnswerError(error) from None


def _refuse_verb(name: str) -> int:
    known = [verb for _, verbs in SECTIONS for verb in verbs]
    close = [_OTHER_WORDS[name]] if name in _OTHER_WORDS else []
    if len(name) > 1 and not close:
        close += [verb for verb in known if verb.startswith(name)]
    close += difflib.get_close_matches(name, known, 2, _NEAR) or (
        [] if close else difflib.get_close_matches(name, known, 1)
    )
    say_error(f"no such verb '{name}'", None)
    say(f"hint: {_NO_VERBS.get(name) or _listed(list(dict.fromkeys(close))[:_MOST_CLOSE])}")
    return EXIT_USAGE


_NEAR = 0.75
_MOST_CLOSE = 4


def _listed(verbs: Sequence[str]) -> str:
    """Name a verb that may be meant, or several."""
    if not verbs:
        return "gitkb --help lists them"
    first, *more = [f"gitkb {verb}" for verb in verbs]
    return f"{first}, or {', '.join(more)}" if more else first


_OTHER_WORDS = {
    word: verb
    for verb, words in (
        ("add", ("new", "note", "remember", "save", "write")),
        ("edit", ("change", "correct", "set", "update", "vi", "vim")),
        ("completion", ("completions", "complete")),
        ("forget", ("delete", "remove", "rm")),
        ("recall", ("ask", "find", "grep", "query", "search")),
        ("show", ("cat", "get")),
        ("list", ("ls",)),
        ("log", ("history",)),
        ("check", ("lint", "validate", "verify")),
        ("fmt", ("format",)),
        ("doctor", ("status",)),
    )
    for word in words
}
"""What people type for a verb when they come from another tool; `search` is not meant as `archive`."""

_NO_VERBS = {
    "version": "gitkb --version",
    "commit": "git add .gitkb && git commit: entries are files like any other",
    **dict.fromkeys(
        ("fetch", "merge", "pull", "push", "share", "sync"),
        "git does that: commit .gitkb, then git pull and git push",
    ),
}
"""What people type for something that is no verb, and what to do instead."""


def command_of(verb: Verb) -> click.Command:
    """Build click's command for a verb."""
    params: list[click.Parameter] = [_argument(argument) for argument in verb.arguments]
    params += [_option(option) for option in verb.all_options]
    return click.Command(
        verb.name,
        params=params,
        help=_paragraphs(verb),
        short_help=verb.summary,
        context_settings=_SETTINGS,
        callback=lambda **_values: None,
    )


def _paragraphs(verb: Verb) -> str:
    blocks = [verb.summary]
    for block in verb.details.strip().split("\n\n"):
        # \b keeps click from joining the lines of an example.
        blocks.append(f"\b\n{block}" if block.startswith(("$", " ")) else block)
    return "\n\n".join(block for block in blocks if block)


def _argument(argument: Argument) -> click.Argument:
    nargs = -1 if argument.many else 1
    metavar = argument.name + ("..." if argument.many else "")
    return click.Argument(
        [argument.dest],
        required=argument.required,
        nargs=nargs,
        metavar=metavar if argument.required else f"[{metavar}]",
        callback=(lambda _context, _param, value: list(value)) if argument.many else None,
    )


def _option(option: Option) -> click.Option:
    form = [f"--{option.name}", option.dest]
    metavar = option.metavar or None
    if option.kind == "flag":
        return click.Option(form, is_flag=True, help=option.help, hidden=option.hidden)
    if option.kind == "number":
        kind: click.ParamType[Any] = _NUMBER
    elif option.kind == "choice":
        kind = click.Choice(option.choices)
    else:
        kind = click.STRING
    many = option.kind == "texts"
    return click.Option(
        form,
        type=kind,
        multiple=many,
        default=None if many else option.default,
        show_default=option.default is not None,
        metavar=metavar,
        help=option.help,
        hidden=option.hidden,
        callback=(lambda _context, _param, value: list(value)) if many else None,
    )


class _Number(click.ParamType):  # type: ignore[type-arg]  # generic only in newer releases of click
    """A whole number from 0; unlike click's own range, its end is not shown in every help."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if not (value.isascii() and value.isdigit()) or len(value) > len(str(LARGEST_NUMBER)):
            self.fail(f"'{value}' is no whole number from 0", param, ctx)
        return int(value)


_NUMBER = _Number()


def _show(error: click.ClickException, verb: Verb | None) -> None:
    if isinstance(error, click.NoSuchOption):
        say_error(f"no such option '{error.option_name}'", _other_option(error, verb))
        return
    message = error.format_message().rstrip(".")
    say_error(f"{message[:1].lower()}{message[1:]}", None)
    if verb is None:
        say("hint: gitkb --help")
    elif not _is_about_words(error):
        say(f"hint: gitkb {verb.name} --help")
    elif verb.name in _READS_STDIN:
        say(f"hint: {_READS_STDIN[verb.name]}; see gitkb {verb.name} --help")
    elif verb.arguments:
        say(f"hint: {_form(verb)}; see gitkb {verb.name} --help")
    else:
        say(f"hint: gitkb {verb.name} takes options alone; see gitkb {verb.name} --help")


_READS_STDIN = {
    "check-plan": "gitkb check-plan <PLAN.md",
}
"""Verbs that take no words, and for which people give a file or a sentence all the same."""


def _other_option(error: click.NoSuchOption, verb: Verb | None) -> str:
    """Name the option that is meant, if one is written almost so, and where all of them stand."""
    if verb is None:
        return "gitkb --help; the options of a verb go behind it: gitkb VERB --json"
    known = [f"--{option.name}" for option in verb.all_options]
    given = error.option_name
    close = [name for name in known if len(given) > 3 and name.startswith(given)]
    close = close or difflib.get_close_matches(given, known, 1, _NEAR)
    meant = f"is it '{close[0]}'? " if close else ""
    return f"{meant}gitkb {verb.name} --help"


def _is_about_words(error: click.ClickException) -> bool:
    # A word too many has no class of its own; every other mistake has one.
    is_missing = isinstance(error, click.MissingParameter) and isinstance(
        error.param, click.Argument
    )
    return is_missing or type(error) is click.UsageError


def _form(verb: Verb) -> str:
    names = ["|".join(argument.choices) or argument.name for argument in verb.arguments]
    words = [
        f"{name}{'…' if argument.many else ''}"
        for name, argument in zip(names, verb.arguments, strict=True)
    ]
    shown = [
        word if argument.required else f"[{word}]"
        for word, argument in zip(words, verb.arguments, strict=True)
    ]
    return " ".join(("gitkb", verb.name, *shown))


class _Group(click.Group):
    """The list of verbs, by what they are for; a verb is imported when it is asked about."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for _, names in SECTIONS for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = load_verb(cmd_name)
        return command_of(verb) if verb else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS:
            with formatter.section(title):
                rows = [(name, verb.summary) for name in names if (verb := load_verb(name))]
                formatter.write_dl(rows)


def _group_settings() -> dict[str, Any]:
    return {
        "name": "gitkb",
        "help": (
            "Keep a team's engineering knowledge as JSON lines next to the code it is about.\n\n"
            "Start with `gitkb init` in a git repository; `gitkb VERB --help` explains a verb."
        ),
        "context_settings": _SETTINGS,
        "params": [
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                help="Show the version.",
                callback=_version,
            ),
            # Read before click is asked anything; here for the help.
            click.Option(
                ["--no-pager"],
                is_flag=True,
                expose_value=False,
                help="Before or behind VERB: print a long answer as it is.",
            ),
        ],
        "subcommand_metavar": "VERB [ARGS]...",
        "no_args_is_help": False,
        "invoke_without_command": True,
        "callback": _help_without_verb,
    }


def _version(context: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"gitkb {__version__}")
        context.exit()


@click.pass_context
def _help_without_verb(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
