//! The ids that both databases can store.

use hooks_agent::store::StoreError;

/// The maximum number of bytes of an id. Postgres cannot index much longer ones.
pub(crate) const LONGEST: usize = 1_000;

/// Rejects an id that one of the databases cannot store. `what` says whose id it is.
pub(crate) fn check(what: &str, id: &str) -> Result<(), StoreError> {
    if id.len() > LONGEST {
        let shown: String = id.chars().take(40).collect();
        let length = id.len();
        return Err(StoreError::new(format!(
            "the id of a {what} has at most {LONGEST} bytes, `{shown}…` has {length}"
        )));
    }
    if id.is_empty() {
        return Err(StoreError::new(format!("the id of a {what} is empty")));
    }
    if id.contains('\0') {
        return Err(StoreError::new(format!("the id {id:?} of a {what} contains a NUL character")));
    }
    Ok(())
}
