//! Builds hooks from data. A hook in a case does things from a small fixed set, and has the form that they need.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::prelude::*;
use hook_sdk::{Allowed, HookKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) type Fails = Box<dyn std::error::Error + Send + Sync>;

/// The hooks that ran to their own end, in the order in which they ended.
pub(crate) type Finished = Arc<Mutex<Vec<String>>>;

/// A hook in a case. It edits, then waits, then ends: with a panic, an error, a halt or its answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookSpec {
    pub(crate) id: String,
    /// The kind of the hook, if it differs from that of the case.
    #[serde(default)]
    pub(crate) kind: Option<String>,
    #[serde(default)]
    priority: i32,
    #[serde(default)]
    after: Vec<String>,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    requires: Vec<String>,
    /// In milliseconds. 0 means no deadline.
    #[serde(default)]
    timeout: Option<u64>,
    #[serde(default)]
    on_failure: Option<OnFailure>,
    /// Patterns, by field.
    #[serde(default)]
    only: BTreeMap<String, String>,

    /// Values to add, by their place in the subject: appended to a text, pushed to a list, or added to a number.
    #[serde(default)]
    add: BTreeMap<String, Value>,
    /// Values to set, by their place in the subject.
    #[serde(default)]
    set: BTreeMap<String, Value>,
    /// Removes the subject.
    #[serde(default)]
    remove: bool,
    /// Waits for this many milliseconds, which makes the hook async.
    #[serde(default)]
    wait: Option<u64>,
    #[serde(default)]
    panic: Option<String>,
    #[serde(default)]
    fail: Option<String>,
    #[serde(default)]
    halt: Option<String>,
    /// Its verdict, as JSON.
    #[serde(default)]
    answer: Option<Value>,
}

/// What a hook does, with its answer parsed.
struct Script<V> {
    spec: HookSpec,
    answer: V,
    finished: Finished,
}

impl<V: Clone> Script<V> {
    fn edit<S: Serialize + DeserializeOwned>(&self, subject: &mut S) -> Result<(), Fails> {
        let mut value = serde_json::to_value(&*subject)?;
        for (at, more) in &self.spec.add {
            add(value.pointer_mut(at).ok_or_else(|| format!("the subject has no `{at}`"))?, more)?;
        }
        for (at, new) in &self.spec.set {
            set(&mut value, at, new.clone())?;
        }
        *subject = serde_json::from_value(value)?;
        Ok(())
    }

    fn end(&self, edited: Result<(), Fails>) -> Result<V, Fails> {
        self.finished.lock().unwrap().push(self.spec.id.clone());
        edited?;
        if let Some(text) = &self.spec.panic {
            panic!("{text}");
        }
        if let Some(text) = &self.spec.fail {
            return Err(text.as_str().into());
        }
        if let Some(reason) = &self.spec.halt {
            return Err(Halt::new(reason.as_str()).into());
        }
        Ok(self.answer.clone())
    }

    async fn wait(&self) {
        tokio::time::sleep(Duration::from_millis(self.spec.wait.unwrap_or_default())).await;
    }
}

fn add(to: &mut Value, more: &Value) -> Result<(), Fails> {
    match (to, more) {
        (Value::Array(items), more) => items.push(more.clone()),
        (Value::String(text), Value::String(more)) => text.push_str(more),
        (Value::Number(number), Value::Number(more)) => {
            *number = (number.as_i64().unwrap_or_default() + more.as_i64().unwrap_or_default()).into();
        }
        (to, more) => return Err(format!("{more} cannot be added to {to}").into()),
    }
    Ok(())
}

fn set(value: &mut Value, at: &str, new: Value) -> Result<(), Fails> {
    if let Some(place) = value.pointer_mut(at) {
        *place = new;
        return Ok(());
    }
    let (parent, key) = at.rsplit_once('/').ok_or_else(|| format!("`{at}` is no place: write `/field`"))?;
    let parent = value.pointer_mut(parent).and_then(Value::as_object_mut);
    parent.ok_or_else(|| format!("the subject has no `{at}`"))?.insert(key.to_owned(), new);
    Ok(())
}

