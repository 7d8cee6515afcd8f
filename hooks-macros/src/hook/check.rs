//! Checks the options, together with the signature, and reports all errors, not only the first.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Ident, LitStr};

use super::model::{Function, Hook, Parameter, Taken};
use super::table::{OPTIONS, elsewhere};
use super::{patterns, values};
use crate::errors::Errors;
use crate::kind::Kind;
use crate::names;
use crate::options::{self, Written, without_spaces};

/// Checks the hook; `errors` shows whether it is valid.
pub(super) fn check(written: &[Written], function: Option<&Function>, errors: &mut Errors) -> Hook {
    let mut hook = Hook::default();
    for option in options::take(written, OPTIONS, &mut hook, errors) {
        filter_or_unknown(&mut hook, option, written, errors);
    }
    run(&hook, written, function, errors);
    parameters(&hook, function, errors);
    order(&hook, errors);
    if let Some(path) = hook.fallback.as_ref().filter(|path| function.is_some_and(|it| path.is_ident(&it.name))) {
        errors.on(path, "a hook cannot be its own fallback; name another function with the same signature");
    }
    if let Some(hold) = place(written, "hold").filter(|_| has(written, "kind") && !values::may_stream(&hook.kinds)) {
        errors.at(hold, "`hold` applies only to `stream_delta`; write `kind = stream_delta`, or remove `hold`");
    }
    let named = |name: &str| has(written, name) || written.iter().any(|option| stands_for(name, option));
    if !named("kind") {
        errors.at(Span::call_site(), "a hook needs a kind: `#[hook(kind = after_tool_call_success)]`");
    }
    match (place(written, "id"), function) {
        (Some(id), _) if hook.group.is_some() => {
            errors.at(id, "a hook of a group has no id of its own; remove `id`, or remove `group`");
        }
        (None, Some(function)) if !named("id") => hook.id = name_as_id(&function.name, hook.group.is_some(), errors),
        _ => {}
    }
    if !errors.is_empty() {
        misspelt_types(&hook, errors);
    }
    hook
}

/// The name of the function as the id of the hook. That of a member of a group is not used.
fn name_as_id(name: &Ident, is_member: bool, errors: &mut Errors) -> Option<LitStr> {
    let id = LitStr::new(&name.unraw().to_string(), name.span());
    let write = |snake: &str| format!("rename the function, or write `id = \"{snake}\"`");
    match names::problem("an id", &id.value(), write) {
        Some(problem) if !is_member => {
            errors.at(name.span(), problem);
            None
        }
        _ => Some(id),
    }
}

/// Reports types that are probably misspelt types of built-in kinds. Only with other errors, after which the compiler
/// does not look for types.
fn misspelt_types(hook: &Hook, errors: &mut Errors) {
    for kind in &hook.kinds {
        let Kind::Type(path) = kind else { continue };
        let Some(word) = path.get_ident().map(ToString::to_string) else { continue };
        if let Some(meant) = names::similar_type(&word) {
            errors.on(path, format!("`{word}` is not a built-in kind; did you mean `{meant}`?"));
        }
    }
}

/// The span of an option's name.
fn place(written: &[Written], name: &str) -> Option<Span> {
    written.iter().find(|option| option.name() == name).map(|option| option.key.span())
}

fn has(written: &[Written], name: &str) -> bool {
    place(written, name).is_some()
}

