//! Why a hook gave no verdict.

use std::error::Error;
use std::time::Duration;

use crate::failure::FailureKind;
use crate::panics::catch;
use crate::text::CAUSE_LIMIT;
use crate::verdict::Halt;

/// The error of a hook that decides at run time that the event does not concern it. This is not a failure: it has the
/// same effect as a filter that did not match, and a detached or background run counts as done. It is meant for hooks
/// that contain their own rules, such as rules from files.
///
/// A fallback cannot deselect its hook: the hook was selected and has failed, so `on_failure` applies.
///
/// ```
/// use hook_sdk::hook::NotSelected;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
///
/// #[hook(id = "from_a_table", kind = before_tool_call)]
/// fn from_a_table(event: &BeforeToolCall) -> Result<Permission, NotSelected> {
///     if event.call.name == "pay" { Ok(Permission::deny("not today")) } else { Err(NotSelected) }
/// }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let trial = hook_sdk::testing::Trial::of(hooks![from_a_table]);
/// let call = ToolCall::new("1", "search", serde_json::json!({}));
/// let ran = trial.run_blocking(&BeforeToolCall::new(call), ToolInput::default())?;
/// assert_eq!(ran.report.not_selected[0].as_str(), "from_a_table");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event is not for this hook")]
pub struct NotSelected;

/// Why a hook returned no verdict.
#[derive(Debug)]
pub struct Fault(pub(crate) Box<FaultKind>);

#[derive(Debug)]
pub(crate) enum FaultKind {
    /// The hook failed.
    Failed(HookError),
    /// The event does not concern the hook: see [`NotSelected`].
    NotSelected,
    /// The hook ends the turn. What it changed in the subject that it was lent is kept.
    Halt(Halt),
    /// Like `Halt`, for a hook that took the subject by value; contains the replacement.
    HaltAndReplace(Halt, Box<dyn std::any::Any + Send>),
    /// The turn was cancelled while the hook was waiting, which is not the hook's failure.
    Cancelled,
    /// The hook has a timeout and had to wait, but there is no runtime with a timer.
    NoRuntime,
}

/// How a hook failed. An error of the hook is dropped earlier, where a panic of its `Drop` still counts as the hook's.
#[derive(Debug)]
pub(crate) struct HookError {
    pub(crate) kind: FailureKind,
    pub(crate) text: String,
}

impl HookError {
    /// Adds the failure of the hook's fallback.
    pub(crate) fn and(self, fallback: &Self) -> Self {
        let text = format!("{}; its fallback failed too ({}): {}", self.text, fallback.kind, fallback.text);
        Self { text, ..self }
    }
}

impl From<FaultKind> for HookError {
    /// A halt is not a failure; where no turn can end, its reason is one.
    fn from(fault: FaultKind) -> Self {
        let text = match fault {
            FaultKind::Failed(cause) => return cause,
            FaultKind::NotSelected => NotSelected.to_string(),
            FaultKind::Halt(halt) | FaultKind::HaltAndReplace(halt, _) => halt.reason.as_str().to_owned(),
            FaultKind::Cancelled => "the turn was cancelled while it was waiting".to_owned(),
            FaultKind::NoRuntime => "it has a timeout and had to wait, but its Tokio runtime has no timer; call `enable_time` on the runtime's builder, or write `timeout = none`".to_owned(),
        };
        Self { kind: FailureKind::Error, text }
    }
}

impl Fault {
    /// Converts the error of a hook, which may be a boxed [`Halt`].
    pub(crate) fn from_error(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(Box::new(match error.downcast::<Halt>() {
            Ok(halt) => FaultKind::Halt(*halt),
            Err(error) if error.is::<NotSelected>() => FaultKind::NotSelected,
            Err(error) => return Self::error(describe(&*error)),
        }))
    }

    #[cold]
    pub(crate) fn failed(kind: FailureKind, text: impl Into<String>) -> Self {
        Self(Box::new(FaultKind::Failed(HookError { kind, text: text.into() })))
    }

    /// The failure of a hook that could not run.
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self::failed(FailureKind::Error, text)
    }

    pub(crate) fn panicked(panic: String) -> Self {
        Self::failed(FailureKind::Panicked, panic)
    }

    pub(crate) fn timed_out(limit: Duration) -> Self {
        Self::failed(FailureKind::TimedOut, format!("not finished within {limit:?}"))
    }

    /// Whether the hook failed, as opposed to a halt and a dispatch that ended.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(*self.0, FaultKind::Failed(_))
    }

    /// Whether the hook ends the turn.
    pub(crate) fn is_halt(&self) -> bool {
        matches!(*self.0, FaultKind::Halt(_) | FaultKind::HaltAndReplace(..))
    }

    pub(crate) fn halt(halt: Halt) -> Self {
        Self(Box::new(FaultKind::Halt(halt)))
    }

    pub(crate) fn halt_and_replace<S: Send + 'static>(halt: Halt, subject: S) -> Self {
        Self(Box::new(FaultKind::HaltAndReplace(halt, Box::new(subject))))
    }
}

/// Formats the error and its sources in one line. A `Display` implementation is hook code and may panic.
#[cold]
fn describe(error: &(dyn Error + Send + Sync)) -> String {
    catch(|| {
        let mut text = error.to_string();
        let mut source = error.source();
        // An error may be its own source, so stop once the text is long enough to be truncated.
        while let Some(cause) = source.filter(|_| text.chars().nth(CAUSE_LIMIT).is_none()) {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    })
    .unwrap_or_else(|panic| format!("an error whose `Display` panicked: {panic}"))
}
