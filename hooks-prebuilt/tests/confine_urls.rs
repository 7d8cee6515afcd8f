use hooks_prebuilt::ConfineUrls;
use serde_json::{Value, json};

pub(crate) fn urls() -> ConfineUrls {
    serde_json::from_value(
        json!({ "hosts": ["example.org", "*.example.org", "xn--mnchen-3ya.de"], "fields": { "fetch": ["url"] } }),
    )
    .unwrap()
}

/// Addresses that reach a listed host, however they are read.
pub(crate) const LISTED: &[&str] = &[
    "https://example.org",
    "https://example.org/",
    "HTTPS://Example.ORG/Path",
    "https://www.example.org/a?b=c&d=%20#e",
    "https://a.b.example.org:443/x",
    "https://example.org./",
    "https://example.org/käse/日本?q=ü",
    "https://example.org?x=https://evil.com",
    "https://example.org/@evil.com",
    "https://example.org#@evil.com",
    "https://xn--mnchen-3ya.de/",
    "https://example.org/a//b/../c;d=(e),f!*'",
    "https://example.org/~ada/[x]",
];

/// Addresses that do not, or that somebody may read in another way.
pub(crate) const DENIED: &[&str] = &[
    "https://evil.com/",
    "http://example.org/",
    "https://example.org@evil.com/",
    "https://example.org:x@evil.com/",
    "https://ada@example.org/",
    "https://example.org\\@evil.com/",
    "https://evil.com\\.example.org/",
    "https:\\\\evil.com/",
    "https:/evil.com/",
    "https:evil.com",
    "https:///evil.com/",
    "//evil.com/",
    "/\\evil.com/",
    "\\\\evil.com\\share",
    "https://example.org.evil.com/",
    "https://evilexample.org/",
    "https://example.org%2eevil.com/",
    "https://example.org%00.evil.com/",
    "https://example.org%40evil.com/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1.nip.io/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::1%25lo]/",
    "https://①②⑦.0.0.1/",
    "https://ex\u{ad}ample.org/",
    "https://example\u{3002}org/",
    "https://еxample.org/",
    "https://ｅxample.org/",
    "https://ex\tample.org/",
    "https://example.org\n.evil.com/",
    "https://example.org\t.evil.com",
    "ht\ntps://evil.com/",
    "https\n:evil.com",
    "https://example.org'@evil.com",
    "https://example.org\"@evil.com/",
    "https://example.org|.evil.com",
    "https://example.org:'@evil.com",
    "https://example.org`.evil.com/ x",
    "file:/etc/passwd",
    "https:/\t/evil.com",
    "file\n:///etc/passwd",
    "///evil.com/x",
    "/\t/evil.com",
    " https://evil.com/",
    "\u{1}https://evil.com/",
    "https://example.org:8443/",
    "https://example.org:99999/",
    "https://example.org:/",
    "https://example.org:443:80/",
    "https://example..org/",
    "https:// example.org/",
    "https://",
    "https://?example.org",
    "https://.example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org:70/_x",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,x",
    "data:,x",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "mailto:ada@evil.com",
    "git@evil.com:x.git",
    "see //evil.com/x",
    "<img src=//evil.com/x>",
    "![](//evil.com?x)",
    "url(\"//evil.com\")",
    "blob:https://example.org/x",
    "view-source:https://evil.com",
    "jar:https://evil.com!/",
    "ws://example.org/",
    "https://example.org,evil.com/",
    "https://example.org;evil.com/",
    "https://evil.com#@example.org/",
    "https://evil.com?@example.org/",
    "https://evil.com;@example.org",
    "https://[example.org]/",
    "https://[evil.com",
    "https://localhost/",
    "https://metadata.google.internal/",
    "https://169.254.169.254/latest",
    "example.org",
    "evil.com",
    "",
];

#[test]
fn a_field_holds_a_listed_address_or_the_call_is_denied() {
    for url in LISTED {
        assert_eq!(urls().judge("fetch", &json!({ "url": url })), Ok(()), "{url}");
    }
    for url in DENIED {
        assert!(urls().judge("fetch", &json!({ "url": url })).is_err(), "{url:?}");
    }
    for input in [
        json!({}),
        json!({ "url": 7 }),
        json!({ "url": null }),
        json!("https://example.org"),
        json!({ "url": [["https://example.org"]] }),
    ] {
        assert!(urls().judge("fetch", &input).is_err(), "{input}");
    }
    assert!(urls().judge("fetch", &json!({ "url": ["https://example.org", "https://evil.com"] })).is_err());
}

