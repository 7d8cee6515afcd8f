//! What does not go together in how a hook is run: `run`, `blocking`, `idempotent`, `retries`, `timeout`, `mode`.

use quote::ToTokens;

use super::model::{Function, OnFailure, Options, RunMode, Taken};
use crate::errors::Errors;
use crate::options::{Written, without_spaces};

/// Tells what does not go together. `written` are all options as they are written.
pub(super) fn check(options: &Options, written: &[Written], function: Option<&Function>, errors: &mut Errors) {
    let place = |name: &str| written.iter().find(|option| option.name() == name).map(|option| option.key.span());
    match (place("timeout"), place("blocking"), function.map(|function| function.is_async)) {
        (_, Some(blocking), Some(true)) => errors.at(
            blocking,
            "`blocking` is for a plain `fn`, which then runs on a thread of its own; an `async fn` gives the thread back \
             while it waits: take one of the two away",
        ),
        (Some(timeout), None, Some(false)) => errors.at(
            timeout,
            "`timeout` needs an `async fn`: a plain function cannot be interrupted; with `blocking` it runs on another \
             thread, and is not waited for any longer",
        ),
        _ => {}
    }
    let run = &options.run;
    if let Some(retries) = place("retries") {
        // A mode or a flag that could not be read was reported already.
        let background = run.mode == RunMode::Background || run.unknown;
        let missing = match (background, place("idempotent").is_some()) {
            (true, true) => None,
            (false, true) => Some("`run = background`: only a job is tried again"),
            (true, false) => Some("`idempotent`: what is tried again may be done twice"),
            (false, false) => {
                Some("`run = background` and `idempotent`: only a job is tried again, and it may be done twice")
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
                "a hook with `run = {word}` rewrites nothing, because nobody waits for it; take `&{ty}`, or let it run \
                 inline"
            );
            errors.at(parameter.span, text);
        }
    }
    let nobody_waits = format!("nobody waits for a hook with `run = {word}`, so");
    if let Some((_, place)) = options.on_failure.filter(|(policy, _)| *policy != OnFailure::Continue) {
        errors.at(place, format!("{nobody_waits} its failure can change nothing; leave `on_failure` out"));
    }
    if let Some(place) = place("fallback") {
        errors.at(place, format!("{nobody_waits} nobody takes what a fallback answers; leave `fallback` out"));
    }
    if let Some(place) = run.shadow {
        errors.at(place, format!("{nobody_waits} its answers count nowhere; leave `mode` out"));
    }
}
