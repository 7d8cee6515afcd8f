//! Single texts.

use hooks_secrets::{REDACTED, find, find_unfinished, redact, redact_json, replaced};
use serde_json::json;

/// The text with its secrets, which are between `«` and `»`.
fn check(marked: &str) {
    let text = marked.replace(['«', '»'], "");
    let mut expected = String::new();
    for (number, part) in marked.split(['«', '»']).enumerate() {
        expected.push_str(if number % 2 == 0 { part } else { REDACTED });
    }
    assert_eq!(redact(&text).unwrap_or(text), expected);
}

#[test]
fn secrets_are_found_by_name_place_and_form() {
    for text in [
        "password=«super-secret-token»",
        "the url is postgres://ada:«s3cr3t-pw»@db/x?sslmode=require",
        "Authorization: «Bearer abcdefgh12345678abcdefgh»",
        "curl -H \"Authorization: «ApiKey q1w2»\" https://x.org",
        "https://x.org/a?page=2&api_key=«k1»&token=«abc12345»#top",
        "Cookie: «sid=1; theme=dark»\nHost: x.org",
        "run --password «hunter» --verbose",
        "run --api-key=«hunter2» -v",
        "MYSQL_PWD=«hunter» mysql -u root",
        "PWD=/home/ada OLDPWD=/",
        "Server=db;Uid=ada;Pwd=«hunter»;Encrypt=yes",
        r#"{"password": "«a b c»", "user": "ada"}"#,
        r#"{\"password\": \"«a\\b c»\", \"user\": \"ada\"}"#,
        "git clone https://«a1b2c3d4e5f6g7h8»@github.com/x/y ssh://git@github.com/x",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "key: «-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA»",
        "eval $(echo «cGFzc3dvcmQ9aHVudGVyMTIzNDU2» | base64 -d)",
        "mysql -u root -p«hunter» shop",
        "the key sk-learn-based-classification is none, but «sk-proj-0123456789abcdef0123» is",
        "let token = self.token; let password = read_password(); password: String, secret: &str",
        " \"allocator-api2\",\n \"equivalent\",\n \"foldhash2x91\",",
        "the setting `password=…` is empty here",
        "max_tokens: 4096, next_page_token=abc123def456, author=ada, the password: is wrong",
        "NEXT_AUTH_SECRET=«hunter7» NEXT_PUBLIC_API_KEY=abc12345 CURSOR_API_KEY=«abc12345»",
        "password=\"\" user=\"ada\" and {\\\"password\\\": \\\"\\\", \\\"user\\\": \\\"ada\\\"}",
        "password: ${DB_PASSWORD} secret=<your secret> token=*** api_key: null",
        "machine x login ada password «s3cr3tPw9»",
        "<password>«S3cr3tPw9»</password><user>ada</user>",
        "env:\n- name: DB_PASSWORD\n  value: «S3cr3tPw9»\n- name: HOME\n  value: /root",
        "docker login -u ada -p «S3cr3tPw9» registry.example.org",
        "Password is «S3cr3tPw9». The password is wrong, the api key is needed",
        "«Private-Lines: 1\nAAAAB3NzaC1yc2EAAAADAQAB»\nPrivate-MAC: x",
        "access_token=«abc12345def»&x=1",
        "password = input(\"Password: \")",
        "Reset your password: https://x.org/reset",
        "jwt: 9.0.2 credentials: \"same-origin\" API_KEY=changeme API_KEY=your-api-key-here",
        "https://api.telegram.org/«bot123456789:AAabcdefghijklmnopqrstuvwxyz012345»/getMe",
        "**Password:** «S3cr3tPw9» and **Password**: `«S3cr3tPw9»`, **password: «S3cr3tPw9»**",
        "password:\u{a0}«S3cr3tPw9», \u{1b}[32mpassword\u{1b}[0m: \u{1b}[33m«S3cr3tPw9»\u{1b}[0m",
        "ENV DB_PASSWORD «S3cr3tPw9»\nENV HOME /root1",
        "<add key=\"Password\" value=\"«S3cr3tPw9»\"/><add key=\"Port\" value=\"S3cr3tPw9\"/>",
        "Passwort: «S3cr3tPw9»",
        "password: \"«$2b$12$KIXQ9e8r7t6y5u4i3o2p1O»\" password='«$argon2id$v=19$m=65536»'",
        "password: \"«$ecretPw9xyz»\" password: \"«%S3cr3tPw9»\" password: \"«{S3cr3tPw9}»\" password: \"«[S3cr3tPw9]»\"",
        "password: \"$DB_PASSWORD2\" secret=\"${{ secrets.API_KEY }}\" secret=\"$(cat x)\" password=\"%(password)s\"",
        "password=\"%DB_PW2%\" password=\"{{ password1 }}\" password=\"<your password>\" password=\"$1\" password=\"{}\"",
        "\"cookie\": \"^0.6.0\", \"js-cookie\": \"^3.0.5\", \"passport-jwt\": \"~4.0.1-rc.2\", rpassword = \"7.3.1\", cookie: ^0.6.0",
        "PASS: test_login_2\npass=12 fail=3, secrets: inherit, \"test:cookies\": \"jest a1\", $env:DB_PASSWORD = \"«hunter»\"",
        "docs/login/getting-started-with-oauth2 pk_order_items_archive_2024",
        "The login page password field is empty, the ENV password variable",
        "config.py:12:DB_PASSWORD = '«hunter2»', .env:12:DB_PASSWORD=«hunter2»",
        "INFO:root:password=«hunter2» db:password=«S3cr3t!pw» {\"Db:Password\": \"«hunter2»\", \"Jwt:Secret\": \"«correcthorse»\"}",
        "PASS: «S3cr3t!pw» password=\"«$3cr3tPass»\" password=\"[...]\"",
        "login root password «hunter2» and machine h account z login x password «hunter»",
        "name=DB_PASSWORD\nvalue=«hunter2»",
        "\"connection_string\": \"«Server=db;Uid=ada»\"",
        "web_hook_url = \"«https://x.org/h/1»\"",
        // A backslash belongs to a value, and what looks like a code to a name.
        "log: {\"name\": \"API_KEY\", \"value\": \"«q9Xk2LmZ7\\/XkQ2mZ7»\"} - name: DB_PASSWORD\n  value: «DOM\\q9Xk2LmZ7»",
        "HKLM\\Acme\\token=«q9Xk2LmZ7» \\\\srv\\share\\token: «q9Xk2LmZ7», C:\\new\\api_key=«q9Xk2LmZ7»",
        "GPIO_PIN=1024 rst_pin: 1234, commit_pin: 3f2504e0a1, FUT_PIN: _ty_47bindgen, pin=«1234» user_pin=«4711»",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"«hunter2»\"} {\\\"key\\\":\\\"otp\\\",\\\"value\\\":\\\"«482913»\\\"}",
        "It has basic responsibilities. Bearer «my-secret-token-42», password=\"«workspace:hunter2»\" secret=\"workspace:*\" secret=\"workspace:^1.2.0\"",
        "password=\"${oauth2Token}\" password=\"{{ s3Password }}\" password=\"<yourOauth2Token>\" password: $oauth2Token",
        "define('DB_PASSWORD', '«S3cr3tPw9»'); 'password' => env('DB_PASSWORD', '«S3cr3tPw9»'), env('APP_NAME', 'Shop1')",
        "os.environ['API_KEY'] = '«S3cr3tPw9»'\nos.Setenv(\"API_KEY\", \"«S3cr3tPw9»\")",
        "const vault_token: string = '«S3cr3tPw9»'; const password: string = input",
        "password: |\n  «S3cr3tPw9»\nport: 1\nsecret: >-\n    «S3cr3tPw9»\ntoken: !!str «S3cr3tPw9»\npassword:\n  type: string",
        "CREATE USER ada WITH PASSWORD '«S3cr3tPw9»'; ALTER USER ada IDENTIFIED BY '«S3cr3tPw9»'",
        "variable \"db_password\" {\n  type = string\n  default = \"«S3cr3tPw9»\"\n}\nvariable \"region\" {\n  default = \"eu-west-1\"\n}",
        "setx BOT_TOKEN «S3cr3tPw9»\nset -gx BOT_TOKEN «S3cr3tPw9»\nrequirepass «S3cr3tPw9»",
        "wget --proxy-user a:«S3cr3tPw9» x, curl --oauth2-bearer «S3cr3tPw9» x, sqlplus scott/«S3cr3tPw9@orcl»",
        "{\"auths\":{\"ghcr.io\":{\"auth\":\"«YWRhOmFiY2RlZmdo1»\"}}} <input type=\"password\" value=\"«S3cr3tPw9»\">",
        "$http->withToken('«S3cr3tPw9»') .bearer_auth(\"«S3cr3tPw9»\")",
        "dbpass=«hunter2» pw=«S3cr3tPw9» session_key=«S3cr3tPw9» deploy_key: «S3cr3tPw9» ssh_key: ssh-ed25519 AAAA1",
        "-H \"Authorization: Bearer $GITHUB_TOKEN\" and\nAuthorization: `Bearer ${accessToken}`\nheaders[\"Authorization\"] = \"Bearer \" + t",
        "OPENAI_API_KEY=sk-... OPENAI_API_KEY=sk-xxxx password=TODO password=REPLACE_ME SECRET_KEY=insert-here",
        "--api-key KEY   the key to use, login [--password PASSWORD] [--token TOKEN]",
        "h['proxy-authorization'] = `Basic ${opts.auth}`; tokens: AtomicU64, \"read_secret\": \"deny\" <a accesskey=\"h\"> -Dpamconfdir=no https://user:password@host/ sid: S-1-5-21-3623811015-3361044348-30300820-1013",
        "xai `response.reasoning_summary_text.done` events",
        "{\"Authorization\": \"«bzWPyAf34ja2OB5YHz»\"} {\\\"Set-Cookie\\\": \\\"«0QZPx7kd2mQ»\\\"} {'cookie': '«STH7kd2mQ4»', \"cookie\": \"name\"}",
        "Content-Disposition: form-data; name=\"password\"\r\n\r\n«$3cret pw»\r\n--b",
        "{\"body\": \"form-data; name=\\\"token\\\"\\r\\nContent-Type: text/plain\\r\\n\\r\\n«S3cr3tPw9»\\r\\n--b\\r\\nform-data; name=\\\"a\\\"\\r\\n\\r\\nS3cr3tPw9\\r\\n\"}",
        "next=https%3A%2F%2Fx.org%2F%3Faccess_token%3D«S3cr3tPw9»%26a%3D1&to=https%3A%2F%2Fada%3A«hunter2»%40x.org%2F%E4",
        "\"otp\": \"«482913»\", --pin «4829» otp=«S3cr3tPw9» pin = \"3.11\" pin: 13, spin=4829 \"pin\": \"latest\"",
        "creds=«hunter2» mySecretString=«hunter2» some_api_token_123=«abc12345» secret_value = k, user_password_1: «abc12345»",
        "var xToken string = \"«S3cr3tPw9»\"\n$token .= '«S3cr3tPw9»'; TOKEN ?= «S3cr3tPw9»\nTOKEN ::= «S3cr3tPw9»\n$token ??= '«S3cr3tPw9»'",
        "<password>\n  «S3cr3tPw9»\n</password> curl -s \"https://x.org?a=1&b=2\" \\\n  -u ada:«S3cr3tPw9» x; fn f(tokens: TokenStream2)",
        "password=\"$USER:$PASS\" password=\"${A}${B}\" https://u:${oauth2Pw}@h/",
    ] {
        check(text);
    }
}

