use hooks_prebuilt::MaskPii;
use proptest::prelude::*;
use serde_json::json;

use crate::personal::{Case, Random, TYPES, cases};
use crate::streams::{cut, shown};

fn mask(with: serde_json::Value) -> MaskPii {
    serde_json::from_value(with).unwrap()
}

fn of(name: &str) -> MaskPii {
    mask(json!({ "types": [name] }))
}

/// Precision and recall of a type over generated texts, and the texts with errors.
pub(crate) fn measure(name: &str) -> (f64, f64, Vec<String>) {
    let (_, value, nearly) = TYPES.iter().find(|(type_name, ..)| *type_name == name).unwrap();
    let mut random = Random::new(7);
    let all = cases(&mut random, *value, true, 2_000).into_iter().chain(cases(&mut random, *nearly, false, 2_000));
    let (mut right, mut wrong, mut missed, mut errors) = (0, 0, 0, Vec::new());
    for Case { text, values } in all {
        let masked = of(name).mask(&text).unwrap_or_else(|| text.clone());
        let expected =
            values.iter().fold(text.clone(), |text, value| text.replacen(value.as_str(), &format!("[{name}]"), 1));
        let found = masked.matches(&format!("[{name}]")).count();
        if masked == expected {
            right += found;
        } else {
            wrong += found;
            missed += values.len();
            errors.push(format!("{text:?} -> {masked:?}"));
        }
    }
    let (right, wrong, missed) = (
        f64::from(u32::try_from(right).unwrap()),
        f64::from(u32::try_from(wrong).unwrap()),
        f64::from(u32::try_from(missed).unwrap()),
    );
    (right / (right + wrong).max(1.0), right / (right + missed).max(1.0), errors)
}

#[test]
fn types_with_a_checksum_are_found_and_nothing_else() {
    for name in ["email", "card", "iban"] {
        let (precision, recall, errors) = measure(name);
        println!("{name}: precision {precision:.4}, recall {recall:.4}");
        assert!(
            precision >= 0.99 && recall >= 0.98,
            "{name}: {precision} {recall}\n{}",
            errors[..errors.len().min(12)].join("\n")
        );
    }
}

#[test]
fn other_types_are_found_with_few_errors() {
    for name in ["phone", "ip", "us_ssn"] {
        let (precision, recall, errors) = measure(name);
        println!("{name}: precision {precision:.4}, recall {recall:.4}");
        assert!(
            precision >= 0.95 && recall >= 0.95,
            "{name}: {precision} {recall}\n{}",
            errors[..errors.len().min(12)].join("\n")
        );
    }
}

/// Every text of the tables.
fn texts() -> Vec<String> {
    let mut random = Random::new(11);
    let generated = TYPES.iter().flat_map(|(_, value, nearly)| {
        let values = cases(&mut random, *value, true, 24);
        values.into_iter().chain(cases(&mut random, *nearly, false, 24)).map(|case| case.text).collect::<Vec<_>>()
    });
    let generated: Vec<String> = generated.collect();
    let tables = TABLE.iter().chain(RUNS).map(|(text, _)| (*text).to_owned());
    let escaped = BEFORE.iter().map(|before| format!("a{before}4111111111111111 b{before}4111 1111 1111 1111"));
    let ids = FORMS.iter().flat_map(|(_, forms)| *forms).map(|form| format!("id {form}, ok"));
    generated.into_iter().chain(tables).chain(ids).chain(escaped).collect()
}

fn all() -> MaskPii {
    mask(json!({ "types": TYPES.iter().map(|(name, ..)| *name).collect::<Vec<_>>() }))
}

/// A mask of all types, also of those that `TYPES` does not generate.
pub(crate) fn every() -> MaskPii {
    let ids = IDS.iter().map(|(name, ..)| *name);
    mask(json!({ "types": TYPES.iter().map(|(name, ..)| *name).chain(ids).collect::<Vec<_>>() }))
}

#[test]
fn a_value_is_shown_masked_wherever_the_part_begins_that_is_held_back() {
    let (mask, rest) = (every(), " and so on".repeat(35));
    for text in texts().iter().step_by(3) {
        let text = format!("{text}{rest}");
        let whole = mask.window("", &text, true).text;
        for at in (0..text.len() - rest.len()).step_by(3) {
            let pieces = cut(&text, &[at + 340, at + 340 + at % 8]);
            assert_eq!(streamed(&mask, &pieces), whole, "{pieces:?}");
        }
    }
}

