//! Forms of scripts that are no JavaScript, although it is clear what they mean: a script in a fence of Markdown, an object or
//! a function without a name at the end that lacks brackets.

use crate::edits::{Edit, Edited};
use crate::erase::Problem;
use crate::scan::{Kind, Tokens};
use std::borrow::Cow;

/// Overwrites the fence around a script with spaces. The fence at the end may be missing.
///
/// # Errors
/// Text that follows the fence.
pub(crate) fn without_fence(code: &str) -> Result<Cow<'_, str>, Problem> {
    let script = code.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let length = script.bytes().take_while(|&byte| byte == b'`').count();
    let (head, rest) = script.split_at(script.find('\n').unwrap_or(script.len()));
    // The name of a language stands behind the fence. An empty template and another one are no fence.
    if length < 3 || head[length..].contains('`') {
        return Ok(Cow::Borrowed(code));
    }
    let before = &code[..code.len() - script.len()];
    let mut text = format!("{before}{}", spaces(head));
    let mut lines = rest.split_inclusive('\n');
    for line in lines.by_ref() {
        let mark = line.trim();
        if mark.len() >= length && mark.bytes().all(|byte| byte == b'`') {
            text.push_str(&spaces(line));
            break;
        }
        text.push_str(line);
    }
    let behind: String = lines.collect();
    let words = behind.trim_start();
    if words.is_empty() {
        return Ok(Cow::Owned(text + &behind));
    }
    let hint = Some("send the script alone, without words around it".to_owned());
    let message = "unexpected text behind the fence of the script".to_owned();
    Err(Problem { hint, ..Problem::new(code.len() - words.len(), message) })
}

/// Returns as many spaces as a line has characters, with its end.
fn spaces(line: &str) -> String {
    line.chars().map(|c| if c == '\n' { c } else { ' ' }).collect()
}

/// Puts parentheses around an object or a function without a name that is the last statement. Such an object is a block with an
/// error for the interpreter, and such a function is a declaration that lacks its name.
pub(crate) fn with_parentheses(code: &str) -> Option<Edited> {
    let tokens = Tokens::new(code);
    let mut last = tokens.len().checked_sub(1)?;
    while last > 0 && tokens.text(last) == ";" {
        last -= 1;
    }
    let is_outer = |at: usize, text: &str| tokens[at].depth == 0 && tokens.text(at) == text;
    if !is_outer(last, "}") {
        return None;
    }
    let open = (0..last).rev().find(|&at| is_outer(at, "{"))?;
    let first = match function(&tokens, open) {
        Some((_, true)) => return None,
        Some((first, false)) => first,
        None => open,
    };
    if first > 0 && !begins_statement(&tokens, first) {
        return None;
    }
    // The line before may have no semicolon.
    let edits = vec![Edit::insert(tokens[first].start, ";("), Edit::insert(tokens[last].end, ")")];
    Some(Edited::new(code, edits))
}

/// Returns `true` if a script ends with `{ a, b }`: the block has the value of `b`, but the object is meant.
pub(crate) fn ends_with_names(code: &str) -> bool {
    let end = code.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let names = end.strip_suffix('}').and_then(|end| end.rsplit_once('{'));
    names.is_some_and(|(_, names)| {
        let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_$,".contains(c);
        names.contains(',') && names.chars().all(is_plain)
    })
}

/// Returns the first token of the function whose body opens at a token, and `true` if it has a name.
fn function(tokens: &Tokens<'_>, open: usize) -> Option<(usize, bool)> {
    /// Most tokens between `function` and the body.
    const MAX_TOKENS: usize = 1_000;
    let at = (open.saturating_sub(MAX_TOKENS)..open)
        .rev()
        .take_while(|&at| tokens[at].depth > 0 || tokens.text(at) != ";")
        .find(|&at| tokens[at].depth == 0 && tokens.word(at) == "function")?;
    let parameters = at + 1 + usize::from(tokens.text(at + 1) == "*");
    let mut body = tokens.outer("{", tokens.outer(")", parameters));
    // An object in the type of the result.
    while body < open
        && (matches!(tokens.text(body - 1), ":" | "|" | "&" | "<" | ",")
            || tokens.text(body - 1) == ">" && tokens.text(body - 2) == "=")
    {
        body = tokens.outer("{", tokens.outer("}", body));
    }
    if body != open {
        return None;
    }
    let is_async = at > 0 && tokens.word(at - 1) == "async" && !tokens[at].begins_line;
    let has_name = !matches!(tokens.text(parameters), "(" | "<");
    Some((if is_async { at - 1 } else { at }, has_name))
}

