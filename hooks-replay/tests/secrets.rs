//! Promise 25: no secret is written to the disk.

use hook_sdk::kinds::{StreamChannel, StreamDelta};
use hooks_replay::{RecordLimits, Recorder};

use crate::support::*;

/// Invented secrets, each in the format of its vendor, and the part that must not be written.
const SECRETS: &[(&str, &str, &str)] = &[
    ("aws access key id", "AKIAUJZDEGXDNCF32EPF", "AKIAUJZDEGXDNCF32EPF"),
    (
        "aws secret key in a setting",
        "aws_secret_access_key = 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",
        "JBd0Kh8oOOL8dKLzdocJ2isAjIhKtJ0RlgLKOmxg",
    ),
    ("github token", "ghp_JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM", "JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM"),
    ("github oauth", "gho_ehGAkWvj7FAc9QeWJKY40uvSwMFLZDe1f8rE", "ehGAkWvj7FAc9QeWJKY40uvSwMFLZDe1f8rE"),
    ("github app", "ghs_SQedUStPKR0CsTy4Qwb8DwkNhFdnXsiVpzz6", "SQedUStPKR0CsTy4Qwb8DwkNhFdnXsiVpzz6"),
    ("github refresh", "ghr_3FfkCzJr4i0B3JrTAwR4y9ojfljoQoaF1Llq", "3FfkCzJr4i0B3JrTAwR4y9ojfljoQoaF1Llq"),
    (
        "github fine-grained",
        "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",
        "3X83RZJzzzzgEOzdmenCkhvMdgaKjIg8xNbe3nNyjOq9wMxEhh2FDEEtfjg",
    ),
    ("gitlab token", "glpat-VvVqE1SkHbn88HxjSI6b", "VvVqE1SkHbn88HxjSI6b"),
    ("slack bot", "xoxb-841485253888-5393363387500-YrEqmSM9wCZ7Uw9xfogoEmvn", "YrEqmSM9wCZ7Uw9xfogoEmvn"),
    (
        "slack user",
        "xoxp-799075116372-651676122202-972997528820-034d6608697a8d41bed440e50454f31a",
        "034d6608697a8d41bed440e50454f31a",
    ),
    (
        "slack webhook",
        "https://hooks.slack.com/services/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",
        "W56eCuNGMGmSrCGIZEG8pSH4",
    ),
    ("stripe live", "sk_live_487q7J58m1CiAhzCueQpBenQ", "487q7J58m1CiAhzCueQpBenQ"),
    ("stripe restricted", "rk_live_tYh5Xj8TPQxjq4i9DoV8gz4F", "tYh5Xj8TPQxjq4i9DoV8gz4F"),
    (
        "openai project",
        "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",
        "kQ1okTBGzvAmwufUxbvJDCTbyvHNsG9eh6Yo4gfqrc5XlrWi0B26R08qzjI6GKFSufrdZSlB5eT3BlbkFJr8bOfZqfM2oeq3hDavJA76rNicHTp8hkqdlm7tOtHWnsCGRlrwZbqcabUGJmGEp7CgQ0PBQFI1",
    ),
    (
        "openai",
        "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",
        "4zGtSnovm14TUOizwd1iT3BlbkFJaeOV4qBkdfQ1y3GQsMpS",
    ),
    (
        "anthropic",
        "sk-ant-api03-scDlkrCaqx9vJupc94tnwlavyfErGPmpGXafq0fjzLczbttOofL9H2WjQ5TY4MyWuUFjsUNPjc01T5GOBUSZGi6HWGK10AA",
        "scDlkrCaqx9vJupc94tnwlavyfErGPmpGXafq0fjzLczbttOofL9H2WjQ5TY4MyWuUFjsUNPjc01T5GOBUSZGi6HWGK10AA",
    ),
    ("google api", "AIzaZb0RLZ5TR9SPofbciOx9gy1CJdObOIRpFqa", "AIzaZb0RLZ5TR9SPofbciOx9gy1CJdObOIRpFqa"),
    (
        "gcp service account",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCDZeV7G5IfQHeVVEqZe2qpUWnoVPDF2yeE6RsXcNOPmeMjvqPVStNKiaEdFrRgSnR\\n-----END PRIVATE KEY-----\\n\"",
        "nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCDZeV7G5IfQHeVVEqZe2qpUWnoVPDF2yeE6RsXcNOPmeMjvqPVStNKiaEdFrRgSnR",
    ),
    (
        "rsa private key",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAFsTHsDDDXh5Jmtf7EbsDe0G9Cryn687neLfjVHq8xiM0OGr4hTxoF54Fzbka8FRC\nztUjAwyuh1vauWv1zh87mTa5Vsqxezy3Lex7BWr2drgd1QsO7jprBGumXxY9B4bZ\n-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEAFsTHsDDDXh5Jmtf7EbsDe0G9Cryn687neLfjVHq8xiM0OGr4hTxoF54Fzbka8FRC",
    ),
    (
        "openssh private key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUWOz648JJnUfd7UACNWiP3sFd67JikEAvstqVVPqzPptEJQzhkPkenG5ZFJoC6vWC\n-----END OPENSSH PRIVATE KEY-----",
        "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUWOz648JJnUfd7UACNWiP3sFd67JikEAvstqVVPqzPptEJQzhkPkenG5ZFJoC6vWC",
    ),
    (
        "jwt",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkFkYSJ9.BiJmpflvJfupxqZKm4bV3AyAVHnyrvWdFrK9xiRGHOY",
        "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkFkYSJ9",
    ),
    ("npm", "npm_32nfr5pyzPCB9t2039bicBTW5ZE9LFaez777", "32nfr5pyzPCB9t2039bicBTW5ZE9LFaez777"),
    (
        "pypi",
        "pypi-AgEIcHlwaS5vcmc0H2DCpYgojjHRg80USP2W5DfJXcaYioK6cPTt9iOqHOBSWhgetH8LmyqoYMa",
        "AgEIcHlwaS5vcmc0H2DCpYgojjHRg80USP2W5DfJXcaYioK6cPTt9iOqHOBSWhgetH8LmyqoYMa",
    ),
    (
        "sendgrid",
        "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",
        "dbmF4RPAfqoQB7xoFcSvTAxRzmaZsV2GenFmtX0moDo",
    ),
    ("twilio", "SK893f57fd14c1604d115cea325a65e19c", "SK893f57fd14c1604d115cea325a65e19c"),
    ("mailgun", "key-bae530282bd36cb9d21f6be6abf0d7c1", "bae530282bd36cb9d21f6be6abf0d7c1"),
    (
        "digitalocean",
        "dop_v1_c1e21862ab8a18a8902073fec8df4f50947aaeb26c57d21fa5d328263dfe574d",
        "c1e21862ab8a18a8902073fec8df4f50947aaeb26c57d21fa5d328263dfe574d",
    ),
    ("shopify", "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", "e739988b886e7577496a2c8773e130f7"),
    ("square", "sq0atp-1C6xc4sohdmM0Lm7exG3lC", "1C6xc4sohdmM0Lm7exG3lC"),
    ("hugging face", "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", "MqXXQagOMTNwncxvjcnqcMUPnauARxlNte"),
    ("telegram bot", "4189827279:AAjOIfPkzSrAsQtA9dtVK4wAAb3XZxPmzUz", "AAjOIfPkzSrAsQtA9dtVK4wAAb3XZxPmzUz"),
    (
        "discord webhook",
        "https://discord.com/api/webhooks/306261169572200826/fKN7xVGkjwskHk7egyFWZY9Zmti18c6EudM7Oyf5TNS05kOY2oNzN2m1ElKncz8Hkywh",
        "fKN7xVGkjwskHk7egyFWZY9Zmti18c6EudM7Oyf5TNS05kOY2oNzN2m1ElKncz8Hkywh",
    ),
    ("heroku", "heroku_api_key = 47611a3c-e9d9-7dcb-ee50-0fe7ee5fc324", "0fe7ee5fc324"),
    ("postgres url", "postgres://ada:wBxfZCGGQccOif7U@db.internal:5432/shop", "wBxfZCGGQccOif7U"),
    ("mongodb url", "mongodb+srv://ada:uXUGfdWG5yP8Yib2@cluster0.abcde.mongodb.net/shop", "uXUGfdWG5yP8Yib2"),
    ("basic auth in a url", "https://ada:eNUS0hmi4Fs9Z6YkRY@example.org/path", "eNUS0hmi4Fs9Z6YkRY"),
    (
        "bearer header",
        "Authorization: Bearer U7oe1wNWqku5Nr50DjqG96EnLqNGpuxcmlzkO7rR",
        "U7oe1wNWqku5Nr50DjqG96EnLqNGpuxcmlzkO7rR",
    ),
    (
        "vault",
        "hvs.u5ykYYqhXHdO2x93CJHLS45gqIO2zVZxqyxKjxvWfColNV9ds0HqtO93L7Q5uUaVcojsNOBAGx5diFoNPcbdaKwtgHwI",
        "u5ykYYqhXHdO2x93CJHLS45gqIO2zVZxqyxKjxvWfColNV9ds0HqtO93L7Q5uUaVcojsNOBAGx5diFoNPcbdaKwtgHwI",
    ),
    ("databricks", "dapi7d946bf54074e3248c801bef750110c5", "dapi7d946bf54074e3248c801bef750110c5"),
    ("linear", "lin_api_pkd6XgaNJQ8mjAmHMPGPPA0NlGtetOd4UYETIay2", "pkd6XgaNJQ8mjAmHMPGPPA0NlGtetOd4UYETIay2"),
    ("a password in a setting", "password = \"BV6DfVPClogqoPchv5V7\"", "BV6DfVPClogqoPchv5V7"),
    (
        "age",
        "AGE-SECRET-KEY-1SR3MSJD9Q2S0V25VC40C77QPMWNDEY2FZP8X2KFPPZGZYZYHVYCX0DD8ZZ",
        "1SR3MSJD9Q2S0V25VC40C77QPMWNDEY2FZP8X2KFPPZGZYZYHVYCX0DD8ZZ",
    ),
];

