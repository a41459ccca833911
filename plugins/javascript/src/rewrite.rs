//! Makes a script for the interpreter out of one that has what only modules have.
//!
//! The last expression of a module has no value, so a script runs as a script. Its imports become calls that run before
//! everything else, and its exports the declarations. What it exports as `default` is its value, and is called if it is a
//! function: `called` in `prelude/values.js`.

use crate::edits::{Edit, Edited};
use crate::scan::{Kind, Tokens};

/// A script without imports and exports.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub(crate) edited: Edited,
    /// `true` if the original is no script: it has an import or an export.
    pub(crate) is_needed: bool,
}

/// Most tokens of an import.
const MAX_IMPORT: usize = 1_000;

/// Most tokens of a list of exports.
const MAX_EXPORT: usize = 10_000;

/// Rewrites a script without types. Returns `None` if it is one that the interpreter can run as it is.
pub(crate) fn rewrite(code: &str) -> Option<Rewritten> {
    if !code.contains("import") && !code.contains("export") {
        return None;
    }
    let tokens = Tokens::new(code);
    let mut writer =
        Writer { tokens: &tokens, edits: Vec::new(), is_needed: false, at: 0, hoisted_to: None };
    writer.statements();
    let is_needed = writer.is_needed;
    (!writer.edits.is_empty())
        .then(|| Rewritten { edited: Edited::new(code, writer.edits), is_needed })
}

struct Writer<'t, 'a> {
    tokens: &'t Tokens<'a>,
    edits: Vec<Edit>,
    is_needed: bool,
    at: usize,
    /// The offset of the first statement that is no import, to which later imports move.
    hoisted_to: Option<usize>,
}

impl Writer<'_, '_> {
    fn replace(&mut self, first: usize, last: usize, text: &str) {
        let (start, end) = (self.tokens[first].start, self.tokens[last].end);
        self.edits.push(Edit::replace(start, end, text));
    }

    fn insert_after(&mut self, index: usize, text: String) {
        if let Some(token) = self.tokens.get(index) {
            self.edits.push(Edit::insert(token.end, text));
        }
    }

    /// Goes through all tokens.
    fn statements(&mut self) {
        if self.has_directive() {
            self.at = 1;
        }
        while let Some(token) = self.tokens.get(self.at) {
            let (word, next) = (self.tokens.word(self.at), self.tokens.text(self.at + 1));
            let index = self.at;
            self.at += 1;
            match word {
                // A module that is loaded while the script runs.
                "import" if next == "(" => self.replace(index, index, "$load_"),
                "import" if token.depth == 0 && next != "." && self.import(index) => continue,
                "export" if token.depth == 0 => self.export(index),
                _ => {}
            }
            if token.kind != Kind::Mark(b';') {
                self.hoisted_to.get_or_insert(token.start);
            }
        }
    }

    /// Returns `true` if the script begins with `"use strict"`.
    fn has_directive(&self) -> bool {
        matches!(self.tokens.text(0), "\"use strict\"" | "'use strict'")
    }

    /// Rewrites `import a, { b as c } from "d"` to `const a=$import("d",true),{b:c}=$import("d");`, and moves it to the top.
    /// Returns `false` if it is no import.
    fn import(&mut self, index: usize) -> bool {
        let tokens = self.tokens;
        let until = tokens.len().min(index + MAX_IMPORT);
        let Some(last) = (index + 1..until).find(|&at| tokens[at].kind == Kind::Text) else {
            return false;
        };
        let module = format!("$import({})", tokens.text(last));
        let mut parts = Vec::new();
        let mut at = index + 1;
        while at < last {
            match tokens.text(at) {
                "{" => {
                    let close = (at..last).find(|&at| tokens.text(at) == "}").unwrap_or(last);
                    let names: String = (at + 1..close)
                        .map(|at| if tokens.text(at) == "as" { ":" } else { tokens.text(at) })
                        .collect();
                    parts.push(format!("{{{names}}}={module}"));
                    at = close;
                }
                "*" => {
                    parts.push(format!("{}={module}", tokens.text(at + 2)));
                    at += 2;
                }
                "from" | "," => {}
                name => parts.push(format!("{name}=$import({},true)", tokens.text(last))),
            }
            at += 1;
        }
        let text = if parts.is_empty() {
            format!("{module};")
        } else {
            format!("const {};", parts.join(","))
        };
        let text = on_one_line(&text);
        let mut end = last;
        // `with { type: "json" }` says nothing that is of use here.
        if tokens.word(end + 1) == "with" && tokens.text(end + 2) == "{" {
            end = (end + 2..tokens.len()).find(|&at| tokens.text(at) == "}").unwrap_or(end);
        }
        if tokens.text(end + 1) == ";" {
            end += 1;
        }
        match self.hoisted_to {
            Some(to) => {
                let origin = Some(tokens[index].start);
                self.edits.push(Edit { origin, ..Edit::insert(to, text) });
                self.replace(index, end, ";");
            }
            None => self.replace(index, end, &text),
        }
        self.is_needed = true;
        self.at = end + 1;
        true
    }

