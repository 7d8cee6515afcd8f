//! The notes in an embedded database: facts, and indexes to find them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redb::{
    Database, DatabaseError, MultimapTable, MultimapTableDefinition, ReadableTable, ReadableTableMetadata, Table,
    TableDefinition, WriteTransaction,
};

use crate::fact::Fact;
use crate::topics::topics;

/// By key: text and turn.
const FACTS: TableDefinition<'_, &str, (&str, &str)> = TableDefinition::new("facts");
const BY_WORD: Index = MultimapTableDefinition::new("by_word");
const BY_TOPIC: Index = MultimapTableDefinition::new("by_topic");
const COUNTS: TableDefinition<'_, &str, u64> = TableDefinition::new("counts");

/// Maps a word or a topic to keys of facts.
type Index = MultimapTableDefinition<'static, &'static str, &'static str>;

/// The notes. Clones are handles to the same notes.
///
/// Readers see a snapshot and never wait. Writers wait for each other. Commits are durable and atomic: a process that
/// is killed leaves either the whole change or nothing of it.
#[derive(Clone)]
pub struct Store {
    db: Arc<Database>,
}

/// The error of reading or writing notes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another program has opened the file.
    #[error("{}: these notes are open in another program; close it, or name another file with `--db`", file.display())]
    #[non_exhaustive]
    InUse {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be opened.
    #[error("{}: the notes cannot be opened: {source}", file.display())]
    #[non_exhaustive]
    Open {
        /// The file.
        file: PathBuf,
        /// The error of the database.
        source: redb::Error,
    },
    /// The database failed.
    #[error("the notes cannot be used: {0}")]
    Database(#[from] redb::Error),
}

impl Store {
    /// Opens the notes in `file`, which is created if necessary.
    ///
    /// # Errors
    /// [`StoreError`], also if the file does not contain notes.
    pub fn open(file: &Path) -> Result<Self, StoreError> {
        let db = Database::create(file).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse { file: file.to_owned() },
            error => StoreError::Open { file: file.to_owned(), source: error.into() },
        })?;
        let store = Self { db: Arc::new(db) };
        // Creates the tables, so that readers find them.
        store.update(|_| Ok(()))?;
        Ok(store)
    }

    /// A unique name for a new conversation: `s1`, `s2`, …
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn next_conversation(&self) -> Result<String, StoreError> {
        Ok(format!("s{}", self.update(|notes| Ok(notes.count("conversations")?))?))
    }

    /// The fact named `key`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn get(&self, key: &str) -> Result<Option<Fact>, StoreError> {
        Ok(self.facts([key.to_owned()])?.pop())
    }

    /// The number of facts.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn count(&self) -> Result<u64, StoreError> {
        let read = || Ok::<_, redb::Error>(self.db.begin_read()?.open_table(FACTS)?.len()?);
        Ok(read()?)
    }

    /// At most `limit` facts that contain some of `words`, sorted by the number of matches, then by key.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn about(&self, words: &BTreeSet<String>, limit: usize) -> Result<Vec<Fact>, StoreError> {
        self.found(BY_WORD, words, limit)
    }

    /// At most `limit` facts that concern some of `topics`, in the same order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn on(&self, topics: &BTreeSet<String>, limit: usize) -> Result<Vec<Fact>, StoreError> {
        self.found(BY_TOPIC, topics, limit)
    }

    /// Changes notes atomically: if `change` or the database fails, nothing is changed. Concurrent changes wait.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn update<T>(&self, change: impl FnOnce(&mut Notes<'_>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let transaction = self.db.begin_write().map_err(redb::Error::from)?;
        // The tables must be dropped before the commit. A transaction that is dropped is rolled back.
        let changed = change(&mut Notes::open(&transaction)?)?;
        transaction.commit().map_err(redb::Error::from)?;
        Ok(changed)
    }

    fn found(&self, index: Index, terms: &BTreeSet<String>, limit: usize) -> Result<Vec<Fact>, StoreError> {
        let keys = || {
            let index = self.db.begin_read()?.open_multimap_table(index)?;
            let mut hits: BTreeMap<String, usize> = BTreeMap::new();
            for term in terms {
                for key in index.get(term.as_str())? {
                    *hits.entry(key?.value().to_owned()).or_default() += 1;
                }
            }
            Ok::<_, redb::Error>(hits)
        };
        let mut ranked: Vec<_> = keys()?.into_iter().collect();
        // The sort is stable, so equal ones stay in the order of their keys.
        ranked.sort_by_key(|(_, hits)| Reverse(*hits));
        self.facts(ranked.into_iter().take(limit).map(|(key, _)| key))
    }

    fn facts(&self, keys: impl IntoIterator<Item = String>) -> Result<Vec<Fact>, StoreError> {
        let read = || {
            let table = self.db.begin_read()?.open_table(FACTS)?;
            let mut facts = Vec::new();
            for key in keys {
                if let Some(row) = table.get(key.as_str())? {
                    let (text, turn) = row.value();
                    facts.push(Fact { text: text.to_owned(), turn: turn.to_owned(), key });
                }
            }
            Ok::<_, redb::Error>(facts)
        };
        Ok(read()?)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

/// Notes during a change. See [`Store::update`].
pub struct Notes<'a> {
    facts: Table<'a, &'static str, (&'static str, &'static str)>,
    by_word: MultimapTable<'a, &'static str, &'static str>,
    by_topic: MultimapTable<'a, &'static str, &'static str>,
    counts: Table<'a, &'static str, u64>,
}

impl<'a> Notes<'a> {
    fn open(transaction: &'a WriteTransaction) -> Result<Self, redb::Error> {
        Ok(Self {
            facts: transaction.open_table(FACTS)?,
            by_word: transaction.open_multimap_table(BY_WORD)?,
            by_topic: transaction.open_multimap_table(BY_TOPIC)?,
            counts: transaction.open_table(COUNTS)?,
        })
    }

    /// Increments the counter `what`.
    fn count(&mut self, what: &str) -> Result<u64, redb::Error> {
        let number = self.counts.get(what)?.map_or(0, |count| count.value()) + 1;
        self.counts.insert(what, number)?;
        Ok(number)
    }

    /// Stores `fact`, replacing one with the same name.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep(&mut self, fact: &Fact) -> Result<(), StoreError> {
        self.forget(&fact.key)?;
        let mut put = || {
            let key = fact.key.as_str();
            self.facts.insert(key, (fact.text.as_str(), fact.turn.as_str()))?;
            for word in fact.words() {
                self.by_word.insert(word.as_str(), key)?;
            }
            for topic in topics(&fact.text) {
                self.by_topic.insert(topic.as_str(), key)?;
            }
            Ok::<_, redb::Error>(())
        };
        Ok(put()?)
    }

    /// Removes the fact with the name `key`, and returns it if it existed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn forget(&mut self, key: &str) -> Result<Option<Fact>, StoreError> {
        let mut remove = || {
            let fact = self.facts.remove(key)?.map(|row| {
                let (text, turn) = row.value();
                Fact { key: key.to_owned(), text: text.to_owned(), turn: turn.to_owned() }
            });
            if let Some(fact) = &fact {
                for word in fact.words() {
                    self.by_word.remove(word.as_str(), key)?;
                }
                for topic in topics(&fact.text) {
                    self.by_topic.remove(topic.as_str(), key)?;
                }
            }
            Ok::<_, redb::Error>(fact)
        };
        Ok(remove()?)
    }
}

impl fmt::Debug for Notes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notes").finish_non_exhaustive()
    }
}
