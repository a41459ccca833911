//! Finds the spans of code by the grammars that Typst includes.
//!
//! Grammars are regular expressions with lookbehind, so their input is bounded: long lines and much code stay plain.

use std::sync::LazyLock;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::{Code, HighlightSpan, Highlighter, Token};
use crate::Cancel;

/// Most bytes of a coloured line. People write a hundred; the output of programs is not coloured.
const MAX_LINE: usize = 250;

/// Most bytes of coloured code in a document: four thousand lines.
const MAX_BYTES: usize = 128 * 1024;

/// Most spans in a document. Each is laid out as formatted text.
const MAX_SPANS: usize = 20_000;

/// Returns the spans of a block of code, as [`Highlighter::lines`] does.
pub(super) fn lines<'a>(
    highlighter: &mut Highlighter,
    language: Option<&str>,
    text: &'a str,
    cancel: &Cancel,
) -> Code<'a> {
    let Some(syntax) = language.and_then(syntax) else { return Code::Plain };
    // The library has other line ends than this code.
    let has_odd_ends = text.contains(['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}']);
    let is_long = text.split('\n').any(|line| line.len() > MAX_LINE);
    if has_odd_ends
        || is_long
        || highlighter.bytes + text.len() > MAX_BYTES
        || highlighter.spans > MAX_SPANS
    {
        return Code::TooMuch;
    }
    highlighter.bytes += text.len();
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let parsed = (!cancel.is_cancelled()).then(|| state.parse_line(line, &GRAMMARS.set));
        let Some(Ok(changes)) = parsed else { return Code::Plain };
        let mut ends: Vec<(Option<Token>, usize)> = Vec::new();
        for (at, change) in changes {
            add(&mut ends, line, at, &stack);
            if stack.apply(&change).is_err() {
                return Code::Plain;
            }
        }
        add(&mut ends, line, line.len(), &stack);
        highlighter.spans += ends.len();
        let mut from = 0;
        let spans = ends.into_iter().map(|(token, end)| {
            let text = line.get(from..end).unwrap_or_default();
            from = end;
            HighlightSpan { token, text }
        });
        lines.push(spans.collect());
    }
    Code::Lines(lines)
}

/// Adds a span up to `end` of a line.
fn add(ends: &mut Vec<(Option<Token>, usize)>, line: &str, end: usize, stack: &ScopeStack) {
    let from = ends.last().map_or(0, |(_, end)| *end);
    let Some(text) = line.get(from..end).filter(|text| !text.is_empty()) else { return };
    // Spaces have no colour, and need no span of their own.
    let token = match (text.trim().is_empty(), ends.last()) {
        (true, Some((token, _))) => *token,
        _ => token(stack),
    };
    match ends.last_mut() {
        Some((last, before)) if *last == token => *before = end,
        _ => ends.push((token, end)),
    }
}

/// Grammars, and the kinds of their scopes. Unpacked once per process, on first use.
struct Grammars {
    set: SyntaxSet,
    kinds: Vec<(Scope, Option<Token>)>,
}

static GRAMMARS: LazyLock<Grammars> = LazyLock::new(|| Grammars {
    // The same grammars as Typst's, so that the program contains them once.
    set: two_face::syntax::extra_no_newlines(),
    kinds: KINDS
        .iter()
        .filter_map(|(name, token)| Some((Scope::new(name).ok()?, *token)))
        .collect(),
});

/// Kinds of scopes; the first match counts. `None`: plain text, whatever surrounds it.
const KINDS: [(&str, Option<Token>); 30] = [
    ("comment", Some(Token::Comment)),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    ("string", Some(Token::String)),
    ("constant.character", Some(Token::String)),
    ("constant.other.placeholder", Some(Token::String)),
    ("constant", Some(Token::Number)),
    ("keyword.operator.word", Some(Token::Keyword)),
    ("keyword.operator.logical.python", Some(Token::Keyword)),
    ("keyword.operator", None),
    ("keyword.other.unit", Some(Token::Number)),
    ("keyword", Some(Token::Keyword)),
    ("storage", Some(Token::Keyword)),
    ("variable.language", Some(Token::Keyword)),
    ("entity.name.tag", Some(Token::Keyword)),
    ("entity.name.section", Some(Token::Keyword)),
    ("entity.name", Some(Token::Name)),
    ("entity.other.attribute-name", Some(Token::Name)),
    ("entity.other.inherited-class", Some(Token::Name)),
    ("support", Some(Token::Name)),
    ("variable.function", Some(Token::Name)),
    ("variable.annotation", Some(Token::Name)),
    ("markup.heading", Some(Token::Keyword)),
    ("markup.inserted", Some(Token::Inserted)),
    ("markup.deleted", Some(Token::Deleted)),
    ("markup.raw", Some(Token::String)),
    ("markup.quote", Some(Token::Comment)),
    ("meta.diff", Some(Token::Comment)),
    ("source", None),
    ("text", None),
];