/// Returns `true` if a statement can begin at a token that is not the first one.
fn begins_statement(tokens: &Tokens<'_>, at: usize) -> bool {
    let before = at - 1;
    match tokens[before].kind {
        Kind::Mark(b';' | b'}') => true,
        Kind::Mark(b')') if tokens[at].begins_line => {
            let open = (0..before)
                .rev()
                .find(|&at| tokens[at].depth == tokens[before].depth && tokens.text(at) == "(");
            // Its body, which a semicolon would end.
            let word = open.and_then(|open| open.checked_sub(1)).map_or("", |at| tokens.word(at));
            !matches!(word, "if" | "for" | "while" | "with" | "await")
        }
        Kind::Mark(b']') | Kind::Value | Kind::Text => tokens[at].begins_line,
        Kind::Mark(_) => false,
        Kind::Word => {
            tokens[at].begins_line
                && !matches!(tokens.word(before), "else" | "do" | "export" | "return")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ends_with_names, with_parentheses, without_fence};

    #[test]
    fn fences_become_spaces() {
        for (code, expected) in [
            ("```js\n1\n```", "     \n1\n   "),
            ("\n ```typescript\r\n1\r\n```\r\n\n", "\n               \n1\r\n    \n\n"),
            ("````\n```\n1\n````", "    \n```\n1\n    "),
            ("```js title=\"年\"\n1", "               \n1"),
            ("\u{feff}```\n1\n   ```", "\u{feff}   \n1\n      "),
            ("```", "   "),
            ("1\n```", "1\n```"),
            ("```${1}```.length", "```${1}```.length"),
            ("``\n``", "``\n``"),
            ("~~~1", "~~~1"),
            ("", ""),
        ] {
            assert_eq!(without_fence(code).unwrap(), expected, "{code}");
        }
        let code = "```js\n1\n```\n\nIt is 1.\n```";
        assert_eq!(without_fence(code).unwrap_err().place(code), (5, 1));
    }

    #[test]
    fn objects_and_functions_at_the_end_get_parentheses() {
        for (code, expected) in [
            ("{ a: 1, b: 2 }", Some(";({ a: 1, b: 2 })")),
            ("f()\n{ ...a }; ;", Some("f()\n;({ ...a }); ;")),
            ("const a = 1; { a, b: 2 }", Some("const a = 1; ;({ a, b: 2 })")),
            ("if (x) { y }\n{\n  a: 1,\n  b: {} }", Some("if (x) { y }\n;({\n  a: 1,\n  b: {} })")),
            ("async function () { return 1 }", Some(";(async function () { return 1 })")),
            ("x\nfunction* (a = {}) {}", Some("x\n;(function* (a = {}) {})")),
            ("function <T>(): { a: T } {}", Some(";(function <T>(): { a: T } {})")),
            ("if (x)\n{ a: 1, b: 2 }", None),
            ("if (x) y; else\n{ a: 1, b: 2 }", None),
            ("x = function () {}\n{ a: 1, b: 2 }", Some("x = function () {}\n;({ a: 1, b: 2 })")),
            ("return\n{ a: 1, b: 2 }", None),
            ("export\n{ a, b }", None),
            ("x = { a: 1 }", None),
            ("function f() {}", None),
            ("function f()\n{ a, b }", None),
            ("async function* f<T>(): { a: T } | () => { b: T }\n{ a: 1, b: 2 }", None),
            (
                "function f(): Promise<{ a: T }> {}\nx\n{ a: 1, b: 2 }",
                Some("function f(): Promise<{ a: T }> {}\nx\n;({ a: 1, b: 2 })"),
            ),
            ("async () => {}", None),
            ("[{}]", None),
            ("`${{}}`", None),
            ("", None),
            (";", None),
            ("}", None),
        ] {
            let edited = with_parentheses(code);
            assert_eq!(edited.as_ref().map(|edited| edited.code.as_str()), expected, "{code}");
        }
    }

    #[test]
    fn names_in_braces_are_an_object() {
        for (code, expected) in [
            ("a\n{ a, b }", true),
            ("{a,\n $b_1,\n 年}; \n;", true),
            ("{ a }", false),
            ("{ a; b, c }", false),
            ("{ a, b() }", false),
            ("{ a, b } c", false),
            ("a, b }", false),
            ("", false),
        ] {
            assert_eq!(ends_with_names(code), expected, "{code}");
        }
    }

    #[test]
    fn no_text_is_too_strange() {
        let text = "```js\n年 = async function* <T>(a: {}) { }\n;{ ...年, `${'}'}` }\n```\n";
        for (at, _) in text.char_indices() {
            for part in [&text[..at], &text[at..]] {
                let _ = without_fence(part);
                let _ = with_parentheses(part);
            }
        }
    }
}
