use serde_json::Value;

/// Lays what somebody outside returned over what they were given: an absent key keeps, `null` sets null.
///
/// Keys are looked at one level deep: a value that is there takes the whole place of the old one. Where one of the two is
/// no object, `change` takes the place of `base`.
///
/// ```
/// use hooks_core::data::patch;
/// use serde_json::json;
///
/// let base = json!({"role": "user", "content": "hello", "name": "ada"});
/// let change = json!({"content": "hello there", "name": null});
/// assert_eq!(patch(base, change), json!({"role": "user", "content": "hello there", "name": null}));
/// ```
#[must_use]
pub fn patch(base: Value, change: Value) -> Value {
    match (base, change) {
        (Value::Object(mut base), Value::Object(change)) => {
            base.extend(change);
            Value::Object(base)
        }
        (_, change) => change,
    }
}
