//! Answers a host with the hooks of a set.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::context::ConversationStates;
use hook_sdk::hook::BoxFuture;
use hook_sdk::scope::{AgentDef, AppDef};
use hook_sdk::{ConfigError, HookContext, HookContextBuilder, HookSet, Registry};

use crate::answer::HostAnswer;
use crate::degrade::degrade;
use crate::event::HostEvent;
use crate::fire::fire;
use crate::halted::Halted;
use crate::host::{Foreign, Host};
use crate::hosts;
use crate::journal;
use crate::notes::{HostNotes, Noted};
use crate::read::{PayloadError, read};
use crate::table::{Carried, HookPoint};
use crate::tool;
use crate::verdict::{HostDecision, HostVerdict};

/// The hooks of a program, ready to answer hosts.
///
/// ```
/// use hook_sdk::kinds::BeforeToolCall;
/// use hook_sdk::prelude::*;
/// use hooks_hosts::{Request, Responder, Stdout};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::empty();
/// let guard = Hook::at::<BeforeToolCall>("no_rm").reader(|_, _, input: &ToolInput| match input["command"].as_str() {
///     Some(line) if !line.contains("rm ") => Permission::NoOpinion,
///     _ => Permission::deny("nothing is removed here"),
/// });
/// registry.register(guard.only("tool", "Bash"))?;
/// let responder = Responder::new(registry)?;
/// let stdin = br#"{"event": "PreToolUse", "tool_name": "shell", "tool_input": {"command": "rm -r ."}}"#;
/// let goose = hooks_hosts::find("goose").ok_or("no such host")?;
/// let answer = responder.respond_blocking(&Request::new(goose, stdin))?;
/// let said = serde_json::json!({"decision": "block", "reason": "nothing is removed here"});
/// assert_eq!(answer.stdout, Stdout::Json(said));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Responder {
    registry: Registry,
    hooks: HookSet,
    context: HookContext,
    surround: Option<Surround>,
    drain: Option<Drain>,
    halted: Option<Halted>,
    /// What hooks keep for conversations, if another event may follow in this process.
    states: Option<Arc<ConversationStates>>,
    pub(crate) withholds_late: bool,
    pub(crate) warnings: Vec<String>,
    tells: Option<Tell>,
}

/// What is wrong with the hooks at a host: what has to be mended, and what is worth knowing.
type Tell = Arc<dyn Fn(&Host) -> (Vec<String>, Vec<String>) + Send + Sync>;

/// Adds to the context of an event.
type Surround = Arc<dyn Fn(&HostEvent, &HostNotes, HookContextBuilder) -> HookContextBuilder + Send + Sync>;

/// Waits for what is not in the registry.
type Drain = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("kinds", &self.hooks.kinds().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// What a host asks.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The host.
    pub host: &'a Host,
    /// The event's name, if somebody knows it. A payload that names an event of another kind is refused.
    pub event: Option<&'a str>,
    /// What the host has written to standard input.
    pub stdin: &'a [u8],
    /// Whether a variable of the environment is set.
    pub env: &'a dyn Fn(&str) -> bool,
}

impl fmt::Debug for Request<'_> {
    /// Without the payload, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("host", &self.host.name).field("event", &self.event).finish_non_exhaustive()
    }
}

impl<'a> Request<'a> {
    /// A request of `host`.
    pub fn new(host: &'a Host, stdin: &'a [u8]) -> Self {
        Self { host, event: None, stdin, env: &|_| false }
    }

    /// The event's name.
    #[must_use]
    pub fn event(mut self, name: &'a str) -> Self {
        self.event = Some(name);
        self
    }

    /// Whether a variable of the environment is set.
    #[must_use]
    pub fn env(mut self, is_set: &'a dyn Fn(&str) -> bool) -> Self {
        self.env = is_set;
        self
    }

    /// The host that really asks, and its event. A host that answers for itself is a
    /// [`ForeignHost`](HookPoint::ForeignHost).
    ///
    /// # Errors
    /// [`PayloadError`], which [`refused`](Self::refused) puts into the host's words.
    pub fn read(&self) -> Result<(&'a Host, HostEvent), PayloadError> {
        let payload = crate::json::parse(self.stdin).unwrap_or_default();
        match (self.host.foreign)(self.event, &payload, self.env) {
            Some(Foreign::Silent(other)) => {
                let name = crate::json::text(&payload, self.host.keys.event).unwrap_or_default();
                let mut event = HostEvent::named(self.host.name, HookPoint::ForeignHost, name);
                event.details.insert("host".to_owned(), other.into());
                Ok((self.host, event))
            }
            Some(Foreign::As(other)) => {
                let host = hosts::find(other).unwrap_or(self.host);
                // The entry names the event as its own host does.
                let kind = self.event.and_then(|name| self.host.event(name)).map(|event| event.kind);
                let known = self.event.filter(|name| host.event(name).is_some());
                let named =
                    known.or_else(|| host.events().find(|event| Some(event.kind) == kind).map(|event| event.name));
                // The other host does not call an entry, nor name an event, that it does not have.
                let is_theirs = (named.is_some() || self.event.is_none())
                    && host.event_name(&payload).is_none_or(|name| host.event(name).is_some());
                let (host, named) = if is_theirs { (host, named) } else { (self.host, self.event) };
                read(host, named, self.stdin).map(|event| (host, event))
            }
            None => read(self.host, self.event, self.stdin).map(|event| (self.host, event)),
        }
    }

