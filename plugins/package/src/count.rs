//! Numbers in messages.

/// Returns a number with its noun: `1 cell`, `2 cells`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", either(count, "", "s"))
}

/// Returns the form of a word for a number of things: `is` or `are`.
pub fn either<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_in_the_singular() {
        let cells = [0, 1, 2].map(|count| counted(count, "cell"));
        assert_eq!(cells, ["0 cells", "1 cell", "2 cells"]);
        assert_eq!((either(1, "is", "are"), either(0, "is", "are")), ("is", "are"));
    }
}
