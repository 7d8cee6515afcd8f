//! A pool of messages that JSON refers to by reference. Most events of a turn contain the conversation, and serializing
//! it for each of them would cost more than the hooks do.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem;
use std::sync::LazyLock;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::history::Messages;
use super::message::{Message, MessageData};

/// A pool of messages. JSON that is written [`within`](Self::within) the pool contains references to its messages
/// instead of copies. A message in the pool is shared, not copied.
///
/// ```
/// use hook_sdk::data::{Message, MessagePool, Messages, Role};
///
/// let history: Messages = vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "hi")].into();
/// let mut pool = MessagePool::default();
/// let written = pool.within(|| serde_json::to_value(&history))?;
/// assert_eq!(pool.within(|| serde_json::from_value::<Messages>(written.clone()))?, history);
/// assert_eq!(pool.whole(written), serde_json::to_value(&history)?);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MessagePool(Vec<PoolEntry>);

#[derive(Clone, Debug)]
enum PoolEntry {
    One(Message),
    List(Messages),
}

/// The key of a reference; its value is an index into the pool. The key is random per process, so text from a user, a
/// model or a tool cannot be mistaken for a reference.
static KEY: LazyLock<String> = LazyLock::new(|| format!("$pooled-{:016x}", RandomState::new().build_hasher().finish()));

thread_local! {
    /// The pool in use on this thread, inside `MessagePool::within`.
    static POOL: RefCell<Option<MessagePool>> = const { RefCell::new(None) };
}

impl MessagePool {
    /// Runs `work` with this pool active on the current thread. While it runs, messages are serialized as references
    /// and added to the pool, and references are deserialized as the messages that they refer to.
    pub fn within<T>(&mut self, work: impl FnOnce() -> T) -> T {
        /// Takes the pool back even if `work` panics.
        struct Back<'a> {
            pool: &'a mut MessagePool,
            outer: Option<MessagePool>,
        }
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                *self.pool = POOL.replace(self.outer.take()).unwrap_or_default();
            }
        }
        let outer = POOL.replace(Some(mem::take(self)));
        let _back = Back { pool: self, outer };
        work()
    }

    /// Adds `message` to the pool and returns a reference to it.
    pub fn refer(&mut self, message: Message) -> Value {
        let at = self.add(PoolEntry::One(message));
        Value::Object(Map::from_iter([(KEY.clone(), at.into())]))
    }

    /// Replaces every reference in `value` with the JSON of its message.
    pub fn whole(&self, mut value: Value) -> Value {
        // Serializing a message does not fail.
        self.replace(&mut value, &mut |message| serde_json::to_value(message).unwrap_or_default());
        value
    }

    /// Replaces each reference in `value` with the result of `with`. If a reference is flattened into an object with
    /// other fields, the message's own fields are inserted and `with` is not called.
    pub fn replace(&self, value: &mut Value, with: &mut dyn FnMut(&Message) -> Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace(item, with)),
            Value::Object(fields) => {
                let referred = fields.get(KEY.as_str()).and_then(|at| self.at(at));
                fields.values_mut().for_each(|field| self.replace(field, with));
                match referred {
                    None => {}
                    Some(PoolEntry::List(messages)) => *value = messages.iter().map(with).collect(),
                    Some(PoolEntry::One(message)) if fields.len() == 1 => *value = with(message),
                    // A type that flattens a message into its own fields.
                    Some(PoolEntry::One(message)) => {
                        fields.remove(KEY.as_str());
                        if let Ok(Value::Object(of_message)) = serde_json::to_value(message) {
                            fields.extend(of_message);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, entry: PoolEntry) -> usize {
        self.0.push(entry);
        self.0.len() - 1
    }

    fn at(&self, at: &Value) -> Option<&PoolEntry> {
        self.0.get(usize::try_from(at.as_u64()?).ok()?)
    }
}

/// Serializes a reference if a pool is active, and the data otherwise.
fn write<S: Serializer>(entry: impl FnOnce() -> PoolEntry, data: &impl Serialize, to: S) -> Result<S::Ok, S::Error> {
    match POOL.with_borrow_mut(|pool| pool.as_mut().map(|pool| pool.add(entry()))) {
        Some(at) => to.collect_map([(KEY.as_str(), at)]),
        None => data.serialize(to),
    }
}

/// Deserializes from a reference if a pool is active, and from the data otherwise.
fn read<'de, D, T, Data>(from: D, of: impl FnOnce(PoolEntry) -> Option<T>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: From<Data>,
    Data: DeserializeOwned,
{
    if POOL.with_borrow(Option::is_none) {
        return Data::deserialize(from).map(T::from);
    }
    let value = Value::deserialize(from)?;
    let Some(at) = value.get(KEY.as_str()) else {
        return serde_json::from_value(value).map(Data::into).map_err(D::Error::custom);
    };
    let entry = POOL.with_borrow(|pool| pool.as_ref().and_then(|pool| pool.at(at).cloned()));
    entry.and_then(of).ok_or_else(|| D::Error::custom(format!("the pool has nothing of this type at {at}")))
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(|| PoolEntry::One(self.clone()), &**self, to)
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(|| PoolEntry::List(self.clone()), &**self, to)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read::<_, _, MessageData>(from, |entry| match entry {
            PoolEntry::One(message) => Some(message),
            PoolEntry::List(_) => None,
        })
    }
}

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read::<_, _, Vec<Message>>(from, |entry| match entry {
            PoolEntry::List(messages) => Some(messages),
            PoolEntry::One(_) => None,
        })
    }
}
