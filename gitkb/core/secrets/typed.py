"""Passwords in what people type: beside the option of a program, under a short name, named afterwards.

1. What announces one is looked for first, as plain text, which most texts do not hold; then the pattern.
2. What stands there is only found here: `core.secrets.shape` says whether it looks like a password.
3. Every pattern reads a bounded piece of one line.
"""

from __future__ import annotations

from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUE = r"['\"]?([^\s'\"`]{6,200})"
_TO = r"\s(?:[^\n|;&]{0,200}?\s)?"
"""From a program to its option, within one command."""
_LOGON = rf"['\"]?[\w.@-]{{1,64}}:{_VALUE}"
_SHORT = r"(?<![A-Za-z])(?:pass|pw|mdp)"
_ASSIGNED = tuple(
    (sign, LatePattern(pattern))
    for sign, pattern in (
        ("mysql", rf"mysql[a-z_]*{_TO}-p(?!ort|rotocol){_VALUE}"),
        ("mariadb", rf"mariadb[a-z-]*{_TO}-p(?!ort|rotocol){_VALUE}"),
        ("mongo", rf"mongo[a-z]*{_TO}-p\s{_VALUE}"),
        ("sshpass", rf"sshpass{_TO}-p\s?{_VALUE}"),
        (
            " login",
            rf"(?:docker|podman|buildah|skopeo|nerdctl|registry|oc|az) login{_TO}-p\s{_VALUE}",
        ),
        ("redis-cli", rf"redis-cli{_TO}-a\s{_VALUE}"),
        ("ldap", rf"ldap[a-z]{{3,7}}{_TO}-w\s?{_VALUE}"),
        ("sqlcmd", rf"sqlcmd{_TO}-P\s?{_VALUE}"),
        ("zip ", rf"zip{_TO}-P\s?{_VALUE}"),
        ("curl", rf"curl{_TO}-u{_LOGON}"),
        ("-u ", rf"(?<![\w-])-u {_LOGON}"),
        ("--user", rf"--user[\s=]{_LOGON}"),
        (" pass:", rf"-pass(?:in|out)?\spass:{_VALUE}"),
        (
            "--",
            r"--(?:[a-z]{2,12}-){0,2}(?:pass|passwd|password|passphrase|pw|token|api-?key|client-secret)\s"
            + _VALUE,
        ),
        (
            "</",
            r"<[\w.:-]{0,30}(?:[Pp]assword|[Pp]asswd|[Ss]ecret|[Tt]oken|[Aa]pi_?[Kk]ey)>([^\s<>'\"`]{6,200})</",
        ),
        ("pass=", rf"(?i){_SHORT}={_VALUE}"),
        ("pw=", rf"(?i){_SHORT}={_VALUE}"),
        ("mdp=", rf"(?i){_SHORT}={_VALUE}"),
        ('pass"', rf'(?i){_SHORT}"\s?:\s?"([^\s\'"`]{{6,200}})"'),
        ('pw"', rf'(?i){_SHORT}"\s?:\s?"([^\s\'"`]{{6,200}})"'),
    )
)
"""What announces a password, in lower case, and the pattern whose only group it is."""
_SAID = ("pass:", "pass :", "pw:", "pw :", "mdp:", "mdp :")
_said = LatePattern(rf"(?<![A-Za-z])(?:[Pp]ass|[Pp][Ww]|[Mm]dp)\s?:\s?{_VALUE}").finditer
"""Not PASS, which a run of tests says of each."""
_said_to_be = LatePattern(
    r"(?:^|[\s(\"'`«*])([^\s\"'`(«*]{8,200})[\"'`»*]{0,2} (?:is|was|as) (?:the|our|my|your|an?|its|their|his|her) "
    r"(?:[\w-]{1,20} ){0,2}$"
).search
_REACH = 300
_CLOSE = 60


def iter_assigned(text: str, lower: str) -> Iterator[str]:
    """Give what stands where a password is assigned. `lower` is the text in lower case."""
    for sign, pattern in _ASSIGNED:
        if sign in lower:
            for found in pattern.finditer(text):
                yield found[1]


def iter_said(text: str, lower: str) -> Iterator[str]:
    """Give what stands behind a short name and a colon, as prose has it too."""
    if any(map(lower.__contains__, _SAID)):
        for found in _said(text):
            yield found[1]


def said_before(text: str, at: int) -> str:
    """Give what is said to be what is named at a place, as in ``… is the api key``; "" where nothing is."""
    close = text[max(0, at - _CLOSE) : at]
    if not close.endswith(" ") or not any(map(close.__contains__, (" is ", " was ", " as "))):
        return ""
    found = _said_to_be(text[max(0, at - _REACH) : at])
    return "" if found is None else found[1]
