use super::{FindingKind, Issue};

/// One error in a registry, a list or an override, found before the first hook runs.
pub type Problem = Issue<ProblemKind>;

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// An id is malformed.
    BadId,
    /// An option of a hook that was built as a value does not fit the hook.
    BadOption,
    /// The hooks of a group run at the same kind or take different parameters, or there are none.
    BadGroup,
    /// Two hooks have the same id.
    DuplicateId,
    /// A function in `hooks![…]` is not annotated with `#[hook]`.
    NotAHook,
    /// A list names a hook that is not registered.
    UnknownHook,
    /// A list names a hook twice.
    NamedTwice,
    /// A list passes parameters to a hook that takes none.
    NoParameters,
    /// A list passes invalid parameters to a hook, or omits required ones.
    BadParameters,
    /// An agent's or prompt's list passes parameters to a hook that the app's list names too.
    ParametersOfApp,
    /// An agent's or prompt's list names a hook of a kind that fires outside of turns.
    OutsideTurn,
    /// An `after`, `before` or `requires` names a hook that is not registered.
    UnknownConstraint,
    /// An `after`, `before` or `requires` names a hook that runs at another kind.
    ConstraintElsewhere,
    /// A hook that is named in `requires` is not in the scope.
    MissingRequirement,
    /// Ordering constraints form a cycle.
    Cycle,
    /// A hook must run after a detached or background hook, which no dispatch waits for.
    WaitsForDetached,
    /// A background hook is in force, but the registry has no sink for its jobs.
    NoBackground,
    /// Two kinds have the same name, and both have hooks in one scope.
    KindNameTwice,
    /// A plugin's name is malformed.
    BadPluginName,
    /// Two plugins have the same name.
    PluginTwice,
    /// One crate declares two plugins.
    PluginsOfOneCrate,
    /// A plugin is installed twice.
    InstalledTwice,
    /// The plugin to install does not exist.
    UnknownPlugin,
    /// A list names a hook of a plugin that is not installed.
    PluginMissing,
    /// A hook takes a state of the app that the context does not hold.
    MissingState,
    /// An override is invalid.
    BadOverride,
    /// A hook to enable, disable or replace is not registered.
    NoSuchHook,
    /// A finding that [`Registry::check`](crate::Registry::check) does not accept.
    Finding(FindingKind),
}
