//! The ids of hooks as values of attributes, made once: otherwise each would be an allocation per decision.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use hook_sdk::HookId;
use opentelemetry::Value;

/// More ids than a program has hooks.
const MOST: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Ids(RwLock<HashMap<HookId, Arc<str>>>);

impl Ids {
    pub(crate) fn value(&self, hook: &HookId) -> Value {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(hook) {
            return Arc::clone(known).into();
        }
        let text: Arc<str> = hook.as_str().into();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST {
            known.insert(hook.clone(), Arc::clone(&text));
        }
        text.into()
    }
}
