//! Conditions over named values: `total > 1000 and status = "paid"`.
//!
//! Knows no values: the caller compares, because texts and dates are no numbers.

use crate::expression::{Node, Parser};

/// A parsed condition.
#[derive(Debug)]
pub struct Test {
    /// The condition itself.
    pub root: Condition,
    /// Names in order of first appearance.
    pub names: Vec<String>,
}

/// A part of a condition.
#[derive(Debug)]
pub enum Condition {
    /// One of both holds.
    Or(Box<Condition>, Box<Condition>),
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// Two values are compared.
    Compare(Operand, Comparison, Operand),
    /// A value is neither empty, false nor zero items.
    Holds(Operand),
}

/// A side of a comparison.
#[derive(Debug)]
pub enum Operand {
    /// A calculated number, or the value of a name ([`Node::Column`]).
    Value(Node),
    /// A text in quotation marks.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`, `==`.
    Equal,
    /// `!=`, `<>`, `≠`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`, `≤`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`, `≥`.
    AtLeast,
}

/// Signs of comparisons, longer ones first.
const SIGNS: [(&str, Comparison); 11] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<>", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("≠", Comparison::NotEqual),
    ("≤", Comparison::AtMost),
    ("≥", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// Quotation marks that begin a text, and those that end it. Word makes them curly.
const QUOTES: [(char, &[char]); 4] =
    [('"', &['"', '”', '“']), ('“', &['"', '”', '“']), ('”', &['"', '”', '“']), ('\'', &['\''])];

impl Comparison {
    /// Returns `true` if it holds for two values in this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}

/// Parses a condition: comparisons of expressions, texts and names, joined by `and`, `or`, `not` and parentheses.
///
/// # Errors
///
/// The text is no condition, or exceeds a limit of [`named`](crate::named).
pub fn condition(text: &str) -> Result<Test, String> {
    let mut parser = Parser::new(text, true)?;
    let root = any(&mut parser)?;
    match parser.peek() {
        None => Ok(Test { root, names: parser.columns }),
        Some(_) => Err(parser.wanted("a comparison, `and`, `or` or the end")),
    }
}

fn any(parser: &mut Parser) -> Result<Condition, String> {
    let mut left = all(parser)?;
    while is_word(parser, "or") {
        parser.count()?;
        left = Condition::Or(Box::new(left), Box::new(all(parser)?));
    }
    Ok(left)
}

fn all(parser: &mut Parser) -> Result<Condition, String> {
    let mut left = not(parser)?;
    while is_word(parser, "and") {
        parser.count()?;
        left = Condition::And(Box::new(left), Box::new(not(parser)?));
    }
    Ok(left)
}

fn not(parser: &mut Parser) -> Result<Condition, String> {
    if is_word(parser, "not") {
        parser.count()?;
        return Ok(Condition::Not(Box::new(parser.nested(not)?)));
    }
    if parser.peek() != Some('(') {
        return comparison(parser);
    }
    // The parenthesis is around a number, or around a condition.
    let before = parser.clone();
    let number = match comparison(parser) {
        Ok(found) => return Ok(found),
        Err(problem) => (parser.at, problem),
    };
    *parser = before;
    parser.at += 1;
    let inner = parser.nested(any).and_then(|inner| parser.expect(')').map(|()| inner));
    // The reading that comes further explains the mistake.
    inner.map_err(|problem| if parser.at >= number.0 { problem } else { number.1 })
}

fn comparison(parser: &mut Parser) -> Result<Condition, String> {
    let left = operand(parser)?;
    parser.peek();
    let rest: String = parser.chars.iter().skip(parser.at).take(2).collect();
    let Some((sign, how)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) else {
        return Ok(Condition::Holds(left));
    };
    parser.at += sign.chars().count();
    parser.count()?;
    Ok(Condition::Compare(left, *how, operand(parser)?))
}

fn operand(parser: &mut Parser) -> Result<Operand, String> {
    let quote = parser.peek();
    if let Some((_, ends)) = QUOTES.iter().find(|(open, _)| Some(*open) == quote) {
        let start = parser.at;
        let inner = parser.chars.get(start + 1..).unwrap_or_default();
        let Some(length) = inner.iter().position(|char| ends.contains(char)) else {
            return Err(format!(
                "expected a quotation mark for the one at character {start}, got the end"
            ));
        };
        let text = inner.iter().take(length).collect();
        parser.at += length + 2;
        parser.count()?;
        return Ok(Operand::Text(text));
    }
    for (word, value) in [("true", true), ("false", false)] {
        if is_word(parser, word) {
            parser.count()?;
            return Ok(Operand::Bool(value));
        }
    }
    parser.sum().map(Operand::Value)
}

/// Skips this word and returns `true` if it follows.
fn is_word(parser: &mut Parser, word: &str) -> bool {
    parser.peek();
    let before = parser.at;
    if parser.word() == word {
        return true;
    }
    parser.at = before;
    false
}
