"""LangChain: middleware that wraps a tool call, chained as `create_agent` chains it."""

from langchain.agents.factory import _chain_async_tool_call_wrappers
from langgraph.prebuilt.tool_node import ToolCallRequest
from measure import COUNTS, TEXT, Sitting, other


async def nothing(request, handler):
    return await handler(request)


async def write(request, handler):
    call = request.tool_call
    arguments = {**call["args"], "query": other(call["args"]["query"])}
    return await handler(request.override(tool_call={**call, "args": arguments}))


async def tool(request):
    return request


def chained(wrapper, n):
    chain = _chain_async_tool_call_wrappers([wrapper] * n)
    call = {"name": "lookup", "args": {"query": TEXT}, "id": "call_1", "type": "tool_call"}
    request = ToolCallRequest(tool_call=call, tool=None, state={}, runtime=None)
    return lambda: chain(request, tool)


sitting = Sitting("langchain", "langchain", "async")
for n in COUNTS[1:]:  # without middleware there is no chain
    sitting.awaited("pass", "wrap_tool_call", n, chained(nothing, n))
    sitting.awaited("write", "wrap_tool_call", n, chained(write, n))
sitting.run()
