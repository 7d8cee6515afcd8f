//! The options of `#[hook]`. To add one that only the core uses, add a row here and in `options.md`, and a field with
//! the same name to `hook_sdk::hook::Options`.

use quote::quote;

use super::model::Hook;
use super::values;
use super::words::{MODES, ON_REPLAY, POLICIES, RUN_MODES, VISIBILITIES};
use crate::names;
use crate::options::{self, Known, options};
use crate::private::Core;

/// All options, in the order in which they are listed.
pub(crate) const OPTIONS: &[Known<Hook>] = options! { |hook: &mut Hook, option, errors|
    "id = \"redact_pii\"", "name hook_id hook_name key label" =>
        hook.id = values::name("an id", option, errors);
    "group = mask_pii", "groups set bundle family" =>
        hook.group = option.parse(errors, "the path of a group, which `hook_sdk::group!` declares");
    "kind = before_tool_call", "event events on hook hooks hook_type hook_event point phase type kinds" =>
        hook.kinds = values::kinds(option, errors);
    "priority = -10", "order stage enforce weight prio rank precedence tryfirst trylast position" =>
        hook.set(option, values::number(i32::MIN.into()..=i32::MAX.into(), "priority = -10", option, errors));
    "after = [\"redact_pii\"]", "follows run_after runs_after" =>
        hook.after = values::ids(option, errors);
    "before = [\"redact_pii\"]", "precedes run_before runs_before" =>
        hook.before = values::ids(option, errors);
    "requires = [\"redact_pii\"]", "depends_on depends dependencies deps needs require" =>
        hook.requires = values::ids(option, errors);
    "timeout = \"2s\"", "deadline timeout_ms timeout_secs time_limit max_time" =>
        hook.set(option, values::timeout(option, errors));
    "on_failure = deny", "on_error fail_closed fail_open failure_policy error_policy required critical optional" =>
        hook.set(option, values::word(&POLICIES, option, errors).map(|policy| quote!(__hook_sdk::Option::Some(#policy))));
    "fallback = path", "default otherwise or_else" =>
        hook.fallback = option.parse(errors, "the path of a function with the hook's signature");
    "run = detached", "detached background inline spawn fire_and_forget" =>
        hook.set(option, values::word(&RUN_MODES, option, errors));
    "blocking", "" =>
        hook.set(option, values::flag(option, errors));
    "idempotent", "" =>
        hook.set(option, values::flag(option, errors));
    "retries = 3", "retry attempts max_retries max_attempts" =>
        hook.set(option, values::number(1..=100, "retries = 3", option, errors));
    "delay = \"10m\"", "delay_ms delay_secs run_in eta countdown" =>
        hook.set(option, values::delay(option, errors));
    "mode = shadow", "shadow dry_run audit_only log_only report_only monitor enforcement" =>
        hook.set(option, values::word(&MODES, option, errors));
    "on_replay = skip", "replay pure side_effects replayable" =>
        hook.set(option, values::word(&ON_REPLAY, option, errors));
    "hold = 200", "hold_back buffer window lookahead" =>
        hook.set(option, values::hold(option, errors));
    "plugin = \"acme\"", "" =>
        hook.plugin = values::name("a plugin's name", option, errors);
    "locked", "" =>
        hook.locked = option.flag(errors);
    "visibility = user_visible", "" =>
        hook.set(option, values::word(&VISIBILITIES, option, errors));
    "capabilities = [policy, audit]", "" => {
        hook.capabilities = values::capabilities(option, errors);
        hook.set(option, Some(values::capability_set(&hook.capabilities)));
    };
    "crate = ::my_hooks", "" =>
        hook.core = Core::read(option, errors);
};

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
