//! `budget`: how many tokens, and how much money, models may use.

use std::collections::{BTreeMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use hook_sdk::data::Usage;
use hook_sdk::hook;
use hook_sdk::kinds::PostModelCall;
use hook_sdk::prelude::*;
use serde::Deserialize;
use wildmatch::WildMatch;

use crate::kept;
use crate::parameters::{Fields, by_pattern, from_fields};

/// The parameters of `budget`.
#[derive(Debug)]
pub struct Budget {
    tokens: Option<u64>,
    /// In millionths.
    cost: Option<u64>,
    /// By patterns of models; the most specific counts.
    prices: Vec<(WildMatch, Price)>,
    /// `conversation`, `turn` or `day`.
    per: &'static str,
    warn_at: f64,
    say: String,
    /// Whether the price of a model that has none is nothing, rather than the whole budget.
    free: bool,
    /// The tokens of a call whose provider reports none.
    unreported: u64,
    settings: String,
}

/// What a million tokens cost.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: f64,
    cached_input: Option<f64>,
    output: f64,
}

/// What was spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Input and output tokens.
    pub tokens: u64,
    /// In millionths of the currency of the prices.
    pub cost: u64,
    /// The model for which there is no price.
    pub unpriced: Option<String>,
    /// The conversations whose call is answered in the model's place, which costs nothing.
    answered: HashSet<String>,
    /// The turn or day for which this counts.
    within: Option<u64>,
}

from_fields!(Budget, |fields: &mut Fields| {
    let (tokens, cost): (Option<u64>, Option<f64>) = (fields.optional("tokens"), fields.optional("cost"));
    let prices: BTreeMap<String, Price> = fields.or("prices", BTreeMap::new());
    let per = fields.choice("per", ["conversation", "turn", "day"]);
    let warn_at = fields.or("warn_at", 0.8);
    if tokens.is_none() && cost.is_none() {
        fields.problem("it limits nothing: write `tokens`, or `cost` and `prices`");
    }
    if cost.is_some() && prices.is_empty() {
        fields
            .problem(r#"`cost` needs `prices`, such as {"gpt-*": {"input": 2.5, "output": 10}} for a million tokens"#);
    }
    let is_money = |money: f64| (0.0..=1e9).contains(&money);
    let amounts = |price: &Price| [price.input, price.cached_input.unwrap_or(0.0), price.output];
    if !prices.values().flat_map(amounts).chain(cost).all(is_money) {
        fields.problem("`cost` and `prices` are amounts of money from 0 to 1,000,000,000");
    }
    if !(0.0..=1.0).contains(&warn_at) {
        fields.problem(format_args!("`warn_at` is {warn_at}: write a part from 0 to 1"));
    }
    Budget {
        tokens,
        cost: cost.map(|cost| micros(cost * 1e6)),
        prices: by_pattern(prices),
        per,
        warn_at,
        say: fields
            .or("say", "The budget of this {per} is used up. Please start a new one, or ask whoever set it.".to_owned())
            .replace("{per}", per),
        free: fields.choice("unknown_model", ["deny", "free"]) == "free",
        unreported: fields.or("unreported", 2_000),
        settings: fields.settings.clone(),
    }
});

/// A rounded amount.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn micros(amount: f64) -> u64 {
    amount.ceil() as u64
}

impl Budget {
    /// Charges a call of a model. `usage` is `None` if the provider did not report it.
    #[allow(clippy::cast_precision_loss, reason = "tokens of one call")]
    pub fn charge(&self, spent: &mut Spent, model: &str, usage: Option<Usage>) {
        let usage = usage.unwrap_or_else(|| Usage::new(self.unreported, 0));
        spent.tokens = spent.tokens.saturating_add(usage.total());
        if self.cost.is_none() {
            return;
        }
        let Some((_, price)) = self.prices.iter().find(|(pattern, _)| pattern.matches(model)) else {
            spent.unpriced = Some(model.to_owned()).filter(|_| !self.free);
            return;
        };
        let cached = usage.cache_read.min(usage.input);
        // A price per million in units is a price per token in millionths.
        let cost = (usage.input - cached) as f64 * price.input
            + cached as f64 * price.cached_input.unwrap_or(price.input)
            + usage.output as f64 * price.output;
        spent.cost = spent.cost.saturating_add(micros(cost));
    }

    /// The part of the budget that was spent, where 1 is all of it.
    #[allow(clippy::cast_precision_loss, reason = "a part")]
    pub fn part(&self, spent: &Spent) -> f64 {
        if spent.unpriced.is_some() {
            return 1.0;
        }
        let part =
            |spent: u64, of: Option<u64>| of.map_or(0.0, |of| if spent >= of { 1.0 } else { spent as f64 / of as f64 });
        part(spent.tokens, self.tokens).max(part(spent.cost, self.cost))
    }

    /// Reads or changes what was spent. `None`: the context does not say in which conversation, or in which turn.
    fn with<R>(&self, cx: &HookContext, change: impl FnOnce(&mut Spent) -> R) -> Option<R> {
        let day = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
        // A day is everybody's.
        let session = if self.per == "day" { Some("hooks-prebuilt: budget of a day") } else { cx.session() };
        kept::with(cx, session, &self.settings, |spent: &mut Spent| {
            let within = match self.per {
                "turn" => Some(kept::turn(cx, spent.within)?),
                "day" => Some(day()),
                _ => None,
            };
            if spent.within != within {
                *spent = Spent { within, ..Spent::default() };
            }
            Some(change(spent))
        })?
    }
}

hook_sdk::group! {
    /// Limits the tokens and the money that models use. When a budget is spent, it answers in the model's place.
    pub budget
}

// Late, so that it sees an answer of another hook.
#[hook(group = budget, kind = pre_model_call, on_failure = required, priority = 10_000)]
fn ask(cx: &HookContext, limits: &With<Budget>, request: &mut ModelRequest) {
    let is_answered = request.answer.is_some();
    let spent = limits.with(cx, |spent| {
        let conversation = cx.conversation().unwrap_or_default();
        if is_answered || limits.part(spent) >= 1.0 {
            spent.answered.insert(conversation.to_owned());
        } else {
            // What was answered earlier may never have come to an end.
            spent.answered.remove(conversation);
        }
        spent.clone()
    });
    let Some(spent) = spent else {
        *request = std::mem::take(request).answer("There is a budget, and nobody counts what is spent here.");
        return;
    };
    let part = limits.part(&spent);
    if part >= 1.0 && !is_answered {
        let unpriced = spent.unpriced.map(|model| format!(" There is no price for the model `{model}`."));
        *request = std::mem::take(request).answer(format!("{}{}", limits.say, unpriced.unwrap_or_default()));
    } else if part >= limits.warn_at && !is_answered {
        let percent = (part * 100.0).floor();
        let warning = format!("\n\n{percent} % of the budget is spent. Come to an end.");
        request.system_prompt.push_str(&warning);
    }
}

#[hook(group = budget, kind = post_model_call, on_failure = required)]
fn charge(cx: &HookContext, limits: &With<Budget>, event: &PostModelCall, _reply: &mut ModelReply) {
    // A rejected call costs nothing; one that broke off may have cost something.
    let failure = event.failure.as_ref().map(AsRef::as_ref);
    let is_free = matches!(failure, Some("overflow" | "rejected" | "rate_limited"));
    let _ = limits.with(cx, |spent| {
        let is_answered = spent.answered.remove(cx.conversation().unwrap_or_default());
        if event.usage.is_some() || !(is_free || is_answered) {
            limits.charge(spent, &event.model, event.usage);
        }
    });
}
