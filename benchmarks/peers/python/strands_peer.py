"""strands-agents: callbacks of a registry, before a tool call."""

from measure import COUNTS, TEXT, Sitting, other
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent, HookRegistry


async def nothing(event: BeforeToolCallEvent) -> None:
    pass


def plain_nothing(event: BeforeToolCallEvent) -> None:
    pass


async def write(event: BeforeToolCallEvent) -> None:
    arguments = event.tool_use["input"]
    arguments["query"] = other(arguments["query"])


def invoke(callback, n, event_type=BeforeToolCallEvent):
    registry = HookRegistry()
    for _ in range(n):
        registry.add_callback(event_type, callback)
    tool_use = {"toolUseId": "call_1", "name": "lookup", "input": {"query": TEXT}}
    event = BeforeToolCallEvent(agent=None, selected_tool=None, tool_use=tool_use, invocation_state={})
    return lambda: registry.invoke_callbacks_async(event)


sitting = Sitting("strands-agents", "strands-agents", "async")
for n in COUNTS:
    sitting.awaited("pass", "async callbacks", n, invoke(nothing, n))
    sitting.awaited("pass", "plain callbacks", n, invoke(plain_nothing, n))
    sitting.awaited("write", "async callbacks", n, invoke(write, n))
    sitting.awaited("unmatched", "all at another point", n, invoke(nothing, n, AfterToolCallEvent))
sitting.run()
