//! The airline's data: a few invented reservations, and the tools that access them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

/// The id of the customer in the chat.
pub(super) const CUSTOMER: &str = "runa_vik_12";
/// The price of a seat in dollars.
pub(super) const SEAT: u64 = 240;

/// The reservations by id.
type Reservations = BTreeMap<String, Value>;

type Run = fn(&mut Reservations, &ToolInput) -> Result<Value, ToolError>;

/// A tool. All tools share the same reservations.
pub(crate) struct Counter {
    spec: ToolSpec,
    run: Run,
    reservations: Arc<Mutex<Reservations>>,
}

/// The tools of the desk.
pub(crate) fn tools() -> Vec<Counter> {
    let reservations = Arc::new(Mutex::new(reservations()));
    let one = json!({ "reservation_id": { "type": "string" } });
    let table: [(&str, &str, Value, Run); 5] = [
        ("get_user_details", "Who a customer is.", json!({ "user_id": { "type": "string" } }), customer),
        ("get_reservation_details", "Looks a reservation up.", one.clone(), |all, input| found(all, input).cloned()),
        ("cancel_reservation", "Cancels a reservation.", one.clone(), cancel),
        ("refund_reservation", "Pays a cancelled reservation back.", one, refund),
        (
            "book_reservation",
            "Books seats.",
            json!({ "user_id": { "type": "string" }, "passengers": { "type": "array" }, "payment_methods": { "type": "array" } }),
            book,
        ),
    ];
    let tool = |(name, description, fields, run): (&str, &str, Value, Run)| {
        let required: Vec<&str> = fields.as_object().into_iter().flatten().map(|(field, _)| field.as_str()).collect();
        let schema = json!({ "type": "object", "properties": fields, "required": required });
        let spec = ToolSpec::new(name).description(description).schema(schema);
        Counter { spec, run, reservations: Arc::clone(&reservations) }
    };
    table.into_iter().map(tool).collect()
}

impl Tool for Counter {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let mut reservations = self.reservations.lock().unwrap_or_else(PoisonError::into_inner);
            (self.run)(&mut reservations, &input).map(|answer| ToolResult::new(answer.to_string()))
        })
    }
}

fn found<'a>(all: &'a mut Reservations, input: &ToolInput) -> Result<&'a mut Value, ToolError> {
    let id = input["reservation_id"].as_str().unwrap_or_default();
    all.get_mut(id).ok_or_else(|| ToolError::new(format!("there is no reservation `{id}`")))
}

fn customer(_: &mut Reservations, input: &ToolInput) -> Result<Value, ToolError> {
    if input["user_id"] != CUSTOMER {
        return Err(ToolError::new("this customer is not known"));
    }
    Ok(json!({
        "name": "Runa Vik", "email": "runa.vik@puffin.example", "dob": "1988-04-12", "membership": "silver",
        "payment_methods": ["credit_card_1002003", "gift_card_5550001"],
    }))
}

fn cancel(all: &mut Reservations, input: &ToolInput) -> Result<Value, ToolError> {
    let reservation = found(all, input)?;
    reservation["status"] = "cancelled".into();
    Ok(reservation.clone())
}

fn refund(all: &mut Reservations, input: &ToolInput) -> Result<Value, ToolError> {
    let reservation = found(all, input)?;
    if reservation["status"] != "cancelled" {
        let card = reservation["paid"][0]["payment_id"].as_str().unwrap_or_default();
        return Err(ToolError::new(format!("it is not cancelled, so {card} is not paid back")));
    }
    reservation["status"] = "refunded".into();
    Ok(reservation.clone())
}

fn book(all: &mut Reservations, input: &ToolInput) -> Result<Value, ToolError> {
    let passengers = input["passengers"].as_array().filter(|passengers| !passengers.is_empty());
    let passengers = passengers.ok_or_else(|| ToolError::new("nobody is to fly"))?;
    let id = format!("PUF{:03}", all.len() + 1);
    let reservation = json!({
        "reservation_id": id, "status": "booked", "contact": "runa.vik@puffin.example",
        "flight": { "from": "Oslo", "to": "Bergen", "date": "2031-05-01" },
        "passengers": passengers, "paid": input["payment_methods"],
    });
    all.insert(id, reservation.clone());
    Ok(reservation)
}

fn reservations() -> Reservations {
    let booked = |id: &str, to: &str, date: &str, paid: Value| {
        let reservation = json!({
            "reservation_id": id, "status": "booked", "contact": "runa.vik@puffin.example",
            "flight": { "from": "Oslo", "to": to, "date": date },
            "passengers": [{ "first_name": "Runa", "dob": "1988-04-12" }], "paid": paid,
        });
        (id.to_owned(), reservation)
    };
    Reservations::from([
        booked(
            "PUF001",
            "Bergen",
            "2031-03-20",
            json!([{ "payment_id": "gift_card_5550001", "amount": 90 }, { "payment_id": "credit_card_1002003", "amount": 150 }]),
        ),
        booked("PUF002", "Tromso", "2031-04-02", json!([{ "payment_id": "certificate_8080808", "amount": 240 }])),
    ])
}
