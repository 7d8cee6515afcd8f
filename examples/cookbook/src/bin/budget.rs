//! A budget per customer: when it is spent, the loop answers without calling a model.
//!
//! `cargo run -p cookbook --bin budget`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::collections::HashMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use hook_sdk::data::Usage;
use hook_sdk::kinds::PostModelCall;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer, Scripted};
use hooks_agent::{Harness, Limits};

/// The tokens that each customer has left today. A real app keeps them in its database.
struct Budget(Mutex<HashMap<String, u64>>);

impl Budget {
    fn left(&self, customer: &str) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(customer).copied().unwrap_or(0)
    }

    fn spend(&self, customer: &str, tokens: u64) {
        let mut budgets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = budgets.get_mut(customer) {
            *left = left.saturating_sub(tokens);
        }
    }
}

/// The customer of a session.
struct Customer(String);

/// Answers in the model's place when the budget is spent. A customer without a budget has none left.
#[hook(id = "budget_check", kind = pre_model_call, on_failure = required)]
fn budget_check(cx: &HookContext, request: &mut ModelRequest) -> Result<(), MissingState> {
    let customer = &cx.state::<Customer>()?.0;
    if cx.state::<Budget>()?.left(customer) == 0 {
        request.answer = Some(vec!["Your budget for today is spent. Please come back tomorrow.".into()]);
    }
    Ok(())
}

/// Charges each call. A provider that does not report the tokens of an answer costs a flat rate.
#[hook(id = "budget_charge", kind = post_model_call, on_failure = required)]
fn budget_charge(cx: &HookContext, event: &PostModelCall) -> Result<(), MissingState> {
    let answered = event.error.is_none();
    let tokens = event.usage.map_or(if answered { 2_000 } else { 0 }, |usage| usage.total());
    cx.state::<Budget>()?.spend(&cx.state::<Customer>()?.0, tokens);
    Ok(())
}
// ANCHOR_END: hooks

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer = |text: &str| Line::answer(ModelAnswer::text(text).usage(Usage::new(900, 100)));
    let model = Scripted::new([answer("Your flight leaves at 9."), answer("Gate 12.")]);
    let budgets = HashMap::from([("ada".to_owned(), 1_500)]);

    // A limit per turn in addition to the daily budget: a turn in a loop ends after 20 calls or 50,000 tokens.
    let mut limits = Limits::default();
    limits.iterations = 20;
    limits.tokens = Some(50_000);

    let harness = Harness::builder(Registry::discover()?)
        .model("main", model)
        .limits(limits)
        .context(HookContext::builder().state(Budget(Mutex::new(budgets))).build())
        .build()?;
    let agent = AgentDef::new("support").hooks(hooks![budget_check, budget_charge]);
    for (customer, question) in
        [("ada", "When is my flight?"), ("ada", "Which gate?"), ("ada", "And my seat?"), ("eve", "When is my flight?")]
    {
        let opening = harness.session(format!("c-{customer}"), agent.clone()).state(Customer(customer.to_owned()));
        let session = opening.open().await?;
        println!("{customer}: {question}\n     {}", session.turn(None, question).await);
    }
    Ok(())
}
