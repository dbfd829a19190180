// Client on the TypeScript SDK 2.x, which supports all protocol versions, with the tasks package.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';

import { answer, deferred, job, launch, runClientLoop } from './client_loop.mjs';

const MODERN = '2026-07-28';
const clientInfo = { name: 'typescript-sdk-2', version: '1' };
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

/** Raw requests of the tasks package, which bypass the SDK on protocol 2026-07-28. */
const waiting = new Map();
const sdkHandler = transport.onmessage;
transport.onmessage = (message, extra) => {
  const end = waiting.get(message.id);
  if (!end || message.method) return sdkHandler?.(message, extra);
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

await runClientLoop({
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
  waitForUpdate: async (uri, act) => {
    const update = deferred(`an update of ${uri}`);
    updated = (changed) => changed === uri && update.end(changed);
    const listening = version === MODERN ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
    if (!listening) await client.subscribeResource({ uri });
    await act();
    const changedUri = await update.promise;
    if (listening) await listening.close();
    else await client.unsubscribeResource({ uri });
    return changedUri;
  },
  asked: () => asked,
  task: async (name, args) => {
    const framing = { protocolVersion: version, clientInfo, clientCapabilities: capabilities };
    const modernOptions = version === MODERN ? { rawDispatch, v2RequestFraming: framing } : {};
    const session = createTaskSessionFromClient(client, { endpointId: 'desk', ...modernOptions });
    const tool = (await client.listTools()).tools.find((one) => one.name === name);
    const taskOptions = { declaration: toolDeclarationFromMcpTool(tool), task: { preference: 'prefer' } };
    try {
      const execution = await session.callTool(name, args, taskOptions);
      const { outcome } = await execution.settle();
      const states = execution.kind === 'task' ? ['working', outcome.status] : [outcome.status];
      const second = await session.callTool(name, { ...args, poll_ms: 10_000 }, taskOptions);
      await second.cancel();
      const stopped = (await second.settle()).outcome.status;
      return { states, stopped, data: resultFromTaskOutcome(outcome).structuredContent };
    } finally {
      await session.close();
    }
  },
  close: () => client.close(),
});
