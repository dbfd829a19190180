"""Client on the Python SDK: the same session as the JavaScript clients, on all protocol versions."""

import asyncio
import json
import os
import sys
import time
from typing import Any, Literal

import mcp.types as types
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.sse import sse_client

JOB = json.loads(sys.argv[1])
MODERN = "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
# Number of calls that the server runs at once. One more call has to wait.
MAX_CONCURRENT_CALLS = 10
asked: list[str] = []
states: list[str] = []
updates: asyncio.Queue[str] = asyncio.Queue()


async def answer(_context: Any, question: Any) -> types.ElicitResult:
    """Answers an elicitation: chooses the requested app, declines everything else."""
    asked.append(question.message)
    if "app" in question.requested_schema.get("properties", {}):
        return types.ElicitResult(action="accept", content={"app": JOB["twin"]})
    return types.ElicitResult(action="decline")


async def on_message(message: Any) -> None:
    if isinstance(message, types.ResourceUpdatedNotification):
        await updates.put(message.params.uri)


class AnyResult(types.Result):
    """A result with any fields."""

    model_config = {"extra": "allow"}


class TaskStarted(AnyResult):
    """The result of a call that became a task (protocol 2026-07-28)."""

    result_type: Literal["task"] = "task"


class TaskRequest(types.Request[dict[str, Any], str]):
    """A request about one task."""

    name_param = "taskId"


async def poll(session: Any, task: str) -> dict[str, Any]:
    """Polls a task until it has ended."""
    while True:
        request = TaskRequest(method="tasks/get", params={"taskId": task})
        now = (await session.send_request(request, AnyResult)).model_dump(by_alias=True)
        states.append(now["status"])
        if now["status"] not in ("working", "input_required"):
            return now
        await asyncio.sleep(0.2)


async def finish(started: TaskStarted, context: Any) -> types.CallToolResult:
    ended = await poll(context.session, started.model_dump(by_alias=True)["taskId"])
    return types.CallToolResult.model_validate(ended["result"])


class Tasks(ClientExtension):
    """The tasks extension."""

    identifier = TASKS

    def claims(self) -> list[ResultClaim[TaskStarted]]:
        return [ResultClaim(result_type="task", model=TaskStarted, resolve=finish)]


def target() -> Any:
    if JOB["transport"] == "stdio":
        return StdioServerParameters(command=JOB["command"], args=["mcp", "serve"], env=dict(os.environ))
    return sse_client(JOB["url"]) if JOB["transport"] == "sse" else JOB["url"]


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def task(client: Client, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Runs a slow call as a task. This SDK supports tasks on protocol 2026-07-28 only."""
    if client.protocol_version != MODERN:
        return None
    result = await client.call_tool("ax_wait_idle", arguments)
    return {"states": states, "data": result.structured_content}


async def wait_for_update(client: Client, uri: str, act: Any) -> str:
    """Subscribes, acts, and waits for the update."""
    if client.protocol_version != MODERN:
        await client.subscribe_resource(uri)
        await act()
        update = await asyncio.wait_for(updates.get(), 30)
        await client.unsubscribe_resource(uri)
        return update
    async with client.listen(resource_subscriptions=[uri]) as events:
        await act()
        return (await asyncio.wait_for(anext(events), 30)).uri


async def run_session(client: Client) -> dict[str, Any]:
    has = client.server_capabilities.model_dump(by_alias=True, exclude_none=True)
    report: dict[str, Any] = {"version": client.protocol_version, "has": list(has)}
    report["server"] = client.server_info.name

    async def ok(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, f"{name}: {text_of(result)}"
        return result

    report["tools"] = [tool.name for tool in (await client.list_tools()).tools]
    report["resources"] = [str(one.uri) for one in (await client.list_resources()).resources]
    templates = (await client.list_resource_templates()).resource_templates
    report["templates"] = [template.uri_template for template in templates]
    report["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
    prompt = await client.get_prompt("navigate-to", {"app_name": "editor", "destination": "Preferences"})
    report["prompt"] = len(prompt.messages)
    format_of = types.PromptReference(name="extract-data", type="ref/prompt")
    completed = await client.complete(format_of, {"name": "output_format", "value": "js"})
    report["completed"] = completed.completion.values

    editor = {"app": "editor"}
    field = {**editor, "query": JOB["field"]}
    connected = await ok("ax_connect", {"app": JOB["editor"], "alias": "editor"})
    report["connected"] = connected.structured_content
    report["outline"] = text_of(await ok("ax_get_tree", editor))
    picture = await ok("ax_screenshot", editor)
    report["picture"] = [block.mime_type for block in picture.content if block.type == "image"]

    state = f"deskhand://app/{JOB['editor']}/state"
    report["read"] = json.loads((await client.read_resource(state)).contents[0].text)

    async def typing() -> None:
        report["typed"] = (await ok("ax_type", {**field, "text": JOB["text"]})).structured_content

    report["updated"] = await wait_for_update(client, state, typing)
    asserted = await ok("ax_assert", {**field, "assertions": {"contains_text": JOB["text"]}})
    report["asserted"] = asserted.structured_content
    saved = await ok("ax_key_press", {**editor, "key": "s", "modifiers": ["ctrl"]})
    report["saved"] = saved.structured_content

    refused = await client.call_tool("ax_find", {**editor, "query": "no such thing anywhere"})
    report["refused"] = {"isError": refused.is_error, "words": text_of(refused)}

    long = {**editor, "timeout_ms": 120_000, "poll_ms": 10_000}
    calls = [asyncio.create_task(client.call_tool("ax_wait_idle", long)) for _ in range(MAX_CONCURRENT_CALLS)]
    await asyncio.sleep(0.3)
    for call in calls:
        call.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    report["withdrawn"] = [
        "withdrawn" if isinstance(one, asyncio.CancelledError) else "answered" for one in ended
    ]
    started_at = time.monotonic()
    report["after"] = (await ok("ax_session_info", {})).structured_content
    report["waited_ms"] = int((time.monotonic() - started_at) * 1000)

    report["chosen"] = (await ok("ax_connect", {"app": JOB["twins"]})).structured_content
    report["asked"] = asked
    report["task"] = await task(client, {**editor, "timeout_ms": 60_000, "poll_ms": 800})
    return report


async def main() -> None:
    era = JOB["era"]
    extensions = None if era == "legacy" else [Tasks()]
    async with Client(
        target(), mode=era, elicitation_callback=answer, message_handler=on_message, extensions=extensions
    ) as client:
        report = await run_session(client)
    print(json.dumps(report))


asyncio.run(main())