/// Checks the combination of `run`, `blocking`, `idempotent`, `retries`, `delay`, `timeout` and `mode`.
fn run(hook: &Hook, written: &[Written], function: Option<&Function>, errors: &mut Errors) {
    let place = |name: &str| place(written, name);
    match (place("timeout"), place("blocking"), function.map(|function| function.is_async)) {
        (_, Some(blocking), Some(true)) => errors.at(
            blocking,
            "`blocking` is for a plain `fn`, which then runs on another thread; an `async fn` does not block its thread \
             while it waits: remove one of the two",
        ),
        (Some(timeout), None, Some(false)) => errors.at(
            timeout,
            "`timeout` needs an `async fn`: a plain function cannot be interrupted; with `blocking` it runs on another \
             thread, and the dispatch stops waiting after the timeout",
        ),
        _ => {}
    }
    let mode = hook.run_apart();
    // An invalid mode was reported already.
    let is_unknown = place("run").is_some() && hook.setting("run").is_none();
    let background = is_unknown || mode.as_ref().is_some_and(|mode| mode == "Background");
    if let Some(delay) = place("delay").filter(|_| !background) {
        errors.at(delay, "`delay` needs `run = background`: only jobs wait");
    }
    if let Some(retries) = place("retries") {
        let missing = match (background, place("idempotent").is_some()) {
            (true, true) => None,
            (false, true) => Some("`run = background`: only jobs are retried"),
            (true, false) => Some("`idempotent`: a retried job may run twice"),
            (false, false) => {
                Some("`run = background` and `idempotent`: only jobs are retried, and a retried job may run twice")
            }
        };
        if let Some(missing) = missing {
            errors.at(retries, format!("`retries` needs {missing}"));
        }
    }
    let Some(mode) = mode else { return };
    let word = mode.to_string().to_lowercase();
    for parameter in function.iter().flat_map(|function| &function.parameters) {
        if parameter.taken != Taken::Read {
            let ty = without_spaces(&parameter.ty.to_token_stream().to_string());
            let text = format!(
                "a hook with `run = {word}` cannot rewrite its subject, because no dispatch waits for it; take `&{ty}`, \
                 or let it run inline"
            );
            errors.at(parameter.place.0, text);
        }
    }
    let nobody_waits = format!("no dispatch waits for a hook with `run = {word}`, so");
    if let Some(policy) = hook.variant("on_failure").filter(|policy| policy != "Continue") {
        errors.at(policy.span(), format!("{nobody_waits} its failure has no effect; remove `on_failure`"));
    }
    if let Some(place) = place("fallback") {
        errors.at(place, format!("{nobody_waits} the answer of a fallback has no effect; remove `fallback`"));
    }
    if let Some(mode) = hook.variant("mode").filter(|mode| mode == "Shadow") {
        errors.at(mode.span(), format!("{nobody_waits} its answers have no effect; remove `mode`"));
    }
}

/// Reports parameters that no kind has, whatever its types: texts, and `With` that is not taken by reference.
fn parameters(hook: &Hook, function: Option<&Function>, errors: &mut Errors) {
    for Parameter { name, ty, taken, .. } in function.iter().flat_map(|function| &function.parameters) {
        let text = without_spaces(&ty.to_token_stream().to_string());
        if *taken == Taken::Read && text == "str" {
            let event = hook.kinds.first().map_or("Event".to_owned(), Kind::event);
            let tool = if name.contains("tool") { "; the name of the tool is `event.call.name`" } else { "" };
            let take = format!("take `event: &{event}`, and read its fields{tool}");
            let problem = if values::may_stream(&hook.kinds) {
                format!(
                    "a hook takes no `&str`: if the text is the subject, write `&String` (clippy's `ptr_arg` does not know hooks: \
                     allow it on the function); otherwise {take}"
                )
            } else {
                format!("a hook takes no texts, but the event that contains them: {take}")
            };
            errors.on(ty, problem);
        }
        let is_with = text.starts_with("With<") || text.contains("::With<");
        if *taken != Taken::Read && is_with {
            errors.on(ty, format!("parameters from a list are taken by reference: write `&{text}`"));
        }
    }
}

/// Reports invalid ids in `after`, `before` and `requires`.
fn order(Hook { id: hook_id, after, before, requires, .. }: &Hook, errors: &mut Errors) {
    let is_this = |id: &LitStr| hook_id.as_ref().is_some_and(|this| this.value() == id.value());
    for (name, ids) in [("after", after), ("before", before), ("requires", requires)] {
        for id in ids.iter().filter(|id| is_this(id)) {
            errors.on(id, format!("a hook cannot be in its own `{name}`; remove it"));
        }
    }
    for id in before.iter().filter(|id| !is_this(id)) {
        if after.iter().chain(requires).any(|other| other.value() == id.value()) {
            errors.on(id, format!("a hook cannot run both before and after `{}`; keep one", id.value()));
        }
    }
}