fn streamed(mask: &MaskPii, pieces: &[&str]) -> String {
    shown(pieces, 340, |shown, window, last| mask.window(shown, window, last)).unwrap()
}

proptest! {
    #[test]
    fn a_mask_of_a_masked_text_changes_nothing(number in 0_usize..400, keep_last in 0_usize..=4) {
        let texts = texts();
        let types: Vec<_> = TYPES.iter().map(|(name, ..)| *name).chain(IDS.iter().map(|(name, ..)| *name)).collect();
        let mask = mask(json!({ "types": types, "keep_last": keep_last }));
        let text = format!("{} {}", texts[number % texts.len()], texts[(number * 5 + 1) % texts.len()]);
        if let Some(masked) = mask.mask(&text) {
            prop_assert_eq!(mask.mask(&masked), None, "{}", masked);
        }
    }

    #[test]
    fn any_text_is_read(text in r"[0-9a-zA-Z@.:+() /\\%&#;\u{e9}\u{4e00}-]{0,60}", places in prop::collection::vec(340_usize..400, 0..7)) {
        let (mask, text) = (every(), format!("{text}{}", " and so on".repeat(35)));
        let pieces = cut(&text, &places);
        prop_assert_eq!(streamed(&mask, &pieces), mask.window("", &text, true).text, "{:?}", pieces);
    }
}

