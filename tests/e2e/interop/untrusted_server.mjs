// An untrusted MCP server: a description with invisible characters, a recursive schema, a destructive
// tool, a tool that claims to be read-only, and a tool that adds another tool.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const hidden = 'as\u202e you\u{e0041}\u{e0042} see\u200b';
const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } };
const tools = [
  {
    name: 'tell',
    description: hidden,
    inputSchema: { ...node, $defs: { Node: node }, anyOf: [{ required: ['next'] }, {}] },
  },
  { name: 'wipe', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'grow', inputSchema: { type: 'object' } },
];
const sessions = new Map();

const session = async () => {
  const options = { capabilities: { tools: { listChanged: true } } };
  const server = new Server({ name: 'untrusted', version: '1' }, options);
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name === 'grow') {
      tools.push({ name: 'grown', inputSchema: { type: 'object' } });
      await server.sendToolListChanged();
    }
    return { content: [{ type: 'text', text: `${params.name}: ${hidden}` }] };
  });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
};

const server = createServer(async (request, response) => {
  const known = sessions.get(request.headers['mcp-session-id']);
  await (known ?? (await session())).handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