/// Whether `option` is another system's name for `name`, a required option.
fn stands_for(name: &str, option: &Written) -> bool {
    options::elsewhere(OPTIONS, &option.name()).is_some_and(|known| known.name() == name)
}

/// An unknown key may be a field of the kind; only the kind knows.
fn filter_or_unknown(hook: &mut Hook, option: &Written, written: &[Written], errors: &mut Errors) {
    let (name, at) = (&option.name(), option.key.span());
    // A required option may have been given under another system's name.
    let absent = |name: &&str| !has(written, name) && stands_for(name, option);
    if let Some(required) = ["id", "kind"].into_iter().find(absent) {
        return errors.at(at, format!("here, `{name}` is {}", values::renamed(required, option)));
    }
    let here = elsewhere(name);
    let patterns: Option<LitStr> = syn::parse2(option.tokens()).ok();
    if let (None, Some(meant)) = (&here, nearest(name, patterns.is_some())) {
        return errors.at(at, format!("there is no option `{name}`; did you mean `{meant}`?"));
    }
    let problem = match (here, patterns) {
        // Another system's word is most likely meant as there, and its value is not a pattern.
        (here, Some(patterns)) => {
            // A hook with a pattern that can never match would never run, and nothing at run time would report it.
            if let (None, Some(problem)) = (&here, patterns::problem(&patterns.value())) {
                errors.on(&patterns, problem);
            }
            return hook.filters.push((option.key.clone(), patterns));
        }
        (Some(here), None) => format!("here, `{name}` is {here}"),
        (None, None) if names::FIELDS.contains(&&**name) => {
            format!("`{name}` takes patterns in one string, such as `{name} = \"a|b_*\"`")
        }
        (None, None) => format!(
            "there is no option `{name}`; see the docs of `#[hook]` for all options; a filter on a field of the kind has patterns, as in `tool = \"cancel_*\"`"
        ),
    };
    errors.at(at, problem);
}

/// The option that was likely meant. A field of a kind may be near an option, as `model` and `code` are to `mode`. So
/// known fields are excluded, and patterns only match options that take a string.
fn nearest(name: &str, has_patterns: bool) -> Option<&'static str> {
    if names::FIELDS.contains(&name) {
        return None;
    }
    let options = OPTIONS.iter().filter(|known| !has_patterns || known.write.contains('"'));
    names::nearest(name, options.map(options::Known::name))
}

#[cfg(test)]
mod tests {
    use crate::hook::patterns::problem;

    #[test]
    fn a_pattern_that_can_match_nothing_is_rejected_with_a_suggestion() {
        let cases = [
            ("^cancel_.*$", "write `\"cancel_*\"`"),
            ("cancel_(flight|car)", "`?` matches one character"),
            ("fs\\.read$", "write `\"fs.read\"`"),
            ("refund.*", "write `\"refund*\"`"),
            ("refund.+", "write `\"refund?*\"`"),
            ("refund[a-z]", "write `\"refund?\"`"),
            ("refund[^_]+", "write `\"refund?*\"`"),
            ("refund+", "write `\"refund*\"`"),
            ("pay\\d+", "write `\"pay?*\"`"),
            ("pay_[0-9]{4}", "`?` matches one character"),
            ("{read,write}_*", "`?` matches one character"),
            ("a, b", "write `\"a|b\"`"),
            ("read write", "write `\"read|write\"`"),
            ("!refund", "test for it in the hook"),
            ("a|!b", "test for it in the hook"),
            ("|a", "an empty pattern"),
            ("a||b", "an empty pattern"),
            ("", "an empty pattern"),
        ];
        for (patterns, advice) in cases {
            let message = problem(patterns).unwrap_or_else(|| panic!("`{patterns}` is accepted"));
            assert!(message.contains(advice), "`{patterns}`: {message}");
        }
        for fine in [
            "*",
            "cancel_*",
            "a | b",
            "fs.read|mcp__x__*",
            "sonnet[1m]",
            "North?America",
            "größe",
            "a+b",
            "c++",
            "refunds?",
            "v1.?",
        ] {
            assert_eq!(problem(fine), None, "{fine}");
        }
    }
}
