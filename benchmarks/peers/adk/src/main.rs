//! adk-plugin: plugins before a tool call, the enhanced ones and those of closures.

use std::hint::black_box;
use std::sync::Arc;

use adk_core::{CallbackContext, Content, ReadonlyContext, Result, Tool, ToolContext};
use adk_plugin::{
    BeforeToolCallResult, EnhancedPlugin, EnhancedPluginManager, Plugin, PluginConfig, PluginContext, PluginManager,
};
use async_trait::async_trait;
use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked, other};
use serde_json::{Value, json};

struct Pass;

#[async_trait]
impl EnhancedPlugin for Pass {
    fn name(&self) -> &str {
        "pass"
    }

    async fn before_tool_call(
        &self,
        _: Arc<dyn Tool>,
        args: Value,
        _: Arc<dyn CallbackContext>,
        _: &PluginContext,
    ) -> Result<BeforeToolCallResult> {
        Ok(BeforeToolCallResult::Continue(black_box(args)))
    }
}

struct Write;

#[async_trait]
impl EnhancedPlugin for Write {
    fn name(&self) -> &str {
        "write"
    }

    async fn before_tool_call(
        &self,
        _: Arc<dyn Tool>,
        mut args: Value,
        _: Arc<dyn CallbackContext>,
        _: &PluginContext,
    ) -> Result<BeforeToolCallResult> {
        args["query"] = Value::String(other(args["query"].as_str().unwrap_or_default()));
        Ok(BeforeToolCallResult::Continue(args))
    }
}

/// A plugin for another point: this one it leaves to the trait's default.
struct Elsewhere;

#[async_trait]
impl EnhancedPlugin for Elsewhere {
    fn name(&self) -> &str {
        "elsewhere"
    }
}

struct Lookup;

#[async_trait]
impl Tool for Lookup {
    fn name(&self) -> &str {
        "lookup"
    }

    fn description(&self) -> &str {
        "Looks something up."
    }

    async fn execute(&self, _: Arc<dyn ToolContext>, args: Value) -> Result<Value> {
        Ok(args)
    }
}

struct Context(Content);

impl ReadonlyContext for Context {
    fn invocation_id(&self) -> &str {
        "invocation"
    }

    fn agent_name(&self) -> &str {
        "agent"
    }

    fn user_id(&self) -> &str {
        "user"
    }

    fn app_name(&self) -> &str {
        "app"
    }

    fn session_id(&self) -> &str {
        "session"
    }

    fn branch(&self) -> &str {
        ""
    }

    fn user_content(&self) -> &Content {
        &self.0
    }
}

#[async_trait]
impl CallbackContext for Context {
    fn artifacts(&self) -> Option<Arc<dyn adk_core::Artifacts>> {
        None
    }
}

fn context() -> Arc<dyn CallbackContext> {
    Arc::new(Context(Content::new("user")))
}

fn enhanced(n: usize, plugin: impl EnhancedPlugin + 'static) -> impl AsyncFnMut() {
    let plugin: Arc<dyn EnhancedPlugin> = Arc::new(plugin);
    let manager = EnhancedPluginManager::new(vec![plugin; n]);
    let (tool, context, mut kept): (Arc<dyn Tool>, _, _) =
        (Arc::new(Lookup), context(), Some(json!({ "query": TEXT })));
    async move || {
        let args = kept.take().expect("it comes back");
        let result = manager.run_before_tool_call(Arc::clone(&tool), black_box(args), Arc::clone(&context)).await;
        match result.expect("nothing fails") {
            BeforeToolCallResult::Continue(args) | BeforeToolCallResult::ShortCircuit(args) => kept = Some(args),
        }
    }
}

fn closures(n: usize) -> impl AsyncFnMut() {
    let plugin = |number| {
        Plugin::new(PluginConfig {
            name: format!("plugin_{number}"),
            before_tool: Some(Box::new(|context| {
                Box::pin(async move {
                    black_box(context);
                    Ok(None)
                })
            })),
            ..PluginConfig::default()
        })
    };
    let (manager, context) = (PluginManager::new((0..n).map(plugin).collect()), context());
    async move || {
        let answer = manager.run_before_tool(Arc::clone(black_box(&context))).await;
        black_box(answer.expect("nothing fails"));
    }
}

fn main() {
    let version = locked(include_str!("../Cargo.lock"), "adk-plugin");
    let mut sitting =
        Sitting::new(Peer { name: "adk-plugin", role: Role::Peer, version, isolates: false, chosen_at_run_time: true });
    for n in COUNTS {
        let label = |body, variant| Label { class: Class::Async, body, variant, n };
        sitting.awaited(label(Body::Pass, "enhanced"), enhanced(n, Pass));
        sitting.awaited(label(Body::Read, "closures"), closures(n));
        sitting.awaited(label(Body::Write, "enhanced"), enhanced(n, Write));
        sitting.awaited(label(Body::Unmatched, "all at another point"), enhanced(n, Elsewhere));
    }
    sitting.run();
}
