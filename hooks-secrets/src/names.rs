//! Names of headers, settings, query parameters, flags and variables whose value is a secret.

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The value is a secret, whatever it looks like.
    Secret,
    /// The value is a secret if it looks like one.
    Perhaps,
    Harmless,
}

/// Last words of a name.
const SECRET_WORDS: &str = "passwords pwd passcode pass secrets credential credentials creds cookie cookies jwt";

/// Endings of a name, without separators.
const SECRET_ENDINGS: &str = "password passwd passphrase secret secretkey secretkeybase apikey accesskey privatekey accountkey signingkey \
    encryptionkey sharedkey authkey masterkey licensekey servicekey accesstoken refreshtoken authtoken sessiontoken bearertoken idtoken apitoken \
    privatetoken oauthtoken csrftoken xsrftoken deploytoken bottoken resettoken usertoken secrettoken jobtoken securitytoken vaulttoken \
    sharedaccesssignature azurestoragekey servicerolekey clientkeydata dbpass requirepass authorization connectionstring secretstring webhookurl passwort kennwort";

/// Last words of a name whose value may also be something else.
const PERHAPS_WORDS: &str = "token tokens sig auth assertion sid otp pin dsn pat salt pepper psk pw";

/// Endings of such a name, without separators.
const PERHAPS_ENDINGS: &str =
    "appkey hmackey storagekey subscriptionkey functionskey sessionkey deploykey sshkey adminkey";

/// Words behind a name, as numbers are: `token_prod`, `user_password_1`.
const LAST_WORDS: &str = "prod production staging live value";

/// A token with such a word is the place in a list, or an end of work: `next_page_token`.
const HARMLESS_WORDS: &str = "page next previous continuation cursor pagination cancellation idempotency";

/// A key or token with such a word is for everybody to read: `NEXT_PUBLIC_API_KEY`. A password is not, whatever it is
/// called.
const PUBLIC_WORDS: &str = "public publishable anon";

/// Values that stand for a secret, or for none. Also what `fetch` takes for `credentials`.
const PLACEHOLDERS: &str = "null none nil true false undefined required optional string redacted changeme change-me change_me \
    placeholder same-origin include omit inherit latest allow deny ask bearer basic todo fixme replaceme replace-me replace_me \
    insert-here insert_here";

fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Whether the value of this name is a secret, whatever it looks like.
pub fn is_secret_name(name: &str) -> bool {
    of(name) == Name::Secret
}

pub(crate) fn of(name: &str) -> Name {
    if name.len() > 80 {
        return Name::Harmless;
    }
    let mut words = words(name);
    let count = words.len();
    words.truncate(
        1 + words
            .iter()
            .rposition(|word| !is_in(LAST_WORDS, word) && word.contains(|c: char| !c.is_ascii_digit()))
            .unwrap_or_default(),
    );
    let Some(last) = words.last() else { return Name::Harmless };
    let has = |of: &str| words.iter().any(|word| is_in(of, word));
    let joined = words.concat();
    let is_key = ["key", "token", "tokens"].iter().any(|word| last.ends_with(word));
    if is_key && has(PUBLIC_WORDS) {
        return Name::Harmless;
    }
    if is_in(SECRET_WORDS, last) || SECRET_ENDINGS.split(' ').any(|ending| joined.ends_with(ending)) {
        return if is_task(name, last) || words.len() < count { Name::Perhaps } else { Name::Secret };
    }
    // `OPENAI_KEY`, but not `sort_key`.
    let is_variable = last == "key" && words.len() > 1 && !name.contains(char::is_lowercase);
    let is_perhaps =
        is_variable || is_in(PERHAPS_WORDS, last) || PERHAPS_ENDINGS.split(' ').any(|ending| joined.ends_with(ending));
    if is_perhaps && !(is_key && has(HARMLESS_WORDS)) { Name::Perhaps } else { Name::Harmless }
}

/// Whether a name is that of a task: `test:cookies`, but not `Jwt:Secret`.
pub(crate) fn is_task(before: &str, last: &str) -> bool {
    before.contains(':') && is_in("cookie cookies secrets passwords credentials", last)
}

/// Whether the value of a field with this name is a secret.
pub(crate) fn hides(name: &str, value: &str) -> bool {
    let hides = match of(name) {
        Name::Secret => !is_path(name, value),
        Name::Perhaps => is_key(name, value),
        Name::Harmless => false,
    };
    hides && !is_placeholder(value)
}

