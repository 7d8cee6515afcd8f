//! A JSON Schema of agent and prompt files, for editors.

use hook_sdk::manifest::{HookManifest, Manifest};
use serde_json::{Value, json};

/// The ids of hooks are an `enum` with descriptions. Hooks of kinds outside of turns are omitted, because only the app's
/// list may name them.
pub(super) fn schema(manifest: &Manifest) -> Value {
    let is_outside = |name: &str| manifest.kinds.iter().any(|one| one.kind.name == name && one.kind.outside_turn);
    let is_in_turns = |hook: &&HookManifest| !hook.at.iter().any(|at| is_outside(at.kind));
    let (ids, texts): (Vec<&str>, Vec<&str>) =
        manifest.hooks.iter().filter(is_in_turns).map(|hook| (hook.id.as_str(), hook.description.as_str())).unzip();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An agent or a prompt",
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The name, used in messages and records." },
            "hooks": {
                "type": ["array", "null"],
                "description": "The hooks in force, each name at most once. An empty list is a declared list; null means no list.",
                "uniqueItems": true,
                "items": {
                    "anyOf": [
                        { "$ref": "#/$defs/id" },
                        {
                            "type": "object",
                            "properties": {
                                "id": { "$ref": "#/$defs/id" },
                                "as": { "type": "string", "description": "The name of the hook in this list, if the list names it several times." },
                                "with": {},
                            },
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
