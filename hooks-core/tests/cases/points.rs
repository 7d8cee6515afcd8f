//! The kinds that cases may use, by name.

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hooks::{Finished, HookSpec, hook, removing};

/// The subject at [`AppPoint`]: any JSON value.
pub(crate) type Anything = Value;

/// A kind of an app.
#[derive(Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "app_point", subject = Anything, removable, match(topic), json)]
pub(crate) struct AppPoint {
    #[serde(default)]
    topic: String,
}

/// What the runner needs to know about a kind.
pub(crate) struct Point {
    pub(crate) hook: fn(&HookSpec, &Finished) -> Result<Hook, String>,
    /// The subject that an error gives back.
    pub(crate) given_back: fn(DispatchError) -> Value,
}

fn given_back<K: HookKind<Subject: Serialize>>(error: DispatchError) -> Value {
    error.into_subject::<K>().map_or(Value::Null, |subject| serde_json::to_value(subject).unwrap())
}

macro_rules! points {
    ($name:ident: $($kind:ident $hook:ident),* $(,)?) => {
        $(if $name == $kind::NAME {
            return Ok(Point { hook: $hook::<$kind>, given_back: given_back::<$kind> });
        })*
    };
}

/// The kind of this name.
pub(crate) fn point(name: &str) -> Result<Point, String> {
    points! { name:
        AppPoint removing,
        Init hook,
        Shutdown hook,
        SessionStart hook,
        MessageReceived removing,
        MessageSending removing,
        UserPromptSubmit hook,
        BeforeAgentStart hook,
        PrePolicy hook,
        PrePromptContext hook,
        PreToolMaterialization hook,
        PrePromptCompile hook,
        PostTurn hook,
        FilterMessages hook,
        PrefilterLlmHistory hook,
        PreModelCall hook,
        PostModelCall hook,
        BeforeToolCall hook,
        PermissionRequest hook,
        AfterToolCallSuccess removing,
        AfterToolCallFailure removing,
        AfterToolCall hook,
        BeforeStoreToolResult hook,
        BeforeCreateMessage hook,
        AfterCreateMessage hook,
        BeforeCompaction hook,
        PostCompact hook,
        Stop hook,
        TurnEnd hook,
    }
    Err(format!("the runner knows no kind `{name}`; add it to `point` in `points.rs`"))
}