/// Whether the value is no secret but stands for one, or for none.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let value = ["Basic ", "Bearer "].iter().find_map(|scheme| value.strip_prefix(scheme)).unwrap_or(value);
    // `$NAME`, `%s`, `{name}`, `[name]`: a name in signs that a template has.
    let inner = value.trim_matches(|c: char| "$%<>{}[]() ".contains(c));
    let (digits, has) =
        (inner.bytes().filter(u8::is_ascii_digit).count(), |test: fn(char) -> bool| inner.contains(test));
    let is_name = digits == 0 || !has(char::is_lowercase) || (digits == 1 && !has(char::is_uppercase));
    let ends = ["token", "key", "secret", "password", "pass", "pw"];
    let is_name = is_name || ends.iter().any(|end| inner.to_ascii_lowercase().ends_with(end));
    // No name begins with a digit: `$3cr3tPass`.
    let is_name = is_name && !inner.starts_with(|c: char| c.is_ascii_digit());
    let wraps = |pair: &(&str, &str)| value.starts_with(pair.0) && value.ends_with(pair.1);
    let is_marked = value.is_empty() || [("$", ""), ("%", ""), ("<", ">"), ("{", "}"), ("[", "]")].iter().any(wraps);
    // `${name}`, `{{ name }}`, `<name>`: no password has these around it.
    let is_template = [("${", "}"), ("{{", "}}"), ("<", ">")].iter().any(wraps)
        && inner.chars().all(|c| c.is_alphanumeric() || "_.- ".contains(c));
    // `$USER:$PASS`, `${A}${B}`
    let parts = value.replace("}${", "} ${");
    let parts: Vec<&str> = parts.split([' ', ':', '/', '@']).collect();
    let is_joined = parts.len() > 1 && parts.iter().all(|part| part.starts_with('$') && is_placeholder(part));
    (is_marked && (inner.len() <= 2 || is_template || (is_name && !inner.contains('$'))))
        || is_joined
        || (value.chars().all(|c| "*.•…xX-_?".contains(c))
            && (value.chars().count() > 2 || value.starts_with(['…', '*'])))
        || (value.len() < 4 && value.bytes().all(|byte| byte.is_ascii_digit()))
        || value.split_whitespace().all(is_version)
        || is_in(PLACEHOLDERS, &value.to_ascii_lowercase())
        // `sk-…`, `sk-xxxx`
        || (value.len() < 12 && value.rsplit_once('-').is_some_and(|(_, last)| last.chars().all(|c| "xX*.…".contains(c))))
        || ["your-", "your_"].iter().any(|start| value.to_ascii_lowercase().starts_with(start))
        || value.strip_prefix("workspace:").is_some_and(|version| is_version(version) || "*^~".contains(version))
}

/// Whether a value is a version or a requirement of one, as dependencies have them: `^0.6.0`, `7.3.1-rc.1`.
fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(|c: char| "^~<>=v".contains(c)).split(['-', '+']).next().unwrap_or_default();
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
    number.contains('.') && number.split('.').all(is_part)
}

/// Whether a text is words of a path or an identifier: `getting-started-with-oauth2`, `order_items_2024`.
pub(crate) fn is_words(text: &str) -> bool {
    let is_word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - letters.len();
        let most = if letters.is_empty() { 4 } else { 2 };
        part.len() <= 14 && digits <= most && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    text.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
        || (text.contains(['-', '_']) && text.split(['-', '_', '.']).all(is_word))
}

/// Whether the value looks like the key or the number that its name may be one of. Some are UUIDs, but ids of sessions are, too.
pub(crate) fn is_key(name: &str, value: &str) -> bool {
    let words = words(name);
    let is_a = |of: &str| words.last().is_some_and(|last| is_in(of, last));
    let is_key = is_a("token auth key") && !words.iter().any(|word| is_in("session id sync", word));
    let is_number = (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    if is_a("pin") {
        // Chips have pins, and what is pinned has a version.
        return is_number && words.iter().all(|word| is_in("pin user card sim account login code", word));
    }
    is_opaque(value) || (is_key && is_uuid(value)) || (is_number && is_a("otp"))
}

/// Whether the value looks like a key: one word of letters and digits.
pub(crate) fn is_opaque(value: &str) -> bool {
    let of_key = |c: char| c.is_ascii_alphanumeric() || "+/=_.~%-:".contains(c);
    value.len() >= 8
        && value.chars().all(of_key)
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && !is_uuid(value)
        // The kind of a public key, and an account of Windows.
        && !["ssh-", "S-1-"].iter().any(|start| value.starts_with(start))
}

/// Ids of conversations and requests are UUIDs, and a recording without them cannot be replayed.
fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value
            .char_indices()
            .all(|(at, c)| if [8, 13, 18, 23].contains(&at) { c == '-' } else { c.is_ascii_hexdigit() })
}