/// Returns the kind of the innermost scope that has one.
fn token(stack: &ScopeStack) -> Option<Token> {
    let kind =
        |scope: &Scope| GRAMMARS.kinds.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
    stack.as_slice().iter().rev().find_map(kind).and_then(|(_, token)| *token)
}

/// Returns the grammar for the first word behind a fence.
fn syntax(language: &str) -> Option<&'static syntect::parsing::SyntaxReference> {
    const ALIASES: [(&str, &str); 14] = [
        ("c#", "cs"),
        ("csharp", "cs"),
        ("console", "sh"),
        ("golang", "go"),
        ("javascript", "js"),
        ("jsonc", "json"),
        ("json5", "json"),
        ("objective-c", "m"),
        ("patch", "diff"),
        ("postgresql", "sql"),
        ("mysql", "sql"),
        ("shell", "sh"),
        ("typescript", "ts"),
        ("vue", "html"),
    ];
    let name =
        language.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':')).next()?;
    if name.is_empty() || name.len() > 32 {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let known =
        ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name.as_str(), |(_, known)| known);
    let syntax = GRAMMARS.set.find_syntax_by_token(known)?;
    (syntax.scope != GRAMMARS.set.find_syntax_plain_text().scope).then_some(syntax)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn lines(language: &str, text: &str) -> Code<'static> {
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        Highlighter::default().lines(Some(language), text, &Cancel::default())
    }

    /// Returns the spans with a kind, as `kind:text`.
    fn shown(language: &str, text: &str) -> String {
        let Code::Lines(lines) = lines(language, text) else {
            return format!("{language} is plain");
        };
        let all: String = lines
            .iter()
            .map(|line| line.iter().map(|span| span.text).collect::<String>() + "\n")
            .collect();
        assert_eq!(all.strip_suffix("\n"), Some(text), "{language}");
        let spans = lines
            .iter()
            .flatten()
            .filter_map(|span| Some(format!("{}:{}", span.token?.name(), span.text.trim())));
        spans.collect::<Vec<_>>().join(" ")
    }

    /// Spans that must be found in each language.
    const SAMPLES: [(&str, &str, &[&str]); 24] = [
        (
            "rust",
            "// 注释\nfn main() { let x: u32 = 42; println!(\"你好\"); }",
            &["comment:// 注释", "keyword:fn", "name:main", "number:42", "string:\"你好\""],
        ),
        (
            "python",
            "def f(x):\n    return 'a' if x is None else 1  # 注释",
            &[
                "keyword:def",
                "name:f",
                "keyword:return",
                "string:'a'",
                "comment:# 注释",
                "number:1",
            ],
        ),
        (
            "js",
            "const f = async (x) => { return `a${x}b`; } // c",
            &["keyword:const", "comment:// c", "keyword:return"],
        ),
        (
            "ts",
            "interface A { x: number }\nlet s: string = 'y';",
            &["keyword:interface", "string:'y'"],
        ),
        ("json", "{\"a\": [1, true, null]}", &["number:1", "number:true", "string:\"a\""]),
        ("yaml", "# c\na: 1\nb: 'x'", &["comment:# c", "keyword:a", "number:1", "string:'x'"]),
        ("toml", "[a]\nb = 1 # c", &["number:1", "comment:# c"]),
        (
            "sql",
            "SELECT a, COUNT(*) FROM t WHERE b = 'x' -- c",
            &["keyword:SELECT", "keyword:FROM", "string:'x'", "comment:-- c"],
        ),
        ("bash", "for i in 1 2; do echo \"$i\"; done # c", &["keyword:for", "comment:# c"]),
        ("sh", "if true; then exit 1; fi", &["keyword:if"]),
        (
            "html",
            "<p class=\"x\">a</p><!-- c -->",
            &["keyword:p", "name:class", "comment:<!-- c -->"],
        ),
        ("css", "/* c */ a { color: red; width: 10px }", &["comment:/* c */", "keyword:a"]),
        (
            "c",
            "int main(void) { return 0; } // c",
            &["keyword:int", "name:main", "keyword:return", "number:0", "comment:// c"],
        ),
        ("cpp", "class A : public B { virtual void f(); };", &["keyword:class", "name:A"]),
        ("c++", "auto x = nullptr;", &["keyword:auto"]),
        (
            "java",
            "public class A { String s = \"x\"; }",
            &["keyword:public", "name:A", "string:\"x\""],
        ),
        (
            "go",
            "func main() { fmt.Println(\"x\") } // c",
            &["keyword:func", "name:main", "string:\"x\"", "comment:// c"],
        ),
        ("xml", "<a b=\"c\"><!-- d --></a>", &["keyword:a", "name:b", "comment:<!-- d -->"]),
        ("markdown", "# T\n\n`x`", &["keyword:# T"]),
        ("diff", "@@ -1 +1 @@\n-a\n+b\n c", &["deleted:-a", "inserted:+b"]),
        ("ruby", "def f; :a; end # c", &["keyword:def", "comment:# c"]),
        ("php", "<?php echo 'x'; // c", &["string:'x'", "comment:// c"]),
        ("kotlin", "fun f(): Int = 1 // c", &["keyword:fun", "comment:// c"]),
        ("csharp", "class A { int x = 1; } // c", &["keyword:class", "comment:// c"]),
    ];

    #[test]
    fn languages_have_their_kinds() {
        let mut failed = Vec::new();
        for (language, text, expected) in SAMPLES {
            let shown = shown(language, text);
            for part in expected.iter().filter(|part| !shown.contains(**part)) {
                failed.push(format!("{language} lacks {part} in: {shown}"));
            }
        }
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    }

    #[test]
    fn what_is_not_known_or_too_much_is_plain() {
        for language in ["", "text", "nonsense", "plain", "txt", &"x".repeat(100), "a\"b<c>"] {
            assert_eq!(lines(language, "x = 1"), Code::Plain, "{language}");
        }
        assert_eq!(Highlighter::default().lines(None, "x", &Cancel::default()), Code::Plain);
        let line = |n: usize| "x".repeat(n);
        assert!(matches!(lines("rust", &line(MAX_LINE)), Code::Lines(_)));
        assert_eq!(lines("rust", &line(MAX_LINE + 1)), Code::TooMuch);
        assert_eq!(lines("rust", "a\rb"), Code::TooMuch);
        let code = "let x = 1;\n".repeat(MAX_BYTES / 11 + 1);
        assert_eq!(lines("rust", &code), Code::TooMuch);
        // The limits apply to the whole document.
        let mut highlighter = Highlighter::default();
        let code = "1 \"a\" ".repeat(40) + "\n";
        let code = code.repeat(120);
        let mut colored = 0;
        while let Code::Lines(_) = highlighter.lines(Some("rust"), &code, &Cancel::default()) {
            colored += 1;
        }
        assert!((1..4).contains(&colored), "{colored}");
    }

    #[test]
    fn hostile_code_takes_its_time_and_no_more() {
        let units = ["(", "<a ", "\"", "/*", "\\", "a.", "${", "x: ", "_", "aaaa", "<<"];
        let mut worst = (Duration::ZERO, String::new());
        for (language, ..) in SAMPLES {
            for unit in units {
                let line: String = unit.repeat(MAX_LINE / unit.len());
                let started = Instant::now();
                lines(language, &line);
                worst = worst.max((started.elapsed(), format!("{language} {unit}")));
            }
        }
        // Generous, for a debug build on a busy machine.
        assert!(worst.0 < Duration::from_secs(60), "{worst:?}");
        #[expect(clippy::print_stderr, reason = "the figure that the bounds are chosen by")]
        {
            eprintln!("slowest: {worst:?}");
        }
    }
}
