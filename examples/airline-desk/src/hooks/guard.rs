//! Who may spend the customer's money, and who may throw a reservation away.

use hooks_core::data::ToolInput;
use hooks_core::verdict::Permission;
use hooks_core::{HookContext, hook};
use serde_json::Value;

/// The airline's own rule: no reservation holds more.
pub const MOST_PASSENGERS: usize = 5;

/// What may be paid without asking, in dollars.
pub const PAID_UNASKED: f64 = 1_000.0;

/// Denies bookings that the airline would not take, and asks before much is paid.
///
/// A booking whose price cannot be read is denied: what cannot be judged is not allowed.
#[hook(id = "guard_booking", kind = before_tool_call, tool = "book_reservation")]
pub(crate) fn guard_booking(input: &ToolInput) -> Permission {
    let passengers = input["passengers"].as_array().map_or(0, Vec::len);
    if passengers > MOST_PASSENGERS {
        return Permission::deny(format!(
            "a reservation holds at most {MOST_PASSENGERS} passengers, this one has {passengers}; book in two parts"
        ));
    }
    match total(input) {
        None => Permission::deny(
            "what it costs cannot be read: `payment_methods` must be a list, each with an `amount` of 0 or more",
        ),
        Some(total) if total > PAID_UNASKED => {
            Permission::ask(format!("{total} dollars are more than the {PAID_UNASKED} that are paid unasked"))
        }
        Some(_) => Permission::allow(),
    }
}

/// All that is paid. An amount below 0 would hide another, so it counts as unreadable.
fn total(input: &ToolInput) -> Option<f64> {
    let amount = |payment: &Value| payment["amount"].as_f64().filter(|amount| *amount >= 0.0);
    input["payment_methods"].as_array()?.iter().map(amount).sum()
}

/// Asks before a reservation is cancelled, since that cannot be undone; where nobody is there to be asked, denies.
#[hook(id = "guard_cancellation", kind = before_tool_call, tool = "cancel_reservation")]
pub(crate) fn guard_cancellation(cx: &HookContext, input: &ToolInput) -> Permission {
    let reservation = input["reservation_id"].as_str().unwrap_or("without an id");
    if cx.human_present() {
        Permission::ask(format!("cancelling reservation {reservation} cannot be undone"))
    } else {
        Permission::deny(format!(
            "cancelling reservation {reservation} cannot be undone, and nobody is there to confirm it"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn booking(passengers: usize, amounts: &[Value]) -> ToolInput {
        let payments: Vec<Value> = amounts.iter().map(|amount| json!({ "amount": amount })).collect();
        json!({ "passengers": vec![json!({}); passengers], "payment_methods": payments }).into()
    }

    #[test]
    fn bookings() {
        let table = [
            (booking(2, &[json!(250), json!(5)]), "allow"),
            (booking(5, &[json!(1000)]), "allow"),
            (booking(5, &[json!(1000), json!(0.5)]), "ask"),
            (booking(6, &[json!(10)]), "deny"),
            (booking(1, &[json!(5000), json!(-4900)]), "deny"),
            (booking(1, &[json!("12")]), "deny"),
            (json!("nonsense").into(), "deny"),
        ];
        for (input, expected) in table {
            let verdict = guard_booking(&input);
            let said = match verdict {
                Permission::Allow => "allow",
                Permission::Ask(_) => "ask",
                Permission::Deny(_) => "deny",
                _ => "other",
            };
            assert_eq!(said, expected, "{input:?}");
        }
    }

    #[test]
    fn cancelling_needs_somebody_to_ask() {
        let input = ToolInput::from(json!({ "reservation_id": "ABC123" }));
        let attended = HookContext::builder().human_present(true).build();
        assert!(matches!(guard_cancellation(&attended, &input), Permission::Ask(_)));
        assert!(matches!(guard_cancellation(&HookContext::new(), &input), Permission::Deny(_)));
    }
}
