//! Removes the types of a script, so that the interpreter can run it.
//!
//! A script in plain JavaScript is not parsed here. A script is TypeScript if it has types, and one of these is true:
//!
//! - It is no JavaScript: the interpreter cannot compile it.
//! - It is JavaScript with another meaning. `f<number>(x)` compares `f` with `number` and the result with `x`, and
//!   `import type { A } from "b"` would import `type`. Such places are found among the tokens ([`seems_typed`]). A
//!   comparison like `a<b>(c)` stays one unless `b` has the name of a type: `number`, `Record`, `Row`, but not `row` or
//!   `MAX`. `new Set<string>` at the end of a line goes with the calls.
//!
//! `oxc_parser` was chosen by size and time. As a module of its own, it has 637 kB (169 kB compressed), and takes 0.02 ms for a
//! script of 10 lines and 0.12 ms for one of 100 lines; `swc_ts_fast_strip` 60 has 4.1 MB (841 kB compressed), and takes
//! 0.07 ms and 0.3 ms. `erase.rs` says what becomes of its tree.

use crate::erase::{Eraser, Problem};
use crate::scan::{Kind, Tokens};
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

/// Most bytes of a script with types. Its tree takes some 50 times as much memory.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of stack after which a script is nested too deeply. `build.sh` makes the stack twice as large.
const STACK_BYTES: usize = 1 << 20;

/// Removes the types of a script: what was before and after them keeps its line and column. Returns `None` if the script has
/// no types.
///
/// # Errors
/// The first place that is no TypeScript, or that has no form without types.
pub(crate) fn without_types(code: &str) -> Result<Option<String>, Problem> {
    if code.len() > MAX_BYTES {
        return Err(Problem::new(
            0,
            format!("a script with types has at most {MAX_BYTES} bytes, got {}", code.len()),
        ));
    }
    let erase = |program: &Program<'_>| Eraser::new(code).erase(program);
    // `await` stands at the top.
    parsed(code, SourceType::ts().with_module(true), erase)?
}

/// Parses a script, and returns what `use_tree` makes of its tree.
///
/// # Errors
/// The first place that is not of this type.
pub(crate) fn parsed<T>(
    code: &str,
    kind: SourceType,
    use_tree: impl FnOnce(&Program<'_>) -> T,
) -> Result<T, Problem> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        stack_bytes: STACK_BYTES,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code, kind).with_options(options).parse();
    if let Some(diagnostic) = parsed.diagnostics.errors().next() {
        let label = diagnostic.labels.first();
        return Err(Problem {
            at: label.map_or(0, |label| label.offset() as usize),
            message: sentence(&diagnostic.message),
            hint: diagnostic.help.as_deref().map(sentence),
            is_typed: false,
        });
    }
    Ok(use_tree(&parsed.program))
}

/// Returns a text of the parser as the project's messages are: without a capital letter and a period.
fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !letters.as_str().starts_with(|c: char| c.is_uppercase()) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Types that TypeScript knows by themselves.
const KEYWORDS: [&str; 15] = [
    "any",
    "bigint",
    "boolean",
    "false",
    "keyof",
    "never",
    "null",
    "number",
    "object",
    "string",
    "symbol",
    "true",
    "undefined",
    "unknown",
    "void",
];

/// Returns `true` if a script that the interpreter can compile may be TypeScript: it has `f<T>(…)`, where `T` has the name of a
/// type, or an import of types.
pub(crate) fn seems_typed(code: &str) -> bool {
    let may_call = code.contains('<') && [">(", ">`", ">\n"].iter().any(|end| code.contains(end));
    let may_import = code.contains("import") && code.contains("type");
    if !may_call && !may_import {
        return false;
    }
    let tokens = Tokens::new(code);
    (0..tokens.len()).any(|at| has_type_arguments(&tokens, at) || imports_types(&tokens, at))
}