/// As shown by Claude Code, a shell and a server.
#[tokio::test]
async fn secrets_are_removed_from_every_field_before_a_line_is_written() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let fails =
        Hook::at::<BeforeToolCall>("fails").reader(|_, _, input: &ToolInput| Err::<(), _>(input.text().into_owned()));
    let traffic: Vec<Traffic> = SECRETS
        .iter()
        .flat_map(|(_, secret, _)| {
            [
                Traffic::Call { tool: "fetch", input: json!({"header": {"authorization": secret}, "list": [secret]}) },
                Traffic::Call {
                    tool: "fetch",
                    input: json!({"env": [{"name": "API_KEY", "value": secret}], "cmd": format!("curl -d '{secret}'")}),
                },
                Traffic::Found { tool: "fetch", text: format!("it said: {secret} and more") },
            ]
        })
        .collect();
    let hooks = desk().with(fails);
    hooks.record(&path, &traffic).await;
    let recording = std::fs::read_to_string(&path).unwrap();
    // Redacted text is not a difference, except where a hook repeats it.
    let report = hooks.replay(&path).await;
    assert!(report.groups.iter().all(|group| group.uncertain && group.hook.as_deref() == Some("fails")), "{report}");
    assert_eq!(report.partly, report.replayed);
    let report = hooks.without("mask_mail").with(limit(1)).replay(&path).await;
    let pages = [recording, report.to_string(), report.to_html(), serde_json::to_string(&report).unwrap()];
    let left: Vec<_> = SECRETS.iter().filter(|(_, _, part)| pages.iter().any(|page| page.contains(part))).collect();
    let around = |part: &str| {
        pages.iter().find_map(|page| page.find(part).map(|at| page[at.saturating_sub(80)..at + part.len()].to_owned()))
    };
    let left: Vec<_> = left.into_iter().map(|(what, _, part)| (what, around(part))).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[tokio::test]
