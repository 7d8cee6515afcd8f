use super::Reported;

/// Something in a scope that is legal, but suspicious. Reported by [`HookSet::audit`](crate::HookSet::audit) and
/// [`Registry::audit`](crate::Registry::audit).
pub type Finding = Reported<FindingKind>;

/// What is suspicious.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// A prompt's list leaves a gate of its agent out.
    DroppedGate,
    /// A prompt's list leaves out a hook of its agent that is no gate, and that nothing is to happen without.
    DroppedGuard,
    /// A list names a hook that is disabled.
    DisabledHook,
    /// A plugin could not be started.
    PluginFailed,
    /// A plugin is linked, and nobody installs it.
    PluginNotInstalled,
    /// A plugin is installed that has no hooks.
    PluginWithoutHooks,
    /// A plugin is installed whose `init` hooks have not run.
    PluginNotStarted,
    /// A gate may allow what a later hook then changes.
    AllowBeforeRewrite,
    /// A declared list is empty, and so is the app's.
    EmptyScope,
    /// A set is older than what the registry holds.
    OutdatedSet,
    /// A plugin is installed for an agent that none of the sets is of.
    PluginForNoAgent,
    /// No list of those that were looked at names a hook.
    UnnamedHook,
    /// Neither the scope nor the app declares a list that names a hook.
    UndeclaredScope,
    /// A hook is at a kind that this program never fires. Told where the program declares what it fires.
    NeverFired,
    /// A hook filters by a field that this program never fills.
    NeverFilled,
    /// A filter can match nothing of what the harness has. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    MatchesNothing,
    /// The program does not declare what it fires, so hooks at kinds that nothing fires are not found. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    FiresNotDeclared,
}
