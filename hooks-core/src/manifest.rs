//! The hooks and kinds of a program in machine-readable form.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::failure::OnFailure;
use crate::fires::Fires;
use crate::hook::{Binding, Hook};
use crate::id::HookId;
use crate::kind::{KindDescriptor, all};
use crate::options::Options;
use crate::registry::Registry;
use crate::source::Origin;
use crate::verdict::Capabilities;

/// The hooks and kinds of a program. Returned by [`Registry::manifest`](crate::Registry::manifest); serializes to JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The version of the format. A breaking change increments it.
    pub version: u32,
    /// The hooks, sorted by id.
    pub hooks: Vec<HookManifest>,
    /// The built-in and the app's kinds, sorted by name.
    pub kinds: Vec<KindManifest>,
}

/// The description of a hook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookManifest {
    /// The hook's id.
    pub id: HookId,
    /// The hook's doc comment.
    pub description: String,
    /// The position of the hook in the source.
    pub origin: Origin,
    /// The hook at each of its kinds.
    pub at: Vec<BindingManifest>,
    /// The plugin that the hook belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// Whether overrides cannot change the hook.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
}

/// A hook at one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BindingManifest {
    /// The name of the kind.
    pub kind: &'static str,
    /// Whether the hook may change the subject.
    pub writes: bool,
    /// Whether the hook is async.
    pub waits: bool,
    /// The timeout in milliseconds; `None` if the hook has none or cannot be interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u128>,
    /// What happens when the hook fails.
    pub on_failure: OnFailure,
    /// What the hook may contribute.
    #[serde(skip_serializing_if = "Capabilities::is_empty")]
    pub capabilities: Capabilities,
    /// Its other options at this kind.
    #[serde(flatten)]
    pub options: Options,
    /// The hook's filters: patterns by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<&'static str, String>,
}

/// The description of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KindManifest {
    /// The descriptor of the kind.
    #[serde(flatten)]
    pub kind: &'static KindDescriptor,
    /// The position of the [`fires!`](crate::fires) declaration of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fired_at: Option<Origin>,
    /// The fields of the event that no declaration of the kind fills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never_filled: Vec<&'static str>,
    /// Whether a [step](crate::protocol) fires the kind, which fills the fields of its event.
    #[serde(skip)]
    pub by_step: bool,
}

impl KindManifest {
    fn of(kind: &'static KindDescriptor, declared: &[Fires]) -> Self {
        let is_of_kind = |fires: &&Fires| (fires.kind.name, fires.kind.origin) == (kind.name, kind.origin);
        let never = |field: &&str| Fires::never_fills(kind, field);
        Self {
            kind,
            fired_at: declared.iter().find(is_of_kind).map(|fires| fires.origin),
            never_filled: kind.event_fields.iter().copied().filter(never).collect(),
            by_step: inventory::iter::<Fires>.into_iter().any(|fires| fires.kind == kind && fires.by_step),
        }
    }
}

impl Registry {
    /// Returns a manifest of all hooks and kinds of the program.
    ///
    /// ```
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, _| ()).description("Trims."))?;
    /// let manifest = registry.manifest();
    /// assert_eq!(serde_json::to_value(&manifest)?["hooks"][0]["at"][0]["kind"], "before_create_message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn manifest(&self) -> Manifest {
        let declared = Fires::declared();
        Manifest {
            version: 2,
            hooks: self.hooks().iter().map(|hook| hook_manifest(hook)).collect(),
            kinds: all().iter().map(|kind| KindManifest::of(kind, &declared)).collect(),
        }
    }
}

fn hook_manifest(hook: &Hook) -> HookManifest {
    let timeout = |binding: &Binding| binding.options.timeout.duration().filter(|_| binding.takes_timeout());
    let at = |binding: &Binding| BindingManifest {
        kind: binding.kind.name,
        writes: binding.form.writes,
        waits: binding.is_async(),
        timeout_ms: timeout(binding).map(|limit| limit.as_millis()),
        on_failure: binding.policy(),
        capabilities: binding.options.capabilities.unwrap_or(binding.kind.capabilities),
        options: binding.options.clone(),
        only: binding.filters().map(|(field, only)| (field, only.patterns.clone())).collect(),
    };
    HookManifest {
        id: hook.id.clone(),
        description: hook.description.clone(),
        origin: hook.origin,
        at: hook.bindings.iter().map(at).collect(),
        plugin: hook.plugin.as_ref().map(ToString::to_string),
        locked: hook.locked,
    }
}
