//! The nearest name: what a user who mistyped a word probably meant.

/// The candidate closest to `word`, if one is close enough to be a slip of the fingers.
///
/// Distance counts insertions, deletions, substitutions and swaps of neighbours; a third of the
/// word's length (at least one) is still a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = word.chars().count();
    // Of a one-letter word every letter would have to change: that is no slip.
    let limit = (length / 3).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// Optimal string alignment distance, by the table of prefixes.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in table.iter_mut().enumerate() {
        row[0] = i;
    }
    for j in 0..=b.len() {
        table[0][j] = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_mended_and_strangers_are_not() {
        let names = ["enumerate", "lemke", "active-set"];
        assert_eq!(nearest("lemk", names).as_deref(), Some("lemke"));
        assert_eq!(nearest("lekme", names).as_deref(), Some("lemke"));
        assert_eq!(nearest("Active_set", names).as_deref(), Some("active-set"));
        assert_eq!(nearest("newton", names), None);
    }
}