const TABLE: &[(&str, &str)] = &[
    ("ada@example.com", "[email]"),
    ("mailto:ada@example.com?subject=x", "mailto:[email]?subject=x"),
    ("?email=ada%40example.com&x=1", "?email=[email]&x=1"),
    ("'ada@example.com'", "'[email]'"),
    ("ada@example.com.", "[email]."),
    ("ada@exämple.de", "[email]"),
    ("иван@пример.рф", "[email]"),
    ("ada@example.com으로", "[email]으로"),
    ("4111 1111 1111 1111 12/27 123", "[card] 12/27 123"),
    ("2024 4111 1111 1111 1111", "2024 [card]"),
    ("4111-1111-1111-1111,5555-5555-5555-4444", "[card],[card]"),
    ("4111.1111.1111.1111", "[card]"),
    ("213100000000001 1800 000000 00002 560000000003", "[card] [card] [card]"),
    ("DE 89 3704 0044 0532 0130 00, mode 89 3704", "[iban], mode 89 3704"),
    ("+1 (415) 555 - 2671", "[phone]"),
    ("4111 - 1111 - 1111 - 1111", "[card]"),
    ("４１１１ １１１１ １１１１ １１１１", "[card]"),
    ("4111\u{200b}1111\u{200b}1111\u{200b}1111", "[card]"),
    ("card_4111111111111111", "card_[card]"),
    ("0.4111111111111111", "0.4111111111111111"),
    ("4111111111111111.25", "4111111111111111.25"),
    ("a4111111111111111", "a4111111111111111"),
    ("41111111111111110", "41111111111111110"),
    ("0000 0000 0000 0000", "0000 0000 0000 0000"),
    ("12345678-1234-4111-1111-111111111111", "12345678-1234-4111-1111-111111111111"),
    ("GB29 NWBK 6016 1331 9268 19 is it", "[iban] is it"),
    ("gb29nwbk60161331926819", "[iban]"),
    ("MT84MALT011000012345MTLCAST001S", "[iban]"),
    ("tel: 4155552671", "tel: [phone]"),
    ("from 10.0.0.1:8080 to ::1", "from [ip]:8080 to [ip]"),
    ("v1.2.3.4", "v1.2.3.4"),
    ("my ssn is 536221234", "my ssn is [us_ssn]"),
    ("\\nada@example.com\\n4111111111111111", "\\n[email]\\n[card]"),
    ("|https://example.org|ada@example.com|", "|https://example.org|[email]|"),
    ("to ada@example.com:https://x.org/y, git@example.com:a/b", "to [email]:https://x.org/y, git@example.com:a/b"),
    ("ada@example.com.json ada@example.com(home)", "[email] [email](home)"),
    ("%B4111111111111111^DOE/JOHN^25121011", "%B[card]^DOE/JOHN^25121011"),
    ("4111_1111_1111_1111 or 4111\t1111\t1111\t1111", "[card] or [card]"),
    ("DE89\t3704\t0044\t0532\t0130\t00", "[iban]"),
    ("5F20 54E8 5546 5531 5617 5968 59BE 5A12", "5F20 54E8 5546 5531 5617 5968 59BE 5A12"),
    ("cafe 4111 1111 1111 1111 12ab x", "cafe [card] 12ab x"),
    ("54E8 4111 1111 1111 1111 12/27", "54E8 [card] 12/27"),
    ("+1 415‑555‑2671", "[phone]"),
    ("dial tcp 203.0.113.7:8080: connect: refused", "dial tcp [ip]:8080: connect: refused"),
    ("client_ip:203.0.113.7 src:203.0.113.7 bad:203.0.113.7:80", "client_ip:[ip] src:[ip] bad:[ip]:80"),
    (
        "this@MainActivity.finish() return@map.value q@k.transpose(-2,-1)",
        "this@MainActivity.finish() return@map.value q@k.transpose(-2,-1)",
    ),
    ("wg-quick@wg0.service bootstrap@next.min.js", "wg-quick@wg0.service bootstrap@next.min.js"),
    ("Boston, MA 02111-1307 on 01-02-2024 12:00", "Boston, MA 02111-1307 on 01-02-2024 12:00"),
    ("hotel 20240115, automobile: 12345678", "hotel 20240115, automobile: 12345678"),
    ("userMobile=4155552671 contactTel: 4155552671", "userMobile=[phone] contactTel: [phone]"),
    ("tel: 52 55 1998 7654, 02 31 2034 567, FON 03012-3456", "tel: [phone], [phone], FON [phone]"),
    ("Chrome/124.0.0.0 OID 2.5.4.54 x[::2] a[1::2]", "Chrome/124.0.0.0 OID 2.5.4.54 x[::2] a[1::2]"),
    (
        "unknown[203.0.113.7] mx[2001:db8::17] mx.example.com[81.2.69.142]:25",
        "unknown[[ip]] mx[[ip]] mx.example.com[[ip]]:25",
    ),
    ("NODE1/81.2.69.142:9000 Client/81.2.69.142", "NODE1/[ip]:9000 Client/[ip]"),
    ("nginx:1.2.3.4 com.foo:bar:1.2.3.4 src:1.2.3.4", "nginx:1.2.3.4 com.foo:bar:1.2.3.4 src:[ip]"),
    ("star*@example.co.uk {braces}@example.com **ada@example.com**", "[email] [email] **[email]**"),
    ("q&a@example.com, x!y@example.com, ?a=b&ada@example.com", "[email], [email], ?a=b&[email]"),
    ("用户@example.com", "[email]"),
    ("是ada@例え.jp。ada@example.中国 ada@example.com谢谢", "是[email]。[email] [email]谢谢"),
    ("to \"john doe\"@example.com or \"john..doe\"@example.com", "to [email] or [email]"),
    ("to ada@[192.168.2.1] or ada@[IPv6:2001:db8::1]", "to [email] or [email]"),
    ("Boston, MA 02110-1301 NDC 00571-6241-54", "Boston, MA 02110-1301 NDC 00571-6241-54"),
    ("13,178,002.113936031 and 001 002 003 004, 081 706 964", "13,178,002.113936031 and 001 002 003 004, 081 706 964"),
    ("00000642: 0076 8164 6035 6997", "00000642: 0076 8164 6035 6997"),
    ("x=+79100040, IMEI 01 006010 008550 9", "x=+79100040, IMEI 01 006010 008550 9"),
    ("(11) 94596-9238, 8 (957) 486-77-74, 98493 59386", "[phone], [phone], [phone]"),
    ("(0 30) 87575652, 1800 636 425, +376 379 428", "[phone], [phone], [phone]"),
    (
        "https://wa.me/4915137737675 ?phone=%2B4915186456246 T+493034494277",
        "https://wa.me/[phone] ?phone=[phone] T[phone]",
    ),
    ("623313 266654 696291, 6277 2991 6174 37435", "[card], [card]"),
    ("67032250471404238, 5041754738443409, 9860833310925106", "[card], [card], [card]"),
    ("V8 4.4.63.30 section-4.2.2.1 00:11:22:33:44:55:66:77", "V8 4.4.63.30 section-4.2.2.1 00:11:22:33:44:55:66:77"),
    ("data[::3, ::4] grid[1::, ::1] fe80::1%eth0.", "data[::3, ::4] grid[1::, ::1] [ip]."),
    ("ada@firma.fr(Paris) bob@firma.ch.json ada@example.co.jp.gz", "[email](Paris) [email] [email]"),
];