/// A UUID is a token if its name says so, but the id of a session is none.
#[test]
fn signs_around_a_secret_and_marks_of_scanners_do_not_hide_it() {
    let (token, letters) = (format!("ghp_{}", "a1B2".repeat(9)), format!("hf_{}", "abQD".repeat(8) + "xY"));
    for text in [
        format!("_«{token}»_ and __«{token}»__, a _name_of_something_2_"),
        format!("https://x.org/?q=%22«{token}»%22&b=%27«{token}»%27#%20nothing-that-is-a-token"),
        format!("(«{token}») «{token}», {{\\\"k\\\": \\\"«{token}»\\\"}}"),
        format!("x = \"«{letters}»\" # gitleaks:allow"),
        format!("(«{letters}») «{letters}», «{letters}». {{\\\"k\\\": \\\"«{letters}»\\\"}}"),
        "session_id: 0f8e3c22-1111-4222-8333-123456789abc session_key=0f8e3c22-1111-4222-8333-123456789abc".to_owned(),
        "X-Plex-Token: «0f8e3c22-1111-4222-8333-123456789abc»".to_owned(),
    ] {
        if cfg!(feature = "rules") || !text.contains("hf_") {
            check(&text);
        }
    }
}

/// The end of an escaped line, a colour and the code of a space are no part of the word behind them.
#[test]
fn codes_before_a_secret_do_not_hide_it() {
    let keys = [
        concat!("ghp", "_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2"),
        concat!("AK", "IAUJZDEGXDNCF32EPF"),
        concat!("sk", "-proj-kQ1okTBGzvAmwufUxbvJDCTbyvHN"),
        concat!("xo", "xb-123456789012-1234567890123-a1B2a1B2a1B2a1B2a1B2a1B2"),
        concat!("SG", ".a1B2a1B2a1B2a1B2a1B2a1.a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B"),
        concat!("sh", "ippo_live_90b7ca2fa0a0cf0422f11b297fd389ef4364b997"),
    ];
    let codes = [
        r"\n",
        r"\t",
        r"\r\n",
        r"\b",
        r"\\n",
        r"\u000a",
        r"\u0026",
        r"\x0a",
        r"\012",
        r"\u001b[31m",
        r"\x1b[1;31m",
        r"\033[0m",
        r"\e[m",
        "\x1b[31m",
        "\x1b[0;1m",
        "%20",
        "%0A",
        "%22",
        "%E4%20",
    ];
    for code in codes {
        for key in keys.iter().filter(|key| cfg!(feature = "rules") || !key.starts_with("sh")) {
            check(&format!("data: {{\"log\": \"line{code}«{key}»{code}\"}}"));
            let within = format!("x = 'line{code}{key}");
            let shown = replaced(&within, &find_unfinished(&within));
            assert!(!shown.contains(&key[..8]), "{shown}");
        }
        if !code.starts_with('%') {
            let text =
                format!("log: line{code}secret=hunter2{code}curl -u ada:hunter2{code}cGFzc3dvcmQ9aHVudGVyMTIzNDU2");
            let clean = redact(&text).unwrap();
            assert!(!clean.contains("hunter2") && !clean.contains("cGFz"), "{clean}");
        }
    }
    check(r"C:\new\token and \bpassword\b and C:\\temp\\n1234567890123456789012");
}

