//! OpenTelemetry for hooks: spans and metrics of dispatches, and with the feature `agent` of turns, model calls and tools, on the
//! providers of the app. This crate uses the API alone; the exporter is the app's choice.
//!
//! ```
//! use hook_sdk::prelude::*;
//! use hooks_otel::Telemetry;
//!
//! let registry = Registry::empty();
//! registry.observe(Telemetry::global().provider("anthropic"));
//! ```
//!
//! A span per dispatch at a kind where hooks decide or change something, named `hook {kind}`, with a child for each hook that decided,
//! changed or contributed something, failed or took longer than a millisecond: `run_guardrail {hook}` at a gate, `hook {hook}`
//! elsewhere. The other hooks are a number on the span. A dispatch at another kind, or of `stream_delta`, has a span only if such a
//! hook has one; of `stream_delta`, those that decided or failed have one. Spans contain no payload, unless
//! `failures(true)` adds the texts of errors. The parent is the current context.
//!
//! With the feature `otlp`, `write_otlp` writes recordings of `hooks-replay` as OTLP/JSON instead. With `agent`:
//!
//! ```no_run
//! # #[cfg(feature = "agent")]
//! # fn harness(
//! #     registry: hook_sdk::Registry,
//! #     model: impl hooks_agent::model::Model,
//! #     search: impl hooks_agent::tool::Tool,
//! # ) -> Result<(), hook_sdk::ConfigError> {
//! use hooks_agent::Harness;
//! use hooks_otel::Telemetry;
//!
//! let telemetry = Telemetry::global().provider("anthropic");
//! registry.observe(telemetry.clone());
//! let harness = Harness::builder(registry)
//!     .around_turns(telemetry.turns()) // invoke_agent {agent}
//!     .model("main", telemetry.model("claude-sonnet-5", model)) // chat {model}
//!     .tool(telemetry.tool(search)) // execute_tool {tool}
//!     .build()?;
//! # drop(harness);
//! # Ok(())
//! # }
//! ```

mod names;
mod told;
#[cfg(any(feature = "agent", feature = "otlp"))]
mod operation;
mod links;
mod tracing;
mod metrics;
mod telemetry;
mod dispatch;
#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "otlp")]
mod otlp;

#[cfg(feature = "agent")]
pub use agent::{TracedModel, TracedTool};
pub use names::CONVENTIONS;
#[cfg(feature = "otlp")]
pub use otlp::{OtlpExport, write_otlp};
pub use telemetry::Telemetry;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
