//! Plain text bodies: flowed lines, quotations, and files in uuencode.

use mitt_reader_kit::{Part, clean, escape};

/// Most levels of quotation.
const MAX_QUOTES: usize = 20;

/// Joins lines that were broken at the line width (RFC 3676).
pub(crate) fn unflow(text: &str, deletes_space: bool) -> String {
    let mut out: Vec<String> = Vec::new();
    // The quotation depth of the last line if it continues.
    let mut open: Option<usize> = None;
    for line in text.lines() {
        let quotes = line.bytes().take_while(|byte| *byte == b'>').count();
        let rest = line.get(quotes..).unwrap_or_default();
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let is_signature = rest.trim_end() == "--";
        let flows = rest.ends_with(' ') && !is_signature;
        let kept = if flows && deletes_space { rest.trim_end_matches(' ') } else { rest };
        match out.last_mut().filter(|_| open == Some(quotes) && !is_signature) {
            Some(last) => last.push_str(kept),
            None => out.push(format!(
                "{}{}{kept}",
                ">".repeat(quotes),
                if quotes > 0 { " " } else { "" }
            )),
        }
        open = flows.then_some(quotes);
    }
    out.join("\n")
}

/// Converts text to Markdown: keeps quotations, and escapes accidental markup.
pub(crate) fn to_markdown(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut last_depth = 0;
    let mut was_empty = true;
    for line in text.lines() {
        let (depth, line) = quoted(line);
        let line = line.trim_end();
        if line.is_empty() && was_empty && depth == last_depth {
            continue;
        }
        // Without an empty line, Markdown would add the text to the quotation.
        if depth < last_depth && !line.is_empty() && !was_empty {
            out.push_str("> ".repeat(depth).trim_end());
            out.push('\n');
        }
        out.push_str(&"> ".repeat(depth));
        out.push_str(&line_of(line));
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
        (last_depth, was_empty) = (depth, line.is_empty());
    }
    out.trim_matches('\n').to_owned()
}

/// Returns the quotation depth of a line, and its text.
fn quoted(line: &str) -> (usize, &str) {
    let mut rest = line;
    let mut depth = 0;
    while let Some(next) =
        rest.strip_prefix('>').or_else(|| rest.strip_prefix(" >").filter(|_| depth > 0))
    {
        if depth == MAX_QUOTES {
            break;
        }
        depth += 1;
        rest = next;
    }
    if depth > 0 {
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
    (depth, rest)
}

fn line_of(line: &str) -> String {
    let text = escape(line);
    let start = line.trim_start();
    let is_rule = start.len() > 2 && start.bytes().all(|byte| matches!(byte, b'=' | b'-'));
    let is_heading = start.starts_with('#') && start.trim_start_matches('#').starts_with(' ');
    if is_rule || is_heading || start.starts_with('|') {
        let indent = text.len() - text.trim_start().len();
        let (blanks, rest) = text.split_at(indent);
        return format!("{blanks}\\{rest}");
    }
    // Four spaces would make it a code block.
    if line.starts_with("    ") || line.starts_with('\t') {
        return text.trim_start().to_owned();
    }
    text
}

/// Extracts files in uuencode from the text. `None` if there are none.
pub(crate) fn take_encoded(text: &str, parts: &mut Vec<Part>) -> Option<String> {
    if !text.contains("begin ") {
        return None;
    }
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut found = false;
    while let Some(line) = lines.next() {
        let Some(name) = begins(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let mut bytes = Vec::new();
        let mut seen = Vec::new();
        let mut is_whole = false;
        for line in lines.by_ref() {
            seen.push(line);
            if line.trim_end() == "end" {
                is_whole = true;
                break;
            }
            if !decode_line(line.trim_end_matches('\r'), &mut bytes) {
                break;
            }
        }
        if is_whole {
            found = true;
            parts.push(Part { name: name.to_owned(), bytes });
        } else {
            // It was not a file.
            out.push_str(line);
            out.push('\n');
            out.extend(seen.iter().flat_map(|line| [line, "\n"]));
        }
    }
    found.then_some(out)
}

/// Parses `begin 644 name`.
fn begins(line: &str) -> Option<&str> {
    let (mode, name) = line.strip_prefix("begin ")?.split_once(' ')?;
    let is_mode = (3..=4).contains(&mode.len()) && mode.bytes().all(|byte| byte.is_ascii_digit());
    (is_mode && !name.trim().is_empty()).then(|| name.trim())
}

fn decode_line(line: &str, out: &mut Vec<u8>) -> bool {
    let value = |byte: u8| match byte {
        b'`' => Some(0),
        32..=95 => Some(byte - 32),
        _ => None,
    };
    let mut bytes = line.bytes();
    let Some(length) = bytes.next() else { return true };
    let Some(length) = value(length).map(usize::from) else { return false };
    let Some(values) = bytes.map(value).collect::<Option<Vec<u8>>>() else { return false };
    let end = out.len() + length;
    for four in values.chunks(4) {
        let at = |index: usize| u32::from(four.get(index).copied().unwrap_or(0));
        let bits = at(0) << 18 | at(1) << 12 | at(2) << 6 | at(3);
        out.extend(bits.to_be_bytes().into_iter().skip(1));
    }
    // Trailing spaces of a line may have been removed.
    out.resize(end, 0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_lines_are_joined() {
        assert_eq!(
            unflow("one \ntwo\nthree\n> a \n> b\n-- \nme", false),
            "one two\nthree\n> a b\n-- \nme"
        );
        assert_eq!(unflow("中 \n文", true), "中文");
    }

    #[test]
    fn quotations_stay_and_markup_by_chance_is_none() {
        for (text, expected) in [
            (">> old\n> less\nnew", "> > old\n>\n> less\n\nnew"),
            ("# no\n======\n- a\n*x* 2 * 3", "\\# no\n\\======\n- a\n\\*x\\* 2 * 3"),
            ("a\n\n\n\nb", "a\n\nb"),
            ("    indented", "indented"),
        ] {
            assert_eq!(to_markdown(text), expected);
        }
    }

    #[test]
    fn files_in_the_text_are_taken_out() {
        let mut parts = Vec::new();
        let text = "see\nbegin 644 cat.txt\n#0V%T\n`\nend\nbye\n";
        assert_eq!(take_encoded(text, &mut parts).as_deref(), Some("see\nbye\n"));
        assert_eq!((parts[0].name.as_str(), &parts[0].bytes[..]), ("cat.txt", &b"Cat"[..]));
        assert_eq!(take_encoded("begin 644 x\nnot really a file\n", &mut parts), None);
        assert_eq!(take_encoded("begin to see\n", &mut parts), None);
    }
}
