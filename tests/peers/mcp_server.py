"""A minimal server of the MCP Python SDK, for `stdio` or `http`. Over HTTP it prints its address."""

import socket
import sys

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("peer", log_level="ERROR")


@server.tool()
def session_info() -> dict[str, int]:
    """What a session has done."""
    return {"action_count": 0, "subscriptions": 0}


async def over_http() -> None:
    # Without the explicit protocol, asyncio does not set TCP_NODELAY.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    listener.setblocking(False)
    port = listener.getsockname()[1]
    print(f"serving at http://127.0.0.1:{port}/mcp", file=sys.stderr, flush=True)
    app = server.streamable_http_app()
    config = uvicorn.Config(app, log_level="error", access_log=False)
    await uvicorn.Server(config).serve(sockets=[listener])


if sys.argv[1] == "http":
    anyio.run(over_http)
else:
    server.run("stdio")
