//! The page as a server: the same file, lines of a recording as they are written, and what a store has for operators.

mod inspector;
mod guard;
mod operate;
mod events;

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;

pub use inspector::Inspector;
use inspector::{Local, Place, Shared, read_after};

use crate::page::text_of;

impl Inspector {
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
        let mut hosts = vec![address.to_string(), format!("localhost:{}", address.port())];
        // Programs leave out the usual port.
        let usual: Vec<_> = hosts.iter().filter_map(|host| host.strip_suffix(":80")).map(str::to_owned).collect();
        hosts.extend(usual);
        self.local = Some(Local { token, hosts });
        axum::serve(listener, router(self)).await
    }
}

/// The routes of the page, for an app that mounts it behind its own login, which has to keep out whoever may not read
/// conversations. A request that changes something has to come from a page of the same host.
///
/// ```
/// use hooks_inspect::{Inspector, HooksPage, router};
///
/// let inspector = Inspector::new(HooksPage::new("support")).recording("traffic.jsonl");
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
        .route("/api/cancel", post(operate::cancel))
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
    let (mut next, mut text) = (Place::default(), String::new());
    if let Some(path) = &inspector.recording {
        match read_after(path, next).await {
            Err(error) => return (StatusCode::NOT_FOUND, format!("{}: {error}", path.display())).into_response(),
            Ok(parts) => {
                for part in parts {
                    next = part.end();
                    part.lines().filter_map(|(_, line)| text_of(line)).for_each(|line| text.extend([&*line, "\n"]));
                }
            }
        }
    }
    ([(NEXT, next.to_string())], text).into_response()
}

const NEXT: HeaderName = HeaderName::from_static("x-next");
