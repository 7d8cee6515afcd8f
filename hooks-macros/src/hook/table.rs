//! The options of `#[hook]`. To add one that only the core uses, add a row here, and a field with the same name to
//! `hook_sdk::hook::Options`.

use quote::quote;

use super::model::Hook;
use super::values;
use super::words::{MODES, ON_REPLAY, POLICIES, RUN_MODES, VISIBILITIES};
use crate::names;
use crate::options::{self, Known};
use crate::private::Core;

/// All options, in the order in which they are listed.
pub(crate) const OPTIONS: &[Known<Hook>] = &[
    Known {
        write: "id = \"redact_pii\"",
        elsewhere: "name hook_id hook_name key label",
        meaning: "the hook's id, in `snake_case`: a lower-case letter, then lower-case letters, digits and `_`",
        default: "the name of the function",
        read: |hook, option, errors| hook.id = values::name("an id", option, errors),
    },
    Known {
        write: "group = mask_pii",
        elsewhere: "groups set bundle family",
        meaning: "in place of `id`: the group that the function belongs to, declared with [`group!`](https://docs.rs/hook-sdk/latest/hook_sdk/macro.group.html)",
        default: "none",
        read: |hook, option, errors| {
            hook.group = option.parse(errors, "the path of a group, which `hook_sdk::group!` declares");
        },
    },
    Known {
        write: "kind = before_tool_call",
        elsewhere: "event events on hook hooks hook_type hook_event point phase type kinds",
        meaning: "a built-in kind in `snake_case`, a type with `#[derive(HookKind)]`, or a list of these",
        default: "required",
        read: |hook, option, errors| hook.kinds = values::kinds(option, errors),
    },
    Known {
        write: "priority = -10",
        elsewhere: "order stage enforce weight prio rank precedence tryfirst trylast position",
        meaning: "an `i32`; a lower number runs earlier",
        default: "0",
        read: |hook, option, errors| {
            hook.set(option, values::number(&(i32::MIN..=i32::MAX), "priority = -10", option, errors));
        },
    },
    Known {
        write: "after = [\"redact_pii\"]",
        elsewhere: "follows run_after runs_after",
        meaning: "this hook runs after the hooks with these ids, if a list of the turn names them",
        default: "none",
        read: |hook, option, errors| hook.after = values::ids(option, errors),
    },
    Known {
        write: "before = [\"redact_pii\"]",
        elsewhere: "precedes run_before runs_before",
        meaning: "this hook runs before the hooks with these ids, if a list of the turn names them",
        default: "none",
        read: |hook, option, errors| hook.before = values::ids(option, errors),
    },
    Known {
        write: "requires = [\"redact_pii\"]",
        elsewhere: "depends_on depends dependencies deps needs require",
        meaning: "like `after`, but if no list of the turn names such a hook, `registry.scope` returns an error",
        default: "none",
        read: |hook, option, errors| hook.requires = values::ids(option, errors),
    },
    Known {
        write: "timeout = \"2s\"",
        elsewhere: "deadline timeout_ms timeout_secs time_limit max_time",
        meaning: "`\"250ms\"`, `\"2s\"`, `\"1m\"`, `\"2h\"`, `\"1d\"` or `none`; for an `async fn`, or with `blocking`",
        default: "30 s",
        read: |hook, option, errors| hook.set(option, values::timeout(option, errors)),
    },
    Known {
        write: "on_failure = deny",
        elsewhere: "on_error fail_closed fail_open failure_policy error_policy required critical optional",
        meaning: "what happens if the hook fails: `continue`, `remove`, `deny` or `required`",
        default: "the kind's: `deny` on gates, `required` on `init`, otherwise `continue`",
        read: |hook, option, errors| {
            let policy = values::word(&POLICIES, option, errors);
            hook.set(option, policy.map(|policy| quote!(__hook_sdk::Option::Some(#policy))));
        },
    },
    Known {
        write: "fallback = path",
        elsewhere: "default otherwise or_else",
        meaning: "a function with the same signature that runs if the hook fails; if it fails too, `on_failure` applies",
        default: "none",
        read: |hook, option, errors| {
            hook.fallback = option.parse(errors, "the path of a function with the hook's signature");
        },
    },
    Known {
        write: "run = detached",
        elsewhere: "detached background inline spawn fire_and_forget",
        meaning: "`inline`; `detached`: started as a task that the dispatch does not wait for; `background`: queued as a job, at kinds with `json`",
        default: "`inline`",
        read: |hook, option, errors| hook.set(option, values::word(&RUN_MODES, option, errors)),
    },
    Known {
        write: "blocking",
        elsewhere: "",
        meaning: "runs a plain `fn` on another thread, with `timeout`, and with its own event and subject",
        default: "off",
        read: |hook, option, errors| hook.set(option, values::flag(option, errors)),
    },
    Known {
        write: "idempotent",
        elsewhere: "",
        meaning: "the hook may safely run twice",
        default: "off",
        read: |hook, option, errors| hook.set(option, values::flag(option, errors)),
    },
    Known {
        write: "retries = 3",
        elsewhere: "retry attempts max_retries max_attempts",
        meaning: "how often a failed background run is retried; requires `idempotent`",
        default: "0",
        read: |hook, option, errors| hook.set(option, values::number(&(1..=100_u32), "retries = 3", option, errors)),
    },
    Known {
        write: "delay = \"10m\"",
        elsewhere: "delay_ms delay_secs run_in eta countdown",
        meaning: "how long after the dispatch a background run starts, as `\"250ms\"`, `\"2s\"`, `\"10m\"`, `\"2h\"` or `\"1d\"`; requires `run = background`",
        default: "none",
        read: |hook, option, errors| hook.set(option, values::delay(option, errors)),
    },
    Known {
        write: "mode = shadow",
        elsewhere: "shadow dry_run audit_only log_only report_only monitor enforcement",
        meaning: "`enforce`; `shadow`: the hook runs and is recorded, but its answer, changes and failures have no effect",
        default: "`enforce`",
        read: |hook, option, errors| hook.set(option, values::word(&MODES, option, errors)),
    },
    Known {
        write: "on_replay = skip",
        elsewhere: "replay pure side_effects replayable",
        meaning: "`run`; `skip`: a replay does not run the hook, because it has external effects",
        default: "`run`",
        read: |hook, option, errors| hook.set(option, values::word(&ON_REPLAY, option, errors)),
    },
    Known {
        write: "hold = 200",
        elsewhere: "hold_back buffer window lookahead",
        meaning: "how much of a stream is held back for the hook, at `stream_delta`: a number of characters, or `\"sentence\"`",
        default: "nothing",
        read: |hook, option, errors| hook.set(option, values::hold(option, errors)),
    },
    Known {
        write: "plugin = \"acme\"",
        elsewhere: "",
        meaning: "the name of the hook's plugin",
        default: "the plugin that `plugin!` declares for the crate",
        read: |hook, option, errors| hook.plugin = values::name("a plugin's name", option, errors),
    },
    Known {
        write: "locked",
        elsewhere: "",
        meaning: "overrides of an operator can neither disable the hook nor change its options",
        default: "off",
        read: |hook, option, errors| hook.locked = option.flag(errors),
    },
    Known {
        write: "visibility = user_visible",
        elsewhere: "",
        meaning: "the intended audience: `internal`, `debug`, `user_audit` or `user_visible`; shown in plans, records and the manifest",
        default: "`internal`",
        read: |hook, option, errors| hook.set(option, values::word(&VISIBILITIES, option, errors)),
    },
    Known {
        write: "capabilities = [policy, audit]",
        elsewhere: "",
        meaning: "what the hook may contribute, for example `[policy, prompt_context]`; any other contribution is a failure of the hook",
        default: "everything that the kind offers",
        read: |hook, option, errors| {
            hook.capabilities = values::capabilities(option, errors);
            hook.set(option, Some(values::capability_set(&hook.capabilities)));
        },
    },
    Known {
        write: "crate = ::my_hooks",
        elsewhere: "",
        meaning: "the path of `hook-sdk`, if it has another name",
        default: "`::hook_sdk`",
        read: |hook, option, errors| hook.core = Core::read(option, errors),
    },
];

/// Words that are not options, with their equivalents.
pub(crate) const NO_OPTIONS: &[(&str, &str)] = &[
    (
        "matcher pattern filter filters only match matches tools tool_name tool_names",
        "a field of the kind with patterns: `tool = \"read_*|write_*\"`",
    ),
    (
        "if when condition predicate enabled_if",
        "an `if` in the function, or a field of the kind with patterns: `tool = \"cancel_*\"`",
    ),
    ("async is_async", "`async fn`"),
    ("description doc help about", "the doc comment of the function"),
    ("enabled disabled active", "up to the lists: a hook runs if a list names it, and `Registry::disable` disables it"),
    ("agent agents prompt prompts scope", "up to the lists: an agent or a prompt names the hook's id"),
];

/// The equivalent of another system's option `name`.
pub(crate) fn elsewhere(name: &str) -> Option<String> {
    let Some(known) = options::elsewhere(OPTIONS, name) else {
        let found = NO_OPTIONS.iter().find(|(others, _)| names::contains(others, name));
        return found.map(|(_, here)| (*here).to_owned());
    };
    let more = match known.name() {
        "priority" => ", where lower runs earlier",
        "on_failure" => ", or `continue`, `remove` or `required`",
        "fallback" => ", the path of a function with the hook's signature",
        "run" if RUN_MODES.words().any(|word| word == name) => return Some(format!("`run = {name}`")),
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
        assert_answers(OPTIONS, NO_OPTIONS, Hook::default);
    }
}
