// SPDX-License-Identifier: Apache-2.0
//! "Did you mean …?"

/// The word of `known` that `word` is most likely a slip for.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        .filter(|(distance, k)| *distance <= (k.chars().count().max(word.chars().count()) + 1) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

/// Advice that names the nearest of the known words and all of them.
pub(crate) fn advice(word: &str, what: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return format!("there are no {what}");
    }
    let list = known.join(", ");
    match nearest(word, known.iter().copied()) {
        Some(k) => format!("did you mean `{k}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        assert_eq!(nearest("clock_zh", ["clock_hz", "name"]), Some("clock_hz"));
        assert_eq!(nearest("optimize_link", ["optimise", "optimise_link", "optimise_app"]), Some("optimise_link"));
        assert_eq!(nearest("colour", ["clock_hz", "name"]), None);
        assert_eq!(advice("x", "keys", &[]), "there are no keys");
    }
}