    /// The answer of somebody who has no opinion of his own: a refusal at every gate and after every call, for `reason`.
    pub fn refused(&self, reason: &str) -> HostAnswer {
        match self.read() {
            Ok((host, event)) => closed(host, &event, reason).because(reason),
            Err(unreadable) => unread(self.host, unreadable.event, reason).because(reason),
        }
    }

    /// The answer where hooks came too late of which none has to have judged a result.
    pub(crate) fn late(&self, reason: &str) -> HostAnswer {
        match self.read() {
            Ok((host, event)) if event.kind.is_after_tool() => {
                written(host, &event, HostVerdict::deny(reason)).because(reason)
            }
            _ => self.refused(reason),
        }
    }
}

/// A result that nobody has judged is withheld.
fn closed(host: &Host, event: &HostEvent, reason: &str) -> HostAnswer {
    let mut verdict = HostVerdict::default();
    if event.kind.is_gate() || event.kind.is_after_tool() {
        verdict = HostVerdict::deny(reason);
    }
    // Of a payload that cannot be read, nobody knows what the result is.
    if event.kind.is_after_tool() && (event.result.is_some() || event.payload.is_null()) {
        verdict.result = Some(format!("The result is not to be used, because no hook judged it: {reason}").into());
    }
    written(host, event, verdict)
}

