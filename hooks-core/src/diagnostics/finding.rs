//! What is legal, but suspicious.

use super::ListOwner;
use crate::id::HookId;
use crate::source::Origin;
use crate::text::did_you_mean;

/// Something in a scope that is legal, but suspicious. Reported by [`HookSet::audit`](crate::HookSet::audit) and
/// [`Registry::audit`](crate::Registry::audit).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Finding {
    /// A prompt's list leaves a gate of its agent out.
    #[error(
        "{prompt} leaves out the gate `{hook}` ({origin}) of {agent}: its list replaces the agent's; name the gate there, or in the app's list"
    )]
    #[non_exhaustive]
    DroppedGate {
        /// The gate.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// Whose list it is in.
        agent: ListOwner,
        /// Whose list replaces that.
        prompt: ListOwner,
    },
    /// A prompt's list leaves out a hook of its agent that is no gate, and that nothing is to happen without.
    #[error(
        "{prompt} leaves out the hook `{hook}` ({origin}) of {agent}, which is `{why}`: its list replaces the agent's; name the hook there, or in the app's list"
    )]
    #[non_exhaustive]
    DroppedGuard {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// The option that says so.
        why: &'static str,
        /// Whose list it is in.
        agent: ListOwner,
        /// Whose list replaces that.
        prompt: ListOwner,
    },
    /// A list names a hook that is disabled.
    #[error("{owner} or the app names the hook `{hook}` ({origin}), which is disabled{} and skipped", by.as_ref().map(|layer| format!(" by `{layer}`")).unwrap_or_default())]
    #[non_exhaustive]
    DisabledHook {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// Whose list is in force beside the app's.
        owner: ListOwner,
        /// The layer of overrides that disables it; `None` where the app does.
        by: Option<String>,
    },
    /// A plugin could not be started.
    #[error("the guards of the plugin `{plugin}` refuse, and its other hooks are left out: {reason}")]
    #[non_exhaustive]
    PluginFailed {
        /// The plugin.
        plugin: String,
        /// Why: which hook failed, and what it said.
        reason: String,
    },
    /// A plugin is linked, and nobody installs it.
    #[error(
        "the plugin `{plugin}` is not installed, so its hooks never run ({hooks}); install it with `registry.install(\"{plugin}\")`"
    )]
    #[non_exhaustive]
    PluginNotInstalled {
        /// The plugin.
        plugin: String,
        /// Its hooks.
        hooks: String,
    },
    /// A plugin is installed that has no hooks.
    #[error("the plugin `{plugin}` ({origin}) is installed and has no hooks")]
    #[non_exhaustive]
    PluginWithoutHooks {
        /// The plugin.
        plugin: String,
        /// Where it is installed.
        origin: Origin,
    },
    /// A plugin is installed whose `init` hooks have not run.
    #[error("the plugin `{plugin}` ({origin}) has `init` hooks that have not run; call `registry.start_plugins(&cx)`")]
    #[non_exhaustive]
    PluginNotStarted {
        /// The plugin.
        plugin: String,
        /// Where it is installed.
        origin: Origin,
    },
    /// A gate may allow what a later hook then changes.
    #[error(
        "at `{kind}` the hook `{gate}` may allow what `{writer}` changes afterwards, and its allow then counts no longer; let `{gate}` run later, or say `after = [\"{gate}\"]` on `{writer}` if it is meant"
    )]
    #[non_exhaustive]
    AllowBeforeRewrite {
        /// The kind.
        kind: &'static str,
        /// The hook that may allow.
        gate: HookId,
        /// The hook that may change the subject later.
        writer: HookId,
    },
    /// A declared list is empty, and so is the app's.
    #[error("the list of {owner} is empty, and so is the app's: no hook runs")]
    #[non_exhaustive]
    EmptyScope {
        /// Whose list it is.
        owner: ListOwner,
    },
    /// A set is older than what the registry holds.
    #[error(
        "the hooks of {owner} were put together before the registry changed, and have nothing of what came after: hooks, plugins, overrides, observers, the app's list; call `registry.scope(…)` again"
    )]
    #[non_exhaustive]
    OutdatedSet {
        /// Whose list is in force beside the app's.
        owner: ListOwner,
    },
    /// A plugin is installed for an agent that none of the sets is of.
    #[error("the plugin `{plugin}` ({origin}) is installed for the agent `{agent}`, and no set is of an agent of that name{}", did_you_mean(.nearest))]
    #[non_exhaustive]
    PluginForNoAgent {
        /// The plugin.
        plugin: String,
        /// Where it is installed.
        origin: Origin,
        /// The agent that it names.
        agent: String,
        /// The names that were likely meant.
        nearest: Vec<String>,
    },
    /// No list of those that were looked at names a hook.
    #[error("no list names the hook `{hook}` ({origin}): it never runs")]
    #[non_exhaustive]
    UnnamedHook {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
    },
    /// Neither the scope nor the app declares a list that names a hook.
    #[error(
        "neither {owner} nor the app names a hook: no hook runs; give one of them a list, as in `\"hooks\": [\"an_id\"]`"
    )]
    #[non_exhaustive]
    UndeclaredScope {
        /// Whose list would be in force.
        owner: ListOwner,
    },
    /// A hook is at a kind that this program never fires. Told where the program declares what it fires.
    #[error(
        "the hook `{hook}` ({origin}) runs at `{kind}`, which this program never fires; fire it and declare so with `hooks_core::fires![{path}]`, or move the hook to a kind that is fired: {fired}"
    )]
    #[non_exhaustive]
    NeverFired {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// The kind.
        kind: &'static str,
        /// The path of the kind's type.
        path: String,
        /// The kinds that are fired.
        fired: String,
    },
    /// A filter can match nothing of what the harness has. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    #[error(
        "the hook `{hook}` ({origin}) runs at `{kind}` only where `{field}` is `{pattern}`, which it never is in this harness{}",
        did_you_mean(nearest)
    )]
    #[non_exhaustive]
    MatchesNothing {
        /// The hook.
        hook: HookId,
        /// Where it is.
        origin: Origin,
        /// The kind.
        kind: &'static str,
        /// The field of its event.
        field: &'static str,
        /// The pattern.
        pattern: String,
        /// What the harness has that is nearest to it.
        nearest: Vec<String>,
    },
    /// The program does not declare what it fires, so hooks at kinds that nothing fires are not found. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    #[error(
        "hooks at kinds that nothing fires are not looked for, because the program does not declare what it fires; write `hooks_core::fires![…]` next to the code that fires"
    )]
    FiresNotDeclared,
}