#[test]
fn secrets_in_json_are_found_by_their_names_and_places() {
    let mut value = json!({
        "user": "ada", "password": "a b", "pin": 1234, "port": 5432, "dbPassword": 1234, "led": {"pin": 13},
        "headers": {"otp": "4829", "session_id": "4829"}, "parts": [{"name": "otp", "value": "482913"}],
        "argv": ["--token", "abc12345", "--pin", "4829", "--max-tokens", "4096"], "kinds": ["auth", "oauth2flow"],
        "env": [{"name": "API_KEY", "value": "x"}, {"name": "HOME", "value": "/root"}],
        "lines": [["Cookie", "a=b"], ["Accept", "text/html"]],
        "args": ["--user", "ada", "--password", "x y", "--verbose"],
        "cmd": "login --token abc12345",
        "cookies": {"theme": "dark"},
    });
    assert!(redact_json("", &mut value));
    let expected = json!({
        "user": "ada", "password": REDACTED, "pin": REDACTED, "port": 5432, "dbPassword": REDACTED, "led": {"pin": 13},
        "headers": {"otp": REDACTED, "session_id": "4829"}, "parts": [{"name": "otp", "value": REDACTED}],
        "argv": ["--token", REDACTED, "--pin", REDACTED, "--max-tokens", "4096"], "kinds": ["auth", "oauth2flow"],
        "env": [{"name": "API_KEY", "value": REDACTED}, {"name": "HOME", "value": "/root"}],
        "lines": [["Cookie", REDACTED], ["Accept", "text/html"]],
        "args": ["--user", "ada", "--password", REDACTED, "--verbose"],
        "cmd": format!("login --token {REDACTED}"),
        "cookies": {"theme": "dark"},
    });
    assert_eq!(value, expected);
}

/// At every cut, nothing of the secret is left but what a word of a sentence may have.
#[test]
fn the_beginning_of_a_secret_at_the_end_of_a_text_is_held_back() {
    for (text, secret) in [
        ("Your key is sk-proj-kQ1okTBGzvAmwufUxbvJDCTbyvHN. Keep it.", "sk-proj-kQ1okTBGzvAmwufUxbvJDCTbyvHN"),
        ("Take AKIAUJZDEGXDNCF32EPF and go", "AKIAUJZDEGXDNCF32EPF"),
        ("At postgres://ada:wBxfZCGGQccOif7U@db.internal you", "wBxfZCGGQccOif7U"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n",
            "MIIEvQIBADANBgkqhkiG9w0BAQEF",
        ),
        ("Log in with password = \"correct horse battery\" now", "correct horse battery"),
    ] {
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let shown = replaced(&text[..cut], &find_unfinished(&text[..cut]));
            let longest = (0..=secret.len()).rev().find(|length| shown.contains(&secret[..*length])).unwrap();
            assert!(longest <= 6, "{:?} of {secret} in {shown:?}", &secret[..longest]);
        }
    }
    assert!(find("and so it is").is_empty() && find_unfinished("and so it is, Adelheid").is_empty());
}