    /// Removes the word `export` and lists of exported names. Notes what `export default` exports.
    fn export(&mut self, index: usize) {
        self.is_needed = true;
        match (self.tokens.word(index + 1), self.tokens.text(index + 1)) {
            ("default", _) => self.default(index),
            (_, "{" | "*") => {
                let until = self.tokens.len().min(index + MAX_EXPORT);
                let mut end =
                    (index..until).find(|&at| self.tokens.text(at) == "}").unwrap_or(index + 1);
                if self.tokens.word(end + 1) == "from" {
                    end += 2;
                }
                self.replace(index, end.min(self.tokens.len() - 1), "");
                self.at = end + 1;
            }
            _ => self.replace(index, index, ""),
        }
    }

    /// Rewrites `export default` and what follows: a value to `$default.value=…`, `function f() {…}` to
    /// `function f() {…};$default.value=f;`.
    fn default(&mut self, index: usize) {
        let tokens = self.tokens;
        self.at = index + 2;
        let mut head = index + 2;
        if tokens.word(head) == "async" && tokens.word(head + 1) == "function" {
            head += 1;
        }
        let is_class = tokens.word(head) == "class";
        if is_class || tokens.word(head) == "function" {
            let name = head + 1 + usize::from(tokens.text(head + 1) == "*");
            // The body is behind the parameters.
            let open = if is_class { name } else { tokens.outer(")", name) };
            let end = tokens.outer("}", tokens.outer("{", open));
            if tokens.is_word(name) && tokens.text(name) != "extends" {
                self.replace(index, index + 1, "");
                let name = tokens.word(name);
                let noted =
                    if is_class { String::new() } else { format!("$default.value={name};") };
                return self.insert_after(end, format!(";{noted}"));
            }
            // The next line may begin with a bracket.
            self.insert_after(end, ";".to_owned());
        }
        self.replace(index, index + 1, "$default.value=");
    }
}

