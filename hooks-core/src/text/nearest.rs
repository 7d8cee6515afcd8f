//! Finds the known name that was likely meant.

/// The names nearest to `wanted`: one, or at most three that are equally near.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (wanted.chars().count() / 3).max(1);
    let distances = names.into_iter().map(|name| (strsim::osa_distance(wanted, name), name));
    let mut near: Vec<(usize, &str)> = distances.filter(|(distance, _)| *distance <= limit).collect();
    near.sort_unstable();
    near.dedup();
    let least = near.first().map(|(distance, _)| *distance);
    near.into_iter().take_while(|(distance, _)| Some(*distance) == least).take(3).map(|(_, name)| name).collect()
}

/// Formats `; did you mean …?`; empty if no name is near.
pub(crate) fn did_you_mean(nearest: &[&str]) -> String {
    let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(" or ")) }
}

/// [`did_you_mean`] with the names nearest to `wanted`.
pub(crate) fn nearest_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(&nearest(wanted, names))
}