impl HookSpec {
    fn script<V: DeserializeOwned + From<()>>(&self, finished: &Finished) -> Result<Script<V>, String> {
        let answer = self.answer.clone().map(serde_json::from_value).transpose();
        let answer = answer.map_err(|error| format!("`answer` of `{}`: {error}", self.id))?;
        Ok(Script { spec: self.clone(), answer: answer.unwrap_or_else(|| ().into()), finished: Arc::clone(finished) })
    }

    fn options(&self, mut hook: Hook) -> Hook {
        fn ids(ids: &[String]) -> impl Iterator<Item = &str> {
            ids.iter().map(String::as_str)
        }
        hook = hook.priority(self.priority);
        hook = hook.after(ids(&self.after)).before(ids(&self.before)).requires(ids(&self.requires));
        for (field, patterns) in &self.only {
            hook = hook.only(field, patterns);
        }
        if let Some(millis) = self.timeout {
            let limit = Duration::from_millis(millis);
            hook = hook.timeout(if millis == 0 { Timeout::None } else { Timeout::After(limit) });
        }
        match self.on_failure {
            Some(policy) => hook.on_failure(policy),
            None => hook,
        }
    }

    /// Whether the hook may have no effect on purpose, because it is at another kind or has a filter.
    pub(crate) fn may_do_nothing(&self) -> bool {
        self.kind.is_some() || !self.only.is_empty()
    }

    fn edits(&self) -> bool {
        !self.add.is_empty() || !self.set.is_empty()
    }
}

/// Builds a hook at a kind, in the form that its actions need.
pub(crate) fn hook<K>(spec: &HookSpec, finished: &Finished) -> Result<Hook, String>
where
    K: HookKind<Subject: Serialize + DeserializeOwned, Verdict: DeserializeOwned>,
{
    if spec.remove {
        return Err(format!("`{}` removes the subject, which `{}` does not offer", spec.id, K::NAME));
    }
    let script: Arc<Script<K::Verdict>> = Arc::new(spec.script(finished)?);
    let id = spec.id.as_str();
    Ok(spec.options(match (spec.edits(), spec.wait) {
        (false, None) => Hook::at::<K>(id).reader(move |_, _, _| script.end(Ok(()))),
        (false, Some(_)) => Hook::at::<K>(id).async_reader(move |_, _, _| {
            let script = Arc::clone(&script);
            Box::pin(async move {
                script.wait().await;
                script.end(Ok(()))
            })
        }),
        (true, None) => Hook::at::<K>(id).writer(move |_, _, subject| script.end(script.edit(subject))),
        (true, Some(_)) => Hook::at::<K>(id).async_replacer(move |_, _, mut subject| {
            let script = Arc::clone(&script);
            Box::pin(async move {
                let edited = script.edit(&mut subject);
                script.wait().await;
                script.end(edited).map(|answer| (subject, answer))
            })
        }),
    }))
}

/// Like `hook`, at a kind whose subject may be removed.
pub(crate) fn removing<K>(spec: &HookSpec, finished: &Finished) -> Result<Hook, String>
where
    K: HookKind<Removal = Allowed, Subject: Serialize + DeserializeOwned, Verdict: DeserializeOwned>,
{
    if !spec.remove {
        return hook::<K>(spec, finished);
    }
    let script: Arc<Script<K::Verdict>> = Arc::new(spec.script(finished)?);
    let id = spec.id.as_str();
    Ok(spec.options(match spec.wait {
        None => Hook::at::<K>(id).replacer(move |_, _, _| script.end(Ok(())).map(|_| None)),
        Some(_) => Hook::at::<K>(id).async_replacer(move |_, _, _| {
            let script = Arc::clone(&script);
            Box::pin(async move {
                script.wait().await;
                script.end(Ok(())).map(|_| None)
            })
        }),
    }))
}
