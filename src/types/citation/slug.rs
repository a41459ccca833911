//! Sections of a Markdown text by the names of their headings.

/// Returns the section whose heading has this name, as it is written or as browsers and forges make it: `revenue-by-region`.
pub(super) fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let wanted = slug(name);
    if wanted.is_empty() {
        return None;
    }
    let (mut at, mut found) = (0, None);
    for line in text.split_inclusive('\n') {
        if let Some((level, title)) = heading(line) {
            match found {
                Some((start, of)) if level <= of => return text.get(start..at),
                None if slug(title) == wanted => found = Some((at, level)),
                _ => {}
            }
        }
        at += line.len();
    }
    found.and_then(|(start, _)| text.get(start..))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|it| *it == b'#').count();
    let title = line[level..].strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title))
}

fn slug(text: &str) -> String {
    let mut out = String::new();
    for character in text.trim().chars() {
        match character {
            ' ' | '-' | '_' => out.push('-'),
            it if it.is_alphanumeric() => out.extend(it.to_lowercase()),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_before_the_next_heading_of_its_level() {
        let text = "# A\nx\n## Revenue by Region (2024)\n5\n### more\n6\n## C\n7\n";
        let of_region = "## Revenue by Region (2024)\n5\n### more\n6\n";
        assert_eq!(section(text, "revenue-by-region-2024"), Some(of_region));
        assert_eq!(section(text, "Revenue by Region (2024)"), Some(of_region));
        assert_eq!(section(text, "C"), Some("## C\n7\n"));
        assert_eq!((section(text, "none"), section(text, "!")), (None, None));
        assert_eq!(section("## 收入 构成\n1", "收入-构成"), Some("## 收入 构成\n1"));
    }
}
