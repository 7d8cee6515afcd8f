"""google-adk: plugins of a manager, before a tool call."""

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from measure import COUNTS, TEXT, Sitting, other


class Pass(BasePlugin):
    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        return None


class Write(BasePlugin):
    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        tool_args["query"] = other(tool_args["query"])


class Elsewhere(BasePlugin):
    """This point it leaves to the base class."""


def run(plugin, n):
    manager = PluginManager(plugins=[plugin(name=f"plugin_{number}") for number in range(n)])
    arguments = {"query": TEXT}
    return lambda: manager.run_before_tool_callback(tool=None, tool_args=arguments, tool_context=None)


sitting = Sitting("google-adk", "google-adk", "async")
for n in COUNTS:
    sitting.awaited("pass", "run_before_tool_callback", n, run(Pass, n))
    sitting.awaited("write", "run_before_tool_callback", n, run(Write, n))
    sitting.awaited("unmatched", "all at another point", n, run(Elsewhere, n))
sitting.run()
