//! Rules of the Agent Skills standard for single values. Pure functions of text; the caller decides which violations are
//! tolerated.

/// Longest name, in characters.
pub(crate) const MAX_NAME: usize = 64;

/// Longest description, in characters.
pub const MAX_DESCRIPTION: usize = 1024;

/// Longest text of `compatibility`, in characters.
pub(super) const MAX_COMPATIBILITY: usize = 500;

/// Problem and advice.
pub(super) type Problem = (String, String);

/// Returns the problems of a name that is not empty.
pub(super) fn name_problems(name: &str) -> Vec<Problem> {
    let shown = shown(name);
    let name = composed(name);
    let suggested = suggestion(&name).map(|name| format!("write `{name}`"));
    let way = || suggested.clone().unwrap_or_else(|| "write a name such as `pdf-forms`".into());
    let mut problems = Vec::new();
    let characters = name.chars().count();
    if characters > MAX_NAME {
        problems.push((
            format!("name: expected at most {MAX_NAME} characters, got {characters}"),
            "choose a shorter name".into(),
        ));
    }
    if is_upper(&name) {
        problems.push((format!("name: expected lower-case letters, got `{shown}`"), way()));
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems
            .push((format!("name: expected a letter or digit at both ends, got `{shown}`"), way()));
    }
    if name.contains("--") {
        problems.push((format!("name: expected single hyphens, got `{shown}`"), way()));
    }
    if let Some(other) = name.chars().find(|c| !is_letter_or_digit(*c) && *c != '-') {
        problems.push((
            format!(
                "name: expected letters, digits and hyphens, got `{}` in `{shown}`",
                other.escape_debug()
            ),
            way(),
        ));
    }
    problems
}

/// Returns whether a name equals that of the folder, whatever normal form the file system uses.
pub(super) fn same_name(name: &str, folder: &str) -> bool {
    composed(name) == composed(folder)
}

/// Returns the nearest name that the standard accepts: words of letters and digits in lower case, joined by single hyphens.
/// `None` if nothing is left.
pub(super) fn suggestion(name: &str) -> Option<String> {
    let lower = composed(name).to_lowercase();
    let words = lower.split(|c| !is_letter_or_digit(c)).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-");
    let cut: String = joined.chars().take(MAX_NAME).collect();
    let cut = cut.trim_end_matches('-');
    (!cut.is_empty() && !is_upper(cut)).then(|| cut.to_owned())
}

fn is_upper(name: &str) -> bool {
    name.chars().any(|c| !c.to_lowercase().eq([c]))
}

/// Returns a name as seen by file systems that ignore case and normal forms.
pub(crate) fn folded(name: &str) -> String {
    composed(&composed(name).to_lowercase())
}

/// Returns the NFKC form, by which the reference implementation compares names.
fn composed(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    name.nfkc().collect()
}

fn is_letter_or_digit(c: char) -> bool {
    if unicode_normalization::char::is_combining_mark(c) {
        return false;
    }
    c.is_alphanumeric()
}

/// Splits `allowed-tools` into tools: at white space or commas, but not inside parentheses.
pub fn tools(text: &str) -> Vec<String> {
    let mut tools = Vec::new();
    let mut tool = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || c == ',') {
            if !tool.is_empty() {
                tools.push(std::mem::take(&mut tool));
            }
        } else {
            tool.push(c);
        }
    }
    if !tool.is_empty() {
        tools.push(tool);
    }
    tools
}

/// Returns a text for a message: short and on one line.
pub fn shown(text: &str) -> String {
    let (cut, more) = mitt_base::text::cut_chars(text, 80);
    format!("{}{}", mitt_base::text::one_line(cut), if more { "…" } else { "" })
}

/// Returns the approximate number of tokens: four ASCII characters are one, any other character is one.
pub(crate) fn approximate_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|c| !c.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let longest = "a".repeat(64);
        for name in ["a", "pdf-forms", "2024-report", "数据分析", "данные", "a1-b2", &longest]
        {
            assert!(name_problems(name).is_empty(), "{name}: {:?}", name_problems(name));
        }
        let too_long = "a".repeat(65);
        for (name, problems, suggested) in [
            ("PDF", 1, Some("pdf")),
            ("-pdf", 1, Some("pdf")),
            ("pdf-", 1, Some("pdf")),
            ("a--b", 1, Some("a-b")),
            ("a_b", 1, Some("a-b")),
            ("PDF Tools!", 2, Some("pdf-tools")),
            ("-A--_", 4, Some("a")),
            ("!!!", 1, None),
            (&too_long, 1, Some(&longest)),
        ] {
            assert_eq!(name_problems(name).len(), problems, "{name}");
            assert_eq!(suggestion(name).as_deref(), suggested, "{name}");
        }
    }

    #[test]
    fn normal_forms_are_the_same_name() {
        assert!(same_name("caf\u{e9}", "cafe\u{301}"));
        assert!(!same_name("cafe", "caf\u{e9}"));
        assert!(name_problems("cafe\u{301}").is_empty());
    }

    #[test]
    fn tools_are_split() {
        assert_eq!(tools("Bash(git add:*)  Read,Write\n"), ["Bash(git add:*)", "Read", "Write"]);
        assert_eq!(tools("))(( a"), ["))(( a"]);
        assert!(tools(" , ").is_empty());
    }

    #[test]
    fn tokens() {
        assert_eq!(approximate_tokens("abcdefgh"), 2);
        assert_eq!(approximate_tokens("年报 a"), 3);
        assert_eq!(approximate_tokens(""), 0);
    }
}
