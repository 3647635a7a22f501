"""`python -m appfunctions_mcp`: the same as the command `appfunctions-mcp`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `-m` puts the current folder first, where a file of the user's, such as random.py,
        # would stand before the standard library's.
        sys.path.append(sys.path.pop(0))

    from appfunctions_mcp.cli import main

    sys.exit(main())
