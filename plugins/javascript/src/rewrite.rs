//! Makes a source text out of what models write that the interpreter runs as one script, and finds places again.
//!
//! - `import` and `export` belong to modules, whose last expression has no value. An import becomes a call, an export its
//!   declaration.
//! - Variables at the top are `var`: later scripts of the instance may declare them again.
//! - A script with `return` at the top is the body of a function.

use crate::scan::{Kind, Token, tokens};

/// A script for the interpreter.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) code: String,
    shifts: Vec<Shift>,
    /// `true` if the original would be another program: it has an import, an export or a `return`.
    pub(crate) is_needed: bool,
}

/// A text that replaces another one. Columns count characters from 1.
#[derive(Debug)]
struct Shift {
    line: u32,
    /// The columns of the new text in the new line.
    start: u32,
    end: u32,
    /// The columns of the old text in the old line.
    old_start: u32,
    old_end: u32,
}

impl Rewritten {
    /// Returns the column of the original.
    pub(crate) fn column(&self, line: u32, column: u32) -> u32 {
        let mut moved = column;
        for shift in self.shifts.iter().filter(|shift| shift.line == line) {
            if column >= shift.end {
                moved = column - shift.end + shift.old_end;
            } else if column >= shift.start {
                moved = shift.old_start;
            }
        }
        moved
    }
}

/// A replacement of bytes of the original.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Rewrites a script.
pub(crate) fn rewrite(code: &str) -> Rewritten {
    let tokens = tokens(code);
    let mut writer = Writer {
        code,
        tokens: &tokens,
        edits: Vec::new(),
        is_needed: false,
        declares: "var",
        at: 0,
    };
    let returns = tokens
        .iter()
        .enumerate()
        .any(|(index, token)| writer.word(index) == "return" && token.depth == 0);
    writer.declares = if returns { "const" } else { "var" };
    if returns {
        writer.is_needed = true;
        writer.edits.push(Edit { start: 0, end: 0, text: "(async()=>{".to_owned() });
    }
    writer.statements(!returns);
    if returns {
        // A comment may be the last line.
        writer.edits.push(Edit { start: code.len(), end: code.len(), text: "\n})()".to_owned() });
    }
    let (edits, is_needed) = (writer.edits, writer.is_needed);
    apply(code, &edits, is_needed)
}

fn apply(code: &str, edits: &[Edit], is_needed: bool) -> Rewritten {
    let (mut out, mut shifts) = (String::with_capacity(code.len() + 64), Vec::new());
    let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX / 4);
    let lines = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(0);
    // `old` and `new` are the columns where `code[done..]` and `out` go on.
    let (mut done, mut line, mut old, mut new) = (0, 1, 1, 1);
    for edit in edits {
        // Never so, unless the tokens were misunderstood.
        if edit.start < done {
            continue;
        }
        let (kept, replaced) = (&code[done..edit.start], &code[edit.start..edit.end]);
        out.push_str(kept);
        match kept.rfind('\n') {
            Some(end) => {
                line += lines(kept);
                old = count(&kept[end + 1..]) + 1;
                new = old;
            }
            None => {
                old += count(kept);
                new += count(kept);
            }
        }
        let (start, old_start) = (new, old);
        out.push_str(&edit.text);
        new += count(&edit.text);
        if let Some(end) = replaced.rfind('\n') {
            shifts.push(Shift { line, start, end: u32::MAX, old_start, old_end: u32::MAX });
            line += lines(replaced);
            old = count(&replaced[end + 1..]) + 1;
            new = old;
            out.extend(std::iter::repeat_n('\n', lines(replaced) as usize));
            out.extend(std::iter::repeat_n(' ', old as usize - 1));
        } else {
            old += count(replaced);
            // Spaces keep the rest of the line in its place.
            if !replaced.is_empty() && new < old {
                out.extend(std::iter::repeat_n(' ', (old - new) as usize));
                new = old;
            }
            shifts.push(Shift { line, start, end: new, old_start, old_end: old });
        }
        done = edit.end;
    }
    out.push_str(&code[done..]);
    Rewritten { code: out, shifts, is_needed }
}

struct Writer<'a> {
    code: &'a str,
    tokens: &'a [Token],
    edits: Vec<Edit>,
    is_needed: bool,
    /// The keyword of names that an import makes.
    declares: &'static str,
    at: usize,
}