fn unread(host: &Host, event: Option<(HookPoint, &'static str)>, reason: &str) -> HostAnswer {
    match event {
        Some((kind, name)) => closed(host, &HostEvent::named(host.name, kind, name), reason),
        None => (host.refuse)(reason),
    }
}

/// The verdict as the host can carry it, in its words.
pub fn written(host: &Host, event: &HostEvent, verdict: HostVerdict) -> HostAnswer {
    let mut verdict = degrade(host, event, verdict);
    verdict.input = verdict.input.map(|input| tool::as_host(event, &input));
    let answer = (host.write)(event, &verdict);
    HostAnswer { warnings: verdict.warnings, ..answer }
}

impl Responder {
    /// Answers with every hook of the registry, or with those that its app's list names if it has one.
    ///
    /// # Errors
    /// [`ConfigError`] if the hooks cannot be in one set.
    pub fn new(registry: Registry) -> Result<Self, ConfigError> {
        if registry.app().hooks.is_none() {
            let ids: Vec<String> = registry.hooks().iter().map(|hook| hook.id().as_str().to_owned()).collect();
            registry.set_app(AppDef::new("hooks-hosts").hooks(ids));
        }
        let hooks = registry.scope(&AgentDef::new("hooks-hosts"), None)?;
        let states = Some(registry.conversation_states());
        Ok(Self {
            registry,
            hooks,
            context: HookContext::new(),
            surround: None,
            drain: None,
            halted: None,
            states,
            withholds_late: true,
            warnings: Vec::new(),
            tells: None,
        })
    }

    /// Answers with every hook that is linked into this program.
    ///
    /// # Errors
    /// [`ConfigError`] if the hooks cannot be in one set.
    pub fn discover() -> Result<Self, ConfigError> {
        Self::new(Registry::discover()?)
    }

    /// Sets the context that hooks get, for the state of an app.
    #[must_use]
    pub fn with_context(mut self, context: HookContext) -> Self {
        self.context = context;
        self
    }

    /// Adds to the context of each event, for example what only its payload says.
    #[must_use]
    pub fn surround(
        mut self,
        add: impl Fn(&HostEvent, &HostNotes, HookContextBuilder) -> HookContextBuilder + Send + Sync + 'static,
    ) -> Self {
        self.surround = Some(Arc::new(add));
        self
    }

    /// After an answer, waits for this too, besides the detached hooks of the registry.
    #[must_use]
    pub fn drain_with(mut self, wait: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        self.drain = Some(Arc::new(wait));
        self
    }

    /// Sets whether a result is withheld that the hooks did not judge in time. Default: `true`.
    #[must_use]
    pub fn withhold_late(mut self, withholds: bool) -> Self {
        self.withholds_late = withholds;
        self
    }

    /// Tells whoever installs the program, or asks its `doctor`, what is wrong with a hook: that no host ever runs it, for example.
    #[must_use]
    pub fn warn(mut self, why: impl Into<String>) -> Self {
        self.warnings.push(why.into());
        self
    }

    /// Tells the same of one host: what has to be mended there, and what is worth knowing.
    #[must_use]
    pub fn tell_of(mut self, told: impl Fn(&Host) -> (Vec<String>, Vec<String>) + Send + Sync + 'static) -> Self {
        self.tells = Some(Arc::new(told));
        self
    }

    pub(crate) fn told_of(&self, host: &Host) -> (Vec<String>, Vec<String>) {
        self.tells.as_ref().map(|tell| tell(host)).unwrap_or_default()
    }

    /// Remembers which sessions a hook has ended, in a program that is started anew for each event.
    pub(crate) fn remembering(mut self) -> Self {
        self.halted = journal::folder().map(|folder| Halted::below(&folder));
        self
    }

    /// In a program that answers one event and ends. What a hook counts in a conversation would be lost with it, so such a
    /// hook fails.
    #[must_use]
    pub fn of_one_event(mut self) -> Self {
        self.states = None;
        self
    }

    /// In a server that has built its hooks anew: they go on with what earlier ones have kept for conversations.
    pub(crate) fn going_on(mut self, states: &Arc<ConversationStates>) -> Self {
        self.states = self.states.map(|_| Arc::clone(states));
        self
    }

    /// Waits for hooks that nobody waits for.
    pub(crate) async fn drain(&self) {
        self.registry.drain(Duration::from_secs(3600)).await;
        if let Some(drain) = &self.drain {
            drain().await;
        }
    }

    /// The hooks in force.
    pub fn hooks(&self) -> &HookSet {
        &self.hooks
    }

    /// The registry of the hooks.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Answers the host. Whatever cannot be read is refused.
    pub async fn respond(&self, request: &Request<'_>) -> HostAnswer {
        match request.read() {
            Ok((host, event)) => {
                let verdict = self.judge(host, &event).await;
                written(host, &event, verdict)
            }
            Err(unreadable) => {
                let reason = format!("{}, so the hooks refuse it", unreadable.reason);
                unread(request.host, unreadable.event, &reason).because(unreadable.reason)
            }
        }
    }

    /// Like [`respond`](Self::respond), with a runtime of its own.
    ///
    /// # Errors
    /// The runtime could not be started.
    pub fn respond_blocking(&self, request: &Request<'_>) -> std::io::Result<HostAnswer> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(self.respond(request)))
    }

    /// What the hooks say about an event.
    pub async fn judge(&self, host: &Host, event: &HostEvent) -> HostVerdict {
        let halted = self.halted.as_ref();
        if event.kind.is_gate()
            && let Some(reason) = halted.and_then(|halted| halted.reason(event))
        {
            return HostVerdict::deny(reason);
        }
        let carries = host.carries(event);
        let person = carries.ask == Carried::Yes;
        let notes = HostNotes::default();
        let mut context = self.context.to_builder().agent(event.host).human_present(person);
        if let Some(states) = &self.states {
            context = context.conversation_states(Arc::clone(states));
        }
        context = context.state(event.clone()).state(notes.clone());
        if let Some(session) = &event.session {
            context = context.conversation(Arc::<str>::from(session.as_str()));
        }
        if let Some(cwd) = &event.cwd {
            context = context.workspace(Path::new(cwd));
        }
        if let Some(surround) = &self.surround {
            context = surround(event, &notes, context);
        }
        let mut verdict = fire(&self.hooks, &context.build(), event).await;
        let Noted { texts, reasons, blocks, halt, warnings } = notes.take();
        verdict.contexts.splice(0..0, texts);
        verdict.warnings.extend(warnings);
        if verdict.input.is_some() && !reasons.is_empty() {
            verdict.reason = Some(reasons.join("\n\n"));
        }
        if event.kind.is_after_tool() && !blocks.is_empty() {
            match verdict.decision {
                HostDecision::NoOpinion => verdict.decision = HostDecision::Deny(blocks.join("\n\n")),
                _ => drop(verdict.contexts.splice(0..0, blocks)),
            }
        }
        if event.kind == HookPoint::SessionStart {
            // A host may go on although it can end the session.
            let kept = halted.map_or(Ok(()), |halted| halted.note(event, halt.as_deref()));
            if let Err(error) = kept
                && carries.deny != Carried::Yes
            {
                verdict.warnings.push(format!("the session begins although a hook ended it: {error}"));
            }
            verdict.decision = halt.map_or(verdict.decision, HostDecision::Deny);
        }
        verdict
    }

    /// Whether a host has to ask at this point: a hook of the set runs there, or one that may end a session at its start
    /// has to deny the calls of a session that goes on.
    pub fn is_concerned(&self, kind: HookPoint) -> bool {
        let runs = |kind: HookPoint| self.hooks.kinds().any(|name| kind.runs(name));
        runs(kind) || kind == HookPoint::BeforeToolCall && runs(HookPoint::SessionStart)
    }
}

/// The verdict of nobody, for tests of answers alone.
impl From<HostDecision> for HostVerdict {
    fn from(decision: HostDecision) -> Self {
        Self::of(decision)
    }
}
