//! Words within a formula: `\text` and similar commands. They can contain formulas between dollar signs.

use super::parse::{Parser, Result};
use super::scan::Token;
use super::tree::{Node, Text};

/// Returns the style of a command's words. `None` if the command has no words.
pub(super) fn look(name: &str) -> Option<Text> {
    let plain = Text { text: String::new(), is_strong: false, is_italic: false, is_code: false };
    match name {
        "text" | "textrm" | "textup" | "textnormal" | "textsf" | "mbox" | "hbox" => Some(plain),
        "textbf" => Some(Text { is_strong: true, ..plain }),
        "textit" | "textsl" | "emph" => Some(Text { is_italic: true, ..plain }),
        "texttt" => Some(Text { is_code: true, ..plain }),
        _ => None,
    }
}

/// Reads the words behind a command, whose name is already taken.
pub(super) fn words(parser: &mut Parser<'_>, name: &str, look: &Text) -> Result<Node> {
    if !parser.scanner.take('{') {
        return Err(format!("\\{name} without its braces"));
    }
    let mut nodes = Vec::new();
    parser.deeper(|parser| group(parser, look, &mut nodes))?;
    Ok(Node::row(nodes))
}

/// Reads words up to and including the brace that ends them.
fn group(parser: &mut Parser<'_>, look: &Text, nodes: &mut Vec<Node>) -> Result<()> {
    loop {
        match parser.scanner.next() {
            Token::End => return Err("{ without }".to_owned()),
            Token::Char('}') => return Ok(()),
            Token::Char('{') => parser.deeper(|parser| group(parser, look, nodes))?,
            Token::Char('$') => {
                nodes.push(parser.list(None)?);
                if !parser.scanner.take('$') {
                    return Err("$ without its end".to_owned());
                }
            }
            Token::Char('~') => add(nodes, look, '\u{A0}'),
            Token::Char(c) if c.is_whitespace() => {
                if !ends_with_space(nodes) {
                    add(nodes, look, ' ');
                }
            }
            Token::Char(c) => add(nodes, look, c),
            Token::Command(" ") => add(nodes, look, ' '),
            Token::Command("," | "thinspace") => add(nodes, look, '\u{2009}'),
            Token::Command("quad") => add(nodes, look, '\u{2003}'),
            Token::Command("qquad") => {
                ['\u{2003}'; 2].into_iter().for_each(|c| add(nodes, look, c))
            }
            Token::Command("textbackslash") => add(nodes, look, '\\'),
            Token::Command("ldots" | "dots") => add(nodes, look, '…'),
            Token::Command(name) => {
                let mut chars = name.chars();
                match (chars.next(), self::look(name)) {
                    (_, Some(inner)) => {
                        // Bold within italic is both.
                        let inner = Text {
                            is_strong: inner.is_strong || look.is_strong,
                            is_italic: inner.is_italic || look.is_italic,
                            is_code: inner.is_code || look.is_code,
                            ..inner
                        };
                        nodes.push(words(parser, name, &inner)?);
                    }
                    (Some(c), None) if matches!(c, '%' | '$' | '#' | '&' | '_' | '{' | '}') => {
                        add(nodes, look, c)
                    }
                    _ => return Err(format!("\\{name}")),
                }
            }
        }
    }
}

fn ends_with_space(nodes: &[Node]) -> bool {
    matches!(nodes.last(), Some(Node::Text(text)) if text.text.ends_with(' '))
}

fn add(nodes: &mut Vec<Node>, look: &Text, c: char) {
    match nodes.last_mut() {
        Some(Node::Text(last))
            if (last.is_strong, last.is_italic, last.is_code)
                == (look.is_strong, look.is_italic, look.is_code) =>
        {
            last.text.push(c);
        }
        _ => nodes.push(Node::Text(Text { text: c.to_string(), ..look.clone() })),
    }
}