/// Returns `true` if a script that is not JavaScript seems to have types: a declaration of one, or the name of a common type
/// after `:` or `as`.
pub(crate) fn has_types(code: &str) -> bool {
    const DECLARED: [&str; 5] = ["interface", "type", "enum", "namespace", "declare"];
    const COMMON: [&str; 10] = [
        "string", "number", "boolean", "any", "unknown", "void", "never", "Record", "Array",
        "Promise",
    ];
    let tokens = Tokens::new(code);
    (0..tokens.len()).any(|at| match (tokens.text(at), tokens.text(at + 1)) {
        ("as", "const") => true,
        (":" | "as", name) => COMMON.contains(&name),
        (word, name) => {
            DECLARED.contains(&word)
                && tokens.is_word(at)
                && tokens.is_word(at + 1)
                && !matches!(name, "of" | "in")
        }
    })
}

/// Returns `true` if no space is before a token.
fn is_attached(tokens: &Tokens<'_>, at: usize) -> bool {
    at > 0 && tokens.get(at).is_some_and(|token| token.start == tokens[at - 1].end)
}

/// Returns `true` if a token is the `<` of type arguments of a call: `f<Row>(`, without spaces around the angle brackets.
fn has_type_arguments(tokens: &Tokens<'_>, at: usize) -> bool {
    const MAX_TOKENS: usize = 200;
    if tokens.text(at) != "<" || at == 0 || !tokens.is_word(at - 1) || !is_attached(tokens, at) {
        return false;
    }
    let (mut depth, mut has_type) = (1_u32, false);
    let mut next = at + 1;
    while depth > 0 && next < tokens.len().min(at + MAX_TOKENS) {
        match tokens[next].kind {
            Kind::Mark(b'<') => depth += 1,
            Kind::Mark(b'>') => depth -= 1,
            Kind::Mark(b'=') if tokens.text(next + 1) == ">" => next += 1,
            Kind::Mark(
                b',' | b'.' | b'|' | b'&' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b':' | b';'
                | b'?',
            )
            | Kind::Text
            | Kind::Value => {}
            Kind::Word
                if tokens.text(next - 1) == "." || matches!(tokens.text(next + 1), ":" | "?") => {}
            Kind::Word if is_type(tokens.text(next)) => has_type = true,
            _ => return false,
        }
        next += 1;
    }
    let is_call = is_attached(tokens, next) && tokens.text(next).starts_with(['(', '`']);
    let is_new = at > 1
        && tokens.text(at - 2) == "new"
        && tokens.get(next).is_some_and(|token| token.begins_line);
    depth == 0 && has_type && (is_call || is_new)
}

/// Returns `true` for the token `type` in `import type { A }` and in `import { type A }`.
fn imports_types(tokens: &Tokens<'_>, at: usize) -> bool {
    if tokens.text(at) != "type" || at == 0 {
        return false;
    }
    match (tokens.text(at - 1), tokens.text(at + 1)) {
        ("import", "{" | "*") => true,
        ("import", next) => {
            tokens.is_word(at + 1) && (next != "from" || tokens.text(at + 2) == "from")
        }
        ("{" | ",", next) => {
            let close = (at..tokens.len().min(at + 1_000)).find(|&at| tokens.text(at) == "}");
            tokens.is_word(at + 1)
                && next != "as"
                && close.is_some_and(|close| {
                    tokens.text(close + 1) == "from" && tokens[close].depth == 0
                })
        }
        _ => false,
    }
}

