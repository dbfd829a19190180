// A minimal server of the MCP TypeScript SDK, for `stdio` or `http`. Over HTTP it prints its address. The
// second argument is the package.json next to the installed SDK.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(process.argv[3]);
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');

function server() {
  const made = new McpServer({ name: 'peer', version: '1' });
  made.registerTool('session_info', { description: 'What a session has done.' }, () => {
    const info = { action_count: 0, subscriptions: 0 };
    return { content: [{ type: 'text', text: JSON.stringify(info) }], structuredContent: info };
  });
  return made;
}

if (process.argv[2] === 'stdio') {
  await server().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await server().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => {
    process.stderr.write(`serving at http://127.0.0.1:${http.address().port}/mcp\n`);
  });
}