/// `PWD` is also the working directory, credentials may be in a file, and the `accesskey` of a button is one letter.
pub(crate) fn is_path(name: &str, value: &str) -> bool {
    let is_file = ["pwd", "credentials", "secrets", "passwords", "cookies"];
    let may_be = name.eq_ignore_ascii_case("pwd")
        || words(name).last().is_some_and(|last| *last != "pwd" && is_file.contains(&last.as_str()));
    (may_be && (value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\")))
        || (value.len() == 1 && name.eq_ignore_ascii_case("accesskey"))
}

/// The words of a name in lower case: `X-Api-Key`, `apiKey` and `API_KEY` have the same.
pub(crate) fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = String::with_capacity(name.len());
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase) && chars.get(at + 1).is_some_and(|c| c.is_lowercase())));
        words.push_str(if begins || !c.is_alphanumeric() { " " } else { "" });
        words.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of real programs, and what was decided about each.
    const TABLE: &[(Name, &str)] = &[
        (
            Name::Secret,
            "password DB_PASSWORD pgPassword PGPASSWORD Cookie set-cookie X-Api-Key apiKey APIKey client_secret \
             aws_secret_access_key AccountKey refresh_token MYSQL_PWD PRIVATE-TOKEN Pwd NEXT_AUTH_SECRET NEXTAUTH_SECRET \
             BETTER_AUTH_SECRET CRON_SECRET SESSION_SECRET JWT_SECRET_KEY SECRET_KEY_BASE RAILS_MASTER_KEY CURSOR_API_KEY \
             PAGE_ACCESS_TOKEN next-auth.session-token INPUT_PASSWORD previous_password next_password stop_password \
             NEXT_PUBLIC_DB_PASSWORD public_client_secret VITE_API_KEY TWILIO_AUTH_TOKEN X-Amz-Security-Token \
             X-Vault-Token proxy-authorization NUXT_SESSION_PASSWORD GOOGLE_APPLICATION_CREDENTIALS SLACK_WEBHOOK_URL \
             ConnectionString csrfToken creds mySecretString",
        ),
        (
            Name::Perhaps,
            "token sig github_token NPM_TOKEN INPUT_TOKEN GITHUB_PAT OPENAI_KEY STRIPE_KEY DD_APP_KEY APP_KEY SENTRY_DSN \
             some_api_token_123 token_prod secret_value user_password_1 connect.sid pin userPin PASSWORD_SALT max_tokens prompt_tokens eos_token sync_token",
        ),
        (
            Name::Harmless,
            "next_page_token nextPageToken NextToken continuationToken pagination_token cancellation_token secretary key \
             monkey author passenger public_key NEXT_PUBLIC_API_KEY SUPABASE_ANON_KEY STRIPE_PUBLISHABLE_KEY PUBLIC_KEY \
             cache_key sort_key primaryKey token_type token_url secret_name password_hint PASS_MAX_DAYS SSH_ASKPASS \
             private_key_path csrf_header_name password_policy ACCESS_TOKEN_EXPIRE_MINUTES session_id keyboard compass",
        ),
    ];

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for (expected, names) in TABLE {
            for name in names.split_whitespace() {
                assert_eq!(of(name), *expected, "{name}");
            }
        }
        assert!(TABLE.iter().map(|(_, names)| names.split_whitespace().count()).sum::<usize>() >= 60);
        assert_eq!(of(""), Name::Harmless);
        assert!(!hides("PWD", "/home/ada") && hides("Pwd", "hunter") && !hides("password", "${PASSWORD}"));
        assert!(!hides("max_tokens", "4096") && !hides("eos_token", "</s>") && hides("OPENAI_KEY", "k7Qd81aa"));
        let file = "GOOGLE_APPLICATION_CREDENTIALS";
        assert!(!hides(file, "/etc/key.json") && hides(file, "{\"private_key\"") && hides("password", "/x7/"));
    }
}
