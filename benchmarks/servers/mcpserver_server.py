"""The same functions on the SDK's MCPServer.

mcpserver_server.py FOLDER COUNT [PORT]
"""

import inspect
import sys

from mcp.server.mcpserver import MCPServer

sys.path.insert(0, sys.argv[1])
import plain_functions

server = MCPServer("bench", version="1", log_level="ERROR")
for _, function in inspect.getmembers(plain_functions, inspect.isfunction):
    if function.__module__ == plain_functions.__name__:
        server.tool()(function)

if len(sys.argv) > 3:
    from over_http import serve

    app = server.streamable_http_app(
        json_response=True, stateless_http=True, max_request_body_size=64_000_000
    )
    serve(app, int(sys.argv[3]))
else:
    server.run("stdio")
