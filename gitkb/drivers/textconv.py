"""gitkb's textconv program: the records of one file as text, for `git diff`, `git log -p`, `git show`.

git's configuration names the interpreter and this file; git adds the name of a file, a copy of a blob
or the file of the work tree itself (gitattributes(5), "Performing text conversions of binary files").

1. It reads its one argument and writes to standard output; nothing else is looked at or changed.
2. It answers 0 once it has written anything: git gives up a whole diff when a program of this kind fails.
3. It writes nothing before it has everything, so that whoever stands in for it after a failure can
   begin with the first byte.
4. Whatever goes wrong with the text, the bytes of the file are written as they are.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Write the text of the file that the command line names; answer the exit code."""
    try:
        # The name may begin with a dash: there are no options.
        with open(sys.argv[-1], "rb", buffering=0) as file:
            data = file.read()
    except OSError:
        return 1  # nothing is written: whoever called may try it in another way
    _write(_text_of(data))
    return 0


def _text_of(data: bytes) -> bytes:
    try:
        import gc

        from gitkb.core.entry_text import format_file

        gc.disable()  # nothing here makes cycles
        return format_file(data)
    except Exception:  # noqa: BLE001  # the boundary: a diff has to be shown
        return data


def _write(text: bytes) -> None:
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError:
        pass  # git has seen enough


if __name__ == "__main__":
    # As in `gitkb.drivers.merge`: neither this folder nor the environment's is on the path.
    sys.path.insert(0, __file__.rsplit("\\" if sys.platform == "win32" else "/", 3)[0])
    code = main()

    from gitkb.drivers.result_file import end_at_once

    end_at_once(code)
