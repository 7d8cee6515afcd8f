//! Who may ask: whoever knows the token and names this host; whoever changes something, from a page of this host.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::inspector::Inspector;

pub(super) async fn guard(State(inspector): State<Arc<Inspector>>, request: Request, next: Next) -> Response {
    if let Err(why) = check(&inspector, &request) {
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

fn check(inspector: &Inspector, request: &Request) -> Result<(), &'static str> {
    let text = |name: HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).or_else(|| request.uri().authority().map(axum::http::uri::Authority::as_str));
    if let Some(local) = &inspector.local {
        // A name of another site that resolves to this machine reaches this server, with that name as its host.
        if !host.is_some_and(|host| local.hosts.iter().any(|known| known == host)) {
            return Err("this host is not served here");
        }
        // What a browser says of a link or an image, which has no origin. A login may send people here from elsewhere.
        let site = text(HeaderName::from_static("sec-fetch-site"));
        if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
            return Err("a page of another site asked");
        }
        let mut pairs = request.uri().query().unwrap_or_default().split('&');
        let given = pairs.find_map(|pair| pair.strip_prefix("t=")).unwrap_or_default();
        if !is_same(given.as_bytes(), local.token.as_bytes()) {
            return Err("the address lacks its token; open the one that the program printed");
        }
    }
    let of_this_host = |origin: &str| origin.split_once("://").map(|(_, of)| of) == host && host.is_some();
    match text(header::ORIGIN) {
        Some(origin) if !of_this_host(origin) => Err("a page of another site asked"),
        None if ![Method::GET, Method::HEAD].contains(request.method()) => Err("a change has to come from the page"),
        _ => Ok(()),
    }
}

/// Compares in a time that depends on the length alone.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
