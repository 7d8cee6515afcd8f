//! A rule-based model: it looks for words in the customer's messages and reads the results of tools.

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolResultBlock};
use hook_sdk::hook::BoxFuture;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use serde_json::{Value, json};

use super::bookings::{CUSTOMER, SEAT};

/// A rule-based model. It is deterministic and answers immediately.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clerk;

impl Model for Clerk {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            Ok(match Case::of(&call.messages).next() {
                Step::Say(text) => {
                    text.split_inclusive(' ').for_each(|word| deltas.text(word));
                    ModelAnswer::text(text)
                }
                Step::Use(tool, input) => {
                    let id = format!("call_{}", call.messages.iter().flat_map(Message::tool_calls).count() + 1);
                    ModelAnswer::new(vec![Block::ToolUse(ToolCall::new(id, tool, input))])
                }
            })
        })
    }
}

/// The clerk's next step.
enum Step {
    Say(String),
    Use(&'static str, Value),
}

impl Step {
    fn say(text: impl Into<String>) -> Self {
        Self::Say(text.into())
    }
}

/// The input of a decision.
struct Case<'a> {
    wish: String,
    reservation: Option<String>,
    /// The last tool result in this turn.
    result: Option<&'a ToolResultBlock>,
}

impl<'a> Case<'a> {
    fn of(messages: &'a Messages) -> Self {
        // Messages that hooks injected begin with an angle bracket.
        let mut said = messages.iter().rev().filter(|message| !message.text().starts_with('<'));
        let prompt = said.clone().find(|message| message.role == Role::User);
        let wish = prompt.map(|message| message.text().into_owned()).unwrap_or_default();
        let result = said.next().and_then(|message| match message.content.first() {
            Some(Block::ToolResult(result)) => Some(result),
            _ => None,
        });
        let words = wish.split(|c: char| !c.is_ascii_alphanumeric());
        let reservation = words.map(str::to_uppercase).find(|word| word.starts_with("PUF") && word.len() > 3);
        Self { wish: wish.to_lowercase(), reservation, result }
    }

    fn wants(&self, word: &str) -> bool {
        self.wish.contains(word)
    }

    fn next(&self) -> Step {
        match self.result {
            Some(result) => self.after(result),
            None => self.begin(),
        }
    }

    fn begin(&self) -> Step {
        if self.wants("book ") {
            let seats = self.wish.split(|c: char| !c.is_ascii_digit()).find_map(|digits| digits.parse().ok());
            return book(seats.unwrap_or(1));
        }
        if let Some(id) = &self.reservation {
            return Step::Use("get_reservation_details", json!({ "reservation_id": id }));
        }
        if self.wants("who am i") {
            return Step::Use("get_user_details", json!({ "user_id": CUSTOMER }));
        }
        Step::say("I can look up, cancel or refund a reservation, such as PUF001, book seats, and say who you are.")
    }

    fn after(&self, result: &ToolResultBlock) -> Step {
        let text: String = result.content.iter().filter_map(Block::as_text).collect();
        if let Some(reason) = text.strip_prefix("Denied: ") {
            return Step::say(format!("I may not do that: {reason}."));
        }
        let Ok(found) = serde_json::from_str::<Value>(&text) else {
            return Step::say(format!("That did not work: {text}."));
        };
        let id = found["reservation_id"].as_str().unwrap_or_default();
        match result.name.as_deref() {
            Some("get_reservation_details") if self.wants("cancel") => {
                Step::Use("cancel_reservation", json!({ "reservation_id": id }))
            }
            Some("get_reservation_details") if self.wants("refund") => {
                Step::Use("refund_reservation", json!({ "reservation_id": id }))
            }
            Some("get_reservation_details") => Step::say(format!(
                "{id} is {}: {} to {} on {}, for {} (born {}), paid with {}.",
                word(&found["status"]),
                word(&found["flight"]["from"]),
                word(&found["flight"]["to"]),
                word(&found["flight"]["date"]),
                word(&found["contact"]),
                word(&found["passengers"][0]["dob"]),
                paid(&found),
            )),
            Some("get_user_details") => Step::say(format!(
                "You are {}, {}, born {}, a {} member.",
                word(&found["name"]),
                word(&found["email"]),
                word(&found["dob"]),
                word(&found["membership"]),
            )),
            Some("cancel_reservation") => Step::say(format!("{id} is cancelled. Say `refund {id}` to be paid back.")),
            Some("refund_reservation") => Step::say(format!("Paid back: {}.", paid(&found))),
            _ => Step::say(format!("Booked: {id}, paid with {}.", paid(&found))),
        }
    }
}

fn book(seats: usize) -> Step {
    let passengers = vec![json!({ "first_name": "Runa", "dob": "1988-04-12" }); seats];
    Step::Use(
        "book_reservation",
        json!({
            "user_id": CUSTOMER,
            "passengers": passengers,
            "payment_methods": [{ "payment_id": "credit_card_1002003", "amount": seats as u64 * SEAT }],
        }),
    )
}

/// The payments, such as `[gift card] (90 dollars)`.
fn paid(found: &Value) -> String {
    let payments = found["paid"].as_array().into_iter().flatten();
    let shown = payments.map(|paid| format!("{} ({} dollars)", word(&paid["payment_id"]), paid["amount"]));
    shown.collect::<Vec<_>>().join(" and ")
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}
