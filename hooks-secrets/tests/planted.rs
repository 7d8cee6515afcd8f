//! Invented secrets of many kinds, planted where an agent meets them. Prints what is left.

use std::fmt::Write as _;

use base64::Engine as _;
use hooks_secrets::{find, find_unfinished, redact, redact_json, replaced};
use serde_json::{Value, json};

/// The kinds. `{a20}` stands for 20 random letters and digits, `{h}` for hexadecimal digits, `{A}` for capital letters and
/// digits, `{d}` for digits, `{w}` for a short password. The secret is between `«` and `»`.
const KINDS: &[(&str, &str)] = &[
    ("aws key id", "«AKIA{A16}»"),
    ("aws secret key", "aws_secret_access_key = «{a40}»"),
    ("github token", "«ghp_{a36}»"),
    ("github app", "«ghs_{a36}»"),
    ("github fine-grained", "«github_pat_{a22}_{a40}»"),
    ("gitlab", "«glpat-{a20}»"),
    ("slack bot", "«xoxb-{d12}-{d13}-{a24}»"),
    ("slack webhook", "https://hooks.slack.com/services/«T{A8}/B{A8}/{a24}»"),
    ("discord webhook", "https://discord.com/api/webhooks/{d18}/«{a68}»"),
    ("stripe", "«sk_live_{a24}»"),
    ("openai", "«sk-proj-{a48}»"),
    ("openai old", "«sk-{a40}»"),
    ("sk with hex", "«sk-{h32}»"),
    ("sk with 22", "«sk-{a22}»"),
    ("anthropic", "«sk-ant-api03-{a80}»"),
    ("google api", "«AIza{a35}»"),
    ("google oauth", "«ya29.{a60}»"),
    ("jwt", "«eyJ{a30}.eyJ{a40}.{a43}»"),
    ("npm", "«npm_{a36}»"),
    ("pypi", "«pypi-{a60}»"),
    ("sendgrid", "«SG.{a22}.{a43}»"),
    ("twilio", "«SK{h32}»"),
    ("mailgun", "«key-{h32}»"),
    ("digitalocean", "«dop_v1_{h64}»"),
    ("shopify", "«shpat_{h32}»"),
    ("hugging face", "«hf_{a34}»"),
    ("telegram", "«{d10}:AA{a33}»"),
    ("vault", "«hvs.{a40}»"),
    ("databricks", "«dapi{h32}»"),
    ("linear", "«lin_api_{a40}»"),
    ("age", "«AGE-SECRET-KEY-1{A58}»"),
    ("groq", "«gsk_{a52}»"),
    ("private key", "«-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----»"),
    ("private key, escaped", "«-----BEGIN PRIVATE KEY-----\\n{a64}\\n{a64}\\n-----END PRIVATE KEY-----»"),
    ("private key without its end", "«-----BEGIN OPENSSH PRIVATE KEY-----\n{a64}\n{a64}»"),
    ("postgres url", "postgres://ada:«{w}»@db.internal:5432/shop"),
    ("mongodb url", "mongodb+srv://ada:«{a16}»@cluster0.mongodb.net/shop"),
    ("token in a url", "https://«{a24}»@git.example.org/x/y.git"),
    ("access_token parameter", "https://x.org/a?page=2&access_token=«{a24}»"),
    ("token parameter", "https://x.org/a?token=«{a12}»"),
    ("sig parameter", "https://x.blob.net/a?sv=2024&sig=«{a43}»"),
    ("api_key parameter", "https://x.org/a?api_key=«{a8}»&page=2"),
    ("reset link", "https://x.org/reset-password/«{a32}»"),
    ("bearer header", "Authorization: «Bearer {a40}»"),
    ("api key header", "Authorization: «ApiKey {a10}»"),
    ("basic header", "Authorization: «Basic {a24}»"),
    ("digest header", "Authorization: «Digest username=\"ada\", response=\"{h32}\"»"),
    ("cookie", "Cookie: «session={a24}; theme=dark»"),
    ("set-cookie", "Set-Cookie: «sid={a24}; HttpOnly»"),
    ("private-token header", "PRIVATE-TOKEN: «{a20}»"),
    ("x-api-key header", "x-api-key: «{a20}»"),
    ("azure account key", "AccountName=shop;AccountKey=«{a86}»;EndpointSuffix=core.windows.net"),
    ("connection string", "Server=db;Uid=ada;Pwd=«{w}»;Encrypt=yes"),
    ("environment variable", "MYSQL_PWD=«{w}» mysqldump shop"),
    ("password setting", "password = \"«{w}»\""),
    ("password with spaces", "\"password\": \"«{w} {w} {w}»\""),
    ("client secret", "client_secret: «{a32}»"),
    ("refresh token", "\"refresh_token\": \"«{a40}»\""),
    ("flag", "deploy --password «{w}» --now"),
    ("api key flag", "deploy --api-key «{a12}»"),
    ("curl user", "curl -u ada:«{w}» https://x.org"),
    ("session token", "AWS_SESSION_TOKEN=«{a80}»"),
    ("secret of next-auth", "NEXT_AUTH_SECRET=«{w}»"),
    ("page access token", "PAGE_ACCESS_TOKEN=«{a24}»"),
    ("key variable", "OPENAI_KEY=«{a40}»"),
    ("secret key base", "SECRET_KEY_BASE: «{h64}»"),
    ("personal access token", "GITHUB_PAT=«{a40}»"),
];