async fn a_secret_that_is_recognised_only_by_its_key_is_removed() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let traffic =
        [Traffic::Call { tool: "login", input: json!({"user": "ada", "api_key": "f4Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw"}) }];
    desk().record(&path, &traffic).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("f4Zq81mXp0Lv7Ns2Rt9cBd3Fg5Hj6Kw"), "{text}");
}

/// An unchanged guard that denies what holds a key: at its replay the key is missing, so its answer says nothing.
#[tokio::test]
async fn a_decision_that_rested_on_a_removed_secret_is_not_a_change() {
    let folder = Folder::new();
    let path = folder.path("month.jsonl");
    let guard = Hook::at::<BeforeToolCall>("no_keys").reader(|_, _, input: &ToolInput| {
        if input.text().contains("ghp_") { Permission::deny("a key") } else { Permission::NoOpinion }
    });
    let hooks = Hooks::default().with(guard);
    let with_key = json!({"cmd": "git push https://ghp_JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM@github.com/x"});
    let traffic = [
        Traffic::Call { tool: "fetch", input: with_key },
        Traffic::Call { tool: "fetch", input: json!({"cmd": "ls"}) },
    ];
    hooks.record(&path, &traffic).await;
    let report = hooks.replay(&path).await;
    assert!(!report.has_flips() && report.groups.iter().all(|group| group.uncertain), "{report}");
    // It is no success either: of a guard that did change, nothing else would be seen.
    assert_eq!((report.uncertain, report.differing, report.exit_code()), (1, 0, 3), "{report}");
    assert_eq!((&*report.groups[0].title, report.groups[0].count), ("deny → none: a key", 1), "{report}");
    for page in [report.to_string(), report.to_html()] {
        for part in ["0 differ, 1 not counted", "1 of the dispatches had another outcome", "no_keys", "perhaps only"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
    // A hook that was added has no part in it.
    let added = Hook::at::<BeforeToolCall>("reads").reader(|_, _, _: &ToolInput| ());
    let report = hooks.clone().with(added).replay(&path).await;
    let found = ["2 reads was added".to_owned(), "1 no_keys deny → none: a key".to_owned()];
    assert_eq!((differences(&report), report.uncertain, report.differing), (found.to_vec(), 1, 0), "{report}");
    // A guard that was removed or revised has.
    let report = hooks.clone().without("no_keys").replay(&path).await;
    assert!(report.has_flips(), "{report}");
    assert_eq!(report.uncertain, 0, "{report}");
    let revised = Hook::at::<BeforeToolCall>("no_keys").reader(|_, _, _: &ToolInput| Permission::NoOpinion).priority(7);
    let report = hooks.with(revised).replay(&path).await;
    assert!(differences(&report).contains(&"1 no_keys deny → none: a key".to_owned()), "{report}");
    assert_eq!(report.uncertain, 0, "{report}");
}

/// Every piece is recorded with all that was shown before it.
#[tokio::test]
async fn no_part_of_a_secret_in_a_stream_is_written_before_it_is_complete() {
    let secrets = [
        "sk-proj-kQ1okTBGzvAmwufUxbvJDCTbyvHNsG9eh6Yo4gfqrc5XlrWi0B26R08qzjI6GKF",
        "AKIAUJZDEGXDNCF32EPF",
        "ghp_JTeKdNnFRIBXuDL7DxtpYlSXpfKtHF4vUCsM",
        "postgres://ada:wBxfZCGGQccOif7U@db.internal:5432/shop",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAFsTHsDDDXh5Jmtf7EbsDe0G9Cryn687neLfjVHq8xiM0OGr4hTxoF54Fzbka8FRC\n-----END RSA PRIVATE KEY-----",
    ];
    for secret in secrets {
        let folder = Folder::new();
        let path = folder.path("month.jsonl");
        let registry = Registry::empty();
        registry.register(Hook::at::<StreamDelta>("reads").reader(|_, _, _: &String| Permission::NoOpinion)).unwrap();
        let recorder = Recorder::create(&path, "test", RecordLimits::default()).unwrap();
        registry.observe(recorder.clone());
        let set = registry.scope(&AgentDef::new("a").hooks(["reads"]), None).unwrap();
        let text = format!("Here is the key: {secret} and that is all.");
        for size in [1, 3, 7, 20] {
            let mut shown = String::new();
            let chars: Vec<char> = text.chars().collect();
            for (number, piece) in chars.chunks(size).enumerate() {
                let piece: String = piece.iter().collect();
                let last = (number + 1) * size >= chars.len();
                let mut event = StreamDelta::new(StreamChannel::Text);
                (event.shown, event.fresh, event.last) = (shown.clone().into(), piece.chars().count(), last);
                let _ = set.fire(&HookContext::new(), &event, piece.clone()).await.unwrap();
                shown.push_str(&piece);
            }
        }
        recorder.flush();
        let written = std::fs::read_to_string(&path).unwrap();
        let key = secret
            .lines()
            .max_by_key(|line| line.len())
            .unwrap()
            .split(['@', ':'])
            .max_by_key(|part| part.len())
            .unwrap();
        let longest = (8..=key.len())
            .rev()
            .find(|length| (0..=key.len() - length).any(|at| written.contains(&key[at..at + length])));
        assert_eq!(longest, None, "{secret}");
    }
}
