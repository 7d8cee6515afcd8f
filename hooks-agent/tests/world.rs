//! Promise 11: the loop acts on everything that hooks answer, read from what it runs, sends, shows and stores.

use std::sync::{Arc, Mutex};

use hook_sdk::data::{CompactedHistory, MessageUpdate, ModelRequest};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::CompactionKind;
use hook_sdk::prelude::*;
use hook_sdk::protocol::{Approval, ToolQuestion};
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, Conversations, Fold, MemoryStore, MessageStore, Page, Row, StoreFuture, Written};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::window::{Compaction, Compactor, ToCompact, Window};
use hooks_agent::{Harness, TurnEvent};
use hooks_conformance::{AgentLoop, World, check_turns};

/// The loop, with a model that streams or not, and the question that waits.
struct Loop {
    streams: bool,
    held: Held,
}

type Held = Arc<Mutex<Option<ApprovalRequest>>>;

struct WorldModel(World, bool);

impl Model for WorldModel {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let mut request = ModelRequest::new(&call.system_prompt);
            (request.max_tokens, request.temperature) = (call.max_tokens, call.temperature);
            request.tool_choice.clone_from(&call.tool_choice);
            request.output_schema.clone_from(&call.output_schema);
            request.extra.clone_from(&call.extra);
            request.profile = Some(call.profile.clone());
            request.tools = Some(call.tools.iter().map(|tool| tool.name.clone()).collect());
            let answer = ModelAnswer::new(self.0.model(&request, &call.messages));
            if self.1 {
                let texts = answer.content.iter().filter_map(|block| block.as_text());
                texts.flat_map(|text| self.0.pieces(text)).for_each(|piece| deltas.text(&piece));
            }
            Ok(answer)
        })
    }
}

/// A tool that may run again.
struct WorldTool(World, &'static str);

impl Tool for WorldTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new(self.1).idempotent()
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move { self.0.tool(call, &input).map(ToolResult::new).map_err(ToolError::new) })
    }
}

/// Drops everything before the turn.
struct Drops;

impl Compactor for Drops {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        let rest = Messages::from(conversation.messages[conversation.turn..].to_vec());
        (*kind == CompactionKind::Full).then(|| Compaction::Rest(CompactedHistory::new(rest)))
    }
}

/// Keeps the question, so that the call can wait.
struct WorldPerson(World, Held);

impl Approver for WorldPerson {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        *self.1.lock().unwrap() = Some(request.clone());
        let asked =
            ToolQuestion::new(request.call.clone(), request.input.clone(), request.question.clone(), request.deferred);
        Box::pin(async move { Ok(self.0.approve(&asked)) })
    }

    fn held<'a>(&'a self, _: &'a str, _: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        Box::pin(async { Ok(self.1.lock().unwrap().clone()) })
    }
}

/// Notes the rows that it stores.
struct Noting(MemoryStore, World);

impl MessageStore for Noting {
    fn append<'a>(&'a self, conversation: &'a str, append: Append) -> StoreFuture<'a, Written> {
        Box::pin(async move {
            let written = self.0.append(conversation, append).await?;
            written.rows.iter().for_each(|row| self.1.store(&row.message));
            Ok(written)
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

impl AgentLoop for Loop {
    fn streams(&self) -> bool {
        self.streams
    }

    async fn turn(&self, hooks: &HookSet, world: &World) {
        let tool = |name| WorldTool(world.clone(), name);
        let model = Arc::new(WorldModel(world.clone(), self.streams));
        let store = MemoryStore::new();
        if world.stored().is_empty() {
            *self.held.lock().unwrap() = None;
        } else {
            store.append("c", Append::new(world.stored().to_vec())).await.unwrap();
        }
        let harness = Harness::builder(Registry::empty())
            .hooks(hooks.clone())
            .shared_model("main", model.clone())
            .shared_model(World::PROFILE, model)
            .shared_store(Arc::new(Noting(store, world.clone())))
            .window(Window::new(10_000).compact_at(500).compactor(Drops))
            .approver(WorldPerson(world.clone(), Arc::clone(&self.held)))
            .tool(tool("find"))
            .tool(tool("fail"))
            .build()
            .unwrap();
        let session = harness.session("c", AgentDef::new("a")).system_prompt("Be brief.").open().await;
        let Ok(session) = session else { return };
        let mut turn = session.turn(None, world.prompt());
        while let Some(event) = turn.next().await {
            if let TurnEvent::Text(text) = event {
                world.show(&text);
            }
        }
        let reply = turn.await;
        world.show(&reply.to_string());
        reply.system_messages.iter().for_each(|text| world.show(text));
    }
}

#[tokio::test]
async fn the_loop_acts_on_everything_that_hooks_answer() {
    for streams in [false, true] {
        check_turns(&Loop { streams, held: Held::default() })
            .await
            .unwrap_or_else(|error| panic!("streams: {streams}: {error}"));
    }
}
