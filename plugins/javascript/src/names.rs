//! Finds in the source what an error is about: the name that is called, the expression that is iterated over.

use crate::scan::{Kind, Token, Tokens};

/// Most characters of a name in a message.
const MAX_NAME: usize = 60;

/// Returns the callee of the call whose last name is at a place, such as `table.totals`. Lines and columns count from 1.
pub(crate) fn called(code: &str, line: u32, column: u32) -> Option<String> {
    let source = Source { code, tokens: Tokens::new(code).into_list() };
    let mut last = source.at(line, column)?;
    if last > 0 && source.text(last - 1) == "new" && source.is_word(last) {
        // The place is the beginning of the callee.
        while source.text(last + 1) == "." && source.is_word(last + 2) {
            last += 2;
        }
    }
    let behind = code[source.tokens[last].end..].trim_start();
    let is_called = behind.starts_with(['(', '`']) || behind.starts_with("?.(");
    (source.is_word(last) && is_called && !source.is_called_again(last)).then(|| source.name(last))
}

/// Returns the expression that an iteration at a place is over: in `for (… of …)`, `[a, b] = …` or `...`.
pub(crate) fn iterated(code: &str, line: u32, column: u32) -> Option<String> {
    let source = Source { code, tokens: Tokens::new(code).into_list() };
    let at = source.at(line, column)?;
    if source.text(at) == "[" {
        let close = source.closing(at)?;
        return (source.text(close + 1) == "=").then(|| source.expression(close + 2)).flatten();
    }
    let depth = source.tokens[at].depth;
    let first = source.first(at);
    if first >= 3 && (1..=3).all(|back| source.text(first - back) == ".") {
        let end = source.chain_end(at);
        return source.shown(source.tokens[first].start, source.tokens[end].end);
    }
    let of = (0..at).rev().take_while(|&index| source.tokens[index].depth >= depth);
    let of = of
        .filter(|&index| source.tokens[index].depth == depth)
        .find(|&index| source.text(index) == "of")?;
    let end = (of + 1..source.tokens.len()).find(|&index| source.tokens[index].depth < depth)?;
    source.shown(source.tokens[of + 1].start, source.tokens[end - 1].end)
}

