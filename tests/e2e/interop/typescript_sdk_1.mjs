// Client on the TypeScript SDK 1.x, which supports protocol versions up to 2025-11-25.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { answer, deferred, job, launch, runClientLoop } from './client_loop.mjs';

const client = new Client(
  { name: 'typescript-sdk-1', version: '1' },
  { capabilities: { elicitation: { form: {} }, tasks: { list: {}, cancel: {} } } },
);
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  asked.push(params.message);
  return answer(params);
});
let updated = () => {};
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri));

const transport = {
  stdio: () => new StdioClientTransport(launch()),
  http: () => new StreamableHTTPClientTransport(new URL(job.url)),
  sse: () => new SSEClientTransport(new URL(job.url)),
}[job.transport]();
let version;
const setVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (negotiated) => {
  version = negotiated;
  setVersion?.(negotiated);
};
await client.connect(transport);

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
  call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
  waitForUpdate: async (uri, act) => {
    const update = deferred(`an update of ${uri}`);
    updated = (changed) => changed === uri && update.end(changed);
    await client.subscribeResource({ uri });
    await act();
    const changedUri = await update.promise;
    await client.unsubscribeResource({ uri });
    return changedUri;
  },
  asked: () => asked,
  task: async (name, args) => {
    const { tasks } = client.experimental;
    const states = [];
    let result;
    const stream = tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, {
      task: { ttl: 60_000 },
    });
    for await (const message of stream) {
      if (message.task) states.push(message.task.status);
      if (message.error) throw message.error;
      if (message.result) result = message.result;
    }
    const listed = (await tasks.listTasks()).tasks.length;
    const second = await client.request(
      { method: 'tools/call', params: { name, arguments: { ...args, poll_ms: 10_000 }, task: {} } },
      CallToolResultSchema.passthrough(),
    );
    const stopped = (await tasks.cancelTask(second.task.taskId)).status;
    return { states, listed, stopped, data: result.structuredContent };
  },
  close: () => client.close(),
});
