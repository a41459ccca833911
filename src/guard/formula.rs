//! Joins the texts that a spreadsheet formula joins.

/// Functions that join their arguments to one text.
const JOINING: [&str; 3] = ["CONCAT", "CONCATENATE", "TEXTJOIN"];
/// Functions that turn a number into a character.
const CHARACTERS: [&str; 2] = ["CHAR", "UNICHAR"];

/// Returns the literals of `formula`, joined where the formula joins them (`"a"&"b"`, `CONCAT("a", "b")`,
/// `UNICHAR(26426)&"b"`) and elsewhere separated by a character that ends a word. Contents of cells are unknown here.
///
/// ```
/// use mitt_guard::joined_literals;
///
/// assert_eq!(joined_literals("=\"sec\" & CONCAT(\"re\",\"t\")").trim(), "secret");
/// ```
pub fn joined_literals(formula: &str) -> String {
    let mut out = String::new();
    // For each open parenthesis: are its arguments joined, and are they character codes?
    let mut open: Vec<(bool, bool)> = Vec::new();
    let (mut deeper, mut name) = (0_usize, String::new());
    let mut chars = formula.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                while let Some((_, c)) = chars.next() {
                    match c {
                        '"' if chars.next_if(|(_, next)| *next == '"').is_none() => break,
                        c => out.push(c),
                    }
                }
            }
            c if c.is_ascii_digit() && name.is_empty() => {
                let mut end = at + 1;
                while let Some((next, _)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
                    end = next + 1;
                }
                let digits = formula.get(at..end).unwrap_or_default();
                let character = open.last().filter(|(_, is_character)| *is_character);
                match character.and_then(|_| char::from_u32(digits.parse().ok()?)) {
                    Some(c) => out.push(c),
                    None => out.push_str(digits),
                }
                continue;
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '!') => {
                name.push(c.to_ascii_uppercase());
                continue;
            }
            '(' => {
                let function = name.strip_prefix("_XLFN.").unwrap_or(&name);
                // Formulas do not nest deeper; what is deeper counts as a separator.
                if open.len() < 64 {
                    let is_character = CHARACTERS.contains(&function);
                    open.push((JOINING.contains(&function), is_character));
                    if !function.is_empty() && !is_character && !JOINING.contains(&function) {
                        out.push('|');
                    }
                } else {
                    deeper += 1;
                }
                name.clear();
                continue;
            }
            ')' if deeper > 0 => deeper -= 1,
            ')' => drop(open.pop()),
            '&' | '=' | '+' if name.is_empty() && (c == '&' || at == 0) => {}
            ',' | ';' if open.last().is_some_and(|(joins, _)| *joins) => {}
            c if c.is_whitespace() => {}
            _ => out.push('|'),
        }
        if !name.is_empty() {
            // A cell or a name, whose value is unknown.
            out.push('|');
            name.clear();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_joined_where_the_formula_joins_them() {
        for (formula, joined) in [
            ("=\"sec\"&\"ret\"", "secret"),
            ("\"sec\" & \"re\" & \"t\"", "secret"),
            ("=CONCATENATE(\"sec\",\"ret\")", "secret"),
            ("=_xlfn.CONCAT(\"sec\";\"ret\")", "secret"),
            ("=\"138\"&1234&\"5678\"", "13812345678"),
            ("=UNICHAR(26426)&UNICHAR(23494)", "机密"),
            ("=(\"sec\")&(\"ret\")", "secret"),
            ("=\"a\"\"b\"", "a\"b"),
            ("=IF(A1=1,\"sec\",\"ret\")", "|1|sec|ret"),
            ("=\"sec\"&A1&\"ret\"", "sec|ret"),
            ("=SUM(B2:B9)*2", "|2"),
        ] {
            let mut parts: Vec<char> = joined_literals(formula).chars().collect();
            parts.dedup_by(|one, other| (*one, *other) == ('|', '|'));
            assert_eq!(parts.iter().collect::<String>(), joined, "{formula}");
        }
        joined_literals(&"(".repeat(100_000));
        joined_literals(&"\"a\"&".repeat(100_000));
    }
}
