use serde::{Deserialize, Serialize};

use crate::HookKind;

/// Fires when the program starts to accept work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_start", outside_turn, new(address), json)]
#[non_exhaustive]
pub struct GatewayStart {
    /// The address of the program, such as `127.0.0.1:8080`.
    pub address: String,
}

/// Fires when the program stops accepting work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_stop", outside_turn, match(reason), new(reason), json)]
#[non_exhaustive]
pub struct GatewayStop {
    /// The reason, in a word of the harness; empty if it gives none.
    #[serde(default)]
    pub reason: String,
}