/// Kinds behind the others, whose random letters stay the same.
const MORE_KINDS: &[(&str, &str)] = &[
    ("planetscale in brackets", "[«pscale_tkn_{a43}»]"),
    ("brevo at the end of a sentence", "It is «xkeysib-{h64}-{a16}». Keep it"),
    ("shippo before a comma", "«shippo_live_{h40}», no other"),
    ("grafana in json in json", "\\\"k\\\": \\\"«glc_eyJ{a80}»\\\""),
    ("crates.io", "«cio{a32}»"),
    ("vercel", "«vcp_{a56}»"),
    ("netlify", "«nfp_{a36}»"),
    ("render", "«rnd_{a32}»"),
    ("supabase", "«sb_secret_{a22}_{a8}»"),
    ("deno", "«ddp_{a36}»"),
    ("pinecone", "«pcsk_{a6}_{a63}»"),
    ("together", "«tgp_v1_{a43}»"),
    ("circleci", "«CCIPAT_{a22}_{h40}»"),
    ("buildkite", "«bkua_{h40}»"),
    ("sonar", "«sqp_{h40}»"),
    ("posthog", "«phx_{a43}»"),
    ("new relic", "«NRII-{a32}»"),
    ("new relic license", "«{h36}NRAL»"),
    ("airtable", "«pat{a14}.{h64}»"),
    ("contentful", "«CFPAT-{a43}»"),
    ("typeform", "«tfp_{a44}_{a14}»"),
    ("notion", "«secret_{a43}»"),
    ("hubspot", "«pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}»"),
    ("dropbox", "«sl.u.{a136}»"),
    ("mailchimp", "«{h32}-us12»"),
    ("bitbucket", "«ATBB{a32}»"),
    ("braintree", "«access_token$production${h16}${h32}»"),
    ("azure devops", "«{a76}AZDO{a4}»"),
    ("asana", "«2/{d16}/{d16}:{h32}»"),
    ("openvsx", "«ovsxat_{h8}-{h4}-{h4}-{h4}-{h12}»"),
    ("packagist", "«packagist_uut_{h68}»"),
    ("inngest", "«signkey-prod-{h64}»"),
    ("key of azure", "\"azure-storage-key\": \"«{a40}»\""),
    ("subscription key", "Ocp-Apim-Subscription-Key: «{a32}»"),
    ("functions key", "x-functions-key: «{a32}»"),
    ("key of a kubeconfig", "client-key-data: «{a100}»"),
    ("wifi", "psk=\"«{a16}»\""),
    ("token that is a uuid", "NOMAD_TOKEN = \"«{h8}-{h4}-{h4}-{h4}-{h12}»\""),
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of(&mut self, letters: &str, count: usize) -> String {
        (0..count).map(|_| char::from(letters.as_bytes()[self.below(letters.len())])).collect()
    }

    /// Fills in a template. Returns the text and its secret.
    fn fill(&mut self, template: &str) -> (String, String) {
        const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (what, next) = after.split_once('}').unwrap();
            let count = what[1..].parse().unwrap_or(9);
            text.push_str(before);
            match &what[..1] {
                "a" => text.push_str(&self.of(LETTERS, count)),
                "A" => text.push_str(&self.of("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", count)),
                "h" => text.push_str(&self.of("0123456789abcdef", count)),
                "d" => text.push_str(&self.of("123456789", count)),
                _ => text.push_str(&self.of("abcdefghijkmnopqrstuvwxyz!7", 7)),
            }
            rest = next;
        }
        text.push_str(rest);
        let (before, after) = text.split_once('«').unwrap();
        let (secret, after) = after.split_once('»').unwrap();
        (format!("{before}{secret}{after}"), secret.to_owned())
    }
}

