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
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "pass",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "authorization",
    "apikey",
    "jwt",
];

/// Endings of a name, without separators.
const SECRET_ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "clientsecret",
    "secretkey",
    "apikey",
    "apisecret",
    "accesskey",
    "privatekey",
    "accountkey",
    "signingkey",
    "encryptionkey",
    "sharedkey",
    "authkey",
    "masterkey",
    "licensekey",
    "servicekey",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "sessiontoken",
    "bearertoken",
    "idtoken",
    "apitoken",
    "privatetoken",
    "oauthtoken",
    "csrftoken",
    "xsrftoken",
    "deploytoken",
    "bottoken",
    "resettoken",
    "usertoken",
    "secrettoken",
    "jobtoken",
    "securitytoken",
    "vaulttoken",
    "sharedaccesssignature",
    "connectionstring",
    "webhookurl",
];

/// Last words of a name whose value may also be something else.
const PERHAPS_WORDS: &[&str] = &["token", "tokens", "sig", "auth", "assertion", "sid", "otp", "dsn"];

/// Such a word means something else in these names: `next_page_token`, `max_tokens`.
const HARMLESS_WORDS: &[&str] = &[
    "page",
    "next",
    "previous",
    "continuation",
    "cursor",
    "cancellation",
    "max",
    "min",
    "total",
    "count",
    "input",
    "output",
    "prompt",
    "stop",
    "pad",
    "eos",
    "bos",
    "special",
    "cached",
    "public",
    "csrf_header",
    "policy",
    "reset_url",
];

/// Whether the value of this name is a secret, whatever it looks like.
pub fn is_secret_name(name: &str) -> bool {
    of(name) == Name::Secret
}

pub(crate) fn of(name: &str) -> Name {
    if name.len() > 80 {
        return Name::Harmless;
    }
    let words = words(name);
    let Some(last) = words.last() else { return Name::Harmless };
    if words.iter().any(|word| HARMLESS_WORDS.contains(&word.as_str())) {
        return Name::Harmless;
    }
    let joined = words.concat();
    if SECRET_WORDS.contains(&last.as_str()) || SECRET_ENDINGS.iter().any(|ending| joined.ends_with(ending)) {
        Name::Secret
    } else if PERHAPS_WORDS.contains(&last.as_str()) {
        Name::Perhaps
    } else {
        Name::Harmless
    }
}

/// Whether the value of a field with this name is a secret.
pub(crate) fn hides(name: &str, value: &str) -> bool {
    let hides = match of(name) {
        Name::Secret => !is_path(name, value),
        Name::Perhaps => is_opaque(value),
        Name::Harmless => false,
    };
    hides && !is_placeholder(value)
}

/// Whether the value is no secret but stands for one, or for none.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let is_wrapped = |open, close| value.starts_with(open) && value.ends_with(close);
    let names = ["null", "none", "nil", "true", "false", "undefined", "required", "optional", "string", "redacted"];
    value.is_empty()
        || is_wrapped('<', '>')
        || is_wrapped('{', '}')
        || is_wrapped('[', ']')
        || value.starts_with(['$', '%'])
        || (value.chars().all(|c| "*.•…xX-_?".contains(c)) && (value.chars().count() > 2 || value.starts_with('…')))
        || names.iter().any(|name| value.eq_ignore_ascii_case(name))
}

/// Whether the value looks like a key: one word of letters and digits.
pub(crate) fn is_opaque(value: &str) -> bool {
    let of_key = |c: char| c.is_ascii_alphanumeric() || "+/=_.~%-:".contains(c);
    value.len() >= 8
        && value.chars().all(of_key)
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && !is_uuid(value)
}

/// Ids of conversations and requests are UUIDs, and a recording without them cannot be replayed.
fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value
            .char_indices()
            .all(|(at, c)| if [8, 13, 18, 23].contains(&at) { c == '-' } else { c.is_ascii_hexdigit() })
}

/// `PWD` is also the working directory.
fn is_path(name: &str, value: &str) -> bool {
    name.eq_ignore_ascii_case("pwd") && (value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\"))
}

/// The words of a name in lower case: `X-Api-Key`, `apiKey` and `API_KEY` have the same.
pub(crate) fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase) && chars.get(at + 1).is_some_and(|c| c.is_lowercase())));
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for name in [
            "password",
            "DB_PASSWORD",
            "pgPassword",
            "PGPASSWORD",
            "Cookie",
            "set-cookie",
            "X-Api-Key",
            "apiKey",
            "APIKey",
            "client_secret",
            "aws_secret_access_key",
            "AccountKey",
            "refresh_token",
            "MYSQL_PWD",
            "PRIVATE-TOKEN",
            "Pwd",
        ] {
            assert_eq!(of(name), Name::Secret, "{name}");
        }
        for name in ["token", "sig", "github_token"] {
            assert_eq!(of(name), Name::Perhaps, "{name}");
        }
        for name in
            ["max_tokens", "next_page_token", "secretary", "key", "monkey", "author", "passenger", "public_key", ""]
        {
            assert_eq!(of(name), Name::Harmless, "{name}");
        }
        assert!(!hides("PWD", "/home/ada") && hides("Pwd", "hunter") && !hides("password", "${PASSWORD}"));
    }
}