#[test]
fn each_form_is_masked_and_its_neighbours_are_not() {
    for (text, expected) in TABLE {
        assert_eq!(all().mask(text).as_deref().unwrap_or(text), *expected, "{text}");
    }
    // Does not end in time if each address is looked for from the beginning of the word.
    assert_eq!(of("ip").mask(&"/10.0.a.b:9000,".repeat(9_200)), None);
}

/// What stands before a value, and is a character or a colour, however it is written.
const BEFORE: &[&str] = &[
    "\u{1b}[31m",
    "\u{1b}[1;31m",
    "\u{1b}[0m\u{1b}[K",
    "\\u001b[31m",
    "\\x1B[31m",
    "\\e[31m",
    "\\033[31m",
    "\\n",
    "\\r\\n",
    "\\u0020",
    "\\u0026",
    "\\u003d",
    "\\x0a",
    "\\x20",
    "%20",
    "%0A",
    "%3D",
    "%3A",
    "%22",
];

#[test]
fn a_value_is_found_behind_an_escape() {
    let values = [
        ("4111111111111111", "card"),
        ("2221001234567896", "card"),
        ("DE89370400440532013000", "iban"),
        ("ada@example.com", "email"),
        ("(415) 555-2671", "phone"),
        ("+49 30 901820", "phone"),
        ("81.2.69.142", "ip"),
        ("2001:db8::17", "ip"),
        ("536-22-1234", "us_ssn"),
        ("131052-308T", "fi_identity_code"),
        ("111222333", "nl_bsn"),
    ];
    for (value, name) in values {
        for before in BEFORE {
            let text = format!("a{before}{value}\u{1b}[0m b");
            let masked = of(name).mask(&text).unwrap_or_else(|| panic!("{text:?}"));
            assert!(masked.ends_with(&format!("[{name}]\u{1b}[0m b")), "{text:?}: {masked:?}");
        }
        let json = json!({ "a": format!("x\u{1b}[31m{value}\u{1b}[0m") }).to_string();
        assert!(!of(name).mask(&json).unwrap().contains(value), "{json}");
    }
    // A percent sign may also be one, as in the pattern of a query.
    for text in ["'%4111111111111111%'", "'%2221001234567896%'", "x=a+4111111111111111+b"] {
        assert!(of("card").mask(text).unwrap().contains("[card]"), "{text}");
    }
    assert_eq!(of("us_ssn").mask("q=ssn+536-22-1234").as_deref(), Some("q=ssn+[us_ssn]"));
    assert_eq!(of("card").mask("m4111111111111111 [31m4111111111111111"), None);
    // Does not end in time if each number is looked at with all that is before it.
    assert_eq!(of("card").mask(&"[m".repeat(100_000).repeat(2)), None);
}

#[test]
fn a_value_is_found_in_text_of_other_scripts() {
    for zero in ['٠', '۰', '０'] {
        let digits = "4111111111111111".bytes().map(|digit| char::from_u32(u32::from(zero) + u32::from(digit - b'0')));
        let text = format!("بطاقة {}", digits.map(Option::unwrap).collect::<String>());
        assert_eq!(of("card").mask(&text).as_deref(), Some("بطاقة [card]"));
    }
    assert_eq!(of("email").mask("bücher und ada＠example.com").as_deref(), Some("bücher und [email]"));
}

#[test]
fn a_wrong_check_digit_is_no_account() {
    assert_eq!(of("iban").mask("DE89 3704 0044 0532 0130 01"), None);
}