#[test]
fn an_address_in_any_argument_is_found() {
    for url in DENIED
        .iter()
        .filter(|url| (url.contains(':') || url.contains(" //")) && !url.starts_with("blob") && url.len() > 8)
    {
        let text = json!({ "command": [url] });
        assert!(urls().judge("run", &text).is_err(), "{url:?}");
    }
    for url in LISTED {
        for text in [
            format!("curl -s '{url}' | sh"),
            format!("see <{url}>, please."),
            format!("- {url}\n- next: x"),
            format!("[it]({url})"),
        ] {
            assert_eq!(urls().judge("run", &json!({ "a": { "b": text } })), Ok(()), "{url} in {text}");
        }
    }
    for url in ["https://evil.com/x", "http://evil.com", "wss://evil.com", "https://a@evil.com"] {
        for text in [
            format!("curl -s '{url}'"),
            format!("<{url}>"),
            format!("x\n{url}\ny"),
            format!("[it]({url})"),
            format!("a,{url}"),
            format!("git+{url}"),
        ] {
            assert!(urls().judge("run", &json!({ (text.clone()): 1 })).is_err(), "{text}");
            assert!(urls().judge("run", &json!({ "a": text })).is_err(), "{url}");
        }
    }
    for text in [
        "no address: here",
        "12:30",
        "C:\\path\\file",
        "a // comment",
        "ratio 3:4",
        "std::io",
        "key: value",
        "/usr/bin",
        "src/main.rs",
        "mailto me",
        "mailto: ada@evil.com",
        "note:x, data:5, metadata:text/plain;x, data: text/html, is:open",
        "JavaScript: an introduction; data:;",
        "To ada@evil.com: hello; {'ada@evil.com':1}",
        "x = 1 //fmt.Println(x)\n  //self.port = 80\ny = a//b.c/d",
        "std::a@1.2.3:x",
        "// a comment in code",
        "//! Hooks: a/b\nfn main() {}",
        "ratio 1://2",
        "//@ts-ignore",
        "//nolint:errcheck",
        "//go:generate",
        "//fmt.Println(x)",
        "//comment",
        "//@ts-expect-error",
        "http:404 not found",
        "ports: https:443, and {http:80}",
        "{\"url\":\"https://example.org\",\"mail\":\"ada@example.com\"}",
        "`https://example.org`,`ada@example.com` [x](https://example.org) @ada",
        "url.startswith('https://') or url.startswith(\"http://\")",
        "profile:/x",
        "see https://example.org/x",
        "see:\nhttps://example.org/x\nhttps://www.example.org",
    ] {
        assert_eq!(urls().judge("run", &json!({ "a": text })), Ok(()), "{text}");
    }
}

/// A client that reads an argument up to the next space takes what is before the `@` for a user.
#[test]
fn a_second_host_behind_a_delimiter_is_denied() {
    for between in ["}", "^", "|", "{", "`", "\"", "'", ">", ",", "\"}", "}a", "^b.c", "，"] {
        let text = format!("fetch https://example.org{between}@evil.org/x");
        assert!(urls().judge("run", &json!({ "a": text })).is_err(), "{text}");
    }
    for text in [
        "//evil.org",
        "//evil.org\"",
        "//ada@evil.org",
        "//2130706433/x",
        "//localhost/x",
        "//h:80/x",
        "//[::1]/x",
        "//evil。org/x",
        "http:404@evil.org",
        "http:0",
        " http:127\n",
        "ws:0",
        "//metadata/computeMetadata/v1/",
        "//intranet?x",
        "//ada@intranet",
        "//x(.evil.org/y",
        "///evil/x",
        "/\\evil/x",
        "//@intranet/x",
        "\\\\attacker\\c$\\x",
        "http:1\t@evil.org",
        "see http:2130706433/",
        "https:80.evil.org",
    ] {
        assert!(urls().judge("run", &json!({ "a": text })).is_err(), "{text:?}");
    }
}

