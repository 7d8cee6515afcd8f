//! Which tools are offered to the model, and which tool of the harness runs a call.

use std::collections::BTreeSet;
use std::sync::Arc;

use hook_sdk::data::ToolCall;
use hook_sdk::verdict::{Diagnostic, ToolDeclaration};

use super::TurnLoop;
use super::end::End;
use super::result::CallOutcome;
use crate::state::HarnessState;
use crate::tool::ToolSpec;

impl TurnLoop {
    /// Computes the tools that are offered: those of the harness and those that hooks declare, within the limits that
    /// hooks set.
    pub(super) fn offer(&mut self) {
        let harness = Arc::clone(&self.session.harness);
        let bundles = self.draft.contributions.tool_bundles();
        let mut diagnostics = bundles.diagnostics.clone();
        let mut tools = self.session.offered();
        for declared in &bundles.added {
            match harness.declared(declared) {
                Ok(spec) => match tools.iter_mut().find(|known| known.name == spec.name) {
                    Some(known) => *known = spec,
                    None => tools.push(spec),
                },
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        let by_hooks = bundles.allowed.as_ref().map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        // What hooks exclude for a caller is excluded for the agents that it calls.
        let allowed: Option<BTreeSet<String>> = match (by_hooks, &self.model.allowed) {
            (Some(one), Some(other)) => Some(&one & other),
            (one, other) => one.or_else(|| other.clone()),
        };
        tools.retain(|tool| allowed.as_ref().is_none_or(|allowed| allowed.contains(tool.runs())));
        let unknown = bundles.allowed.iter().flatten().filter(|name| !harness.knows(name));
        diagnostics.extend(
            unknown.map(|name| harness.unknown(name, "a limit names it, and limits apply to the tools that run")),
        );
        (self.model.tools, self.model.allowed) = (tools, allowed);
        self.report(diagnostics);
    }

    /// The call with the name of the tool that runs it. Hooks see and judge this call.
    pub(super) fn routed(&self, mut call: ToolCall) -> ToolCall {
        if let Some(route) = self.spec_of(&call).and_then(|spec| spec.route.clone()) {
            let declared = std::mem::replace(&mut call.name, route);
            call.declared_as.get_or_insert(declared);
        }
        call
    }

    /// The description of the tool of a call, as the model got it.
    pub(super) fn spec_of(&self, call: &ToolCall) -> Option<&ToolSpec> {
        let declared = call.declared_as.as_ref().unwrap_or(&call.name);
        self.model.tools.iter().find(|tool| tool.name == *declared)
    }

    /// The tools of the turn that hooks left in the last request.
    pub(super) fn tools_of_request(&self) -> impl Iterator<Item = &ToolSpec> {
        let is_left = move |tool: &&ToolSpec| self.model.only.as_ref().is_none_or(|only| only.contains(&tool.name));
        self.model.tools.iter().filter(is_left)
    }

    /// Stores an error for each call of a tool that hooks removed from the request, and returns the other calls. No gate
    /// is asked about the former, because nothing could run. Nothing comes before this: a turn that is resumed does not
    /// know the request.
    pub(super) async fn reject_removed(&mut self, calls: Vec<ToolCall>) -> Result<Vec<ToolCall>, End> {
        let is_removed = |call: &ToolCall| {
            self.spec_of(call).is_some_and(|tool| self.tools_of_request().all(|left| left.name != tool.name))
        };
        let (removed, rest): (Vec<_>, _) = calls.into_iter().partition(is_removed);
        for call in removed {
            let (input, outcome) = (call.input.clone(), self.no_such_tool(&call));
            let call = self.routed(call);
            self.finish(call, input, outcome.into()).await?;
        }
        Ok(rest)
    }

    /// The outcome of a call of a tool that was not offered.
    pub(super) fn no_such_tool(&self, call: &ToolCall) -> CallOutcome {
        let known: Vec<_> = self.tools_of_request().map(|tool| tool.name.as_str()).collect();
        CallOutcome::failed(format!("there is no tool `{}`; the tools are: {}", call.name, known.join(", ")))
    }
}

impl HarnessState {
    fn knows(&self, name: &str) -> bool {
        self.tools.get(name).is_some() || self.agents.get(name).is_some()
    }

    /// The description of a tool that a hook declares.
    fn declared(&self, declared: &ToolDeclaration) -> Result<ToolSpec, Diagnostic> {
        let (name, runs) = (&declared.name, declared.runs());
        // An agent can only be called by its own name, on which its gates and conversations depend.
        let agent = self.agents.get(runs).filter(|_| name == runs).map(|agent| agent.spec());
        let Some(mut spec) = agent.or_else(|| self.tools.get(runs).map(|tool| tool.spec())) else {
            return Err(self.unknown(runs, "a tool bundle names it"));
        };
        if name != runs {
            if self.knows(name) {
                let text = format!("the tool `{name}` exists, so a bundle cannot declare `{runs}` under this name");
                return Err(Diagnostic::new("tool_bundle.name_taken", text));
            }
            spec.name.clone_from(name);
            spec.route = Some(runs.to_owned());
        }
        spec.description = declared.description.clone().unwrap_or(spec.description);
        spec.schema = declared.schema.clone().unwrap_or(spec.schema);
        Ok(spec)
    }

    fn unknown(&self, name: &str, why: &str) -> Diagnostic {
        let known: Vec<&str> = self.tools.names().collect();
        let text = format!("this harness has no tool `{name}`; {why}; the tools are: {}", known.join(", "));
        Diagnostic::new("tool_bundle.unknown_tool", text)
    }
}
