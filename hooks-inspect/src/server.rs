//! The page as a server: the same file, lines of a recording as they are written, and what a store has for operators.

mod events;
mod guard;
mod operate;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;

use crate::page::Page;

/// What a page shows live.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    pub(crate) page: Page,
    pub(crate) recording: Option<PathBuf>,
    #[cfg(feature = "store")]
    pub(crate) store: Option<hooks_store::Store>,
    /// What a request has to give in its address, and the host that it has to name. `None` behind the login of an app.
    local: Option<Local>,
}

#[derive(Clone, Debug)]
struct Local {
    token: String,
    hosts: [String; 2],
}

type Shared = State<Arc<Inspector>>;

impl Inspector {
    /// Creates an inspector with this page.
    pub fn new(page: Page) -> Self {
        Self { page, ..Self::default() }
    }

    /// Shows the recording in this file, and what a program appends to it.
    #[must_use]
    pub fn recording(mut self, path: impl Into<PathBuf>) -> Self {
        self.recording = Some(path.into());
        self
    }

    /// Shows the questions and background runs of a store, which the page can answer and retry.
    #[cfg(feature = "store")]
    #[must_use]
    pub fn store(mut self, store: hooks_store::Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Serves the page on `listener`, which should be on 127.0.0.1. `ready` gets the address, with a random token that every
    /// request needs: other programs of this machine, and pages of other sites in the browser, do not know it.
    ///
    /// # Errors
    /// If the listener fails, or the system has no random numbers.
    pub async fn serve(mut self, listener: TcpListener, ready: impl FnOnce(&str)) -> io::Result<()> {
        let address = listener.local_addr()?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let token = format!("{:032x}", u128::from_be_bytes(random));
        ready(&format!("http://{address}/?t={token}"));
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        self.local = Some(Local { token, hosts });
        axum::serve(listener, router(self)).await
    }
}

/// The routes of the page, for an app that mounts it behind its own login, which has to keep out whoever may not read
/// conversations. A request that changes something has to come from a page of the same host.
///
/// ```
/// use hooks_inspect::{Inspector, Page, router};
///
/// let inspector = Inspector::new(Page::new("support")).recording("traffic.jsonl");
/// let app: axum::Router = axum::Router::new().nest("/hooks", router(inspector)); // .layer(the app's login)
/// # drop(app);
/// ```
pub fn router(inspector: Inspector) -> Router {
    let inspector = Arc::new(inspector);
    Router::new()
        .route("/", get(page))
        .route("/api/lines", get(lines))
        .route("/api/events", get(events::events))
        .route("/api/answer", post(operate::answer))
        .route("/api/retry", post(operate::retry))
        .layer(from_fn_with_state(Arc::clone(&inspector), guard::guard))
        .with_state(inspector)
}

async fn page(State(inspector): Shared) -> Response {
    #[cfg(feature = "store")]
    let has_store = inspector.store.is_some();
    #[cfg(not(feature = "store"))]
    let has_store = false;
    let mut html = Vec::new();
    match inspector.page.live(has_store, &mut html) {
        Ok(policy) => {
            let content = (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned());
            ([content, (header::CONTENT_SECURITY_POLICY, policy)], html).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// The whole lines of the recording so far. The header `x-next` says where those after them begin.
async fn lines(State(inspector): Shared) -> Response {
    let Some(path) = &inspector.recording else { return ([(NEXT, "0".to_owned())], Vec::new()).into_response() };
    match read_from(path, 0).await {
        Ok((next, text)) => ([(NEXT, next.to_string())], text).into_response(),
        Err(error) => (StatusCode::NOT_FOUND, format!("{}: {error}", path.display())).into_response(),
    }
}

const NEXT: HeaderName = HeaderName::from_static("x-next");

/// The whole lines from `offset`, and the offset after them. A file that became shorter has begun again.
async fn read_from(path: &Path, offset: u64) -> io::Result<(u64, Vec<u8>)> {
    use tokio::io::{AsyncReadExt, AsyncSeekExt};

    let mut file = tokio::fs::File::open(path).await?;
    let length = file.metadata().await?.len();
    let offset = if offset > length { 0 } else { offset };
    file.seek(io::SeekFrom::Start(offset)).await?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).await?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(whole);
    Ok((offset + whole as u64, text))
}
