//! The life of the program around its sessions.

use std::time::Duration;

use hooks_core::HookKind;
use hooks_core::detached::Drained;
use hooks_core::kinds::{GatewayStart, GatewayStop, Init, Shutdown, ShutdownReason};

use crate::harness::Harness;
use crate::reply::TurnError;

impl Harness {
    /// Before the first session: fires `init` for the app and for each installed plugin, then `gateway_start` with the
    /// `address` at which the program can be reached.
    ///
    /// A plugin that fails to start is left out, and the program starts without it:
    /// [`audit`](hooks_core::Registry::audit) says why.
    ///
    /// # Errors
    /// [`TurnError`] where the app's list does not fit together or a required hook failed; a hook at `init` is required
    /// unless it says otherwise.
    pub async fn start(&self, address: impl Into<String>) -> Result<(), TurnError> {
        self.announce(&Init::new("")).await?;
        if let Err(error) = self.state.registry.start_plugins(&self.state.cx).await {
            tracing::warn!(target: "hooks_agent", %error, "a plugin is left out");
        }
        self.announce(&GatewayStart::new(address)).await
    }

    /// After the last session: fires `gateway_stop`, then `shutdown` for each plugin and for the app, and waits for runs that
    /// nobody waited for, at most until `deadline`.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed; all the rest is done all the same.
    pub async fn stop(&self, reason: impl Into<String>, deadline: Duration) -> Result<Drained, TurnError> {
        let stopped = self.announce(&GatewayStop::new(reason)).await;
        if let Err(error) = self.state.registry.stop_plugins(&self.state.cx, ShutdownReason::Shutdown).await {
            tracing::warn!(target: "hooks_agent", %error, "a plugin did not stop as it should");
        }
        let gone = self.announce(&Shutdown::new(ShutdownReason::Shutdown)).await;
        let drained = self.state.registry.drain(deadline).await;
        stopped.and(gone).map(|()| drained)
    }

    async fn announce<K: HookKind<Subject = ()>>(&self, event: &K) -> Result<(), TurnError> {
        let _fired = self.state.app_hooks()?.fire(&self.state.cx, event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(())
    }
}
