//! MCP servers over HTTP.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::{McpError, McpServer};

/// The URL of an MCP server, and the headers of each request. Requires the feature `mcp-http`.
///
/// ```no_run
/// use hooks_agent::tool::mcp::{HttpServer, McpServer};
///
/// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
/// let token = std::env::var("TICKETS_TOKEN")?;
/// let tickets = McpServer::connect_http(HttpServer::new("https://tickets.example.com/mcp").bearer(token)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "pass it to `McpServer::connect_http`"]
pub struct HttpServer {
    url: String,
    bearer: Option<String>,
    headers: Vec<(String, String)>,
}

impl HttpServer {
    /// Creates the address of the server at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), bearer: None, headers: Vec::new() }
    }

    /// Sets the bearer token of each request.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.bearer = Some(token.into());
        self
    }

    /// Adds a header to each request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The URL without query, user and password.
    fn place(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit('@').next().unwrap_or_default();
        if scheme.is_empty() { format!("{host}{path}") } else { format!("{scheme}://{host}{path}") }
    }

    /// Removes secrets from a message: parts of the URL, the token, and the values of headers.
    fn without_secrets(&self, mut said: String) -> String {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        let user = rest.split('/').next().and_then(|host| host.rsplit_once('@')).map(|(user, _)| user);
        let query = rest.split_once('?').map(|(_, query)| query);
        let values = self.headers.iter().map(|(_, value)| value.as_str());
        let secrets = user.into_iter().chain(query).chain(self.bearer.as_deref()).chain(values);
        for secret in secrets.filter(|secret| !secret.is_empty()) {
            said = said.replace(secret, "[hidden]");
        }
        said
    }

    fn config(&self) -> Result<StreamableHttpClientTransportConfig, String> {
        if !self.url.starts_with("http://") && !self.url.starts_with("https://") {
            return Err("this is not a URL; write one such as `https://tools.example.com/mcp`".to_owned());
        }
        let mut headers = HashMap::new();
        for (name, value) in &self.headers {
            let header = name.as_str().try_into().ok().zip(value.as_str().try_into().ok());
            let (name, value) =
                header.ok_or_else(|| format!("`{name}` is not a valid header name, or its value is not valid"))?;
            headers.insert(name, value);
        }
        let config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str()).custom_headers(headers);
        Ok(match &self.bearer {
            Some(token) => config.auth_header(token.as_str()),
            None => config,
        })
    }
}

impl From<&str> for HttpServer {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("url", &self.place()).finish_non_exhaustive()
    }
}

impl McpServer {
    /// Connects to a server over HTTP and lists its tools. The limit is one minute. Requires the feature `mcp-http`.
    ///
    /// If the server cannot be reached later, calls of its tools fail. If it has lost the session, for example after a
    /// restart, a new session is started.
    ///
    /// # Errors
    /// [`McpError`] if the server cannot be reached, rejects the client, or does not implement the protocol.
    pub async fn connect_http(server: impl Into<HttpServer>) -> Result<Self, McpError> {
        Self::connect_http_within(server, Duration::from_secs(60)).await
    }

    /// Like [`connect_http`](Self::connect_http), with `limit` instead of one minute.
    ///
    /// # Errors
    /// [`McpError`] if the server cannot be reached, rejects the client, or does not complete the handshake within
    /// `limit`.
    pub async fn connect_http_within(server: impl Into<HttpServer>, limit: Duration) -> Result<Self, McpError> {
        let server = server.into();
        crate::tls::install_provider();
        let connected = match server.config() {
            Ok(config) => Self::greet_within(StreamableHttpClientTransport::from_config(config), limit, false).await,
            Err(message) => Err(message),
        };
        connected.map_err(|message| McpError::Reach { url: server.place(), message: server.without_secrets(message) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_in_no_message() {
        for (url, place) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("https://ada:pass@a.example/mcp?key=secret#x", "https://a.example/mcp"),
            ("https://a.example", "https://a.example"),
            ("a.example/mcp?key=secret", "a.example/mcp"),
        ] {
            let server = HttpServer::new(url).bearer("secret").header("x-key", "secret");
            assert_eq!(server.place(), place);
            assert!(!format!("{server:?}").contains("secret"));
            assert!(!server.without_secrets(format!("cannot reach {url} with secret")).contains("secret"), "{url}");
        }
    }
}
