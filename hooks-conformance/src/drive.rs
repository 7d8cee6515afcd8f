use std::error::Error;
use std::future::Future;

use hook_sdk::{Hook, HookSet};
use serde_json::Value;

/// A driver for [`check`](crate::check): makes the harness fire a kind on request.
///
/// ```standalone_crate
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hooks_conformance::Drive;
///
/// hook_sdk::fires![BeforeCreateMessage];
///
/// /// A harness that stores messages, and nothing else.
/// struct Store;
///
/// impl Store {
///     fn put(&self, hooks: &HookSet, text: &str) -> Result<String, DispatchError> {
///         let row = Message::new(Role::User, text);
///         let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), row)?;
///         // A hook that halts ends what is under way.
///         if let Some(halt) = &fired.report.halt {
///             return Ok(format!("stopped: {}", halt.reason));
///         }
///         Ok(fired.subject.text().to_string())
///     }
/// }
///
/// impl Drive for Store {
///     async fn drive(
///         &self,
///         kind: &str,
///         hooks: &HookSet,
///     ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
///         match kind {
///             "before_create_message" => Ok(self.put(hooks, "hello")?.into()),
///             other => Err(format!("the store does not know {other}").into()),
///         }
///     }
///
///     fn probe(&self, id: &str, _kind: &str) -> Option<Hook> {
///         Some(Hook::at::<BeforeCreateMessage>(id).writer(|_, _, row| {
///             row.rewrite_text(|_| Some("probed".to_owned()));
///         }))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hooks_conformance::NotConforming> {
/// hooks_conformance::check(&Store).await
/// # }
/// ```
pub trait Drive {
    /// Makes exactly one occurrence of `kind` happen with `hooks` in force, and returns its observable result: the
    /// stored row, whether the tool ran, what was sent to the model. It must do the same each time.
    fn drive(
        &self,
        kind: &str,
        hooks: &HookSet,
    ) -> impl Future<Output = Result<Value, Box<dyn Error + Send + Sync>>> + Send;

    /// Returns a hook at `kind` with this id that changes, denies or contributes something that is visible in the
    /// result of [`drive`](Self::drive). Not called for kinds whose hooks only observe.
    fn probe(&self, id: &str, kind: &str) -> Option<Hook>;

    /// Makes the kind happen in other ways, to fill the fields of its event that are empty in [`drive`](Self::drive).
    /// The default does nothing.
    fn drive_variants(
        &self,
        _kind: &str,
        _hooks: &HookSet,
    ) -> impl Future<Output = Result<(), Box<dyn Error + Send + Sync>>> + Send {
        std::future::ready(Ok(()))
    }

    /// Returns hooks that must be in force for `kind` to happen at all, for example a gate that asks if the kind
    /// follows a question.
    fn required_hooks(&self, _kind: &str) -> Vec<Hook> {
        Vec::new()
    }
}
