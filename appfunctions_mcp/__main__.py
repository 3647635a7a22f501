"""`python -m appfunctions_mcp`: the same as the command `appfunctions-mcp`."""

import sys

from appfunctions_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
