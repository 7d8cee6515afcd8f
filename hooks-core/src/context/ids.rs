//! The ids that say where something happens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{HookContext, HookContextBuilder};

/// Defines [`Ids`], and for each id a getter of the context and a setter of its builder. An id that is no text says what
/// the getter returns, and what the setter takes.
macro_rules! ids {
    (
        $(#[$of:meta])* $name:ident {
            texts { $($(#[$doc:meta])* $text:ident,)* }
            others {$(
                $(#[doc = $about:literal])* $(#[serde($skip:meta)])?
                $other:ident: $ty:ty => $shown:ty: |$ids:ident| $get:expr, $given:ty: |$value:ident| $set:expr;
            )*}
        }
    ) => {
        $(#[$of])*
        pub struct $name {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $text: Option<Arc<str>>,)*
            $($(#[doc = $about])* $(#[serde($skip)])? pub $other: $ty,)*
            /// The id of the person's session, if it differs from the conversation's id.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub session: Option<Arc<str>>,
        }

        impl HookContext {
            $($(#[$doc])* pub fn $text(&self) -> Option<&str> { self.ids().$text.as_deref() })*

            $($(#[doc = $about])* pub fn $other(&self) -> $shown {
                let $ids = self.ids();
                $get
            })*
        }

        impl HookContextBuilder {
            $($(#[$doc])* pub fn $text(mut self, $text: impl Into<Arc<str>>) -> Self {
                self.ids().$text = Some($text.into());
                self
            })*

            $($(#[doc = $about])* pub fn $other(mut self, $value: $given) -> Self {
                self.ids().$other = $set;
                self
            })*
        }
    };
}

ids! {
    /// The ids of the place where a dispatch happens. Contexts, records, jobs and end notices share them. They contain no
    /// app state.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    #[non_exhaustive]
    Ids {
        texts {
            /// The app's name.
            app,
            /// The app's version.
            app_version,
            /// The name of the agent that runs the turn.
            agent,
            /// The name of the prompt in force.
            prompt,
            /// The id of the conversation that the turn belongs to.
            conversation,
            /// The id of the request that the turn answers.
            request,
            /// The id of the stored row of the person's message that the turn answers; `None` until it is stored.
            message,
            /// The place in the app from which the model is called, such as `chat` or `title`.
            call_site,
        }
        others {
            /// The agents that called this one, outermost first; empty if it is not a sub-agent.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            agent_path: Vec<String> => &[String]: |ids| &ids.agent_path,
                impl IntoIterator<Item = impl Into<String>>: |path| path.into_iter().map(Into::into).collect();
            /// The turn's number within the conversation.
            #[serde(skip_serializing_if = "Option::is_none")]
            turn: Option<u64> => Option<u64>: |ids| ids.turn, u64: |number| Some(number);
            /// The agent's working folder.
            #[serde(skip_serializing_if = "Option::is_none")]
            workspace: Option<Arc<Path>> => Option<&Path>: |ids| ids.workspace.as_deref(),
                impl Into<PathBuf>: |folder| Some(folder.into().into());
            /// Whether a person is present who can be asked.
            human_present: bool => bool: |ids| ids.human_present, bool: |is_present| is_present;
        }
    }
}

impl Ids {
    /// The id of the person's session. It equals the conversation's id except in a sub-agent, which has its own
    /// conversation within the session of its caller.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref().or(self.conversation.as_deref())
    }
}