impl<'a> Writer<'a> {
    fn text(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| &self.code[token.start..token.end])
    }

    /// Returns the word at an index; empty for another token, and for the name of a property.
    fn word(&self, index: usize) -> &'a str {
        let is_property =
            index > 0 && self.text(index - 1) == "." && !(index > 1 && self.text(index - 2) == ".");
        match self.tokens.get(index) {
            Some(token) if token.kind == Kind::Word && !is_property => self.text(index),
            _ => "",
        }
    }

    fn replace(&mut self, first: usize, last: usize, text: &str) {
        let (start, end) = (self.tokens[first].start, self.tokens[last].end);
        self.edits.push(Edit { start, end, text: text.to_owned() });
    }

    /// Goes through all tokens. With `declares`, variables and classes at the top become `var`.
    fn statements(&mut self, is_script: bool) {
        while self.at < self.tokens.len() {
            let token = self.tokens[self.at];
            let word = self.word(self.at);
            let next = self.text(self.at + 1);
            let index = self.at;
            self.at += 1;
            match word {
                // A module that is loaded while the script runs.
                "import" if next == "(" => self.replace(index, index, "$load_"),
                "import" if token.depth == 0 && next != "." => self.import(index),
                "export" if token.depth == 0 => self.export(index),
                "const" | "let"
                    if token.depth == 0 && is_script && self.declares_variable(index) =>
                {
                    self.replace(index, index, "var");
                }
                "class" if token.depth == 0 && is_script && self.begins_statement(index) => {
                    self.class(index)
                }
                _ => {}
            }
        }
    }

    fn declares_variable(&self, index: usize) -> bool {
        if self.begins_statement(index) {
            let next = self.tokens.get(index + 1).map(|token| token.kind);
            return matches!(next, Some(Kind::Word | Kind::Mark(b'{' | b'[')));
        }
        false
    }

    fn begins_statement(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return true };
        if matches!(self.word(before), "export" | "default") {
            return true;
        }
        let before = self.tokens[before];
        match before.kind {
            Kind::Mark(b';' | b'}' | b':') => true,
            // `=` and other operators go on in the next line.
            Kind::Mark(b')' | b']') | Kind::Value | Kind::Text => self.tokens[index].begins_line,
            Kind::Mark(_) => false,
            Kind::Word => {
                self.tokens[index].begins_line
                    && !matches!(self.text(index - 1), "extends" | "new" | "return")
            }
        }
    }

    /// Rewrites `class A …` to `var A=class A …;`.
    fn class(&mut self, index: usize) {
        let name = self.word(index + 1);
        if name.is_empty() {
            return;
        }
        let start = self.tokens[index].start;
        self.edits.push(Edit { start, end: start, text: format!("var {name}=") });
        let mut end = index + 2;
        while end < self.tokens.len() && (self.text(end) != "{" || self.tokens[end].depth > 0) {
            end += 1;
        }
        while end < self.tokens.len() && (self.text(end) != "}" || self.tokens[end].depth > 0) {
            // Imports that run later are inside of functions.
            if self.word(end) == "import" && self.text(end + 1) == "(" {
                self.replace(end, end, "$load_");
            }
            end += 1;
        }
        if let Some(token) = self.tokens.get(end) {
            self.edits.push(Edit { start: token.end, end: token.end, text: ";".to_owned() });
        }
        self.at = end + 1;
    }

    /// Rewrites `import a, { b as c } from "d"` to `var a=$import("d",true),{b:c}=$import("d");`.
    fn import(&mut self, index: usize) {
        let Some(last) = (index + 1..self.tokens.len().min(index + 1_000))
            .find(|&at| self.tokens[at].kind == Kind::Text)
        else {
            return;
        };
        let module = format!("$import({})", self.text(last));
        let mut parts = Vec::new();
        let mut at = index + 1;
        while at < last {
            match self.text(at) {
                "{" => {
                    let close = (at..last).find(|&at| self.text(at) == "}").unwrap_or(last);
                    let names: String = (at + 1..close)
                        .map(|at| if self.text(at) == "as" { ":" } else { self.text(at) })
                        .collect();
                    parts.push(format!("{{{names}}}={module}"));
                    at = close;
                }
                "*" => {
                    parts.push(format!("{}={module}", self.text(at + 2)));
                    at += 2;
                }
                "from" | "," => {}
                name => parts.push(format!("{name}=$import({},true)", self.text(last))),
            }
            at += 1;
        }
        let text = if parts.is_empty() {
            module
        } else {
            format!("{} {}", self.declares, parts.join(","))
        };
        let mut end = last;
        // `with { type: "json" }` says nothing that is of use here.
        if self.word(end + 1) == "with" && self.text(end + 2) == "{" {
            end = (end + 2..self.tokens.len()).find(|&at| self.text(at) == "}").unwrap_or(end);
        }
        if self.text(end + 1) == ";" {
            end += 1;
        }
        self.replace(index, end, &format!("{text};"));
        self.is_needed = true;
        self.at = end + 1;
    }

    /// Removes the words `export` and `export default`, and lists of exported names.
    fn export(&mut self, index: usize) {
        self.is_needed = true;
        match (self.word(index + 1), self.text(index + 1)) {
            ("default", _) => {
                let is_declaration = match self.word(index + 2) {
                    "async" => self.word(index + 3) == "function",
                    "class" => self.text(index + 3) != "{" && self.text(index + 3) != "extends",
                    word => word == "function",
                };
                self.replace(index, index + 1, if is_declaration { "" } else { "0," });
                self.at = index + 2;
            }
            (_, "{" | "*") => {
                let mut end = (index..self.tokens.len().min(index + 10_000))
                    .find(|&at| self.text(at) == "}")
                    .unwrap_or(index + 1);
                if self.word(end + 1) == "from" {
                    end += 2;
                }
                self.replace(index, end.min(self.tokens.len() - 1), "");
                self.at = end + 1;
            }
            _ => self.replace(index, index, ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    fn code(text: &str) -> String {
        rewrite(text).code
    }

    #[test]
    fn declarations_at_the_top_are_var() {
        for (text, expected) in [
            (
                "const a = 1\nlet [b] = [2]; for (let i of []) { const c = 1 }",
                "var   a = 1\nvar [b] = [2]; for (let i of []) { const c = 1 }",
            ),
            ("a.let = let_; x = { const: 1 }", "a.let = let_; x = { const: 1 }"),
            ("class A extends B { m() {} }\n(1)", "var A=class A extends B { m() {} };\n(1)"),
            ("const A = class {}", "var   A = class {}"),
            ("`${x}`\nconst a = /{/", "`${x}`\nvar   a = /{/"),
        ] {
            assert_eq!(code(text), expected);
        }
    }

    #[test]
    fn imports_and_exports() {
        for (text, expected) in [
            ("import { a, b as c } from 'x'; c", "var {a,b:c}=$import('x');      c"),
            ("import x, * as y from \"m\"\nx", "var x=$import(\"m\",true),y=$import(\"m\");\nx"),
            ("import {\n  a\n} from 'x';  a.b", "var {a}=$import('x');\n\n             a.b"),
            ("import 'x'", "$import('x');"),
            ("await import('x'); import.meta", "await $load_('x'); import.meta"),
            ("export const a = 1", "       var   a = 1"),
            ("export default async function f() {}", "               async function f() {}"),
            ("export default { a }", "0,             { a }"),
            ("export { a, b };", "               ;"),
        ] {
            assert_eq!(code(text), expected);
        }
    }

    #[test]
    fn a_return_makes_a_function() {
        assert_eq!(
            code("const a = 1\nreturn a // b"),
            "(async()=>{const a = 1\nreturn a // b\n})()"
        );
        assert_eq!(rewrite("return a.b").column(1, 20), 9);
        assert!(!rewrite("function f() { return 1 }").is_needed);
    }

    #[test]
    fn places_are_found_again() {
        let text = "import { 年 } from 'x'; 年.b; class A {} ; z";
        let rewritten = rewrite(text);
        let place = |text: &str, part: &str| {
            let byte = text.rfind(part).unwrap();
            u32::try_from(text[..byte].chars().count()).unwrap() + 1
        };
        for part in ["年.b", "z", "class"] {
            assert_eq!(
                rewritten.column(1, place(&rewritten.code, part)),
                place(text, part),
                "{part}"
            );
        }
        let text = "import {\n a } from 'x'; a.b";
        let rewritten = rewrite(text);
        assert_eq!(rewritten.column(2, 18), 18);
        assert_eq!(rewritten.column(1, 30), 1);
    }

    #[test]
    fn no_text_is_too_strange() {
        let text = "import d, { a as b } from '年\\年'; export class A extends f({}) { x = /[/\\年]/g }\n\
                    export default async () => `${ {a: `\\年${1}`} }`; const [x] = 1e-3 /* 年 */; return import('é')";
        for (at, _) in text.char_indices() {
            for part in [&text[..at], &text[at..]] {
                let rewritten = rewrite(part);
                assert!(
                    rewritten.code.matches('\n').count() >= part.matches('\n').count(),
                    "{part}"
                );
                let _ = rewritten.column(1, u32::MAX);
            }
            let without: String = text[..at].chars().chain(text[at..].chars().skip(1)).collect();
            let _ = rewrite(&without);
        }
    }
}
