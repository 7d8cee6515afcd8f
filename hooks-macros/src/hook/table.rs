//! The options of `#[hook]`. To add one that only the core uses, add a row here and in `options.md`, and a field with
//! the same name to `hook_sdk::hook::Options`.

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
        read: |hook, option, errors| hook.id = values::name("an id", option, errors),
    },
    Known {
        write: "group = mask_pii",
        elsewhere: "groups set bundle family",
        read: |hook, option, errors| {
            hook.group = option.parse(errors, "the path of a group, which `hook_sdk::group!` declares");
        },
    },
    Known {
        write: "kind = before_tool_call",
        elsewhere: "event events on hook hooks hook_type hook_event point phase type kinds",
        read: |hook, option, errors| hook.kinds = values::kinds(option, errors),
    },
    Known {
        write: "priority = -10",
        elsewhere: "order stage enforce weight prio rank precedence tryfirst trylast position",
        read: |hook, option, errors| {
            hook.set(option, values::number(&(i32::MIN..=i32::MAX), "priority = -10", option, errors));
        },
    },
    Known {
        write: "after = [\"redact_pii\"]",
        elsewhere: "follows run_after runs_after",
        read: |hook, option, errors| hook.after = values::ids(option, errors),
    },
    Known {
        write: "before = [\"redact_pii\"]",
        elsewhere: "precedes run_before runs_before",
        read: |hook, option, errors| hook.before = values::ids(option, errors),
    },
    Known {
        write: "requires = [\"redact_pii\"]",
        elsewhere: "depends_on depends dependencies deps needs require",
        read: |hook, option, errors| hook.requires = values::ids(option, errors),
    },
    Known {
        write: "timeout = \"2s\"",
        elsewhere: "deadline timeout_ms timeout_secs time_limit max_time",
        read: |hook, option, errors| hook.set(option, values::timeout(option, errors)),
    },
    Known {
        write: "on_failure = deny",
        elsewhere: "on_error fail_closed fail_open failure_policy error_policy required critical optional",
        read: |hook, option, errors| {
            let policy = values::word(&POLICIES, option, errors);
            hook.set(option, policy.map(|policy| quote!(__hook_sdk::Option::Some(#policy))));
        },
    },
    Known {
        write: "fallback = path",
        elsewhere: "default otherwise or_else",
        read: |hook, option, errors| {
            hook.fallback = option.parse(errors, "the path of a function with the hook's signature");
        },
    },
    Known {
        write: "run = detached",
        elsewhere: "detached background inline spawn fire_and_forget",
        read: |hook, option, errors| hook.set(option, values::word(&RUN_MODES, option, errors)),
    },
    Known {
        write: "blocking",
        elsewhere: "",
        read: |hook, option, errors| hook.set(option, values::flag(option, errors)),
    },
    Known {
        write: "idempotent",
        elsewhere: "",
        read: |hook, option, errors| hook.set(option, values::flag(option, errors)),
    },
    Known {
        write: "retries = 3",
        elsewhere: "retry attempts max_retries max_attempts",
        read: |hook, option, errors| hook.set(option, values::number(&(1..=100_u32), "retries = 3", option, errors)),
    },
    Known {
        write: "delay = \"10m\"",
        elsewhere: "delay_ms delay_secs run_in eta countdown",
        read: |hook, option, errors| hook.set(option, values::delay(option, errors)),
    },
    Known {
        write: "mode = shadow",
        elsewhere: "shadow dry_run audit_only log_only report_only monitor enforcement",
        read: |hook, option, errors| hook.set(option, values::word(&MODES, option, errors)),
    },
    Known {
        write: "on_replay = skip",
        elsewhere: "replay pure side_effects replayable",
        read: |hook, option, errors| hook.set(option, values::word(&ON_REPLAY, option, errors)),
    },
    Known {
        write: "hold = 200",
        elsewhere: "hold_back buffer window lookahead",
        read: |hook, option, errors| hook.set(option, values::hold(option, errors)),
    },
    Known {
        write: "plugin = \"acme\"",
        elsewhere: "",
        read: |hook, option, errors| hook.plugin = values::name("a plugin's name", option, errors),
    },
    Known { write: "locked", elsewhere: "", read: |hook, option, errors| hook.locked = option.flag(errors) },
    Known {
        write: "visibility = user_visible",
        elsewhere: "",
        read: |hook, option, errors| hook.set(option, values::word(&VISIBILITIES, option, errors)),
    },
    Known {
        write: "capabilities = [policy, audit]",
        elsewhere: "",
        read: |hook, option, errors| {
            hook.capabilities = values::capabilities(option, errors);
            hook.set(option, Some(values::capability_set(&hook.capabilities)));
        },
    },
    Known {
        write: "crate = ::my_hooks",
        elsewhere: "",
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
        assert_documented(include_str!("options.md"), OPTIONS);
    }

    #[test]
    fn names_of_options_are_unambiguous_and_errors_contain_them() {
        assert_answers(OPTIONS, NO_OPTIONS, Hook::default);
    }
}
