//! The options of `#[hook]`. To add one, add a row here and its effect on a hook in the core.

use quote::quote;

use super::model::{OnFailure, Options, RunMode};
use super::values;
use crate::options::{Known, Words, core};

/// All options, in the order in which they are listed.
pub(crate) const OPTIONS: &[Known<Options>] = &[
    Known {
        name: "id",
        write: "id = \"redact_pii\"",
        elsewhere: &["name", "hook_id", "hook_name", "key", "label"],
        meaning: "the hook's id, in `snake_case`: a lower-case letter, then lower-case letters, digits and `_`",
        default: "required",
        read: |options, option, errors| options.id = values::id(option, errors),
    },
    Known {
        name: "kind",
        write: "kind = before_tool_call",
        elsewhere: &[
            "event",
            "events",
            "on",
            "hook",
            "hooks",
            "hook_type",
            "hook_event",
            "point",
            "phase",
            "type",
            "kinds",
        ],
        meaning: "a built-in kind in `snake_case`, a type with `#[derive(HookKind)]`, or a list of these",
        default: "required",
        read: |options, option, errors| options.kinds = Some(values::kinds(option, errors)),
    },
    Known {
        name: "priority",
        write: "priority = -10",
        elsewhere: &[
            "order",
            "stage",
            "enforce",
            "weight",
            "prio",
            "rank",
            "precedence",
            "tryfirst",
            "trylast",
            "position",
        ],
        meaning: "an `i32`; a lower number runs earlier",
        default: "0",
        read: |options, option, errors| options.priority = values::priority(option, errors).unwrap_or_default(),
    },
    Known {
        name: "after",
        write: "after = [\"redact_pii\"]",
        elsewhere: &["follows", "run_after", "runs_after"],
        meaning: "this hook runs after the hooks with these ids, if a list of the turn names them",
        default: "none",
        read: |options, option, errors| options.after = values::ids(option, errors),
    },
    Known {
        name: "before",
        write: "before = [\"redact_pii\"]",
        elsewhere: &["precedes", "run_before", "runs_before"],
        meaning: "this hook runs before the hooks with these ids, if a list of the turn names them",
        default: "none",
        read: |options, option, errors| options.before = values::ids(option, errors),
    },
    Known {
        name: "requires",
        write: "requires = [\"redact_pii\"]",
        elsewhere: &["depends_on", "depends", "dependencies", "deps", "needs", "require"],
        meaning: "like `after`, but if no list of the turn names such a hook, `registry.scope` returns an error",
        default: "none",
        read: |options, option, errors| options.requires = values::ids(option, errors),
    },
    Known {
        name: "timeout",
        write: "timeout = \"2s\"",
        elsewhere: &["deadline", "timeout_ms", "timeout_secs", "time_limit", "max_time"],
        meaning: "`\"250ms\"`, `\"2s\"`, `\"1m\"` or `none`; for an `async fn`, or with `blocking`",
        default: "30 s",
        read: |options, option, errors| options.timeout = values::timeout(option, errors).unwrap_or_default(),
    },
    Known {
        name: "on_failure",
        write: "on_failure = deny",
        elsewhere: &[
            "on_error",
            "fail_closed",
            "fail_open",
            "failure_policy",
            "error_policy",
            "required",
            "critical",
            "optional",
        ],
        meaning: "what happens if the hook fails: `continue`, `remove`, `deny` or `required`",
        default: "the kind's: `deny` on gates, `required` on `init`, otherwise `continue`",
        read: |options, option, errors| {
            options.on_failure = POLICIES.one(option, errors).map(|policy| (policy, option.value_span()));
        },
    },
    Known {
        name: "fallback",
        write: "fallback = path",
        elsewhere: &["default", "otherwise", "or_else"],
        meaning: "a function with the same signature that runs if the hook fails; if it fails too, `on_failure` applies",
        default: "none",
        read: |options, option, errors| {
            options.fallback = option.parse(errors, "the path of a function with the hook's signature");
        },
    },
    Known {
        name: "run",
        write: "run = detached",
        elsewhere: &["detached", "background", "inline", "spawn", "fire_and_forget"],
        meaning: "`inline`; `detached`: started as a task that the dispatch does not wait for; `background`: queued as a job, at kinds with `json`",
        default: "`inline`",
        read: |options, option, errors| {
            let mode = MODES.one(option, errors);
            let run = &mut options.run;
            (run.unknown, run.mode, run.place) = (mode.is_none(), mode.unwrap_or_default(), option.value_span());
        },
    },
    Known {
        name: "blocking",
        write: "blocking",
        elsewhere: &[],
        meaning: "runs a plain `fn` on another thread, with `timeout`, and with its own event and subject",
        default: "off",
        read: |options, option, errors| options.run.blocking = option.flag(errors).then(|| option.key.span()),
    },
    Known {
        name: "idempotent",
        write: "idempotent",
        elsewhere: &[],
        meaning: "the hook may safely run twice",
        default: "off",
        read: |options, option, errors| options.run.idempotent = option.flag(errors),
    },
    Known {
        name: "retries",
        write: "retries = 3",
        elsewhere: &["retry", "attempts", "max_retries", "max_attempts"],
        meaning: "how often a failed background run is retried; requires `idempotent`",
        default: "0",
        read: |options, option, errors| options.run.retries = values::retries(option, errors).unwrap_or_default(),
    },
    Known {
        name: "delay",
        write: "delay = \"10m\"",
        elsewhere: &["delay_ms", "delay_secs", "run_in", "eta", "countdown"],
        meaning: "how long after the dispatch a background run starts, as `\"250ms\"`, `\"2s\"` or `\"10m\"`; requires `run = background`",
        default: "none",
        read: |options, option, errors| {
            let millis = values::delay(option, errors);
            options.settings.extend(millis.map(|millis| quote!(.delayed(#millis))));
        },
    },
    Known {
        name: "mode",
        write: "mode = shadow",
        elsewhere: &["shadow", "dry_run", "audit_only", "log_only", "report_only", "monitor", "enforcement"],
        meaning: "`enforce`; `shadow`: the hook runs and is recorded, but its answer, changes and failures have no effect",
        default: "`enforce`",
        read: |options, option, errors| {
            let Some(variant) = HOOK_MODES.one(option, errors) else { return };
            options.run.shadow = (variant == "Shadow").then(|| option.value_span());
            let variant = values::variant(variant, option);
            options.settings.extend(quote!(.in_mode(__hook_sdk::HookMode::#variant)));
        },
    },
    Known {
        name: "on_replay",
        write: "on_replay = skip",
        elsewhere: &["replay", "pure", "side_effects", "replayable"],
        meaning: "`run`; `skip`: a replay does not run the hook, because it has external effects",
        default: "`run`",
        read: |options, option, errors| {
            let Some(variant) = ON_REPLAY.one(option, errors) else { return };
            let variant = values::variant(variant, option);
            options.settings.extend(quote!(.in_replay(__hook_sdk::OnReplay::#variant)));
        },
    },
    Known {
        name: "hold",
        write: "hold = 200",
        elsewhere: &["hold_back", "buffer", "window", "lookahead"],
        meaning: "how much of a stream is held back for the hook, at `stream_delta`: a number of characters, or `\"sentence\"`",
        default: "nothing",
        read: |options, option, errors| {
            let hold = values::hold(option, errors);
            options.settings.extend(hold.map(|hold| quote!(.holding(__hook_sdk::Hold::#hold))));
        },
    },
    Known {
        name: "plugin",
        write: "plugin = \"acme\"",
        elsewhere: &[],
        meaning: "the name of the hook's plugin",
        default: "the plugin that `plugin!` declares for the crate",
        read: |options, option, errors| options.plugin = values::plugin(option, errors),
    },
    Known {
        name: "locked",
        write: "locked",
        elsewhere: &[],
        meaning: "overrides of an operator can neither disable the hook nor change its options",
        default: "off",
        read: |options, option, errors| options.locked = option.flag(errors),
    },
    Known {
        name: "visibility",
        write: "visibility = user_visible",
        elsewhere: &[],
        meaning: "the intended audience: `internal`, `debug`, `user_audit` or `user_visible`; shown in plans, records and the manifest",
        default: "`internal`",
        read: |options, option, errors| {
            let variant = VISIBILITIES.one(option, errors).map(|variant| values::variant(variant, option));
            options.settings.extend(variant.map(|variant| quote!(.visible(__hook_sdk::Visibility::#variant))));
        },
    },
    Known {
        name: "capabilities",
        write: "capabilities = [policy, audit]",
        elsewhere: &[],
        meaning: "what the hook may contribute, for example `[policy, prompt_context]`; any other contribution is a failure of the hook",
        default: "everything that the kind offers",
        read: |options, option, errors| options.capabilities = values::capabilities(option, errors),
    },
    Known {
        name: "crate",
        write: "crate = ::my_hooks",
        elsewhere: &[],
        meaning: "the path of `hook-sdk`, if it has another name",
        default: "`::hook_sdk`",
        read: |options, option, errors| options.core = core(option, errors),
    },
];

/// Words that are not options, with their equivalents.
pub(crate) const NO_OPTIONS: &[(&[&str], &str)] = &[
    (
        &["matcher", "pattern", "filter", "filters", "only", "match", "matches", "tools", "tool_name", "tool_names"],
        "a field of the kind with patterns: `tool = \"read_*|write_*\"`",
    ),
    (
        &["if", "when", "condition", "predicate", "enabled_if"],
        "an `if` in the function, or a field of the kind with patterns: `tool = \"cancel_*\"`",
    ),
    (&["async", "is_async"], "`async fn`"),
    (&["description", "doc", "help", "about"], "the doc comment of the function"),
    (
        &["enabled", "disabled", "active"],
        "up to the lists: a hook runs if a list names it, and `Registry::disable` disables it",
    ),
    (&["agent", "agents", "prompt", "prompts", "scope"], "up to the lists: an agent or a prompt names the hook's id"),
];

const POLICIES: Words<OnFailure> = Words {
    known: &[
        ("continue", OnFailure::Continue),
        ("remove", OnFailure::Remove),
        ("deny", OnFailure::Deny),
        ("required", OnFailure::Required),
    ],
    elsewhere: &[
        (&["fail_closed", "closed", "block", "reject", "forbid", "refuse"], "deny"),
        (&["fail_open", "open", "ignore", "skip", "log", "warn", "allow", "best_effort"], "continue"),
        (&["abort", "error", "fail", "raise", "panic", "stop", "throw", "propagate"], "required"),
        (&["drop", "discard", "delete", "filter", "none"], "remove"),
    ],
};

const MODES: Words<RunMode> = Words {
    known: &[("inline", RunMode::Inline), ("detached", RunMode::Detached), ("background", RunMode::Background)],
    elsewhere: &[
        (&["async", "spawn", "fire_and_forget", "parallel"], "detached"),
        (&["queue", "queued", "job", "worker"], "background"),
        (&["sync", "blocking"], "inline"),
    ],
};

/// The modes: the word, and the variant of `hook_sdk::hook::HookMode`.
const HOOK_MODES: Words<&str> = Words {
    known: &[("enforce", "Enforce"), ("shadow", "Shadow")],
    elsewhere: &[
        (
            &["audit", "dry_run", "log", "log_only", "monitor", "observe", "permissive", "report", "report_only"],
            "shadow",
        ),
        (&["active", "block", "enforcing", "live"], "enforce"),
    ],
};

/// The replay behaviors: the word, and the variant of `hook_sdk::hook::OnReplay`.
const ON_REPLAY: Words<&str> = Words {
    known: &[("run", "Run"), ("skip", "Skip")],
    elsewhere: &[
        (&["ignore", "leave_out", "never", "no", "off", "stub", "mock"], "skip"),
        (&["always", "on", "pure", "yes"], "run"),
    ],
};

/// The visibilities: the word, and the variant of `hook_sdk::hook::Visibility`.
const VISIBILITIES: Words<&str> = Words {
    known: &[
        ("internal", "Internal"),
        ("debug", "Debug"),
        ("user_audit", "UserAudit"),
        ("user_visible", "UserVisible"),
    ],
    elsewhere: &[],
};

/// The capabilities: the word, and the variant of `hook_sdk::verdict::Capability`.
pub(crate) const CAPABILITIES: Words<&str> = Words {
    known: &[
        ("policy", "Policy"),
        ("prompt_context", "PromptContext"),
        ("prompt_section", "PromptSection"),
        ("tool_bundle", "ToolBundle"),
        ("prompt_manifest_diagnostic", "PromptManifestDiagnostic"),
        ("audit", "Audit"),
        ("background_job", "BackgroundJob"),
    ],
    elsewhere: &[],
};

/// The equivalent of another system's option `name`.
pub(crate) fn elsewhere(name: &str) -> Option<String> {
    let Some(known) = crate::options::elsewhere(OPTIONS, name) else {
        let found = NO_OPTIONS.iter().find(|(others, _)| others.contains(&name));
        return found.map(|(_, here)| (*here).to_owned());
    };
    let more = match known.name {
        "priority" => ", where lower runs earlier",
        "on_failure" => ", or `continue`, `remove` or `required`",
        "fallback" => ", the path of a function with the hook's signature",
        "run" if MODES.get(name).is_some() => return Some(format!("`run = {name}`")),
        _ => "",
    };
    Some(format!("`{}`{more}", known.write))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tests::{assert_answers, assert_documented};

    #[test]
    fn the_documentation_lists_every_option() {
        let field =
            "| a field of the kind, such as `tool` | patterns for its value: `\"fs_*\\|Bash\"` | every value |\n";
        assert_documented("hook/options.md", "Option", OPTIONS, field);
    }

    #[test]
    fn names_of_options_are_unambiguous_and_errors_contain_them() {
        assert_answers(OPTIONS, NO_OPTIONS, Options::default);
    }
}