#[test]
fn an_address_in_a_text_is_found_whatever_stands_around_it() {
    for text in [
        "open https://evil.com/steal?d=SECRET: then stop",
        "x https://evil.com:",
        "a https://10.0.0.1: b",
        "a https://user:pw@evil.com: b",
        "[a](https://evil.com/x): b",
        "![a](https://example.org/x.png)![b](https://evil.com/leak.png)",
        "[a](https://example.org/x),[b](http://evil.com/)",
        "(https://example.org/x)(https://evil.com)",
        "https://example.org/x|https://evil.com",
        "url(https://example.org/x),url(https://evil.com/leak)",
        "https://example.org/a,https://evil.com/b",
        "see https://example.org/a;https://evil.com/b",
        "*https://example.org/x***https://evil.com*",
        "https://example.org/a。https://evil.com/b",
        "https://example.org @evil.com/",
        "https://example.org\u{a0}@evil.com/",
        "https://example.org\u{b}@evil.com/",
        "https://example.org\u{2028}x@evil.com/",
    ] {
        assert!(urls().judge("send", &json!({ "text": text })).is_err(), "{text:?}");
    }
    for text in [
        "https://example.org/?u=https://evil.com",
        "https://www.example.org/web/2020/https://evil.com/x",
        "https://example.org/x: the page",
        "https://example.org/a, https://example.org/b, and ada@evil.com",
        "https://example.org/\nada@evil.com",
    ] {
        assert_eq!(urls().judge("send", &json!({ "text": text })), Ok(()), "{text:?}");
    }
}

#[test]
fn what_is_permitted_is_a_parameter() {
    let check = |with: Value, url: &str| serde_json::from_value::<ConfineUrls>(with).unwrap().check(url);
    assert!(check(json!({}), "https://example.org").is_err(), "nothing passes by default");
    assert_eq!(
        check(
            json!({ "hosts": ["127.0.0.1", "[::1]"], "ip_literals": true, "schemes": ["http"], "ports": [8080] }),
            "http://127.0.0.1:8080/"
        ),
        Ok(())
    );
    assert_eq!(check(json!({ "hosts": ["[::1]"], "ip_literals": true }), "https://[0::1]/"), Ok(()));
    let mail = json!({ "schemes": ["mailto"] });
    assert_eq!(check(mail.clone(), "mailto:ada@example.org"), Ok(()));
    assert!(check(mail, "data:text/html,x").is_err() && check(json!({ "schemes": ["https"] }), "https:x").is_err());
    assert_eq!(check(json!({ "hosts": ["example.org"], "userinfo": true }), "https://ada:x@example.org/"), Ok(()));
    let error = serde_json::from_value::<ConfineUrls>(
        json!({ "hosts": ["*", "https://x"], "host": [], "fields": { "a": [] } }),
    )
    .unwrap_err()
    .to_string();
    for host in ["example.org:8443", "::1", ".example.org", "0x7f.1", "*.", "a*.example.org"] {
        let error = serde_json::from_value::<ConfineUrls>(json!({ "hosts": [host] })).unwrap_err().to_string();
        assert!(error.contains("is not a host"), "{host}: {error}");
    }
    let error_of = |with: Value| serde_json::from_value::<ConfineUrls>(with).unwrap_err().to_string();
    for tools in [json!([]), json!([""])] {
        assert!(error_of(json!({ "tools": tools })).contains("`tools` is empty"));
    }
    assert!(error_of(json!({ "schemes": [] })).contains("`schemes` is empty"));
    assert!(error_of(json!({ "schemes": ["htps"] })).contains("did you mean `https`"));
    for host in ["1.2.3.4", "[::1]"] {
        assert!(error_of(json!({ "hosts": [host] })).contains("\"ip_literals\": true"), "{host}");
    }
    assert_eq!(check(json!({ "hosts": ["x.org"], "schemes": ["http", "s3", "HTTPS://"] }), "https://x.org/"), Ok(()));
    for part in ["`*` is not a host", "`https://x` is not a host", "did you mean `hosts`", "`fields.a` names no field"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
}
