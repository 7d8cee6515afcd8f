//! From what was written to what is right. Everything that is wrong is told; nothing stops at the first.

use proc_macro2::Span;
use quote::quote;

use super::model::{Function, Hook, Run, Timeout};
use super::values;
use crate::errors::Errors;
use crate::names::{self, HOOK_OPTIONS};
use crate::options::{Once, Value, Written};

/// The hook, where nothing is missing. Whether nothing is wrong, `errors` says.
pub(crate) fn check(written: &[Written], function: Option<Function>, errors: &mut Errors) -> Option<Hook> {
    let mut once = Once::new();
    let mut id = None;
    let mut kinds = None;
    let mut priority = 0;
    let [mut after, mut before, mut requires] = [Vec::new(), Vec::new(), Vec::new()];
    let mut timeout = Timeout::Default;
    let mut on_failure = None;
    let mut fallback = None;
    let mut plugin = None;
    let mut locked = false;
    let mut visibility = None;
    let mut capabilities = None;
    let mut filters = Vec::new();
    let mut run = Run::default();
    let mut core = quote!(::hooks_core);

    // The id first: a hook that is to run after itself is told by it, wherever the id stands.
    if let Some(option) = written.iter().find(|option| option.name() == "id") {
        id = values::id(option, errors);
    }
    for option in written {
        if !once.first(option, errors) || matches!(option.value, Value::Unreadable) {
            continue;
        }
        match option.name().as_str() {
            "id" => {}
            "kind" => kinds = Some(values::kinds(option, errors)),
            "priority" => priority = values::priority(option, errors).unwrap_or_default(),
            "after" => after = values::ids(option, id.as_ref(), errors),
            "before" => before = values::ids(option, id.as_ref(), errors),
            "requires" => requires = values::ids(option, id.as_ref(), errors),
            "timeout" => {
                timeout = values::timeout(option, errors).unwrap_or(Timeout::Default);
                let blocking = written.iter().any(|option| option.name() == "blocking");
                if function.as_ref().is_some_and(|function| !function.is_async && !blocking) {
                    errors
                        .at(option.key.span(), "`timeout` needs an `async fn`: a plain function cannot be interrupted");
                }
            }
            "on_failure" => on_failure = values::on_failure(option, errors),
            "fallback" => fallback = values::fallback(option, function.as_ref(), errors),
            "plugin" => plugin = values::plugin(option, errors),
            "locked" => locked = values::flag(option, errors),
            "visibility" => visibility = values::visibility(option, errors),
            "capabilities" => capabilities = values::capabilities(option, errors),
            "run" | "blocking" | "idempotent" | "retries" => run.read(option, errors),
            "crate" => core = values::core(option, errors).unwrap_or(core),
            name => filters.extend(filter_or_unknown(name, option, written, errors)),
        }
    }
    run.check(written, function.as_ref(), on_failure, errors);
    values::apart(&before, &[&after, &requires], id.as_ref(), errors);
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
    let (id, kinds, function) = (id?, kinds?, function?);
    Some(Hook {
        id,
        kinds,
        priority,
        after,
        before,
        requires,
        timeout,
        on_failure,
        fallback,
        plugin,
        locked,
        visibility,
        capabilities,
        filters,
        run,
        core,
        function,
    })
}

/// Whether `option` is what another system calls `name`, an option that has to be there.
fn stands_for(name: &str, option: &Written) -> bool {
    names::option_elsewhere(&option.name()).is_some_and(|here| here.starts_with(&format!("`{name} =")))
}

/// A key that is no option may be a field of the kind, which only the kind can tell.
fn filter_or_unknown(
    name: &str,
    option: &Written,
    written: &[Written],
    errors: &mut Errors,
) -> Option<(syn::Ident, syn::LitStr)> {
    // What must be there and is not is there under its name of another system.
    let absent = |name: &&str| !written.iter().any(|option| option.name() == *name) && stands_for(name, option);
    if let Some(required) = ["id", "kind"].into_iter().find(absent) {
        errors.at(option.key.span(), format!("here, `{name}` is {}", values::renamed(required, option)));
        return None;
    }
    let elsewhere = names::option_elsewhere(name);
    if let (None, Some(meant)) = (elsewhere, names::nearest(name, HOOK_OPTIONS.iter().copied())) {
        errors.at(option.key.span(), format!("there is no option `{name}`; did you mean `{meant}`?"));
        return None;
    }
    let filter = values::filter(option, errors);
    if filter.is_none() {
        let problem = match elsewhere {
            Some(here) => format!("here, `{name}` is {here}"),
            None if names::FIELDS.contains(&name) => {
                format!("`{name}` takes patterns in one string, such as `{name} = \"a|b_*\"`")
            }
            None => format!(
                "there is no option `{name}`; there are {}, and patterns over fields of the kind such as `tool = \"cancel_*\"`",
                names::list(HOOK_OPTIONS.iter().copied(), "and")
            ),
        };
        errors.at(option.key.span(), problem);
    }
    filter
}