/// Returns `true` for a keyword of types, and for a name in the style of types: `Row`, `T`.
fn is_type(word: &str) -> bool {
    let is_name = word.starts_with(|c: char| c.is_uppercase())
        && (word.chars().count() == 1 || word.contains(|c: char| c.is_lowercase()));
    is_name || KEYWORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::{has_types, seems_typed, without_types};

    fn plain(code: &str) -> String {
        without_types(code).unwrap().unwrap()
    }

    #[test]
    fn types_become_spaces() {
        for (code, expected) in [
            ("let a: number = 1", "let a         = 1"),
            ("let a: '年' = '年'", "let a      = '年'"),
            ("f<T>(a!, b as T)", "f   (a , b     )"),
            ("interface A {\n  b: string\n}\n1", ";            \n           \n \n1"),
            ("let a = b as any\n(c)", "let a = b;      \n(c)"),
            ("(a): {\n} => a", "(a    \n) => a"),
            ("async <\nT>(a) => a", "async (\n   a) => a"),
            (
                "class A { private readonly b?: C; static async d?() {} }",
                "class A { ;                b    ; static async d () {} }",
            ),
            ("import { a, type B } from 'c'", "import { a,        } from 'c'"),
            ("function f(this: A, b?: C): D {}", "function f(         b    )    {}"),
        ] {
            assert_eq!(plain(code), expected, "{code}");
        }
        assert!(without_types("let a = b < c, d = [e] // : number").unwrap().is_none());
    }

    #[test]
    fn scripts_that_compile_may_be_typescript() {
        for code in [
            "f<number>(x)",
            "a.f<Record<string, Row[]>>(x)",
            "f<{ a: string; b?: () => void }>(x)",
            "f<'a' | Row>`x`",
            "new Set<T>(x)",
            "new Set<T>\nx",
            "import type { A } from 'a'",
            "import type A from 'a'",
            "import type from from 'a'",
            "import { b, type A } from 'a'",
        ] {
            assert!(seems_typed(code), "{code}");
        }
        for code in [
            "a < b",
            "a<b>(c)",
            "a<MAX>(c)",
            "a < Row > (c)",
            "a<Row> (c)",
            "f(x => x<y, Z>=(1))",
            "a<b && Row>(c)",
            "import type from 'a'",
            "import { type } from 'a'",
            "import { type as b } from 'a'",
            "import { a as type, b } from 'a'",
            "x = { type: 1 }; y = [1, type]; `<Row>(`",
        ] {
            assert!(!seems_typed(code), "{code}");
        }
        assert!(has_types("let a: number") && has_types("enum A {}") && has_types("a as const"));
        assert!(!has_types("let a = { b: null, c: true }") && !has_types("type of x"));
    }

    /// A generator of numbers that are the same in each run (xorshift).
    fn below(state: &mut u64, limit: usize) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        usize::try_from(*state % limit as u64).unwrap()
    }

    #[test]
    fn whatever_is_removed_lines_and_columns_stay() {
        let code = "import { echo, type Row } from 'a';\nexport abstract class A<T> extends B<T> implements C {\n  \
                    private static readonly a: '年' = <any>f<T>(b!)\n  declare d: x\n  ['e']?: T\n  g(h: string): void\n  \
                    g(this: A, h?: any): any { return (h as Row) satisfies T }\n}\ntype D = `${string}`; const i = async <T,\nU>(k: T): \
                    Promise<\n[T, U]\n> => k! as any\n(function (...l: number[]): l is U {})<Row>('x')\ndeclare var m: 1; interface N {}";
        let pieces = [
            "<",
            ">",
            "(",
            ")",
            "{",
            "}",
            "\n",
            ":",
            "!",
            "?",
            " as ",
            " type ",
            ";",
            "=>",
            "年",
            "`",
            "'",
            "/*",
            "abstract ",
        ];
        let (mut state, mut removed) = (0x9e37_79b9_7f4a_7c15, 0);
        for _ in 0..4_000 {
            let mut text: Vec<char> = code.chars().collect();
            for _ in 0..=below(&mut state, 2) {
                let at = below(&mut state, text.len());
                let end = (at + below(&mut state, 8)).min(text.len());
                let piece = pieces[below(&mut state, pieces.len())];
                let kept = below(&mut state, 2) * (end - at);
                text.splice(at..end - kept, piece.chars());
            }
            let text: String = text.into_iter().collect();
            let Ok(Some(plain)) = without_types(&text) else { continue };
            removed += 1;
            assert_eq!(plain.chars().count(), text.chars().count(), "{text}");
            for (old, new) in text.chars().zip(plain.chars()) {
                let is_blank = old != '\n' && matches!(new, ' ' | ';' | '(' | ')');
                assert!(old == new || is_blank, "{old:?} {new:?}\n{text}\n{plain}");
            }
        }
        assert!(removed > 200, "{removed}");
    }
}
