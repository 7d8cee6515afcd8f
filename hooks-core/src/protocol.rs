//! The steps of a turn, each with the hooks around it: a tool call, a model call, a prompt, a stored message, the end.
//!
//! A step fires its kinds in order and applies every answer of their hooks. What a loop passes in is a closure that
//! does the work; it does not run if hooks refuse it. The methods are on [`HookSet`](crate::HookSet). What
//! ends a step exists also as `…_blocking`, for a loop without a runtime, in which all hooks have to be plain functions.
//!
//! ```standalone_crate
//! use hook_sdk::kinds::*;
//! use hook_sdk::prelude::*;
//!
//! #[hook(id = "ask_before_refunds", kind = before_tool_call, tool = "refund")]
//! fn ask_before_refunds() -> Permission {
//!     Permission::ask("refunds need a person")
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let hooks = Registry::discover()?.scope(&AgentDef::new("support").hooks(hooks![ask_before_refunds]), None)?;
//!     let call = ToolCall::new("call_1", "refund", serde_json::json!({ "cents": 900 }));
//!     let cx = HookContext::new();
//!     let step = hooks.tool_call(&cx, &call).ask_blocking(|request| request.input["cents"] == 900);
//!     let result = step.run_blocking(|input| format!("{} paid", input["cents"]))?;
//!     assert_eq!(result.text(), "900 paid");
//!     // Without an approver, nobody says yes.
//!     let result = hooks.tool_call(&cx, &call).run_blocking(|_| "paid")?;
//!     assert_eq!(result.text(), "Denied: refunds need a person. There is nobody to ask");
//!     Ok(())
//! }
//! ```

mod approval;
pub mod decision;
mod error;
mod message;
mod mode;
mod model_call;
mod prompt;
mod returned;
mod stop;
mod tool_call;

pub use approval::{Approval, ToolQuestion};
pub use error::{StepError, StepErrorKind};
pub use model_call::ModelCallStep;
pub use prompt::PromptStep;
pub use returned::{IntoModelAnswer, IntoRowId, IntoToolResult};
pub use stop::{NextStep, StopStep};
pub use tool_call::ToolCallStep;
