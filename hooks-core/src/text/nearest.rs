//! Finds the known name that was likely meant.

/// The names nearest to `wanted`: one, or at most three that are equally near.
pub(crate) fn nearest<T: AsRef<str> + Ord + Clone>(wanted: &str, names: impl IntoIterator<Item = T>) -> Vec<T> {
    let limit = (wanted.chars().count() / 3).max(1);
    let distances = names.into_iter().map(|name| (strsim::osa_distance(wanted, name.as_ref()), name));
    let mut near: Vec<(usize, T)> = distances.filter(|(distance, _)| *distance <= limit).collect();
    near.sort();
    near.dedup();
    let least = near.first().map(|(distance, _)| *distance);
    near.into_iter().take_while(|(distance, _)| Some(*distance) == least).take(3).map(|(_, name)| name).collect()
}

/// Formats `; did you mean …?`; empty if no name is near.
pub(crate) fn did_you_mean<T: AsRef<str>>(nearest: &[T]) -> String {
    let names: Vec<String> = nearest.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

/// [`did_you_mean`] with the names nearest to `wanted`.
pub(crate) fn nearest_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(&nearest(wanted, names))
}
