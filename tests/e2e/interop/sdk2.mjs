// The TypeScript SDK 2.x, which speaks both eras, with the package for tasks.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';

import { answer, deferred, job, launch, walk } from './loop.mjs';

const MODERN = '2026-07-28';
const clientInfo = { name: 'sdk2', version: '1' };
const capabilities = { elicitation: { form: {} }, tasks: { list: {}, cancel: {} } };
const mode = { legacy: 'legacy', auto: 'auto', modern: { pin: MODERN } }[job.era];
const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode } });
const asked = [];
client.setRequestHandler('elicitation/create', async ({ params }) => {
  asked.push(params.message);
  return answer(params);
});
let updated = () => {};
client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));

const transport = {
  stdio: () => new StdioClientTransport(launch()),
  http: () => new StreamableHTTPClientTransport(new URL(job.url)),
  sse: () => new SSEClientTransport(new URL(job.url)),
}[job.transport]();
await client.connect(transport);
const version = client.getNegotiatedProtocolVersion();

/** Requests below the SDK, which the package for tasks makes in the later era. */
const waiting = new Map();
const above = transport.onmessage;
transport.onmessage = (message, extra) => {
  const end = waiting.get(message.id);
  if (!end || message.method) return above?.(message, extra);
  waiting.delete(message.id);
  const { error, result } = message;
  end(error ? { kind: 'error', error } : { kind: 'result', result });
};
const rawDispatch = ({ method, params }, options = {}) =>
  new Promise((resolve, reject) => {
    const id = `below-${waiting.size}-${Date.now()}`;
    waiting.set(id, resolve);
    const headers = options.context?.headers;
    transport.send({ jsonrpc: '2.0', id, method, params }, headers ? { headers } : {}).catch(reject);
  });

await walk({
  version: () => version,
  server: () => client.getServerVersion().name,
  has: () => Object.keys(client.getServerCapabilities()),
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  prompts: async () => (await client.listPrompts()).prompts,
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  complete: async (prompt, name, value) => {
    const ref = { type: 'ref/prompt', name: prompt };
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  },
  read: (uri) => client.readResource({ uri }),
  call: (name, args, signal) => client.callTool({ name, arguments: args }, { signal }),
  hears: async (uri, act) => {
    const news = deferred(`news of ${uri}`);
    updated = (changed) => changed === uri && news.end(changed);
    const listening = version === MODERN ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
    if (!listening) await client.subscribeResource({ uri });
    await act();
    const heard = await news.promise;
    if (listening) await listening.close();
    else await client.unsubscribeResource({ uri });
    return heard;
  },
  asked: () => asked,
  task: async (name, args) => {
    const framing = { protocolVersion: version, clientInfo, clientCapabilities: capabilities };
    const later = version === MODERN ? { rawDispatch, v2RequestFraming: framing } : {};
    const session = createTaskSessionFromClient(client, { endpointId: 'desk', ...later });
    const tool = (await client.listTools()).tools.find((one) => one.name === name);
    const wish = { declaration: toolDeclarationFromMcpTool(tool), task: { preference: 'prefer' } };
    try {
      const execution = await session.callTool(name, args, wish);
      const { outcome } = await execution.settle();
      const states = execution.kind === 'task' ? ['working', outcome.status] : [outcome.status];
      const second = await session.callTool(name, { ...args, poll_ms: 10_000 }, wish);
      await second.cancel();
      const stopped = (await second.settle()).outcome.status;
      return { states, stopped, data: resultFromTaskOutcome(outcome).structuredContent };
    } finally {
      await session.close();
    }
  },
  close: () => client.close(),
});
