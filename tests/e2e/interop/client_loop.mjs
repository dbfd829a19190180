// The session that every JavaScript client runs with a real app: discover, connect, read, act, verify,
// subscribe, cancel, answer a prompt, run a task. The test checks the printed report and the saved file.

/** Number of calls that the server runs at once. One more call has to wait. */
const MAX_CONCURRENT_CALLS = 10;

export const job = JSON.parse(process.argv[2]);

/** Options to start a server on the desktop of this process. */
export const launch = () => ({ command: job.command, args: ['mcp', 'serve'], env: { ...process.env } });

/** Answers an elicitation: chooses the requested app, declines everything else. */
export const answer = (question) => {
  const isAppChoice = question.requestedSchema?.properties?.app !== undefined;
  return isAppChoice ? { action: 'accept', content: { app: job.twin } } : { action: 'decline' };
};

const textOf = (result) => result.content.filter((it) => it.type === 'text').map((it) => it.text).join('\n');

/** Runs the session and prints a report as one line of JSON. */
export async function runClientLoop(client) {
  const report = { version: client.version(), server: client.server(), has: client.has() };
  const ok = async (name, args) => {
    const result = await client.call(name, args);
    if (result.isError) throw new Error(`${name}: ${textOf(result)}`);
    return result;
  };

  report.tools = (await client.tools()).map((tool) => tool.name);
  report.resources = (await client.resources()).map((resource) => resource.uri);
  report.templates = (await client.templates()).map((template) => template.uriTemplate);
  report.prompts = (await client.prompts()).map((prompt) => prompt.name);
  const prompt = await client.prompt('navigate-to', { app_name: 'editor', destination: 'Preferences' });
  report.prompt = prompt.messages.length;
  report.completed = await client.complete('extract-data', 'output_format', 'js');

  const editor = { app: 'editor' };
  const field = { ...editor, query: job.field };
  report.connected = (await ok('ax_connect', { app: job.editor, alias: 'editor' })).structuredContent;
  report.outline = textOf(await ok('ax_get_tree', editor));
  const picture = await ok('ax_screenshot', editor);
  report.picture = picture.content.filter((it) => it.type === 'image').map((it) => it.mimeType);

  const state = `deskhand://app/${job.editor}/state`;
  report.read = JSON.parse((await client.read(state)).contents[0].text);
  report.updated = await client.waitForUpdate(state, async () => {
    report.typed = (await ok('ax_type', { ...field, text: job.text })).structuredContent;
  });
  const asserted = await ok('ax_assert', { ...field, assertions: { contains_text: job.text } });
  report.asserted = asserted.structuredContent;
  const save = { ...editor, key: 's', modifiers: ['ctrl'] };
  report.saved = (await ok('ax_key_press', save)).structuredContent;

  const refused = await client.call('ax_find', { ...editor, query: 'no such thing anywhere' });
  report.refused = { isError: refused.isError, words: textOf(refused) };

  const long = { ...editor, timeout_ms: 120_000, poll_ms: 10_000 };
  const abort = new AbortController();
  const calls = Array.from({ length: MAX_CONCURRENT_CALLS }, () =>
    client.call('ax_wait_idle', long, abort.signal).then(
      () => 'answered',
      () => 'withdrawn',
    ),
  );
  setTimeout(() => abort.abort(new Error('enough')), 300);
  report.withdrawn = await Promise.all(calls);
  const started = Date.now();
  report.after = (await ok('ax_session_info', {})).structuredContent;
  report.waited_ms = Date.now() - started;

  report.chosen = (await ok('ax_connect', { app: job.twins })).structuredContent;
  report.asked = client.asked();

  report.task = await client.task('ax_wait_idle', { ...editor, timeout_ms: 60_000, poll_ms: 800 });

  await client.close();
  console.log(JSON.stringify(report));
}

/** A promise that is resolved from outside and rejected after 30 seconds. */
export function deferred(what) {
  let end;
  const promise = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not arrive`)), 30_000);
    end = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
  });
  return { promise, end };
}
