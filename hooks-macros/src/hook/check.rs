//! Checks the options and reports all errors, not only the first.

use proc_macro2::Span;
use quote::quote;
use syn::LitStr;

use super::filter::{self, filter};
use super::model::{Function, Hook, Options};
use super::table::{OPTIONS, elsewhere};
use super::{run, values};
use crate::errors::Errors;
use crate::names;
use crate::options::{self, Written};

/// Checks the hook; `None` if something required is missing. `errors` shows whether it is valid.
pub(crate) fn check(written: &[Written], function: Option<Function>, errors: &mut Errors) -> Option<Hook> {
    let mut options = Options::default();
    for option in options::take(written, OPTIONS, &mut options, errors) {
        options.filters.extend(filter_or_unknown(option, written, errors));
    }
    run::check(&options, written, function.as_ref(), errors);
    order(&options, errors);
    if let (Some(path), Some(function)) = (&options.fallback, &function) {
        if path.is_ident(&function.name) {
            errors.on(path, "a hook cannot be its own fallback; name another function with the same signature");
        }
    }
    if let (Some(hold), Some(kinds)) = (written.iter().find(|option| option.name() == "hold"), &options.kinds) {
        if !values::may_stream(kinds) {
            errors.at(
                hold.key.span(),
                "`hold` applies only to `stream_delta`; write `kind = stream_delta`, or remove `hold`",
            );
        }
    }
    let has = |name: &str| written.iter().any(|option| option.name() == name || stands_for(name, option));
    let missing = match (has("id"), has("kind")) {
        (true, true) => None,
        (false, true) => Some("an id: `id = \"redact_pii\"`"),
        (true, false) => Some("a kind: `kind = after_tool_call_success`"),
        (false, false) => Some("an id and a kind: `#[hook(id = \"redact_pii\", kind = after_tool_call_success)]`"),
    };
    if let Some(what) = missing {
        errors.at(Span::call_site(), format!("a hook needs {what}"));
    }
    let core = options.core.take().unwrap_or_else(|| quote!(::hook_sdk));
    Some(Hook { id: options.id.take()?, kinds: options.kinds.take()?, core, function: function?, options })
}

/// Reports invalid ids in `after`, `before` and `requires`.
fn order(Options { id: own, after, before, requires, .. }: &Options, errors: &mut Errors) {
    let is_own = |id: &LitStr| own.as_ref().is_some_and(|own| own.value() == id.value());
    for (name, ids) in [("after", after), ("before", before), ("requires", requires)] {
        for id in ids.iter().filter(|id| is_own(id)) {
            errors.on(id, format!("a hook cannot be in its own `{name}`; remove it"));
        }
    }
    for id in before.iter().filter(|id| !is_own(id)) {
        if after.iter().chain(requires).any(|other| other.value() == id.value()) {
            errors.on(id, format!("a hook cannot run both before and after `{}`; keep one", id.value()));
        }
    }
}

/// Whether `option` is another system's name for `name`, a required option.
fn stands_for(name: &str, option: &Written) -> bool {
    options::elsewhere(OPTIONS, &option.name()).is_some_and(|known| known.name == name)
}

/// An unknown key may be a field of the kind; only the kind knows.
fn filter_or_unknown(option: &Written, written: &[Written], errors: &mut Errors) -> Option<(syn::Ident, LitStr)> {
    let name = &option.name();
    // A required option may have been given under another system's name.
    let absent = |name: &&str| !written.iter().any(|option| option.name() == *name) && stands_for(name, option);
    if let Some(required) = ["id", "kind"].into_iter().find(absent) {
        errors.at(option.key.span(), format!("here, `{name}` is {}", values::renamed(required, option)));
        return None;
    }
    let here = elsewhere(name);
    let filter = filter(option);
    if let (None, Some(meant)) = (&here, nearest(name, filter.is_some())) {
        errors.at(option.key.span(), format!("there is no option `{name}`; did you mean `{meant}`?"));
        return None;
    }
    // Another system's word is most likely meant as there, and its value is not a pattern.
    if let (Some((_, patterns)), None) = (&filter, &here) {
        filter::check(patterns, errors);
    }
    if filter.is_none() {
        let problem = match here {
            Some(here) => format!("here, `{name}` is {here}"),
            None if names::FIELDS.contains(&&**name) => {
                format!("`{name}` takes patterns in one string, such as `{name} = \"a|b_*\"`")
            }
            None => format!(
                "there is no option `{name}`; see the docs of `#[hook]` for all options; a filter on a field of the kind has patterns, as in `tool = \"cancel_*\"`"
            ),
        };
        errors.at(option.key.span(), problem);
    }
    filter
}

/// The option that was likely meant. A field of a kind may be near an option, as `model` and `code` are to `mode`. So
/// known fields are excluded, and patterns only match options that take a string.
fn nearest(name: &str, has_patterns: bool) -> Option<&'static str> {
    if names::FIELDS.contains(&name) {
        return None;
    }
    let options = OPTIONS.iter().filter(|known| !has_patterns || known.write.contains('"'));
    names::nearest(name, options.map(|known| known.name))
}