struct Source<'a> {
    code: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Source<'a> {
    fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| &self.code[token.start..token.end])
    }

    fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == Kind::Word)
    }

    /// Returns the word or the pattern at a place. In the first line the interpreter gives the place before the name of a
    /// property.
    fn at(&self, line: u32, column: u32) -> Option<usize> {
        let text = self.code.split('\n').nth(line.checked_sub(1)? as usize)?;
        let start = text.as_ptr() as usize - self.code.as_ptr() as usize;
        let place = |column: usize| {
            text.char_indices().nth(column.checked_sub(1)?).map(|(at, c)| (start + at, c))
        };
        let (mut at, c) = place(column as usize)?;
        if c == '.' {
            at = place(column as usize + 1)?.0;
        }
        let index = self.tokens.iter().position(|token| token.start == at)?;
        (self.is_word(index) || self.text(index) == "[").then_some(index)
    }

    /// Returns the bracket that closes another one.
    fn closing(&self, open: usize) -> Option<usize> {
        let depth = self.tokens[open].depth;
        (open + 1..self.tokens.len()).find(|&index| self.tokens[index].depth <= depth)
    }

    /// Returns `true` for the `f` of `f()()` and of `f()[0]()`: any of the calls may be meant.
    fn is_called_again(&self, name: usize) -> bool {
        let open = (name + 1..self.tokens.len()).find(|&index| self.text(index) == "(");
        let Some(mut close) = open.and_then(|open| self.closing(open)) else { return false };
        while self.text(close + 1) == "[" {
            let Some(next) = self.closing(close + 1) else { return false };
            close = next;
        }
        self.text(close + 1) == "("
    }

    /// Returns the first token of the members that lead to a name: `a` for the `c` of `a.b[0].c`.
    fn first(&self, name: usize) -> usize {
        let mut first = name;
        while first >= 2 && self.text(first - 1) == "." {
            // `a?.b`, but not `...a`
            let mut before = first - 2;
            if self.text(before) == "?" && before > 0 {
                before -= 1;
            }
            if self.text(before) == "." {
                break;
            }
            first = match self.text(before) {
                ")" | "]" => match self.opening(before) {
                    Some(open) => open,
                    None => break,
                },
                _ => before,
            };
            // The callee or the object before the bracket.
            while first > 0 && matches!(self.text(first), "(" | "[") {
                match self.text(first - 1) {
                    ")" | "]" => match self.opening(first - 1) {
                        Some(open) => first = open,
                        None => return first,
                    },
                    _ if self.is_operand(first - 1) => first -= 1,
                    _ => return first,
                }
            }
        }
        first
    }

    /// Returns `true` for a word that is no keyword.
    fn is_operand(&self, index: usize) -> bool {
        const KEYWORDS: [&str; 14] = [
            "return",
            "await",
            "yield",
            "typeof",
            "void",
            "delete",
            "new",
            "in",
            "of",
            "case",
            "throw",
            "else",
            "do",
            "instanceof",
        ];
        self.is_word(index) && !KEYWORDS.contains(&self.text(index))
    }

    fn opening(&self, close: usize) -> Option<usize> {
        let depth = self.tokens[close].depth;
        (0..close).rev().find(|&index| self.tokens[index].depth <= depth)
    }

    /// Returns the last name of the members that begin at a token.
    fn chain_end(&self, at: usize) -> usize {
        let mut end = at;
        while self.text(end + 1) == "." && self.is_word(end + 2) {
            end += 2;
        }
        end
    }

    /// Returns a name with what leads to it, if that is short.
    fn name(&self, last: usize) -> String {
        let first = self.first(last);
        let whole = self.shown(self.tokens[first].start, self.tokens[last].end);
        whole.unwrap_or_else(|| format!("….{}", self.text(last)))
    }

    /// Returns the expression that begins at a token, up to the end of the line or of the statement.
    fn expression(&self, first: usize) -> Option<String> {
        let start = self.tokens.get(first)?;
        let rest = self.tokens[first..].iter();
        let end = rest
            .take_while(|token| {
                let text = &self.code[token.start..token.end];
                let is_end = token.depth < start.depth
                    || (token.depth == start.depth && matches!(text, ";" | ","))
                    || (token.begins_line && token.start > start.start);
                !is_end
            })
            .last()?;
        self.shown(start.start, end.end)
    }

    fn shown(&self, start: usize, end: usize) -> Option<String> {
        let text = &self.code[start..end];
        (!text.contains('\n') && text.chars().count() <= MAX_NAME).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{called, iterated};

    #[test]
    fn callees_are_named() {
        for (code, line, column, expected) in [
            ("f()", 1, 1, Some("f")),
            ("a.b()", 1, 2, Some("a.b")),
            ("1;\na?.b?.(1)", 2, 4, Some("a?.b")),
            ("1;\n年[0](x).b.c`x`", 2, 11, Some("年[0](x).b.c")),
            ("1;\nawait a(1).b()", 2, 12, Some("a(1).b")),
            ("new A.B()", 1, 5, Some("A.B")),
            ("1;\n[...a.b()]", 2, 7, Some("a.b")),
            ("1;\na\n  .b()", 3, 4, Some("….b")),
            // Any of the calls may be meant.
            ("f()()", 1, 1, None),
            ("f()[0]()", 1, 1, None),
            ("f()[0]", 1, 1, Some("f")),
            // No call, no word, no such place.
            ("a.b", 1, 2, None),
            ("(a)()", 1, 1, None),
            ("f()", 7, 1, None),
            ("f()", 1, 9, None),
            ("", 1, 1, None),
        ] {
            assert_eq!(called(code, line, column).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn iterated_expressions_are_named() {
        for (code, line, column, expected) in [
            ("for (const x of a.b) 1", 1, 18, Some("a.b")),
            ("for (const [k] of f(a, b)) 1", 1, 19, Some("f(a, b)")),
            ("const [a, b] = c.d; e", 1, 7, Some("c.d")),
            ("let [a] = c.d\ne", 1, 5, Some("c.d")),
            ("f(1, ...a.b)", 1, 9, Some("a.b")),
            ("[...a]", 1, 5, Some("a")),
            ("const { x: [a] } = c", 1, 12, None),
            ("const [a] =", 1, 7, None),
            ("const [a", 1, 7, None),
            ("for (const x of a", 1, 17, None),
        ] {
            assert_eq!(iterated(code, line, column).as_deref(), expected, "{code}");
        }
    }
}
