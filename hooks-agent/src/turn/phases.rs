//! The phases before the first model call, in which hooks contribute policies, context, sections and tools.

use std::sync::Arc;

use hook_sdk::HookKind;
use hook_sdk::data::Message;
use hook_sdk::kinds::{
    ExitReason, PostPreflightPromptContext, PostTurn, PrePolicy, PrePromptCompile, PrePromptContext,
    PreToolMaterialization,
};
use hook_sdk::verdict::{Contributions, Diagnostic, Verdict};
use serde_json::Value;

use super::TurnLoop;
use super::end::End;
use crate::event::TurnEvent;
use crate::panics::{self, contained};

impl TurnLoop {
    /// Fires the phases in order. Each one gets the contributions of the earlier ones.
    pub(super) async fn phases(&mut self, input: &str) -> Result<(), End> {
        let history = self.transcript.view.clone();
        self.contribute(&PrePolicy::new(input).history(history.clone())).await?;
        let event =
            PrePromptContext::new(input).history(history.clone()).contributions(self.draft.contributions.clone());
        self.contribute(&event).await?;

        let plan = self.preflight(input).await?;
        let event = PostPreflightPromptContext::new(input).history(history.clone()).plan(plan);
        self.contribute(&event.contributions(self.draft.contributions.clone())).await?;

        let names: Vec<String> = self.session.offered().into_iter().map(|tool| tool.name).collect();
        let event = PreToolMaterialization::new(input).history(history.clone()).tools(names);
        self.contribute(&event.contributions(self.draft.contributions.clone())).await?;
        self.offer();

        let names: Vec<String> = self.model.tools.iter().map(|tool| tool.name.clone()).collect();
        let event = PrePromptCompile::new(input).history(history).tools(names).profile(self.profile());
        self.contribute(&event.contributions(self.draft.contributions.clone())).await?;
        self.compile();
        Ok(())
    }

    /// Fires `post_turn` after the last model call, for audit notes and jobs.
    pub(super) async fn post_turn(&mut self, reply: &str, errors: Vec<String>) -> Result<(), End> {
        let calls = self.transcript.added.iter().flat_map(Message::tool_calls).cloned();
        let calls: Vec<_> = calls.map(|call| self.routed(call)).collect();
        let event = PostTurn::new(self.input.as_str()).reply(reply).calls(calls).errors(errors);
        let event = event.history(self.transcript.view.clone()).contributions(self.draft.contributions.clone());
        let fired = self.fire_to_end(&event, ()).await?;
        self.keep(PostTurn::NAME, fired.verdict);
        Ok(())
    }

    async fn contribute<K>(&mut self, event: &K) -> Result<(), End>
    where
        K: HookKind<Subject = (), Verdict = Contributions>,
    {
        let fired = self.fire(event, ()).await?;
        self.keep(K::NAME, fired.verdict);
        self.go_on(ExitReason::AbortedPreCall)
    }

    fn keep(&mut self, kind: &'static str, contributions: Contributions) {
        if !contributions.is_empty() {
            self.emit(|| TurnEvent::Contributed { kind, contributions: contributions.clone() });
        }
        self.draft.contributions.merge(contributions);
    }

    /// The plan of the app's preflight. `null` if there is none, or if it failed.
    async fn preflight(&mut self, input: &str) -> Result<Value, End> {
        let parts = Arc::clone(&self.session.harness);
        let Some(preflight) = &parts.preflight else { return Ok(Value::Null) };
        let limit = self.limits().model;
        let look = contained(async { preflight.plan(&self.cx, input, &self.transcript.view).await });
        let planned = self.cancellation.run_until_cancelled(tokio::time::timeout(limit, look)).await;
        let failed = match planned.ok_or_else(|| End::cancelled(ExitReason::AbortedPreCall))? {
            Ok(Ok(Ok(plan))) => {
                if let Some(inputs) = &mut self.inputs {
                    inputs.plan.clone_from(&plan);
                }
                return Ok(plan);
            }
            Ok(Ok(Err(error))) => format!("the plan is not valid JSON: {error}"),
            Ok(Err(panic)) => format!("it panicked: {}", panics::message(panic)),
            Err(_) => format!("it timed out after {limit:?}"),
        };
        self.report(vec![Diagnostic::new("preflight.failed", failed)]);
        Ok(Value::Null)
    }

    /// Builds the system prompt from its parts.
    fn compile(&mut self) {
        let (policies, sections, context) = (
            self.draft.contributions.policies().diagnostics,
            self.draft.contributions.prompt_sections(),
            self.draft.contributions.prompt_context(),
        );
        let mut parts = vec![std::mem::take(&mut self.model.system_prompt)];
        parts.extend(sections.entries.iter().map(|section| format!("## {}\n\n{}", section.title, section.text)));
        parts.extend(context.entries.iter().map(|entry| entry.text.clone()));
        parts.retain(|part| !part.is_empty());
        let diagnostics = [policies, sections.diagnostics, context.diagnostics].concat();
        self.model.system_prompt = parts.join("\n\n");
        self.report(diagnostics);
    }

    /// Emits diagnostics, and adds them to the reply.
    pub(super) fn report(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in &diagnostics {
            self.emit(|| TurnEvent::Diagnostic(diagnostic.clone()));
        }
        self.draft.diagnostics.extend(diagnostics);
    }
}
