//! How a hook is run: `run`, `blocking`, `idempotent`, `retries`, and what does not go with them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::LitInt;

use super::model::{Function, OnFailure, Run, RunMode, Taken};
use crate::errors::Errors;
use crate::names;
use crate::options::{Value, Written, without_spaces};

/// The modes by their words.
const MODES: [(&str, RunMode); 3] =
    [("inline", RunMode::Inline), ("detached", RunMode::Detached), ("background", RunMode::Background)];

const MOST_RETRIES: u32 = 100;

impl Run {
    /// Takes the option in.
    pub(super) fn read(&mut self, option: &Written, errors: &mut Errors) {
        match option.name().as_str() {
            "run" => {
                let mode = mode(option, errors);
                self.unknown = mode.is_none();
                (self.mode, self.place) = (mode.unwrap_or_default(), option.value_span());
            }
            "blocking" => self.blocking = flag(option, errors).then(|| option.key.span()),
            "idempotent" => self.idempotent = flag(option, errors),
            _ => {
                self.retries_at = Some(option.key.span());
                self.retries = retries(option, errors).unwrap_or_default();
            }
        }
    }

    /// Tells what does not go together. `written` are all options, `on_failure` what that one says.
    pub(super) fn check(
        &self,
        written: &[Written],
        function: Option<&Function>,
        on_failure: Option<(OnFailure, Span)>,
        errors: &mut Errors,
    ) {
        if let (Some(place), Some(true)) = (self.blocking, function.map(|function| function.is_async)) {
            errors.at(
                place,
                "`blocking` is for a plain `fn`, which then runs on a thread of its own; an `async fn` gives the thread \
                 back while it waits: take one of the two away",
            );
        }
        self.check_retries(written, errors);
        let word = match self.mode {
            RunMode::Inline => return,
            RunMode::Detached => "detached",
            RunMode::Background => "background",
        };
        for parameter in function.iter().flat_map(|function| &function.parameters) {
            if parameter.taken != Taken::Read {
                let ty = without_spaces(&parameter.ty.to_token_stream().to_string());
                let text = format!(
                    "a hook with `run = {word}` rewrites nothing, because nobody waits for it; take `&{ty}`, or let it \
                     run inline"
                );
                errors.at(parameter.span, text);
            }
        }
        if let Some((_, place)) = on_failure.filter(|(policy, _)| *policy != OnFailure::Continue) {
            let text = format!(
                "nobody waits for a hook with `run = {word}`, so its failure can change nothing; leave `on_failure` out"
            );
            errors.at(place, text);
        }
        if let Some(option) = written.iter().find(|option| option.name() == "fallback") {
            let text = format!(
                "nobody waits for a hook with `run = {word}`, so nobody takes what a fallback answers; leave `fallback` out"
            );
            errors.at(option.key.span(), text);
        }
    }

    fn check_retries(&self, written: &[Written], errors: &mut Errors) {
        let Some(place) = self.retries_at else { return };
        // A mode or a flag that could not be read was told already.
        let said = |name: &str| written.iter().any(|option| option.name() == name);
        let background = self.mode == RunMode::Background || self.unknown;
        let missing = match (background, self.idempotent || said("idempotent")) {
            (true, true) => return,
            (false, true) => "`run = background`: only a job is tried again",
            (true, false) => "`idempotent`: what is tried again may be done twice",
            (false, false) => {
                "`run = background` and `idempotent`: only a job is tried again, and it may be done twice"
            }
        };
        errors.at(place, format!("`retries` needs {missing}"));
    }
}

fn mode(option: &Written, errors: &mut Errors) -> Option<RunMode> {
    let known = || MODES.iter().map(|(word, _)| *word);
    let (word, is_word) = match &option.value {
        Value::Is(tokens) => (tokens.to_string(), true),
        Value::Of(tokens) => (tokens.to_string(), false),
        Value::Flag | Value::Unreadable => (String::new(), false),
    };
    let found = MODES.iter().find(|(known, _)| *known == word && is_word);
    if found.is_none() {
        let bare = word.trim_matches('"');
        let meant = match bare {
            "async" | "spawn" | "fire_and_forget" | "parallel" => Some("detached"),
            "queue" | "queued" | "job" | "worker" => Some("background"),
            "sync" | "blocking" => Some("inline"),
            other => names::nearest(other, known()),
        };
        let hint = meant.map(|meant| format!("; did you mean `run = {meant}`?")).unwrap_or_default();
        errors.at(option.value_span(), format!("`run` takes one of {}{hint}", names::list(known(), "and")));
    }
    found.map(|(_, mode)| *mode)
}

/// An option that stands alone.
fn flag(option: &Written, errors: &mut Errors) -> bool {
    let alone = matches!(option.value, Value::Flag);
    if !alone {
        let name = option.name();
        errors.at(option.value_span(), format!("`{name}` takes no value: write `{name}`, or leave it out"));
    }
    alone
}

fn retries(option: &Written, errors: &mut Errors) -> Option<u32> {
    let expected = format!("a whole number from 1 to {MOST_RETRIES}, such as `retries = 3`");
    let digits = option.parse::<LitInt>(errors, &expected)?;
    let number = digits.base10_parse().ok().filter(|number| (1..=MOST_RETRIES).contains(number));
    if number.is_none() {
        errors.on(&digits, format!("`retries` takes {expected}"));
    }
    number
}
