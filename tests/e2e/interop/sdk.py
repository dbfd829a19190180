"""The Python SDK: the same loop as the clients in JavaScript, in both eras, over every transport."""

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
# Calls that run at once in the server: the next one has to wait for the end of one of them.
AT_ONCE = 10
asked: list[str] = []
states: list[str] = []
updates: asyncio.Queue[str] = asyncio.Queue()


async def answer(_context: Any, question: Any) -> types.ElicitResult:
    """A question about apps is answered with the one that is meant; all others are declined."""
    asked.append(question.message)
    if "app" in question.requested_schema.get("properties", {}):
        return types.ElicitResult(action="accept", content={"app": JOB["twin"]})
    return types.ElicitResult(action="decline")


async def heard(message: Any) -> None:
    if isinstance(message, types.ResourceUpdatedNotification):
        await updates.put(message.params.uri)


class Shapeless(types.Result):
    """A result of any shape."""

    model_config = {"extra": "allow"}


class Started(Shapeless):
    """What a server of the later era answers when a call became a task."""

    result_type: Literal["task"] = "task"


class OfTask(types.Request[dict[str, Any], str]):
    """A request about one task."""

    name_param = "taskId"


async def poll(session: Any, task: str) -> dict[str, Any]:
    """Asks until a task has ended."""
    while True:
        request = OfTask(method="tasks/get", params={"taskId": task})
        now = (await session.send_request(request, Shapeless)).model_dump(by_alias=True)
        states.append(now["status"])
        if now["status"] not in ("working", "input_required"):
            return now
        await asyncio.sleep(0.2)


async def finish(started: Started, context: Any) -> types.CallToolResult:
    ended = await poll(context.session, started.model_dump(by_alias=True)["taskId"])
    return types.CallToolResult.model_validate(ended["result"])


class Tasks(ClientExtension):
    """The extension for tasks."""

    identifier = TASKS

    def claims(self) -> list[ResultClaim[Started]]:
        return [ResultClaim(result_type="task", model=Started, resolve=finish)]


def target() -> Any:
    if JOB["transport"] == "stdio":
        return StdioServerParameters(command=JOB["command"], args=["mcp", "serve"], env=dict(os.environ))
    return sse_client(JOB["url"]) if JOB["transport"] == "sse" else JOB["url"]


def words(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def task(client: Client, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """A call that takes longer than a moment; this SDK knows tasks of the later era alone."""
    if client.protocol_version != MODERN:
        return None
    result = await client.call_tool("ax_wait_idle", arguments)
    return {"states": states, "data": result.structured_content}


async def hears(client: Client, uri: str, act: Any) -> str:
    """Subscribes, acts, and waits for the news."""
    if client.protocol_version != MODERN:
        await client.subscribe_resource(uri)
        await act()
        news = await asyncio.wait_for(updates.get(), 30)
        await client.unsubscribe_resource(uri)
        return news
    async with client.listen(resource_subscriptions=[uri]) as events:
        await act()
        return (await asyncio.wait_for(anext(events), 30)).uri


async def walk(client: Client) -> dict[str, Any]:
    has = client.server_capabilities.model_dump(by_alias=True, exclude_none=True)
    seen: dict[str, Any] = {"version": client.protocol_version, "has": list(has)}
    seen["server"] = client.server_info.name

    async def ok(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        result = await client.call_tool(name, arguments)
        assert not result.is_error, f"{name}: {words(result)}"
        return result

    seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
    seen["resources"] = [str(one.uri) for one in (await client.list_resources()).resources]
    templates = (await client.list_resource_templates()).resource_templates
    seen["templates"] = [template.uri_template for template in templates]
    seen["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
    prompt = await client.get_prompt("navigate-to", {"app_name": "editor", "destination": "Preferences"})
    seen["prompt"] = len(prompt.messages)
    format_of = types.PromptReference(name="extract-data", type="ref/prompt")
    completed = await client.complete(format_of, {"name": "output_format", "value": "js"})
    seen["completed"] = completed.completion.values

    editor = {"app": "editor"}
    field = {**editor, "query": JOB["field"]}
    connected = await ok("ax_connect", {"app": JOB["editor"], "alias": "editor"})
    seen["connected"] = connected.structured_content
    seen["outline"] = words(await ok("ax_get_tree", editor))
    picture = await ok("ax_screenshot", editor)
    seen["picture"] = [block.mime_type for block in picture.content if block.type == "image"]

    state = f"deskhand://app/{JOB['editor']}/state"
    seen["read"] = json.loads((await client.read_resource(state)).contents[0].text)

    async def typing() -> None:
        seen["typed"] = (await ok("ax_type", {**field, "text": JOB["text"]})).structured_content

    seen["updated"] = await hears(client, state, typing)
    asserted = await ok("ax_assert", {**field, "assertions": {"contains_text": JOB["text"]}})
    seen["asserted"] = asserted.structured_content
    saved = await ok("ax_key_press", {**editor, "key": "s", "modifiers": ["ctrl"]})
    seen["saved"] = saved.structured_content

    refused = await client.call_tool("ax_find", {**editor, "query": "no such thing anywhere"})
    seen["refused"] = {"isError": refused.is_error, "words": words(refused)}

    long = {**editor, "timeout_ms": 120_000, "poll_ms": 10_000}
    calls = [asyncio.create_task(client.call_tool("ax_wait_idle", long)) for _ in range(AT_ONCE)]
    await asyncio.sleep(0.3)
    for call in calls:
        call.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    seen["withdrawn"] = [
        "withdrawn" if isinstance(one, asyncio.CancelledError) else "answered" for one in ended
    ]
    begun = time.monotonic()
    seen["after"] = (await ok("ax_session_info", {})).structured_content
    seen["waited_ms"] = int((time.monotonic() - begun) * 1000)

    seen["chosen"] = (await ok("ax_connect", {"app": JOB["twins"]})).structured_content
    seen["asked"] = asked
    seen["task"] = await task(client, {**editor, "timeout_ms": 60_000, "poll_ms": 800})
    return seen


async def main() -> None:
    era = JOB["era"]
    extensions = None if era == "legacy" else [Tasks()]
    async with Client(
        target(), mode=era, elicitation_callback=answer, message_handler=heard, extensions=extensions
    ) as client:
        seen = await walk(client)
    print(json.dumps(seen))


asyncio.run(main())