#[test]
fn json_stays_json_with_strings_keys_and_numbers_masked() {
    let table = [
        (r#"{ "mail": "ada@example.com" }"#, r#"{ "mail": "[email]" }"#),
        (r#"{"card": 4111111111111111, "n": 1.50}"#, r#"{"card": "[card]", "n": 1.50}"#),
        (r#"{"a@b.co": 1, "c@d.co": [2]}"#, r#"{"[email]": 1, "[email] 2": [2]}"#),
        (r#"{"said": "\n4111111111111111"}"#, r#"{"said": "\n[card]"}"#),
        (r#"{"x": "{\"mail\": \"ada@example.com\"}"}"#, r#"{"x": "{\"mail\": \"[email]\"}"}"#),
        (r#"{"x": "ada\u0040example.com"}"#, r#"{"x": "[email]"}"#),
        (r"[0.4532015112830366]", r"[0.4532015112830366]"),
        (r#"{"phone": "4155552671", "ssn": 536221234}"#, r#"{"phone": "[phone]", "ssn": "[us_ssn]"}"#),
        (
            r#"{"home_phone_number": 4155552671, "n": 4155552671}"#,
            r#"{"home_phone_number": "[phone]", "n": 4155552671}"#,
        ),
        (r#"{"socialSecurityNumber": ["536221234"]}"#, r#"{"socialSecurityNumber": ["[us_ssn]"]}"#),
        (r#"{"name": "mobile", "value": "4155552671"}"#, r#"{"name": "mobile", "value": "[phone]"}"#),
        (r#"{"version": "1.2.3.4", "at": "1.2.3.4"}"#, r#"{"version": "1.2.3.4", "at": "[ip]"}"#),
        (r#"{"v": "81.2.69.142", "ci_build": "81.2.69.142"}"#, r#"{"v": "[ip]", "ci_build": "[ip]"}"#),
        (
            r#"{"cell": 20240102, "fax": 1700000000000, "tel": 491715552671}"#,
            r#"{"cell": 20240102, "fax": 1700000000000, "tel": "[phone]"}"#,
        ),
    ];
    for (text, expected) in table {
        let masked = all().mask(text);
        assert_eq!(masked.as_deref().unwrap_or(text), expected, "{text}");
        serde_json::from_str::<serde_json::Value>(expected).unwrap();
    }
}

const IDS: &[(&str, &str, &str)] = &[
    ("uk_nhs", "943 476 5919", "943 476 5918"),
    ("nl_bsn", "111222333", "111222334"),
    ("es_nif", "12345678Z", "12345678A"),
    ("es_nif", "X1234567L", "X1234567M"),
    ("es_nif", "K1234567L", "K1234567M"),
    ("it_fiscal_code", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
    ("pl_pesel", "44051401359", "44051401358"),
    ("fr_nir", "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"),
    ("de_tax_id", "36574261809", "36574261808"),
    ("br_cpf", "529.982.247-25", "529.982.247-24"),
    ("ca_sin", "130 692 544", "130 692 545"),
    ("au_tfn", "123 456 782", "123 456 783"),
    ("in_aadhaar", "2341 2341 2346", "2341 2341 2347"),
    ("se_personal_number", "811228-9874", "811228-9873"),
    ("ch_ahv", "756.9217.0769.85", "756.9217.0769.84"),
    ("fi_identity_code", "131052-308T", "131052-308U"),
    ("be_national_number", "85.07.30-033.28", "85.07.30-033.29"),
];

#[test]
fn national_ids_need_their_checksum() {
    for (name, valid, invalid) in IDS {
        assert_eq!(of(name).mask(&format!("id {valid}, ok")), Some(format!("id [{name}], ok")), "{name}");
        assert_eq!(of(name).mask(&format!("id {invalid}, ok")), None, "{name}");
    }
}

const FORMS: &[(&str, &[&str])] = &[
    ("es_nif", &["13.813.355-S", "31655460 P", "X-1234567-L", "12345678z"]),
    (
        "fr_nir",
        &["1\u{a0}13\u{a0}01\u{a0}2B\u{a0}595\u{a0}884\u{a0}91", "2-19-04-2B-867-724-40", "2.55.08.14.168.025.38"],
    ),
    ("us_ssn", &["536–22–1234", "536‑22‑1234", "536\u{202f}22\u{202f}1234"]),
    ("ch_ahv", &["756 6813 8784 70", "756-9305-4704-97", "756–9217–0769–85"]),
    ("be_national_number", &["93.05.18-223-61", "930518 223 61", "60 03 16 717 84", "960731-528-25"]),
    ("nl_bsn", &["111 222 333", "1112.22.333", "111.222.333"]),
    ("it_fiscal_code", &["RSS MRA 85T10 A562S", "RSSMRA 85T10 A562S", "rssmra85t10a562s"]),
    ("br_cpf", &["454 754 428 00", "529982247-25"]),
    ("de_tax_id", &["36 574 261 809", "36/574/261/809"]),
    ("au_tfn", &["123-456-782", "123\u{a0}456\u{a0}782"]),
    ("uk_nhs", &["943.476.5919", "0101010001"]),
];

#[test]
fn ids_are_written_with_any_separator() {
    for (name, forms) in FORMS {
        for form in *forms {
            for mask in [of(name), every()] {
                assert_eq!(mask.mask(&format!("id {form}, ok")), Some(format!("id [{name}], ok")), "{form}");
            }
        }
    }
    assert_eq!(of("us_ssn").mask("SSN 117.58.7953, ssn_536221234").as_deref(), Some("SSN [us_ssn], ssn_[us_ssn]"));
    assert_eq!(of("es_nif").mask("12345678 z"), None);
    assert_eq!(of("uk_nhs").mask("0123456789"), None);
    // On the 31st of February and the 32nd of December nobody is born, and no digit occurs four times.
    for (name, text) in
        [("fi_identity_code", "310289-211C"), ("it_fiscal_code", "CNTCHR83T32D969H"), ("de_tax_id", "11112345678")]
    {
        assert_eq!(of(name).mask(text), None, "{text}");
    }
}

/// What is a part of a longer number, and what only stands next to one.
const RUNS: &[(&str, &str)] = &[
    ("454 754 428 01", "454 754 428 01"),
    ("123 456 782 10", "123 456 782 10"),
    ("123 456 782 10:30", "[au_tfn] 10:30"),
    ("2024-01-02 123 456 782", "2024-01-02 [au_tfn]"),
    ("123 456 782 4111 1111 1111 1111", "[au_tfn] [card]"),
    ("123 456 782 943 476 5919", "[au_tfn] [uk_nhs]"),
    ("943 476 5919", "[uk_nhs]"),
    ("6759-9924-2786-0963-780", "6759-9924-2786-0963-780"),
    ("+1 415 555 2671 99", "[phone] 99"),
    ("415 555 2671 99", "415 555 2671 99"),
];

#[test]
fn a_part_of_a_longer_number_is_no_value() {
    for (text, expected) in RUNS {
        assert_eq!(every().mask(text).as_deref().unwrap_or(text), *expected, "{text}");
    }
}

#[test]
fn parameters_choose_types_texts_and_exceptions() {
    let mask = mask(json!({
        "types": ["email", "card"],
        "by": { "email": "<address>" },
        "allow": ["*@example.org", "4000056655665556"],
        "keep_last": 4,
    }));
    let masked = mask.mask("a@b.co, help@Example.org, 4111 1111 1111 1111, 4000 0566 5566 5556");
    assert_eq!(masked.as_deref(), Some("<address>, help@Example.org, [card 1111], 4000 0566 5566 5556"));
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "typs": [], "types": ["emial"], "keep_last": 9, "by": { "card": "x@y.com", "email": "z@y.com" }, "allow": "x" });
    let error = serde_json::from_value::<MaskPii>(wrong).unwrap_err().to_string();
    let expected =
        ["`typs`; did you mean `types`", "`emial`; did you mean `email`", "`keep_last` is 9", "`allow`: invalid type"];
    for part in expected {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = serde_json::from_value::<MaskPii>(json!({ "by": { "email": "x@y.com" } })).unwrap_err().to_string();
    assert!(error.contains("would be masked itself"), "{error}");
    let error = serde_json::from_value::<MaskPii>(json!({ "by": { "phone": "x" } })).unwrap_err().to_string();
    assert!(error.contains("`types` has no `phone`"), "{error}");
    for all in ["*", "**", "?*"] {
        let error = serde_json::from_value::<MaskPii>(json!({ "allow": ["a@b.co", all] })).unwrap_err().to_string();
        assert!(error.contains("nothing is masked"), "{error}");
    }
}
