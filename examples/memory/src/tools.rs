//! Tools that change notes. They are offered only in turns in which a hook contributes them.

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

use crate::fact::{Fact, slug, turn_of};
use crate::store::{Store, StoreError};

/// The name of the tool that stores a fact.
pub const REMEMBER: &str = "remember";

/// The name of the tool that removes a fact.
pub const FORGET: &str = "forget";

/// Stores a fact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Remember;

impl Tool for Remember {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(REMEMBER).description("Keeps a fact that the person asks you to remember.").schema(json!({
            "type": "object",
            "properties": {
                "key": { "type": "string", "description": "its name in a word or two; a fact of that name is replaced" },
                "text": { "type": "string", "description": "the fact, in a sentence" },
            },
            "required": ["key", "text"],
        }))
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let fact = Fact::new(text(&input, "key")?, text(&input, "text")?, &turn_of(cx))
                .ok_or_else(|| ToolError::new("`key` and `text` must not be empty"))?;
            let answer = format!("Noted as `{}`.", fact.key);
            on_disk(cx, move |store| store.update(|notes| notes.keep(&fact))).await?;
            Ok(ToolResult::new(answer))
        })
    }
}

/// The schema of the tool that removes a fact. `key` is the schema of its name.
pub fn forgets(key: &Value) -> Value {
    json!({ "type": "object", "properties": { "key": key }, "required": ["key"] })
}

/// Removes a fact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forget;

impl Tool for Forget {
    fn spec(&self) -> ToolSpec {
        let any = json!({ "type": "string", "description": "the name of the note" });
        ToolSpec::new(FORGET).description("Drops a fact that the person asks you to forget.").schema(forgets(&any))
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        _call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let key = slug(text(&input, "key")?);
            let dropped = {
                let key = key.clone();
                on_disk(cx, move |store| store.update(|notes| notes.forget(&key))).await?
            };
            match dropped {
                Some(_) => Ok(ToolResult::new(format!("Dropped `{key}`."))),
                None => Err(ToolError::new(format!("there is no note `{key}`"))),
            }
        })
    }
}

fn text<'a>(input: &'a ToolInput, field: &str) -> Result<&'a str, ToolError> {
    input[field].as_str().ok_or_else(|| ToolError::new(format!("`{field}` must be a text")))
}

/// Changes notes on another thread, because a commit waits for the disk.
async fn on_disk<T: Send + 'static>(
    cx: &HookContext,
    change: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ToolError> {
    let store = cx.state::<Store>().map_err(|error| ToolError::new(error.to_string()))?.clone();
    let changed = tokio::task::spawn_blocking(move || change(&store)).await;
    let changed = changed.map_err(|_panic| ToolError::new("the notes could not be changed"))?;
    changed.map_err(|error| ToolError::new(error.to_string()))
}
