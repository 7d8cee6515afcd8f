//! A support agent whose hooks are values, so that a test can change them.

use std::path::{Path, PathBuf};

pub(crate) use hook_sdk::kinds::*;
pub(crate) use hook_sdk::prelude::*;
pub(crate) use hooks_replay::{Difference, Reader, RecordLimits, Recorder, RecordingLine, Replay, ReplayReport};
pub(crate) use serde_json::{Value, json};

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// The hooks of a program. They are in the app's list, so they run for every kind.
#[derive(Clone, Default)]
pub(crate) struct Hooks(pub(crate) Vec<Hook>);

impl Hooks {
    pub(crate) fn with(mut self, hook: Hook) -> Self {
        self.0.retain(|other| other.id() != hook.id());
        self.0.push(hook);
        self
    }

    pub(crate) fn without(mut self, id: &str) -> Self {
        self.0.retain(|hook| hook.id().as_str() != id);
        self
    }

    pub(crate) fn registry(&self) -> Registry {
        let registry = Registry::empty();
        for hook in &self.0 {
            registry.register(hook.clone()).unwrap();
        }
        registry
    }

    pub(crate) fn scope(registry: &Registry) -> Result<HookSet, ConfigError> {
        let hooks: Vec<_> = registry.hooks().iter().map(|hook| hook.id().to_string()).collect();
        registry.set_app(AppDef::new("desk").hooks(hooks));
        registry.scope(&AgentDef::new("support"), None)
    }

    /// The agent of a loop in which they all run.
    #[cfg(feature = "agent")]
    pub(crate) fn agent(&self, registry: &Registry) -> AgentDef {
        let hooks: Vec<_> = self.0.iter().map(|hook| hook.id().to_string()).collect();
        registry.set_app(AppDef::new("desk").hooks(hooks));
        AgentDef::new("support")
    }

    /// Runs and records the original program.
    pub(crate) async fn record(&self, path: &Path, traffic: &[Traffic]) {
        self.record_within(path, traffic, RecordLimits::default()).await;
    }

    pub(crate) async fn record_within(&self, path: &Path, traffic: &[Traffic], limits: RecordLimits) {
        let registry = self.registry();
        registry.observe(Recorder::create(path, "support", limits).unwrap());
        let set = Self::scope(&registry).unwrap();
        for (turn, traffic) in traffic.iter().enumerate() {
            traffic.fire(&set, turn as u64).await;
        }
        // Dropping the last clone of the recorder flushes it.
        drop((set, registry));
    }

    /// Replays the recording with these hooks.
    pub(crate) async fn replay(&self, path: &Path) -> ReplayReport {
        let registry = self.registry();
        Replay::new(&registry, |registry, _ids| Self::scope(registry)).file(path).await.unwrap()
    }
}

/// A dispatch of the program.
#[derive(Clone, Debug)]
pub(crate) enum Traffic {
    Call { tool: &'static str, input: Value },
    Found { tool: &'static str, text: String },
}

impl Traffic {
    pub(crate) async fn fire(&self, set: &HookSet, turn: u64) {
        let cx = HookContext::builder().agent("support").conversation("c-1").turn(turn).build();
        match self {
            Self::Call { tool, input } => {
                let call = ToolCall::new("call_1", *tool, input.clone());
                let input = call.input.clone();
                let _ = set.fire(&cx, &BeforeToolCall::new(call), input).await;
            }
            Self::Found { tool, text } => {
                let call = ToolCall::new("call_1", *tool, json!({}));
                let _ =
                    set.fire(&cx, &AfterToolCallSuccess::new(call.clone(), call.input), ToolResult::new(text)).await;
            }
        }
    }
}

pub(crate) fn month() -> Vec<Traffic> {
    let refunds =
        [900, 4_900, 5_100, 9_900].map(|cents| Traffic::Call { tool: "refund", input: json!({"cents": cents}) });
    let found = ["ada@example.org wrote", "nothing here", "call 030 1234567, or bob@example.org"];
    let found = found.map(|text| Traffic::Found { tool: "read_mail", text: text.to_owned() });
    refunds.into_iter().chain(found).collect()
}

/// Two guards and two redactors, in this order.
pub(crate) fn desk() -> Hooks {
    Hooks::default()
        .with(limit(5_000))
        .with(mask("mask_mail", "@example.org", "@…"))
        .with(mask("mask_phone", "1234567", "…"))
        .with(leaks())
}

pub(crate) fn limit(cents: u64) -> Hook {
    Hook::at::<BeforeToolCall>("refund_limit").reader(move |_, _, input: &ToolInput| match input["cents"].as_u64() {
        Some(asked) if asked <= cents => Permission::Allow,
        _ => Permission::deny(format!("refunds over {cents} cents need a person")),
    })
}

pub(crate) fn mask(id: &str, what: &'static str, by: &'static str) -> Hook {
    let mask = Hook::at::<AfterToolCallSuccess>(id).writer(move |_, _, result: &mut ToolResult| {
        result.rewrite_text(|text| text.contains(what).then(|| text.replace(what, by)));
    });
    mask.on_failure(OnFailure::Remove)
}

/// A hook after the redactors, which adds a note if it finds an address.
pub(crate) fn leaks() -> Hook {
    Hook::at::<AfterToolCallSuccess>("leak_alarm")
        .writer(|_, _, result: &mut ToolResult| {
            if result.text().contains("@example.org") {
                result.add_context("an address was left");
            }
        })
        .on_failure(OnFailure::Continue)
        .priority(100)
}

pub(crate) fn differences(report: &ReplayReport) -> Vec<String> {
    report
        .groups
        .iter()
        .map(|group| format!("{} {} {}", group.count, group.hook.as_deref().unwrap_or("-"), group.title))
        .collect()
}
