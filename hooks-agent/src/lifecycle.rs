//! Start and stop of the program.

use std::time::Duration;

use hook_sdk::HookKind;
use hook_sdk::detached::DrainReport;
use hook_sdk::kinds::{GatewayStart, GatewayStop, Init, SessionEndReason, Shutdown, ShutdownReason};
use tokio::time::Instant;

use crate::harness::Harness;
use crate::reply::TurnError;

impl Harness {
    /// Starts the program, before the first session: fires `init` for the app and for each installed plugin, then
    /// `gateway_start` with the `address` at which the program can be reached.
    ///
    /// An [`optional`](hook_sdk::plugin::Plugin::optional) plugin may fail to start. Its guards then deny, its other
    /// hooks are left out, and [`audit`](hook_sdk::Registry::audit) reports why.
    ///
    /// # Errors
    /// [`TurnError`] if the app's list of hooks is invalid, a required hook fails, or a plugin that is not optional
    /// cannot be started. The other plugins are started even then. Hooks at `init` are required unless they say
    /// otherwise.
    pub async fn start(&self, address: impl Into<String>) -> Result<(), TurnError> {
        let cx = &self.state.cx;
        let init = Init::new("").app(cx.app().unwrap_or_default()).app_version(cx.app_version().unwrap_or_default());
        self.announce(&init).await?;
        if let Err(failed) = self.state.registry.start_plugins(&self.state.cx).await {
            if failed.failures.iter().any(|failure| !failure.optional) {
                return Err(TurnError::Plugins(failed));
            }
            tracing::warn!(target: "hooks_agent", error = %failed, "the program starts without an optional plugin");
        }
        self.announce(&GatewayStart::new(address)).await
    }

    /// Stops the program: fires `gateway_stop`, waits for running turns, fires `session_end` for open sessions and
    /// `shutdown` for each plugin and for the app, and waits for background runs. At the `deadline`, what is still
    /// running is cancelled: a turn ends with its hooks, everything else is aborted. Turns that begin after this call
    /// are cancelled immediately.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook fails. All steps are done even then.
    pub async fn stop(&self, reason: impl Into<String>, deadline: Duration) -> Result<DrainReport, TurnError> {
        let by = Instant::now() + deadline;
        let left = || by.saturating_duration_since(Instant::now());
        self.state.running.close();
        let stopped = self.announce(&GatewayStop::new(reason)).await;
        self.state.running.end(left()).await;
        let mut ended = Ok(());
        for session in self.state.sessions.take() {
            // A turn that cannot be ended keeps its place in the queue.
            let end = session.end(SessionEndReason::Shutdown, None);
            if let Ok(end) = tokio::time::timeout(left().max(self.state.limits.store), end).await {
                ended = ended.and(end);
            }
        }
        if let Err(error) = self.state.registry.stop_plugins(&self.state.cx, ShutdownReason::Shutdown).await {
            tracing::warn!(target: "hooks_agent", %error, "a plugin failed to stop");
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
