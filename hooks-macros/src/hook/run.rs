//! Checks the combination of `run`, `blocking`, `idempotent`, `retries`, `delay`, `timeout` and `mode`.

use quote::ToTokens;

use super::model::{Function, OnFailure, Options, RunMode, Taken};
use crate::errors::Errors;
use crate::options::{Written, without_spaces};

/// Reports conflicting options. `written` are all options as written.
pub(super) fn check(options: &Options, written: &[Written], function: Option<&Function>, errors: &mut Errors) {
    let place = |name: &str| written.iter().find(|option| option.name() == name).map(|option| option.key.span());
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
    let run = &options.run;
    // An invalid mode was reported already.
    let background = run.mode == RunMode::Background || run.unknown;
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
    let word = match run.mode {
        RunMode::Inline => return,
        RunMode::Detached => "detached",
        RunMode::Background => "background",
    };
    for parameter in function.iter().flat_map(|function| &function.parameters) {
        if parameter.taken != Taken::Read {
            let ty = without_spaces(&parameter.ty.to_token_stream().to_string());
            let text = format!(
                "a hook with `run = {word}` cannot rewrite its subject, because no dispatch waits for it; take `&{ty}`, \
                 or let it run inline"
            );
            errors.at(parameter.span, text);
        }
    }
    let nobody_waits = format!("no dispatch waits for a hook with `run = {word}`, so");
    if let Some((_, place)) = options.on_failure.filter(|(policy, _)| *policy != OnFailure::Continue) {
        errors.at(place, format!("{nobody_waits} its failure has no effect; remove `on_failure`"));
    }
    if let Some(place) = place("fallback") {
        errors.at(place, format!("{nobody_waits} the answer of a fallback has no effect; remove `fallback`"));
    }
    if let Some(place) = run.shadow {
        errors.at(place, format!("{nobody_waits} its answers have no effect; remove `mode`"));
    }
}
