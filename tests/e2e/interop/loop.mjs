// What every client in JavaScript does with a real app: discover, connect, look, act, verify,
// subscribe, cancel, be asked, run a task. The test that starts it judges by the app's own state.

/** Calls that run at once in the server: the next one has to wait for the end of one of them. */
const AT_ONCE = 10;

export const job = JSON.parse(process.argv[2]);

/** The options of a server that is started, with the desktop of this process. */
export const launch = () => ({ command: job.command, args: ['mcp', 'serve'], env: { ...process.env } });

/** How the person at the desk answers: a question about apps with the one that is meant. */
export const answer = (question) => {
  const asks = question.requestedSchema?.properties?.app !== undefined;
  return asks ? { action: 'accept', content: { app: job.twin } } : { action: 'decline' };
};

const words = (result) => result.content.filter((it) => it.type === 'text').map((it) => it.text).join('\n');

/** Walks the whole loop and prints what was seen as one line of JSON. */
export async function walk(client) {
  const seen = { version: client.version(), server: client.server(), has: client.has() };
  const ok = async (name, args) => {
    const result = await client.call(name, args);
    if (result.isError) throw new Error(`${name}: ${words(result)}`);
    return result;
  };

  seen.tools = (await client.tools()).map((tool) => tool.name);
  seen.resources = (await client.resources()).map((resource) => resource.uri);
  seen.templates = (await client.templates()).map((template) => template.uriTemplate);
  seen.prompts = (await client.prompts()).map((prompt) => prompt.name);
  const prompt = await client.prompt('navigate-to', { app_name: 'editor', destination: 'Preferences' });
  seen.prompt = prompt.messages.length;
  seen.completed = await client.complete('extract-data', 'output_format', 'js');

  const editor = { app: 'editor' };
  const field = { ...editor, query: job.field };
  seen.connected = (await ok('ax_connect', { app: job.editor, alias: 'editor' })).structuredContent;
  seen.outline = words(await ok('ax_get_tree', editor));
  const picture = await ok('ax_screenshot', editor);
  seen.picture = picture.content.filter((it) => it.type === 'image').map((it) => it.mimeType);

  const state = `deskhand://app/${job.editor}/state`;
  seen.read = JSON.parse((await client.read(state)).contents[0].text);
  seen.updated = await client.hears(state, async () => {
    seen.typed = (await ok('ax_type', { ...field, text: job.text })).structuredContent;
  });
  const asserted = await ok('ax_assert', { ...field, assertions: { contains_text: job.text } });
  seen.asserted = asserted.structuredContent;
  const save = { ...editor, key: 's', modifiers: ['ctrl'] };
  seen.saved = (await ok('ax_key_press', save)).structuredContent;

  const refused = await client.call('ax_find', { ...editor, query: 'no such thing anywhere' });
  seen.refused = { isError: refused.isError, words: words(refused) };

  const long = { ...editor, timeout_ms: 120_000, poll_ms: 10_000 };
  const abort = new AbortController();
  const calls = Array.from({ length: AT_ONCE }, () =>
    client.call('ax_wait_idle', long, abort.signal).then(
      () => 'answered',
      () => 'withdrawn',
    ),
  );
  setTimeout(() => abort.abort(new Error('enough')), 300);
  seen.withdrawn = await Promise.all(calls);
  const begun = Date.now();
  seen.after = (await ok('ax_session_info', {})).structuredContent;
  seen.waited_ms = Date.now() - begun;

  seen.chosen = (await ok('ax_connect', { app: job.twins })).structuredContent;
  seen.asked = client.asked();

  seen.task = await client.task('ax_wait_idle', { ...editor, timeout_ms: 60_000, poll_ms: 800 });

  await client.close();
  console.log(JSON.stringify(seen));
}

/** A promise with its ends outside; fails when nothing comes. */
export function deferred(what) {
  let end;
  const promise = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not come`)), 30_000);
    end = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
  });
  return { promise, end };
}
