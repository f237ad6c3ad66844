"""The command ``mmaspec``; also ``python -m mmaspec``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Bad input ends with one line on standard error and exit code 2."""
    from mmaspec.cli import app
    from mmaspec.programs.errors import BadInput

    try:
        app()
    except BadInput as error:
        sys.stderr.write(f"mmaspec: {error}\n")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)
    except KeyboardInterrupt:
        sys.stderr.write("mmaspec: interrupted; what was answered is kept, go on with --resume\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
