use super::Reported;

/// One thing that is wrong before the first hook runs.
pub type Problem = Reported<ProblemKind>;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// An id that is not one.
    BadId,
    /// An option of a hook made as a value that makes no sense there.
    BadOption,
    /// Two hooks with one id.
    DuplicateId,
    /// A function in `hooks![…]` without `#[hook]`.
    NotAHook,
    /// A list names a hook that is not there.
    UnknownHook,
    /// A list names a hook twice.
    NamedTwice,
    /// A list gives parameters to a hook that takes none.
    NoParameters,
    /// A list gives a hook parameters that it cannot read, or none where it needs some.
    BadParameters,
    /// A list gives parameters to a hook that the app's list names too.
    ParametersOfApp,
    /// An agent or a prompt names a hook of a kind that fires outside a turn.
    OutsideTurn,
    /// An `after`, `before` or `requires` names a hook that is not there.
    UnknownConstraint,
    /// An `after`, `before` or `requires` names a hook of another kind.
    ConstraintElsewhere,
    /// A hook's requirement is not in the scope.
    MissingRequirement,
    /// Hooks that wait for each other.
    Cycle,
    /// A hook would have to wait for one that no dispatch waits for.
    WaitsForDetached,
    /// A background hook is in force, and the registry has no place for its jobs.
    NoBackground,
    /// Two kinds with one name, of which hooks are in one scope.
    KindNameTwice,
    /// `on_failure = deny` at a kind that is no gate.
    PolicyNotOffered,
    /// A plugin's name that is none.
    BadPluginName,
    /// Two plugins have one name.
    PluginTwice,
    /// One crate declares itself to be two plugins.
    PluginsOfOneCrate,
    /// A plugin is installed a second time.
    InstalledTwice,
    /// Installing a plugin that is not there.
    UnknownPlugin,
    /// A list names a hook of a plugin that is not installed.
    PluginMissing,
    /// An override that cannot hold.
    BadOverride,
    /// Enabling, disabling or replacing a hook that is not there.
    NoSuchHook,
}
