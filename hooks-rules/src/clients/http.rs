use std::sync::Arc;

use hook_sdk::hook::BoxFuture;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::HOST;
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{ClientResult, Post, PostRequest};

/// A client for `http://` URLs: one connection per request, no TLS, no redirects, responses up to 1 MiB.
///
/// ```
/// use hooks_rules::{PlainHttp, Rules};
///
/// let rules = Rules::builder().post(PlainHttp).build();
/// # let _ = rules;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainHttp;

const LIMIT: usize = 1 << 20;

impl Post for PlainHttp {
    fn post<'a>(&'a self, request: &'a PostRequest) -> BoxFuture<'a, ClientResult<(u16, String)>> {
        Box::pin(send(request))
    }
}

async fn send(posted: &PostRequest) -> ClientResult<(u16, String)> {
    let uri: Uri = posted.url.parse()?;
    let (Some("http"), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return Err("this client supports `http://` only; set another one with `Rules::builder().post(…)`".into());
    };
    let authority = uri.authority().map_or(host, |authority| authority.as_str());
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = Request::post(path).header(HOST, authority);
    for (name, value) in &posted.headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(Bytes::from_owner(Arc::clone(&posted.body))))?;
    // The brackets of an IPv6 address belong to the URL.
    let address = (host.trim_matches(['[', ']']), uri.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async {
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), LIMIT).collect().await?.to_bytes();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((status, String::from_utf8_lossy(&body).into_owned()))
    };
    // Both in this future, so that dropping it closes the connection.
    let mut connection = std::pin::pin!(connection);
    let mut exchange = std::pin::pin!(exchange);
    let mut open = true;
    std::future::poll_fn(|task| {
        open = open && connection.as_mut().poll(task).is_pending();
        exchange.as_mut().poll(task)
    })
    .await
}
