"""The same functions on FastMCP.

fastmcp_server.py FOLDER COUNT [PORT]
"""

import inspect
import sys

from fastmcp import FastMCP

sys.path.insert(0, sys.argv[1])
import plain_functions

server = FastMCP("bench", version="1")
for _, function in inspect.getmembers(plain_functions, inspect.isfunction):
    if function.__module__ == plain_functions.__name__:
        server.tool(function)

if len(sys.argv) > 3:
    from over_http import serve

    app = server.http_app(path="/mcp", json_response=True, stateless_http=True)
    serve(app, int(sys.argv[3]))
else:
    server.run("stdio", show_banner=False, log_level="ERROR")
