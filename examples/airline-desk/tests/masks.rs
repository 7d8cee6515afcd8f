//! A table of texts that are masked, and of texts that are not.

use airline_desk::mask::Masks;

/// Input and expected output. `=` means unchanged.
const PERSONAL: &[(&str, &str)] = &[
    // E-mail addresses.
    ("mail ann@desk.example now", "mail [email] now"),
    ("<ann.b+c@mail.desk.example>, bob@desk.example.", "<[email]>, [email]."),
    ("mailto:jürgen@büro.example", "mailto:[email]"),
    ("two@@signs, @handle, 5 @ 3 dollars, root@localhost", "="),
    // Dates in digits.
    ("1990-04-05", "[birth date]"),
    ("born 2001-12-31.", "born [birth date]."),
    ("(1899-01-01)", "([birth date])"),
    ("2002-01-01", "="),
    ("2024-05-20, 2024-05-21", "="),
    ("2024-05-13T19:11:23", "="),
    ("2001-05-13T19:11:23Z", "[birth date]"),
    ("order 11990-04-05 and 1990-04-055", "="),
    ("1990-13-05 and 1990-04-32", "="),
    ("PF1990-04-05", "="),
    // Dates in words.
    ("April 12, 2001", "[birth date]"),
    ("october 5th, 1957", "[birth date]"),
    ("Oct. 5 1957", "[birth date]"),
    ("12 April 1957", "[birth date]"),
    ("12 April, 1957", "[birth date]"),
    ("on the 5th of October 1957 in Oslo", "on the [birth date] in Oslo"),
    ("1st Sept 1980; 5-Oct-1957", "[birth date]; [birth date]"),
    ("May 20, 2024 or 20 May 2024", "="),
    ("April 12, 2002", "="),
    ("on May 5, 1200 seats were free, in May 1990", "on [birth date] seats were free, in May 1990"),
    ("dismay 5, 1990", "="),
    ("October 45, 1957", "="),
    // JSON keeps its keys, order and white space.
    (
        r#"{"email": "a@b.example",  "dob":"1990-04-05", "n": 1.50}"#,
        r#"{"email": "[email]",  "dob":"[birth date]", "n": 1.50}"#,
    ),
    (r#"{"a@b.example": "1990-04-05"}"#, r#"{"a@b.example": "[birth date]"}"#),
    (r#"{"note": "line\n1990-04-05 \"a@b.example\""}"#, r#"{"note": "line\n[birth date] \"[email]\""}"#),
    (r#"{"mail": "a\u0040b.example", "dob": "\u0031990-04-05"}"#, r#"{"mail": "[email]", "dob": "[birth date]"}"#),
    (r#"{"broken": "a@b.example""#, r#"{"broken": "[email]""#),
    ("", "="),
];

const PAYMENTS: &[(&str, &str)] = &[
    ("paid with credit_card_4421486.", "paid with [credit card]."),
    ("gift_card_1, certificate_22", "[gift card], [certificate]"),
    ("credit_card_ending, my_certificate_22, certificate_22b", "="),
    (
        r#"{"credit_card_1": {"id": "credit_card_1", "source": "credit_card"}}"#,
        r#"{"credit_card_1": {"id": "[credit card]", "source": "credit_card"}}"#,
    ),
    ("Error: payment method certificate_7504069 not found", "Error: payment method [certificate] not found"),
];

fn check(table: &[(&str, &str)], mask: impl Fn(&str) -> Option<String>) {
    for (before, after) in table {
        let after = (*after != "=").then_some(*after);
        assert_eq!(mask(before).as_deref(), after, "{before}");
        // Masking is idempotent.
        assert_eq!(mask(after.unwrap_or_default()), None, "{before}, twice");
    }
}

#[test]
fn addresses_and_birth_dates_are_masked() {
    let masks = Masks::get().unwrap();
    check(PERSONAL, |text| masks.personal(text));
}

#[test]
fn payment_ids_are_masked() {
    let masks = Masks::get().unwrap();
    check(PAYMENTS, |text| masks.payment_ids(text));
}
