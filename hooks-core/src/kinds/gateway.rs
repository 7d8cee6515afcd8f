use serde::{Deserialize, Serialize};

use crate::HookKind;

/// Fires when the program begins to accept work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_start", outside_turn, json)]
#[non_exhaustive]
pub struct GatewayStart {
    /// Where it can be reached, such as `127.0.0.1:8080`.
    pub address: String,
}

impl GatewayStart {
    /// Work is accepted at `address`.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into() }
    }
}

/// Fires when the program accepts no more work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "gateway_stop", outside_turn, match(reason), json)]
#[non_exhaustive]
pub struct GatewayStop {
    /// Why, in a word of the harness; empty where it does not say.
    #[serde(default)]
    pub reason: String,
}

impl GatewayStop {
    /// No more work is accepted, for `reason`.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
