use super::Issue;

/// Configuration that is valid but suspicious. Returned by [`HookSet::audit`](crate::HookSet::audit) and
/// [`Registry::audit`](crate::Registry::audit).
pub type Finding = Issue<FindingKind>;

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A prompt's list omits a gate that its agent's list names, or an agent runs without a gate of its caller.
    DroppedGate,
    /// A prompt's list omits a hook that its agent's list names, or an agent runs without a hook of its caller, and this
    /// hook is `locked` or has an `on_failure` other than `continue`.
    DroppedGuard,
    /// A list names a hook that is disabled.
    DisabledHook,
    /// A plugin failed to start.
    PluginFailed,
    /// A plugin is linked but not installed.
    PluginNotInstalled,
    /// An installed plugin has no hooks.
    PluginWithoutHooks,
    /// An installed plugin was not started: its `init` hooks have not run.
    PluginNotStarted,
    /// A gate may allow an input that a later hook rewrites; the allow then lapses.
    AllowBeforeRewrite,
    /// A declared list is empty, and so is the app's list.
    EmptyScope,
    /// A set was made before the latest change to the registry, or by another registry.
    OutdatedSet,
    /// A plugin is installed for an agent to which none of the sets belongs.
    PluginForNoAgent,
    /// None of the audited lists names the hook.
    UnnamedHook,
    /// Neither the scope nor the app declares a list that names a hook.
    UndeclaredScope,
    /// A hook runs at a kind that this program never fires. Reported only if the program declares what it fires with
    /// [`fires!`](crate::fires).
    NeverFired,
    /// A hook filters by a field that this program never fills.
    NeverFilled,
    /// A filter matches none of the harness's values. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    MatchesNothing,
    /// The program does not declare what it fires, so hooks at kinds that never fire cannot be detected. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    FiresNotDeclared,
    /// A hook filters by `tool`, and the facts do not name the tools. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    ToolsNotKnown,
    /// A hook in force rewrites, and its `on_failure` is not written: if it fails, what it should rewrite passes
    /// unchanged. Reported by [`Registry::audit_with`](crate::Registry::audit_with).
    RewriteWithoutPolicy,
    /// A hook in force takes a state of the app that the context of the harness does not hold, or the context is not
    /// known. Reported by [`Registry::audit_with`](crate::Registry::audit_with).
    MissingState,
    /// The program is built with `panic = "abort"`, so a hook that panics ends it. Reported by
    /// [`Registry::audit_with`](crate::Registry::audit_with).
    PanicAborts,
    /// Questions to people outlive the process, and the conversations do not. Reported by the turn loop of `hooks-agent`.
    VolatileStore,
    /// A finding is [accepted](crate::diagnostics::HarnessFacts::accept) that does not exist.
    AcceptedNothing,
}