/// Whether half of the secret or more is left. A cookie has several parts, and a key several lines.
fn is_left(clean: &str, secret: &str) -> bool {
    let parts = secret.split(['\n', ';', ' ']).filter(|part| part.len() >= 6 && !part.contains("-----"));
    parts.filter(|part| !["Bearer", "Digest", "ApiKey", "HttpOnly"].contains(part)).any(|part| {
        let half = part.len().div_ceil(2).max(6);
        (0..=part.len() - half).any(|at| part.get(at..at + half).is_some_and(|piece| clean.contains(piece)))
    })
}

/// Where a secret is, and what is left of it there.
type Place = (&'static str, fn(&str, &mut Random) -> String);

const PLACES: &[Place] = &[
    ("a prompt", |text, _| cleaned(&format!("Please use this: {text}\nand tell me what it does."))),
    ("a nested input", |text, _| {
        let mut value = json!({"steps": [{"run": {"lines": ["echo start", text]}}], "n": 3});
        redact_json("", &mut value);
        texts(&value)
    }),
    ("an error", |text, _| cleaned(&format!("Error: the call failed (code 401), request was `{text}`; retry later"))),
    ("a stream, cut", |text, random| {
        let text = format!("Here it is. {text}\nThat was it.");
        let cuts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let cut = cuts[random.below(cuts.len())];
        format!("{}\n{}", replaced(&text[..cut], &find_unfinished(&text[..cut])), cleaned(&text))
    }),
];

fn cleaned(text: &str) -> String {
    redact(text).unwrap_or_else(|| text.to_owned())
}

fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(texts).collect(),
        Value::Object(fields) => fields.values().map(texts).collect(),
        _ => String::new(),
    }
}

#[test]
fn planted_secrets_are_found() {
    let mut random = Random(7);
    let (mut planted, mut left, mut report) = (0, 0, String::new());
    let mut found = std::collections::BTreeMap::<&str, usize>::new();
    let places = [KINDS, MORE_KINDS].into_iter().flat_map(|kinds| PLACES.iter().map(move |place| (kinds, place)));
    for (kinds, (place, clean)) in places {
        let mut missed = Vec::new();
        for (kind, template) in kinds {
            let (text, secret) = random.fill(template);
            planted += 1;
            let clean = clean(&text, &mut random);
            if is_left(&clean, &secret) {
                missed.push(format!("{kind}: {clean}"));
            } else {
                *found.entry(kind).or_default() += 1;
            }
        }
        left += missed.len();
        writeln!(report, "{place}: {} of {} left {missed:#?}", missed.len(), kinds.len()).unwrap();
    }
    println!(
        "{planted} planted secrets of {} kinds, {left} left\n{report}\nfound, of {}: {found:?}",
        KINDS.len() + MORE_KINDS.len(),
        PLACES.len()
    );
    assert!(planted >= 200 && left == 0, "{report}");
}

/// A letter of another script is no part of the secret behind it.
#[test]
fn a_letter_that_is_not_ascii_hides_nothing() {
    let text = format!("voilàghp_{} — 鍵AKIA{}", "a1B2".repeat(9), "A1B2".repeat(4));
    assert_eq!(redact(&text).unwrap(), "voilà[REDACTED_SECRET] — 鍵[REDACTED_SECRET]");
}

#[test]
fn planted_secrets_in_base64_are_found() {
    let mut random = Random(11);
    let mut missed = Vec::new();
    for (kind, template) in KINDS.iter().chain(MORE_KINDS) {
        let (text, _) = random.fill(template);
        let encoded = base64::engine::general_purpose::STANDARD.encode(&text);
        let within = format!("data: {encoded} end");
        // Not the parts of it that happen to look like something else.
        if find(&within).iter().map(ExactSizeIterator::len).sum::<usize>() < encoded.len() - 2 {
            missed.push(*kind);
        }
    }
    println!("{} planted secrets in base64, left: {missed:?}", KINDS.len() + MORE_KINDS.len());
    assert!(missed.is_empty(), "{missed:?}");
}
