use super::ListOwner;
use crate::id::HookId;
use crate::options::RunMode;
use crate::source::Origin;
use crate::text::did_you_mean;

/// One thing that is wrong before the first hook runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An id that is not one.
    #[error("{origin}: `{id}` is not an id: write a lower-case letter, then lower-case letters, digits and `_`")]
    #[non_exhaustive]
    BadId {
        /// The id.
        id: HookId,
        /// Where the hook is.
        origin: Origin,
    },
    /// An option of a hook made as a value that makes no sense there.
    #[error("{origin}: `{option}` of the hook `{id}` {problem}")]
    #[non_exhaustive]
    BadOption {
        /// The hook.
        id: HookId,
        /// The option.
        option: &'static str,
        /// What is wrong with it, and what to write instead.
        problem: String,
        /// Where the hook is.
        origin: Origin,
    },
    /// Two hooks with one id.
    #[error(
        "two hooks have the id `{id}`: {first} and {second}; rename one, or say `replace` if the second stands for the first"
    )]
    #[non_exhaustive]
    DuplicateId {
        /// The id.
        id: HookId,
        /// One of them.
        first: Origin,
        /// The other.
        second: Origin,
    },
    /// A function in `hooks![…]` without `#[hook]`.
    #[error(
        "{file}:{line}: `{path}` in `hooks![…]` is not a hook; put `#[hook(id = \"…\", kind = …)]` on the function"
    )]
    #[non_exhaustive]
    NotAHook {
        /// The path as it was written.
        path: String,
        /// The file.
        file: &'static str,
        /// The line.
        line: u32,
    },
    /// A list names a hook that is not there.
    #[error("{}{owner} names the hook `{id}`, which is not there{}{}", at(place.as_ref()), did_you_mean(nearest), LINKING)]
    #[non_exhaustive]
    UnknownHook {
        /// The id.
        id: HookId,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// The ids nearest to it.
        nearest: Vec<HookId>,
    },
    /// A list names a hook twice.
    #[error("{}{owner} names the hook `{id}` twice{}; keep one", at(second.as_ref()), first.as_ref().map(|place| format!(" (first at {place})")).unwrap_or_default())]
    #[non_exhaustive]
    NamedTwice {
        /// The id.
        id: HookId,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the first entry stands, where that is known.
        first: Option<String>,
        /// Where the second entry stands, where that is known.
        second: Option<String>,
    },
    /// A list gives parameters to a hook that takes none.
    #[error("{}{owner} gives parameters (`with`) to the hook `{id}` ({origin}), which takes none; leave `with` out", at(place.as_ref()))]
    #[non_exhaustive]
    NoParameters {
        /// The id.
        id: HookId,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// A list gives a hook parameters that it cannot read, or none where it needs some.
    #[error("{}{owner} {} the hook `{id}` ({origin}) {}: {cause}", at(place.as_ref()), if *.given { "gives" } else { "names" }, if *.given { "parameters (`with`) that it cannot read" } else { "without the parameters that it needs (`with`)" })]
    #[non_exhaustive]
    BadParameters {
        /// The id.
        id: HookId,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// Whether the list gives any.
        given: bool,
        /// What was expected.
        cause: String,
        /// Where the hook is.
        origin: Origin,
    },
    /// A list gives parameters to a hook that the app's list names too.
    #[error("{}{owner} gives parameters (`with`) to the hook `{id}` ({origin}), which the app's list names already; that one cannot be replaced: leave `with` out, or take the hook out of the app's list", at(place.as_ref()))]
    #[non_exhaustive]
    ParametersOfApp {
        /// The id.
        id: HookId,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// An agent or a prompt names a hook of a kind that fires outside a turn.
    #[error("{}{owner} names the hook `{id}` ({origin}), but `{kind}` fires outside a turn and reads the app's list alone; name it there", at(place.as_ref()))]
    #[non_exhaustive]
    OutsideTurn {
        /// The id.
        id: HookId,
        /// The kind.
        kind: &'static str,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// An `after`, `before` or `requires` names a hook that is not there.
    #[error(
        "{origin}: the hook `{id}` has `{option} = [\"{other}\"]`, but no hook has that id{}",
        did_you_mean(nearest)
    )]
    #[non_exhaustive]
    UnknownConstraint {
        /// The hook with the option.
        id: HookId,
        /// The option.
        option: &'static str,
        /// The id that no hook has.
        other: String,
        /// The ids nearest to it.
        nearest: Vec<HookId>,
        /// Where the hook with the option is.
        origin: Origin,
    },
    /// An `after`, `before` or `requires` names a hook of another kind.
    #[error(
        "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]`, but `{other}` ({other_origin}) does not run at `{kind}`"
    )]
    #[non_exhaustive]
    ConstraintElsewhere {
        /// The hook with the option.
        id: HookId,
        /// The option.
        option: &'static str,
        /// The other hook.
        other: String,
        /// The kind.
        kind: &'static str,
        /// Where the hook with the option is.
        origin: Origin,
        /// Where the other hook is.
        other_origin: Origin,
    },
    /// A hook's requirement is not in the scope.
    #[error("{}the hook `{id}` ({origin}) requires `{missing}`, which {}", at(place.as_ref()), if *.disabled { format!("is disabled; enable it, or disable `{id}` too") } else { format!("no list in force names; name it beside `{id}`") })]
    #[non_exhaustive]
    MissingRequirement {
        /// The hook.
        id: HookId,
        /// What it requires.
        missing: String,
        /// Whether it is named, but disabled.
        disabled: bool,
        /// Where the entry of the hook that requires it stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// Hooks that wait for each other.
    #[error(
        "at `{kind}` these hooks wait for each other: {}; take one `after`, `before` or `requires` away",
        spell(cycle)
    )]
    #[non_exhaustive]
    Cycle {
        /// The kind.
        kind: &'static str,
        /// Each waits for the one before it, and the first for the last.
        cycle: Vec<(HookId, Origin)>,
    },
    /// A hook would have to wait for one that no dispatch waits for.
    #[error(
        "{origin}: the hook `{id}` at `{kind}` has `{option} = [\"{other}\"]` ({other_origin}), so `{waiting}` would wait for `{detached}`, which no dispatch waits for (`run = {mode}`); take the `{option}` away, or let `{detached}` run inline"
    )]
    #[non_exhaustive]
    WaitsForDetached {
        /// The kind.
        kind: &'static str,
        /// The hook with the option.
        id: HookId,
        /// The option.
        option: &'static str,
        /// The hook that the option names.
        other: HookId,
        /// Of the two the one that would wait.
        waiting: HookId,
        /// Of the two the one that no dispatch waits for.
        detached: HookId,
        /// Why nobody does.
        mode: RunMode,
        /// Where the hook with the option is.
        origin: Origin,
        /// Where the other hook is.
        other_origin: Origin,
    },
    /// A background hook is in force, and the registry has no place for its jobs.
    #[error("{}the hook `{id}` ({origin}) says `run = background`, and this registry has nowhere to put its jobs; call `Worker::new().start(&registry)` or `registry.set_background(…)` before the set is made", at(place.as_ref()))]
    #[non_exhaustive]
    NoBackground {
        /// The hook.
        id: HookId,
        /// Where the entry that names it stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// Two kinds with one name, of which hooks are in one scope.
    #[error(
        "two kinds are called `{kind}`: the hooks `{first}` ({first_origin}) and `{second}` ({second_origin}) are at different types of that name; rename one in its `#[hook_kind(name = …)]`"
    )]
    #[non_exhaustive]
    KindNameTwice {
        /// The name.
        kind: &'static str,
        /// A hook of the one kind.
        first: HookId,
        /// Where it is.
        first_origin: Origin,
        /// A hook of the other.
        second: HookId,
        /// Where it is.
        second_origin: Origin,
    },
    /// `on_failure = deny` at a kind that is no gate.
    #[error("{origin}: the hook `{id}` has `on_failure = {policy}`, which `{kind}` does not offer")]
    #[non_exhaustive]
    PolicyNotOffered {
        /// The hook.
        id: HookId,
        /// The policy.
        policy: &'static str,
        /// The kind.
        kind: &'static str,
        /// Where the hook is.
        origin: Origin,
    },
    /// A plugin's name that is none.
    #[error(
        "{origin}: `{plugin}` is no name of a plugin: write a lower-case letter, then lower-case letters, digits and `_`"
    )]
    #[non_exhaustive]
    BadPluginName {
        /// The name.
        plugin: String,
        /// Where it is installed.
        origin: Origin,
    },
    /// Two plugins have one name.
    #[error("two plugins have the name `{plugin}`: {first} and {second}; rename one")]
    #[non_exhaustive]
    PluginTwice {
        /// The name.
        plugin: String,
        /// One of them.
        first: Origin,
        /// The other.
        second: Origin,
    },
    /// One crate declares itself to be two plugins.
    #[error(
        "one crate is two plugins, `{first}` ({first_origin}) and `{second}` ({second_origin}); keep one `plugin!`, and say `plugin = \"…\"` on the hooks of the other"
    )]
    #[non_exhaustive]
    PluginsOfOneCrate {
        /// The one.
        first: &'static str,
        /// Where it is declared.
        first_origin: Origin,
        /// The other.
        second: &'static str,
        /// Where it is declared.
        second_origin: Origin,
    },
    /// A plugin is installed a second time.
    #[error("{second}: the plugin `{plugin}` is installed already ({first}); install it once, or uninstall it before")]
    #[non_exhaustive]
    InstalledTwice {
        /// The name.
        plugin: String,
        /// Where it was installed.
        first: Origin,
        /// Where it is installed again.
        second: Origin,
    },
    /// Installing a plugin that is not there.
    #[error("{origin}: there is no plugin `{plugin}`{nearest}{}", LINKING_PLUGIN)]
    #[non_exhaustive]
    UnknownPlugin {
        /// The name.
        plugin: String,
        /// The names nearest to it, as a question.
        nearest: String,
        /// Where it is installed.
        origin: Origin,
    },
    /// A list names a hook of a plugin that is not installed.
    #[error("{}{owner} names the hook `{id}` ({origin}) of the plugin `{plugin}`, which is not installed; install it with `registry.install(\"{plugin}\")`", at(place.as_ref()))]
    #[non_exhaustive]
    PluginMissing {
        /// The hook.
        id: HookId,
        /// Its plugin.
        plugin: String,
        /// Whose list it is in.
        owner: ListOwner,
        /// Where the entry stands, where that is known.
        place: Option<String>,
        /// Where the hook is.
        origin: Origin,
    },
    /// An override that cannot hold.
    #[error("{at}: {problem}")]
    #[non_exhaustive]
    BadOverride {
        /// Where: file, line and column, or the layer's name.
        at: String,
        /// What is wrong, and what to write instead.
        problem: String,
    },
    /// Enabling, disabling or replacing a hook that is not there.
    #[error("there is no hook `{id}`{}", did_you_mean(nearest))]
    #[non_exhaustive]
    NoSuchHook {
        /// The id.
        id: HookId,
        /// The ids nearest to it.
        nearest: Vec<HookId>,
    },
}

const LINKING: &str = " (the hooks of a dependency that no code names are not linked: write `use that_crate as _;`)";

const LINKING_PLUGIN: &str = " (a dependency that no code names is not linked: write `use that_crate as _;`)";

fn at(place: Option<&String>) -> String {
    place.map(|place| format!("{place}: ")).unwrap_or_default()
}

/// The hooks of a cycle with their places, back to the first.
fn spell(cycle: &[(HookId, Origin)]) -> String {
    let steps: Vec<String> = cycle.iter().map(|(id, origin)| format!("`{id}` ({origin})")).collect();
    let first = cycle.first().map(|(id, _)| format!("`{id}`")).unwrap_or_default();
    format!("{} -> {first}", steps.join(" -> "))
}
