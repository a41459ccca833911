//! Grammars of single texts: ranges of integers, characters, regular expressions, base64.

use super::narrowed::of;
use super::*;
use crate::schema::lower::pattern;
use crate::value::Pattern;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

fn judge(engine: &Engine, x: Value) -> Judge {
    let lowered = lower(&of(x), Dialect::Gbnf);
    assert!(is_exact(&lowered), "{:?}", lowered.losses);
    engine.gbnf(grammar_of(&lowered))
}

fn accepts(judge: &mut Judge, x: &str) -> bool {
    judge.accepts(&format!("{{\"x\":{x}}}"))
}

#[test]
fn ranges_of_integers() {
    let engine = Engine::new();
    let edges =
        [-1_000, -999, -105, -100, -99, -10, -9, -1, 0, 1, 9, 10, 11, 99, 100, 102, 255, 1_000];
    for (at, low) in edges.iter().enumerate() {
        for high in edges[at..].iter().step_by(2) {
            let mut judge =
                judge(&engine, json!({"type": "integer", "minimum": low, "maximum": high}));
            let near = edges.iter().flat_map(|edge| [edge - 1, *edge, edge + 1]);
            for number in near.chain([low + (high - low) / 2, 57, -57]) {
                let within = (*low..=*high).contains(&number);
                assert_eq!(
                    accepts(&mut judge, &number.to_string()),
                    within,
                    "{low} {high} {number}"
                );
            }
            for text in ["-0", "01", "-01", "1.0", "1e0", "+1", ""] {
                assert!(!accepts(&mut judge, text), "{text}");
            }
        }
    }
    let wide =
        [(0, i128::from(u64::MAX)), (i64::MIN.into(), i64::MAX.into()), (0, u32::MAX.into())];
    for (low, high) in wide {
        // JSON numbers of this size are written without an exponent.
        let x = format!("{{\"type\":\"integer\",\"minimum\":{low},\"maximum\":{high}}}");
        let mut judge = judge(&engine, serde_json::from_str(&x).unwrap());
        for number in [low - 1, low, low + 1, high - 1, high, high + 1, 5_000_000_000, 0] {
            let within = (low..=high).contains(&number);
            assert_eq!(accepts(&mut judge, &number.to_string()), within, "{low} {high} {number}");
        }
    }
}

