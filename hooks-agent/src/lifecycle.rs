//! The life of the program around its sessions.

use std::time::Duration;

use hooks_core::HookKind;
use hooks_core::detached::Drained;
use hooks_core::kinds::{GatewayStart, GatewayStop, Init, SessionEndReason, Shutdown, ShutdownReason};
use tokio::time::Instant;

use crate::harness::Harness;
use crate::reply::TurnError;

impl Harness {
    /// Before the first session: fires `init` for the app and for each installed plugin, then `gateway_start` with the
    /// `address` at which the program can be reached.
    ///
    /// A plugin that the app calls [`optional`](hooks_core::plugin::Plugin::optional) may fail to start: its guards then
    /// refuse, its other hooks are left out, and [`audit`](hooks_core::Registry::audit) says why.
    ///
    /// # Errors
    /// [`TurnError`] where the app's list does not fit together, a required hook failed, or a plugin that is not optional
    /// could not be started; all others were started then. A hook at `init` is required unless it says otherwise.
    pub async fn start(&self, address: impl Into<String>) -> Result<(), TurnError> {
        let cx = &self.state.cx;
        let init = Init::new("").app(cx.app().unwrap_or_default()).app_version(cx.app_version().unwrap_or_default());
        self.announce(&init).await?;
        if let Err(failed) = self.state.registry.start_plugins(&self.state.cx).await {
            if failed.failures().iter().any(|failure| !failure.optional) {
                return Err(TurnError::Plugins(failed));
            }
            tracing::warn!(target: "hooks_agent", error = %failed, "the program starts without an optional plugin");
        }
        self.announce(&GatewayStart::new(address)).await
    }

    /// At the end of the program: fires `gateway_stop`, waits for the turns that run, fires `session_end` for the sessions that
    /// are open, then `shutdown` for each plugin and for the app, and waits for runs that nobody waited for. What is not over
    /// at the `deadline` is cancelled: a turn then comes to its end with its hooks, the rest is cut off. Turns that are
    /// begun after this are cancelled at once.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed; all the rest is done all the same.
    pub async fn stop(&self, reason: impl Into<String>, deadline: Duration) -> Result<Drained, TurnError> {
        let by = Instant::now() + deadline;
        let left = || by.saturating_duration_since(Instant::now());
        self.state.running.close();
        let stopped = self.announce(&GatewayStop::new(reason)).await;
        self.state.running.end(left()).await;
        let mut ended = Ok(());
        for session in self.state.sessions.take() {
            // One whose turn cannot be ended holds its place.
            let end = session.end(SessionEndReason::Shutdown, None);
            if let Ok(end) = tokio::time::timeout(left().max(self.state.limits.store), end).await {
                ended = ended.and(end);
            }
        }
        if let Err(error) = self.state.registry.stop_plugins(&self.state.cx, ShutdownReason::Shutdown).await {
            tracing::warn!(target: "hooks_agent", %error, "a plugin did not stop as it should");
        }
        let gone = self.announce(&Shutdown::new(ShutdownReason::Shutdown)).await;
        let drained = self.state.registry.drain(left()).await;
        stopped.and(ended).and(gone).map(|()| drained)
    }

    async fn announce<K: HookKind<Subject = ()>>(&self, event: &K) -> Result<(), TurnError> {
        let _fired = self.state.app_hooks()?.fire(&self.state.cx, event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(())
    }
}
