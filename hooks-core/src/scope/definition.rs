use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::DefinitionError;
use super::fields::DefinitionFields;
use super::{HookUse, ListEntry, json};

/// A type that can declare a list of hooks: an agent, a prompt, or an app's own type.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::scope::{Definition, HookUse};
///
/// /// The app's own agent type, kept in its database.
/// struct Assistant {
///     name: String,
///     hooks: Option<Vec<HookUse>>,
/// }
///
/// impl Definition for Assistant {
///     fn name(&self) -> &str {
///         &self.name
///     }
///
///     fn hooks(&self) -> Option<&[HookUse]> {
///         self.hooks.as_deref()
///     }
/// }
/// ```
pub trait Definition {
    /// The name, used in messages.
    fn name(&self) -> &str;

    /// The declared list. `Some` of an empty list is declared; `None` is not.
    fn hooks(&self) -> Option<&[HookUse]>;
}

macro_rules! definition {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        #[serde(try_from = "DefinitionFields")]
        #[non_exhaustive]
        pub struct $name {
            /// The name, used in messages and records.
            pub name: String,
            /// The declared list; `None` if there is none.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub hooks: Option<Vec<HookUse>>,
            /// The other fields of the file, for the app.
            #[serde(flatten)]
            pub extra: Map<String, Value>,
        }

        impl TryFrom<DefinitionFields> for $name {
            type Error = String;

            fn try_from(fields: DefinitionFields) -> Result<Self, String> {
                let DefinitionFields { name, hooks, extra } = fields.checked($what)?;
                Ok(Self { name, hooks, extra })
            }
        }

        impl $name {
            #[doc = concat!("Creates the ", $what, " `name`, without a list of hooks.")]
            pub fn new(name: impl Into<String>) -> Self {
                Self { name: name.into(), ..Self::default() }
            }

            /// Adds hooks to the list. The list is declared from then on, even if `hooks` is empty.
            #[must_use]
            pub fn hooks<U: ListEntry>(mut self, hooks: impl IntoIterator<Item = U>) -> Self {
                self.hooks.get_or_insert_default().extend(hooks.into_iter().map(ListEntry::into_use));
                self
            }

            /// Parses JSON. `file` is the name used in messages.
            ///
            /// # Errors
            /// [`DefinitionError`] with line, column and what was expected.
            pub fn from_json(file: impl AsRef<Path>, text: &str) -> Result<Self, DefinitionError> {
                let fields = json::parse(&file.as_ref().into(), unmarked(text), $what)?;
                Ok(Self { name: fields.name, hooks: fields.hooks, extra: fields.extra })
            }

            /// Reads a JSON file, or a TOML file if its name ends in `.toml` and the feature `toml` is enabled.
            ///
            /// # Errors
            /// [`DefinitionError`] if the file cannot be read or is invalid, with line, column and what was expected.
            pub fn from_file(file: impl AsRef<Path>) -> Result<Self, DefinitionError> {
                let file = file.as_ref();
                let text = read(file)?;
                #[cfg(feature = "toml")]
                if file.extension().is_some_and(|extension| extension == "toml") {
                    return Self::from_toml(file, &text);
                }
                Self::from_json(file, &text)
            }

            /// Parses TOML. `file` is the name used in messages.
            ///
            /// # Errors
            /// [`DefinitionError`] with line, column and what was expected.
            #[cfg(feature = "toml")]
            pub fn from_toml(file: impl AsRef<Path>, text: &str) -> Result<Self, DefinitionError> {
                let fields = super::toml_form::parse(&file.as_ref().into(), unmarked(text), $what)?;
                Ok(Self { name: fields.name, hooks: fields.hooks, extra: fields.extra })
            }
        }

        impl Definition for $name {
            fn name(&self) -> &str {
                &self.name
            }

            fn hooks(&self) -> Option<&[HookUse]> {
                self.hooks.as_deref()
            }
        }
    };
}

definition! {
    /// The app: its name and its list of hooks, which is always in force, for every agent and prompt. Other fields of
    /// its file are kept in `extra`.
    ///
    /// ```
    /// use hook_sdk::scope::AppDef;
    ///
    /// let app = AppDef::from_json("app.json", r#"{"name": "desk", "hooks": ["redact_pii"]}"#)?;
    /// assert_eq!((app.name.as_str(), app.hooks.map(|list| list.len())), ("desk", Some(1)));
    /// # Ok::<(), hook_sdk::scope::DefinitionError>(())
    /// ```
    AppDef, "app"
}

definition! {
    /// An agent: its name and its list of hooks. Other fields of its file are kept in `extra`.
    ///
    /// ```
    /// use hook_sdk::scope::AgentDef;
    ///
    /// let agent = AgentDef::from_json("support.json", r#"{"name": "support", "model": "large", "hooks": ["redact_pii"]}"#)?;
    /// assert_eq!(agent.hooks.map(|list| list.len()), Some(1));
    /// assert_eq!(agent.extra["model"], "large");
    ///
    /// let error = AgentDef::from_json("support.json", r#"{"name": "support", "hook": []}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "support.json:1:21: unknown field `hook`; did you mean `hooks`?");
    /// # Ok::<(), hook_sdk::scope::DefinitionError>(())
    /// ```
    AgentDef, "agent"
}

definition! {
    /// A prompt: its name and its list of hooks, which replaces the agent's.
    PromptDef, "prompt"
}

impl PromptDef {
    /// Copies name and list from an app's own prompt type, for [`Registry::scope`](crate::Registry::scope).
    ///
    /// ```
    /// use hook_sdk::scope::{Definition, HookUse, PromptDef};
    ///
    /// /// The app's own prompt, kept in its database.
    /// struct Template {
    ///     hooks: Vec<HookUse>,
    /// }
    ///
    /// impl Definition for Template {
    ///     fn name(&self) -> &str {
    ///         "template"
    ///     }
    ///
    ///     fn hooks(&self) -> Option<&[HookUse]> {
    ///         Some(&self.hooks)
    ///     }
    /// }
    ///
    /// let prompt = PromptDef::from_definition(&Template { hooks: Vec::new() });
    /// assert_eq!(prompt.hooks, Some(Vec::new())); // an empty list is a list
    /// ```
    #[must_use]
    pub fn from_definition(definition: &dyn Definition) -> Self {
        let hooks = definition.hooks().map(<[HookUse]>::to_vec);
        Self { name: definition.name().to_owned(), hooks, extra: Map::new() }
    }
}

/// Removes the byte order mark that some editors write.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(crate) fn read(file: &Path) -> Result<String, DefinitionError> {
    let bytes = std::fs::read(file).map_err(|source| DefinitionError::Unreadable { file: file.into(), source })?;
    String::from_utf8(bytes)
        .map_err(|error| DefinitionError::NotUtf8 { file: file.into(), valid_up_to: error.utf8_error().valid_up_to() })
}
