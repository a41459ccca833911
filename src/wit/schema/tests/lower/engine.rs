//! Uses llguidance as an independent judge: of the schemas that are lowered for it, and of grammars for llama.cpp,
//! translated line by line to the Lark notation that it reads.

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::Value;
use toktrie::ApproximateTokEnv;

/// Decides which texts a schema or grammar allows.
pub(super) struct Engine {
    factory: ParserFactory,
}

impl Engine {
    pub(super) fn new() -> Engine {
        let tokens = ApproximateTokEnv::single_byte_env();
        let mut factory = ParserFactory::new(&tokens, Default::default(), &[]).unwrap();
        factory.quiet();
        factory.limits_mut().initial_lexer_fuel = 50_000_000;
        factory.limits_mut().step_lexer_fuel = 10_000_000;
        Engine { factory }
    }

    pub(super) fn schema(&self, schema: &Value) -> Judge {
        self.judge(TopLevelGrammar::from_json_schema(schema.clone()), &schema.to_string())
    }

    pub(super) fn gbnf(&self, grammar: &str) -> Judge {
        self.judge(TopLevelGrammar::from_lark(lark(grammar)), grammar)
    }

    fn judge(&self, grammar: TopLevelGrammar, source: &str) -> Judge {
        let mut matcher = Matcher::new(self.factory.create_parser(grammar));
        if let Some(error) = matcher.get_error() {
            panic!("llguidance refuses it: {error}\n{source}");
        }
        let warnings = matcher.grammar_warnings();
        assert!(warnings.is_empty(), "{warnings:?}\n{source}");
        Judge(matcher)
    }
}

pub(super) struct Judge(Matcher);

impl Judge {
    /// Returns `true` if a model could write exactly `text`.
    pub(super) fn accepts(&mut self, text: &str) -> bool {
        self.0.reset().unwrap();
        let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
        let taken = self.0.try_consume_tokens(&tokens).unwrap();
        taken == tokens.len() && (self.0.is_stopped() || self.0.is_accepting().unwrap())
    }
}

/// Returns `grammar` in Lark. Every rule becomes a terminal: ours are not recursive, and a lexer that takes the longest
/// match would split the text differently from a grammar of single characters.
pub(super) fn lark(grammar: &str) -> String {
    let mut text = String::from("start: ROOT\n");
    for line in grammar.lines() {
        let (name, body) = line.split_once(" ::= ").unwrap();
        text.push_str(&format!("{}: {}\n", terminal(name), translated(body)));
    }
    text
}

fn terminal(name: &str) -> String {
    name.to_uppercase().replace('-', "_")
}

fn translated(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' | '[' => {
                let close = if next == '"' { '"' } else { ']' };
                let length = 2 + unescaped(&rest[1..], close);
                let token = &rest[..length];
                text.push_str(&if next == '"' {
                    token.to_owned()
                } else {
                    format!("/{}/", class(token))
                });
                length
            }
            // A repetition contains no names.
            '{' => {
                let length = 1 + rest.find('}').unwrap();
                text.push_str(&rest[..length]);
                length
            }
            next if next.is_ascii_alphanumeric() => {
                let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '-');
                let length = end.unwrap_or(rest.len());
                text.push_str(&terminal(&rest[..length]));
                length
            }
            next => {
                text.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    text
}

/// Returns the position of the first `close` that is not escaped.
fn unescaped(text: &str, close: char) -> usize {
    let mut escaped = false;
    text.find(|it: char| {
        let found = it == close && !escaped;
        escaped = it == '\\' && !escaped;
        found
    })
    .unwrap()
}

/// Returns a class in the notation of regular expressions between slashes.
fn class(class: &str) -> String {
    let mut text = String::new();
    let mut characters = class.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next().unwrap() {
                digits @ ('u' | 'U') => {
                    let count = if digits == 'u' { 4 } else { 8 };
                    let code: String = characters.by_ref().take(count).collect();
                    text.push_str(&format!("\\u{{{code}}}"));
                }
                escaped => text.extend(['\\', escaped]),
            },
            '/' => text.push_str("\\/"),
            // Two of these in a row have a meaning in regular expressions.
            '&' | '~' => text.extend(['\\', character]),
            character => text.push(character),
        }
    }
    text
}
