"""pluggy: plugins that implement one hook of a specification."""

import pluggy
from measure import COUNTS, TEXT, Sitting, other

spec = pluggy.HookspecMarker("bench")
impl = pluggy.HookimplMarker("bench")


class Spec:
    @spec
    def before_tool(self, name, args):
        """Before a tool runs."""

    @spec
    def elsewhere(self):
        """Another point."""


class Pass:
    @impl
    def before_tool(self, name, args):
        pass


class Write:
    @impl
    def before_tool(self, name, args):
        args["query"] = other(args["query"])


class Elsewhere:
    @impl
    def elsewhere(self):
        pass


def before_tool(plugin, n):
    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for _ in range(n):
        manager.register(plugin())
    args = {"query": TEXT}
    return lambda: manager.hook.before_tool(name="lookup", args=args)


sitting = Sitting("pluggy", "pluggy", "sync")
for n in COUNTS:
    sitting.call("pass", "hook call", n, before_tool(Pass, n))
    sitting.call("write", "hook call", n, before_tool(Write, n))
    sitting.call("unmatched", "all at another point", n, before_tool(Elsewhere, n))
sitting.run()
