//! The same functions called by hand, like in an app without hooks.

use std::hint::black_box;

use hook_sdk::data::{MessageUpdate, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hooks_agent::Reply;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, Conversations, Fold, MemoryStore, MessageStore, Page, Row, StoreFuture, Written};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use serde_json::{Map, Value, json};

pub(crate) fn mark_row(row: &mut Message) {
    row.extra.insert("seen".to_owned(), json!(true));
}

pub(crate) fn mark_result(result: &mut ToolResult) {
    result.extra.insert("seen".to_owned(), json!(true));
}

pub(crate) fn brief(system_prompt: &mut String) {
    system_prompt.push('.');
}

pub(crate) fn mark_input(input: &mut ToolInput) {
    input["seen"] = json!(true);
}

pub(crate) fn mark_stored(extra: &mut Map<String, Value>) {
    extra.insert("stored".to_owned(), json!(true));
}

/// Calls the given number of functions: none, the five that write, or all twenty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByHand(pub(crate) usize);

impl ByHand {
    fn writes(self) -> bool {
        self.0 > 0
    }

    fn reads(self) -> bool {
        self.0 > 5
    }

    /// Calls `times` readers of `what`.
    fn read<T: ?Sized>(self, times: usize, what: &T) {
        if self.reads() {
            (0..times).for_each(|_| {
                black_box(what);
            });
        }
    }

    /// The readers at `filter_messages`, `user_prompt_submit`, `before_agent_start` and `pre_policy`.
    pub(crate) fn before_turn(self, prompt: &str) {
        self.read(4, prompt);
    }

    /// The readers at `stop`, `post_turn` and `turn_end`.
    pub(crate) fn after_turn(self, reply: &Reply) {
        self.read(3, reply);
    }
}

/// A part of the app, with functions called by hand around it.
pub(crate) struct Around<T>(pub(crate) T, pub(crate) ByHand);

impl<M: Model> Model for Around<M> {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            if self.1.writes() {
                let mut system_prompt = call.system_prompt.clone();
                brief(&mut system_prompt);
                black_box(system_prompt);
            }
            self.1.read(2, call);
            let answer = self.0.call(call, deltas).await;
            self.1.read(1, &answer);
            answer
        })
    }
}

impl<T: Tool> Tool for Around<T> {
    fn spec(&self) -> ToolSpec {
        self.0.spec()
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        mut input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            if self.1.writes() {
                mark_input(&mut input);
            }
            self.1.read(1, &input);
            let mut result = self.0.run(cx, call, input).await?;
            if self.1.writes() {
                mark_result(&mut result);
            }
            self.1.read(2, &result);
            Ok(result)
        })
    }
}

impl MessageStore for Around<MemoryStore> {
    fn append<'a>(&'a self, conversation: &'a str, mut append: Append) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            for row in append.messages.iter_mut().filter(|_| self.1.writes()) {
                mark_row(row);
                if row.role == Role::Tool {
                    mark_stored(&mut row.extra);
                }
            }
            let written = self.0.append(conversation, append).await;
            self.1.read(2, &written);
            written
        })
    }

    fn update<'a>(
        &'a self,
        conversation: &'a str,
        id: &'a str,
        update: MessageUpdate,
        lease: Option<u64>,
    ) -> StoreFuture<'a, Row> {
        self.0.update(conversation, id, update, lease)
    }

    fn fold<'a>(&'a self, conversation: &'a str, fold: Fold) -> StoreFuture<'a, Written> {
        self.0.fold(conversation, fold)
    }

    fn page<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.0.page(conversation, from, limit)
    }

    fn history<'a>(&'a self, conversation: &'a str, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Page> {
        self.0.history(conversation, from, limit)
    }

    fn conversations<'a>(&'a self, from: Option<&'a str>, limit: usize) -> StoreFuture<'a, Conversations> {
        self.0.conversations(from, limit)
    }

    fn delete<'a>(&'a self, conversation: &'a str) -> StoreFuture<'a, ()> {
        self.0.delete(conversation)
    }
}