/// Returns code on one line, so that errors of later lines keep their lines. A string is continued behind a backslash without
/// one. Code in which a string has another end of a line is no JavaScript, with a blank either.
fn on_one_line(code: &str) -> String {
    let mut line = String::with_capacity(code.len());
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\r') => {
                    letters.next_if_eq(&'\n');
                }
                Some('\n') => {}
                next => line.extend(std::iter::once(letter).chain(next)),
            },
            '\n' | '\r' => line.push(' '),
            letter => line.push(letter),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    fn code(text: &str) -> String {
        rewrite(text).map_or_else(|| text.to_owned(), |rewritten| rewritten.edited.code)
    }

    #[test]
    fn a_script_stays_as_it_is() {
        for text in [
            "const a = 1\nlet [b] = [2]; class A {} return a",
            "a.import(1); x = { import: 1, export: 2 }; ({ import: 3 }).import",
            "'import x from \"y\"'; `export ${1}`; /export/; // import",
            "important(exported)",
        ] {
            assert!(rewrite(text).is_none(), "{text}");
        }
        assert!(!rewrite("await import('x')").unwrap().is_needed);
    }

    #[test]
    fn imports_are_calls() {
        for (text, expected) in [
            ("import { a, b as c } from 'x'; c", "const {a,b:c}=$import('x');    c"),
            ("import x, * as y from \"m\"\nx", "const x=$import(\"m\",true),y=$import(\"m\");\nx"),
            ("import {\n  a\n} from 'x';  a.b", "const {a}=$import('x');\n\n             a.b"),
            ("import 'x'", "$import('x');"),
            ("await import('x'); import.meta", "await $load_('x'); import.meta"),
            ("class A { m() { return import('x') } }", "class A { m() { return $load_('x') } }"),
            ("import a from 'x\\\ny\\\\z'\na", "const a=$import('xy\\\\z',true);\n     \na"),
            ("import a from 'x\\\r\ny'\na", "const a=$import('xy',true);\n  \na"),
        ] {
            assert_eq!(code(text), expected);
        }
    }

    #[test]
    fn imports_move_to_the_first_statement() {
        for (text, expected) in [
            (
                "'use strict'; import 'a'; import 'b'\n f()\nimport c from 'c'; import 'd'",
                "'use strict'; $import('a'); $import('b');\n const c=$import('c',true);$import('d');f()\n\
                 ;                  ;         ",
            ),
            ("export let a; import 'b'", "$import('b'); let a; ;  "),
            ("import('a'); import 'b'", "$import('b');$load_('a'); ;"),
            ("a\nimport {\n b } from 'c'\n[b]", "const {b}=$import('c');a\n;\n             \n[b]"),
        ] {
            assert_eq!(code(text), expected);
        }
        let moved = rewrite("f(); g()\n  import { b } from 'c'; b").unwrap();
        for (place, old) in
            [((1, 1), (2, 3)), ((1, 12), (2, 3)), ((1, 29), (1, 6)), ((2, 26), (2, 26))]
        {
            assert_eq!(moved.edited.place(place.0, place.1), old, "{place:?}");
        }
    }

    #[test]
    fn exports_are_declarations_and_values() {
        for (text, expected) in [
            ("export const a = 1", "       const a = 1"),
            ("export class A {}\n(1)", "       class A {}\n(1)"),
            ("export { a, b };", "               ;"),
            ("export default { a }", "$default.value= { a }"),
            ("export default async () => 1", "$default.value= async () => 1"),
            (
                "export default async function f({ a }) { if (a) {} }\n[1]",
                "               async function f({ a }) { if (a) {} };$default.value=f;\n[1]",
            ),
            (
                "export default function* (a = {}) {}\n(1)",
                "$default.value= function* (a = {}) {};\n(1)",
            ),
            ("export default class A extends B {}", "               class A extends B {};"),
            ("export default class extends B {}", "$default.value= class extends B {};"),
            ("export default functions.a", "$default.value= functions.a"),
        ] {
            assert_eq!(code(text), expected);
        }
    }

    #[test]
    fn places_are_found_again() {
        let text = "import { 年 } from 'x'; 年.b; import('y') ; z";
        let rewritten = rewrite(text).unwrap().edited;
        let place = |text: &str, part: &str| {
            let byte = text.rfind(part).unwrap();
            u32::try_from(text[..byte].chars().count()).unwrap() + 1
        };
        for part in ["年.b", "('y')", "z"] {
            assert_eq!(
                rewritten.place(1, place(&rewritten.code, part)),
                (1, place(text, part)),
                "{part}"
            );
        }
        let text = "import {\n a } from 'x'; a.b";
        let rewritten = rewrite(text).unwrap().edited;
        assert_eq!(rewritten.place(2, 18), (2, 18));
        assert_eq!(rewritten.place(1, 30), (1, 1));
    }

    #[test]
    fn no_text_is_too_strange() {
        let text = "import d, { a as b } from '年\\年'; export class A extends f({}) { x = /[/\\年]/g }\n\
                    export default async function 年(a) { `${ {a: `\\年${1}`} }` }; const [x] = 1e-3 /* 年 */; return import('é')\n\
                    import\nexport { d }";
        for (at, _) in text.char_indices() {
            let without: String = text[..at].chars().chain(text[at..].chars().skip(1)).collect();
            for part in [&text[..at], &text[at..], &without] {
                let Some(rewritten) = rewrite(part) else { continue };
                assert!(
                    rewritten.edited.code.matches('\n').count() >= part.matches('\n').count(),
                    "{part}"
                );
                let _ = rewritten.edited.place(1, u32::MAX);
            }
        }
    }
}
