//! Maps traditional characters to simplified ones, one to one, by OpenCC's table in the folder of this name.

use std::sync::OnceLock;

const TABLE: &str = include_str!("traditional/TSCharacters.txt");

/// Returns the simplified form of a traditional Chinese character, or the character itself.
pub fn simplified(c: char) -> char {
    if c < '\u{3400}' {
        return c;
    }
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(pairs);
    match pairs.binary_search_by_key(&c, |(from, _)| *from) {
        Ok(found) => pairs.get(found).map_or(c, |(_, to)| *to),
        Err(_) => c,
    }
}

fn pairs() -> Vec<(char, char)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let pair = |line: &str| {
        let (from, to) = line.split_once('\t')?;
        Some((from.chars().next()?, to.chars().next()?))
    };
    let mut pairs: Vec<(char, char)> = lines.filter_map(pair).collect();
    pairs.sort_unstable();
    // A form that has a simpler one itself maps to that one directly, so that folding twice changes nothing.
    let direct = pairs.clone();
    for (from, to) in &mut pairs {
        let next = direct.binary_search_by_key(to, |(from, _)| *from);
        if let Some((_, simpler)) = next.ok().and_then(|at| direct.get(at))
            && simpler != from
        {
            *to = *simpler;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_read() {
        assert_eq!(
            pairs().len(),
            TABLE.lines().filter(|line| line.contains('\t') && !line.starts_with('#')).count()
        );
        assert!(pairs().len() > 4_000);
        assert_eq!("機會龍".chars().map(simplified).collect::<String>(), "机会龙");
        assert_eq!(simplified('x'), 'x');
    }
}