#[test]
fn characters() {
    let engine = Engine::new();
    let mut any = judge(&engine, json!({"type": "string"}));
    let mut two = judge(&engine, json!({"type": "string", "minLength": 2, "maxLength": 2}));
    let cases = [
        (r#""""#, true, false),
        (r#""ab""#, true, true),
        (r#""é😀""#, true, true),
        (r#""\n\"""#, true, true),
        (r#""\u0041\ud83d\uDE00""#, true, true),
        (r#""\ud83d\ude00""#, true, false),
        (r#""\/\\""#, true, true),
        ("\"\u{7f}\u{10ffff}\"", true, true),
        (r#""\ud83d""#, false, false),
        (r#""\ude00a""#, false, false),
        (r#""\x41b""#, false, false),
        ("\"a\nb\"", false, false),
        (r#""a"b""#, false, false),
    ];
    for (text, in_any, in_two) in cases {
        assert_eq!(accepts(&mut any, text), in_any, "{text}");
        assert_eq!(accepts(&mut two, text), in_two, "{text}");
    }
}

#[test]
fn base64() {
    let mut judge = judge(&Engine::new(), json!({"type": "string", "contentEncoding": "base64"}));
    let texts = [
        "", "AA==", "AAA=", "AAAA", "+/9/", "AAAAAA==", "AB==", "AAB=", "AAA", "AA", "A===",
        "AA=A", "A A=", "////", "//8=", "/w==", "/x==", "_w==",
    ];
    for text in texts {
        let decodes = BASE64_STANDARD.decode(text).is_ok();
        assert_eq!(accepts(&mut judge, &format!("\"{text}\"")), decodes, "{text}");
    }
}

/// The host decides the meaning of an expression.
#[test]
fn regular_expressions() {
    let engine = Engine::new();
    let patterns = [
        "^$",
        "^a$",
        "^ab|cd$",
        "^(ab|cd)$",
        "^(ab|cd)+$",
        "^(?:a|b)*c$",
        "^[a-c]{2}$",
        "^[a-c]{2,}$",
        "^[a-c]{1,3}x?$",
        "^(ab){2}$",
        "^(a{2}){2}$",
        "^a+?b$",
        "^[^a]$",
        r"^[^\x00-\x20]+$",
        r"^\d\w\s$",
        r"^\D\W\S$",
        r"^[\d\-.]+$",
        "^[-a]+$",
        "^[a-]+$",
        "^.$",
        r"^\.$",
        r#"^["\\/]+$"#,
        r"^[\t\n]+$",
        r"^\u00e9$",
        "^é+$",
        "^[😀-😂]$",
        "^[+]?$",
        r"^[\]\[^]+$",
        "^(a|)b$",
        "^((a?)b?)c$",
        "^ ?$",
    ];
    let texts = [
        "", "a", "b", "ab", "cd", "abcd", "abab", "aaaa", "aaa", "c", "abc", "cab", "aax", "x",
        "5x ", "x5-", "1-2.", "-", "a-", ".", "!", "\"", "\\", "/", "\"\\/", "\t", "\n\t", "é",
        "éé", "😀", "😁", "+", "]", "[^", "aab", "ac", "bc", " ", "\u{1}", "a\u{1f}", "\r",
        "\u{2028}",
    ];
    for pattern in patterns {
        let exact = of(json!({"type": "string", "pattern": pattern}));
        let lowered = lower(&exact, Dialect::Gbnf);
        // It is anchored on one side of each alternative.
        assert_eq!(is_exact(&lowered), pattern != "^ab|cd$", "{pattern}");
        if !is_exact(&lowered) {
            continue;
        }
        let mut judge = engine.gbnf(grammar_of(&lowered));
        let host = Pattern::new(pattern).unwrap();
        for text in texts {
            let written = json!({"x": text}).to_string();
            assert_eq!(judge.accepts(&written), host.matches(text), "{pattern} {text:?}");
        }
    }
}

#[test]
fn expressions_that_are_not_read() {
    let patterns = [
        "(?=a)",
        "(?!a)",
        "(?<=a)b",
        "(?<n>a)",
        r"\bword\b",
        r"(a)\1",
        r"\p{L}",
        "[[:alpha:]]",
        "[a&&b]",
        "a**",
        "a{2",
        "a{3,2}",
        "(a",
        "a)",
        "[a",
        "[b-a]",
        r"\",
        "a++",
        r"\cA",
        "^^a",
        "a$b",
        "[]",
        r"[\d-z]",
        r"\x4",
        r"\ud83d",
        "]",
        "}",
    ];
    for pattern in patterns {
        assert!(pattern::parse(pattern).is_none(), "{pattern}");
    }
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(pattern::parse(&deep).is_none());
    assert!(pattern::parse(&format!("{}a{}", "(".repeat(60), ")".repeat(60))).is_none());
    assert!(pattern::parse(&format!("{}a{}", "(".repeat(30), ")".repeat(30))).is_some());
    // Too many repetitions for llama.cpp.
    for pattern in ["^a{2000}$", "^(ab){100}$"] {
        let lowered = lower(&of(json!({"type": "string", "pattern": pattern})), Dialect::Gbnf);
        assert!(!is_exact(&lowered), "{pattern}");
    }
}

#[test]
fn limits_of_what_is_kept() {
    let loses = |x: &Value, dialect: Dialect| !is_exact(&lower(&of(x.clone()), dialect));
    let check = |kept: Value, lost: Value, dialect: Dialect| {
        assert!(
            !loses(&kept, dialect) && loses(&lost, dialect),
            "{kept} {lost} {}",
            dialect.name()
        );
    };
    let text = |max: u32| json!({"type": "string", "maxLength": max});
    let items = |max: u32| json!({"type": "array", "items": {"type": "boolean"}, "minItems": max, "maxItems": max});
    let pattern = |text: &str| json!({"type": "string", "pattern": text});
    for dialect in [Dialect::Gbnf, Dialect::Ollama] {
        check(text(1_024), text(1_025), dialect);
        check(items(64), items(65), dialect);
    }
    check(pattern("^a{1024}$"), pattern("^a{1025}$"), Dialect::Gbnf);
    check(pattern("^(ab){64}$"), pattern("^(ab){65}$"), Dialect::Gbnf);
    check(pattern("^a{100}$"), pattern("^a{101}$"), Dialect::AnthropicStrict);
    check(pattern("^(a)$"), pattern("^(?:a)$"), Dialect::AnthropicStrict);
    check(pattern("^a$"), pattern("^\\s$"), Dialect::Vllm);
    let long = |length: usize| pattern(&format!("^{}$", "a".repeat(length)));
    check(long(4_094), long(4_095), Dialect::Llguidance);
    // RFC 8259, section 6.
    let integer = |max: u64| json!({"type": "integer", "minimum": 0, "maximum": max});
    for dialect in [Dialect::OpenaiStrict, Dialect::Gemini, Dialect::Llguidance, Dialect::Vllm] {
        check(integer((1 << 53) - 1), integer(1 << 53), dialect);
    }
    let number = |max: f64| json!({"type": "integer", "minimum": 0, "maximum": max});
    check(number(9e29), number(2e30), Dialect::Gbnf);
    let lowered = lower(&of(json!({"type": "string", "x-note": "a".repeat(500)})), Dialect::Gbnf);
    assert!(lowered.losses[0].text.chars().count() < 270, "{}", lowered.losses[0].text);
}

#[test]
fn a_definition_is_written_wherever_it_is_used() {
    let exact = json!({
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/short"}, "y": {"$ref": "#/$defs/short"}},
        "required": ["x", "y"],
        "additionalProperties": false,
        "$defs": {"short": {"type": "string", "maxLength": 2}},
    });
    let lowered = lower(&exact, Dialect::Gbnf);
    let mut judge = Engine::new().gbnf(grammar_of(&lowered));
    for (text, is_accepted) in [
        (r#"{"x":"ab","y":""}"#, true),
        (r#"{"x":"abc","y":""}"#, false),
        (r#"{"x":"","y":"abc"}"#, false),
        (r#"{"x":1,"y":""}"#, false),
    ] {
        assert_eq!(judge.accepts(text), is_accepted, "{text}");
    }
}
