//! The life of the program around its sessions.

use hooks_core::kinds::{GatewayStart, GatewayStop, Init, Shutdown, ShutdownReason};
use hooks_core::scope::AgentDef;
use hooks_core::{HookKind, HookSet};

use crate::harness::Harness;
use crate::reply::TurnError;

impl Harness {
    /// Before the first session: fires `init` for the app, then `gateway_start` with the `address` at which the program can
    /// be reached.
    ///
    /// # Errors
    /// [`TurnError`] where the app's list does not fit together or a required hook failed; a hook at `init` is required
    /// unless it says otherwise.
    pub async fn start(&self, address: impl Into<String>) -> Result<(), TurnError> {
        self.announce(&Init::new("")).await?;
        self.announce(&GatewayStart::new(address)).await
    }

    /// After the last session: fires `gateway_stop`, then `shutdown` for the app.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed; `shutdown` fires all the same.
    pub async fn stop(&self, reason: impl Into<String>) -> Result<(), TurnError> {
        let stopped = self.announce(&GatewayStop::new(reason)).await;
        let gone = self.announce(&Shutdown::new(ShutdownReason::Shutdown)).await;
        stopped.and(gone)
    }

    async fn announce<K: HookKind<Subject = ()>>(&self, event: &K) -> Result<(), TurnError> {
        let _fired = self.app_hooks()?.fire(&self.parts.cx, event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(())
    }

    /// The hooks of the app's list, which alone is read outside a turn.
    pub(crate) fn app_hooks(&self) -> Result<HookSet, TurnError> {
        Ok(self.parts.scope(&AgentDef::new("").hooks::<String>([]), None)?)
    }
}
