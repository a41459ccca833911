//! Scripts in fences of Markdown, which models write around code.

use crate::contract::exports::mitt::host::script::Uncaught;
use std::borrow::Cow;

/// Leaves out the fence around the script `file`. Lines stay where they are, and the fence at the end may be missing.
///
/// # Errors
/// The place of text that follows the fence.
pub(crate) fn without_fence<'a>(code: &'a str, file: &str) -> Result<Cow<'a, str>, Uncaught> {
    let script = code.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let length = script.bytes().take_while(|&byte| byte == b'`').count();
    let (head, rest) = script.split_at(script.find('\n').unwrap_or(script.len()));
    // The name of a language stands behind the fence.
    if length < 3 || head[length..].contains('`') {
        return Ok(Cow::Borrowed(code));
    }
    // A script may not begin with spaces before its first line.
    let mut text: String = code[..code.len() - script.len()].matches('\n').collect();
    let mut lines = rest.split_inclusive('\n');
    for line in lines.by_ref() {
        let mark = line.trim();
        if mark.len() >= length && mark.bytes().all(|byte| byte == b'`') {
            break;
        }
        text.push_str(line);
    }
    let behind: String = lines.collect();
    match behind.trim_start() {
        "" => Ok(Cow::Owned(text)),
        words => Err(unexpected(code, code.len() - words.len(), file)),
    }
}

/// Describes text behind the fence, at `offset`, as an exception of the script.
fn unexpected(code: &str, offset: usize, file: &str) -> Uncaught {
    let before = &code[..offset];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[start..].chars().count() + 1;
    let shown = code[start..].lines().next().unwrap_or_default().trim();
    let message = "unexpected text behind the fence of the script";
    let traceback = format!(
        "Traceback (most recent call last):\n  File \"{file}\", line {line}, column {column}\n    {shown}\n    ~\n\
         SyntaxError: {message}\nhint: send the script alone, without words around it"
    );
    Uncaught {
        class: "SyntaxError".to_owned(),
        message: message.to_owned(),
        traceback: crate::report::without_middle(traceback),
        line: u32::try_from(line).ok(),
        column: u32::try_from(column).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_fence;

    #[test]
    fn lines_stay_where_they_are() {
        for (code, expected) in [
            ("```python\n1\n```", "\n1\n"),
            ("\n ```py\r\n1\r\n```\r\n\n", "\n\n1\r\n"),
            ("````\n```\n1\n````", "\n```\n1\n"),
            ("```py title=\"年\"\n1", "\n1"),
            ("\u{feff}```\n1\n   ```", "\n1\n"),
            ("```", ""),
            ("1\n```", "1\n```"),
            ("```1```", "```1```"),
            ("``\n``", "``\n``"),
            ("", ""),
        ] {
            assert_eq!(without_fence(code, "script.py").unwrap(), expected, "{code}");
        }
    }

    #[test]
    fn text_behind_the_fence_has_its_place() {
        let error = without_fence("```py\n1\n```\n\n It is 年.\n```", "script-2.py").unwrap_err();
        assert_eq!(
            (error.line, error.column, error.class.as_str()),
            (Some(5), Some(2), "SyntaxError")
        );
        let shown = "File \"script-2.py\", line 5, column 2\n    It is 年.\n";
        assert!(error.traceback.contains(shown), "{}", error.traceback);
        let long = format!("```\n1\n```\n{}", "年".repeat(100_000));
        let long = without_fence(&long, "script.py").unwrap_err();
        assert!(long.traceback.chars().count() <= 8_192);
    }
}
