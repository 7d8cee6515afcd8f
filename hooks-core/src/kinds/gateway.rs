use serde::{Deserialize, Serialize};

use crate::HookKind;

/// Fires when the program begins to accept work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_start", outside_turn, new(address), json)]
#[non_exhaustive]
pub struct GatewayStart {
    /// Where it can be reached, such as `127.0.0.1:8080`.
    pub address: String,
}

/// Fires when the program accepts no more work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_stop", outside_turn, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct GatewayStop {
    /// Why, in a word of the harness; empty where it does not say.
    #[serde(default)]
    pub reason: String,
}
