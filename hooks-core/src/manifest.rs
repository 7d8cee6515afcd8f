//! What a program has, for machines: its hooks and kinds, and a JSON Schema for the files that name them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::OnFailure;
use crate::fires::Fires;
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::kind::{KindDescriptor, all};
use crate::options::Options;
use crate::registry::Registry;
use crate::source::Origin;
use crate::verdict::Capabilities;

/// The hooks and kinds of a program. Made by [`Registry::manifest`](crate::Registry::manifest); serialises to JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The version of this form; a change that breaks readers raises it.
    pub version: u32,
    /// The hooks, by id.
    pub hooks: Vec<HookManifest>,
    /// The kinds, built in and of the app, by name.
    pub kinds: Vec<KindManifest>,
}

/// What a hook says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookManifest {
    /// The id.
    pub id: HookId,
    /// Its doc comment.
    pub description: String,
    /// Where it is.
    pub origin: Origin,
    /// What it does at each of its kinds.
    pub at: Vec<BindingManifest>,
    /// Its options; the deadline, what is done when it fails and what it may contribute are told at its kinds.
    #[serde(flatten)]
    pub options: Options,
    /// The plugin that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// Whether overrides leave it alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
}

/// A hook at one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BindingManifest {
    /// The kind.
    pub kind: &'static str,
    /// Whether it may change the subject.
    pub writes: bool,
    /// Whether it may wait.
    pub waits: bool,
    /// Its deadline in milliseconds, where it may wait and has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u128>,
    /// What is done when it fails.
    pub on_failure: OnFailure,
    /// What it may contribute.
    #[serde(skip_serializing_if = "Capabilities::is_none")]
    pub capabilities: Capabilities,
    /// The patterns that select events for it, by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<&'static str, String>,
}

/// What a kind says of itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KindManifest {
    /// What its descriptor says.
    #[serde(flatten)]
    pub kind: &'static KindDescriptor,
    /// Where [`fires!`](crate::fires) declares that it is fired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Origin>,
}

impl Registry {
    /// What the program has, for machines: all hooks and kinds, and a JSON Schema for the files that name them.
    ///
    /// ```
    /// use hooks_core::kinds::*;
    /// use hooks_core::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, _| ()).description("Trims."))?;
    /// let manifest = registry.manifest();
    /// assert_eq!(serde_json::to_value(&manifest)?["hooks"][0]["at"][0]["kind"], "before_create_message");
    /// assert_eq!(manifest.schema()["$defs"]["id"]["enum"][0], "trim");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn manifest(&self) -> Manifest {
        Manifest::of(&self.hooks())
    }
}

impl Manifest {
    pub(crate) fn of(hooks: &[std::sync::Arc<Hook>]) -> Self {
        let fired: BTreeMap<&str, Origin> =
            Fires::declared().iter().map(|fires| (fires.kind().name, fires.origin)).collect();
        Self {
            version: 1,
            hooks: hooks.iter().map(|hook| hook_manifest(hook)).collect(),
            kinds: all()
                .into_iter()
                .map(|kind| KindManifest { kind, fired_at: fired.get(kind.name).copied() })
                .collect(),
        }
    }

    /// A JSON Schema of agent and prompt files, for editors: the ids of hooks are an `enum`, with what each does. Hooks of
    /// kinds outside a turn are not in it, because only the app's list may name them.
    pub fn schema(&self) -> Value {
        let outside =
            |at: &BindingManifest| self.kinds.iter().any(|one| one.kind.name == at.kind && one.kind.outside_turn);
        let hooks: Vec<&HookManifest> = self.hooks.iter().filter(|hook| !hook.at.iter().any(outside)).collect();
        let ids: Vec<&str> = hooks.iter().map(|hook| hook.id.as_str()).collect();
        let texts: Vec<&str> = hooks.iter().map(|hook| hook.description.as_str()).collect();
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "An agent or a prompt",
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "The name, for messages and records." },
                "hooks": {
                    "type": ["array", "null"],
                    "description": "The hooks in force, each once. An empty list is a list; null is none.",
                    "uniqueItems": true,
                    "items": {
                        "anyOf": [
                            { "$ref": "#/$defs/id" },
                            {
                                "type": "object",
                                "properties": { "id": { "$ref": "#/$defs/id" }, "with": {} },
                                "required": ["id"],
                                "additionalProperties": false,
                            },
                        ],
                    },
                },
            },
            "$defs": { "id": { "enum": ids, "enumDescriptions": texts } },
        })
    }
}

/// The patterns of a hook at a kind; a field that the kind has not was refused by the registry.
fn only(binding: &Binding) -> BTreeMap<&'static str, String> {
    let fields = binding.kind.fields;
    let named = binding.filters.iter().filter_map(|only| {
        let field = fields.get(*only.field.as_ref().ok()?)?;
        Some((*field, only.patterns.to_string()))
    });
    named.collect()
}

fn hook_manifest(hook: &Hook) -> HookManifest {
    let options = &hook.options;
    let at = |binding: &Binding| BindingManifest {
        kind: binding.kind.name,
        writes: binding.form.writes,
        waits: binding.is_async(options),
        timeout_ms: options
            .timeout
            .duration()
            .filter(|_| binding.takes_timeout(options))
            .map(|limit| limit.as_millis()),
        on_failure: binding.policy(options),
        capabilities: options.capabilities.unwrap_or(binding.kind.capabilities),
        only: only(binding),
    };
    HookManifest {
        id: hook.id.clone(),
        description: hook.description.to_string(),
        origin: hook.origin,
        at: hook.bindings.iter().map(at).collect(),
        options: options.clone(),
        plugin: hook.plugin.as_deref().map(str::to_owned),
        locked: hook.locked,
    }
}
