//! Guards for payments and cancellations.

use hook_sdk::data::ToolInput;
use hook_sdk::verdict::Permission;
use hook_sdk::{HookContext, hook};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The airline's limit of passengers per reservation.
pub const MOST_PASSENGERS: usize = 5;

/// The amount in dollars up to which a payment needs no approval.
pub const PAID_UNASKED: f64 = 1_000.0;

/// The fields of a booking that the guard checks.
#[derive(Deserialize)]
struct Booking {
    passengers: Vec<IgnoredAny>,
    payment_methods: Vec<Payment>,
}

#[derive(Deserialize)]
struct Payment {
    amount: f64,
}

/// The fields of a cancellation that the guard checks.
#[derive(Deserialize)]
struct Cancellation {
    reservation_id: String,
}

/// Denies bookings that the airline would not accept, and asks before large payments.
///
/// A booking that cannot be parsed is denied, because it cannot be judged.
#[hook(id = "guard_booking", kind = before_tool_call, tool = "book_reservation")]
pub(crate) fn guard_booking(input: &ToolInput) -> Permission {
    let expected =
        "a booking has one of `passengers` or more, and `payment_methods`, each with an `amount` of 0 or more";
    let booking = match input.read::<Booking>() {
        Ok(booking) => booking,
        Err(error) => return Permission::deny(format!("{expected}: {error}")),
    };
    let (passengers, payments) = (booking.passengers.len(), booking.payment_methods);
    // A negative amount would hide another one.
    if passengers == 0 || payments.is_empty() || payments.iter().any(|payment| payment.amount < 0.0) {
        return Permission::deny(expected);
    }
    if passengers > MOST_PASSENGERS {
        return Permission::deny(format!(
            "a reservation holds at most {MOST_PASSENGERS} passengers, this one has {passengers}; book in two parts"
        ));
    }
    let total: f64 = payments.iter().map(|payment| payment.amount).sum();
    if total > PAID_UNASKED {
        return Permission::ask(format!("{total} dollars are more than the {PAID_UNASKED} that are paid unasked"));
    }
    Permission::Allow
}

/// Asks before a reservation is cancelled, because that cannot be undone. Denies if there is nobody to ask, or the
/// input cannot be parsed.
#[hook(id = "guard_cancellation", kind = before_tool_call, tool = "cancel_reservation")]
pub(crate) fn guard_cancellation(cx: &HookContext, input: &ToolInput) -> Permission {
    let reservation = match input.read::<Cancellation>() {
        Ok(cancellation) => cancellation.reservation_id,
        Err(error) => return Permission::deny(error),
    };
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
    use serde_json::{Value, json};

    fn booking(passengers: usize, amounts: &[Value]) -> ToolInput {
        let payments: Vec<Value> = amounts.iter().map(|amount| json!({ "amount": amount })).collect();
        json!({ "passengers": vec![json!({}); passengers], "payment_methods": payments }).into()
    }

    #[test]
    fn a_booking_is_allowed_asked_about_or_denied_by_its_size_and_price() {
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
            let word = match verdict {
                Permission::Allow => "allow",
                Permission::Ask(_) => "ask",
                Permission::Deny(_) => "deny",
                _ => "other",
            };
            assert_eq!(word, expected, "{input:?}");
        }
    }

    #[test]
    fn an_unreadable_booking_is_denied() {
        let read = json!({ "passengers": [{}], "payment_methods": [{ "amount": 10 }] });
        let with = |field: &str, wrong: Value| {
            let mut input = read.clone();
            input[field] = wrong;
            ToolInput::from(input)
        };
        assert_eq!(guard_booking(&read.clone().into()), Permission::Allow);
        let wrong = [json!("six"), json!(6), json!(6.0), json!(-6), json!([]), json!({ "0": {} }), Value::Null];
        let fields = ["passengers", "payment_methods"];
        let mut hostile: Vec<ToolInput> =
            fields.iter().flat_map(|field| wrong.iter().map(|wrong| with(field, wrong.clone()))).collect();
        let amounts = [json!("300"), json!(-5), json!(-0.5), Value::Null];
        hostile.extend(amounts.map(|amount| with("payment_methods", json!([{ "amount": amount }]))));
        hostile.push(with("payment_methods", json!([{}])));
        hostile.extend([ToolInput::parse("{}"), ToolInput::parse("six seats, please")]);
        for input in hostile {
            let verdict = guard_booking(&input);
            let denial = verdict.denial().unwrap_or_else(|| panic!("{input:?}: {verdict:?}"));
            assert!(denial.reason.as_str().contains("`payment_methods`"), "{input:?}: {}", denial.reason);
        }
    }

    #[test]
    fn an_unreadable_cancellation_is_denied_attended_or_not() {
        let attended = HookContext::builder().human_present(true).build();
        let ids =
            [json!({ "reservation_id": 300 }), json!({ "reservation_id": 300.0 }), json!({ "reservation_id": -5 })];
        let hostile = ids.into_iter().chain([json!({}), json!("ABC123")]);
        for input in hostile.map(ToolInput::from).chain([ToolInput::parse("cancel it")]) {
            for cx in [&attended, &HookContext::new()] {
                let verdict = guard_cancellation(cx, &input);
                let denial = verdict.denial().unwrap_or_else(|| panic!("{input:?}: {verdict:?}"));
                assert!(denial.reason.as_str().contains("`reservation_id`"), "{input:?}: {}", denial.reason);
            }
        }
    }

    #[test]
    fn a_cancellation_needs_a_person_who_can_be_asked() {
        let input = ToolInput::from(json!({ "reservation_id": "ABC123" }));
        let attended = HookContext::builder().human_present(true).build();
        assert!(matches!(guard_cancellation(&attended, &input), Permission::Ask(_)));
        assert!(matches!(guard_cancellation(&HookContext::new(), &input), Permission::Deny(_)));
    }
}
