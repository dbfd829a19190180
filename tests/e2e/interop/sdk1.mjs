// The TypeScript SDK 1.x: the era of the handshake over every transport.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { answer, deferred, job, launch, walk } from './loop.mjs';

const client = new Client(
  { name: 'sdk1', version: '1' },
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
const told = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (agreed) => {
  version = agreed;
  told?.(agreed);
};
await client.connect(transport);

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
  call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
  hears: async (uri, act) => {
    const news = deferred(`news of ${uri}`);
    updated = (changed) => changed === uri && news.end(changed);
    await client.subscribeResource({ uri });
    await act();
    const heard = await news.promise;
    await client.unsubscribeResource({ uri });
    return heard;
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
