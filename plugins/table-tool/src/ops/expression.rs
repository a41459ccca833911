//! Arithmetic expressions over columns: parsed with bounded depth and size, calculated exactly.
//!
//! Knows no tables: columns are numbered in order of appearance.

use crate::fraction::Fraction;
use crate::number::Number;
use crate::problem::quote;

const MAX_CHARS: usize = 2_000;
const MAX_DEPTH: usize = 32;
/// Most operations, because each may add the digits of a cell to a fraction. It bounds the work for a row.
const MAX_OPERATIONS: usize = 100;
/// Most digits to round to; numbers have no more.
const MAX_ROUND: i32 = 28;

/// A parsed expression.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) root: Node,
    /// Names of the columns, in order of first appearance.
    pub(super) columns: Vec<String>,
}

/// A part of an expression.
#[derive(Debug)]
pub(super) enum Node {
    Literal(Fraction),
    Column(usize),
    Negate(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
    Abs(Box<Node>),
    Round(Box<Node>, i32),
    Min(Vec<Node>),
    Max(Vec<Node>),
    Coalesce(Vec<Node>),
}

/// The values of a row, and the state of the calculation.
pub(super) struct Context {
    pub(super) columns: Vec<Option<Fraction>>,
    pub(super) divided_by_zero: bool,
}

impl Node {
    /// Returns the value; `None` if an operand is null or a divisor is zero.
    pub(super) fn value(&self, context: &mut Context) -> Option<Fraction> {
        Some(match self {
            Node::Literal(value) => value.clone(),
            Node::Column(idx) => context.columns[*idx].clone()?,
            Node::Negate(node) => -node.value(context)?,
            Node::Abs(node) => node.value(context)?.abs(),
            Node::Round(node, decimals) => node.value(context)?.round(*decimals),
            Node::Min(nodes) => values(nodes, context)?.into_iter().min()?,
            Node::Max(nodes) => values(nodes, context)?.into_iter().max()?,
            Node::Coalesce(nodes) => nodes.iter().find_map(|node| node.value(context))?,
            Node::Binary(operator, left, right) => {
                let (left, right) = (left.value(context), right.value(context));
                let (left, right) = (left?, right?);
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ if right.is_zero() => {
                        context.divided_by_zero = true;
                        return None;
                    }
                    _ => left / right,
                }
            }
        })
    }
}

fn values(nodes: &[Node], context: &mut Context) -> Option<Vec<Fraction>> {
    nodes.iter().map(|node| node.value(context)).collect()
}

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let n_chars = text.chars().count();
    if n_chars > MAX_CHARS {
        return Err(format!("expected at most {MAX_CHARS} characters, got {n_chars}"));
    }
    let mut parser = Parser {
        chars: text.chars().collect(),
        at: 0,
        depth: 0,
        n_operations: 0,
        columns: Vec::new(),
    };
    let root = parser.sum()?;
    match parser.peek() {
        None => Ok(Expression { root, columns: parser.columns }),
        Some(_) => Err(parser.wanted("an operator or the end")),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    n_operations: usize,
    columns: Vec<String>,
}

impl Parser {
    fn sum(&mut self) -> Result<Node, String> {
        self.chain(&['+', '-'], Parser::product)
    }

    fn product(&mut self) -> Result<Node, String> {
        self.chain(&['*', '/'], Parser::unary)
    }

    fn chain(
        &mut self,
        operators: &[char],
        operand: fn(&mut Parser) -> Result<Node, String>,
    ) -> Result<Node, String> {
        let mut left = operand(self)?;
        while let Some(operator) = self.peek().filter(|char| operators.contains(char)) {
            self.at += 1;
            self.count()?;
            left = Node::Binary(operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, String> {
        match self.peek() {
            Some(sign @ ('-' | '+')) => {
                self.at += 1;
                self.count()?;
                let operand = self.nested(Parser::unary)?;
                Ok(if sign == '-' { Node::Negate(Box::new(operand)) } else { operand })
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Result<Node, String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let node = self.nested(Parser::sum)?;
                self.expect(')')?;
                Ok(node)
            }
            Some('[') => self.column(),
            Some('0'..='9') => self.literal(),
            Some(char) if char.is_ascii_alphabetic() => self.function(),
            _ => Err(self.wanted("a number, a column in brackets, a function or `(`")),
        }
    }

    fn column(&mut self) -> Result<Node, String> {
        let start = self.at;
        let mut name = String::new();
        loop {
            self.at += 1;
            match (self.chars.get(self.at), self.chars.get(self.at + 1)) {
                (Some(']'), Some(']')) => {
                    name.push(']');
                    self.at += 1;
                }
                (Some(']'), _) => break,
                (Some(char), _) => name.push(*char),
                (None, _) => {
                    return Err(format!(
                        "expected `]` for the `[` at character {start}, got the end"
                    ));
                }
            }
        }
        self.at += 1;
        let idx =
            self.columns.iter().position(|column| *column == name).unwrap_or(self.columns.len());
        if idx == self.columns.len() {
            self.count()?;
            self.columns.push(name);
        }
        Ok(Node::Column(idx))
    }

    fn literal(&mut self) -> Result<Node, String> {
        let start = self.at;
        let is_part = |previous: char, char: char| {
            char.is_ascii_digit()
                || matches!(char, '.' | 'e' | 'E')
                || (matches!(previous, 'e' | 'E') && matches!(char, '+' | '-'))
        };
        while self.at + 1 < self.chars.len()
            && is_part(self.chars[self.at], self.chars[self.at + 1])
        {
            self.at += 1;
        }
        self.at += 1;
        let lexeme: String = self.chars[start..self.at].iter().collect();
        let number =
            Number::from_json(&lexeme).map_err(|text| format!("{text} at character {start}"))?;
        let decimal = number.exact().ok_or_else(|| {
            format!("expected a number of at most 28 digits, got `{lexeme}` at character {start}")
        })?;
        Ok(Node::Literal(Fraction::from(decimal)))
    }

    fn function(&mut self) -> Result<Node, String> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(char::is_ascii_alphanumeric) {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        self.count()?;
        if !matches!(name.as_str(), "abs" | "round" | "min" | "max" | "coalesce") {
            return Err(format!(
                "expected `abs`, `round`, `min`, `max` or `coalesce`, got {} at character {start}; columns are written in brackets",
                quote(&name)
            ));
        }
        self.expect('(')?;
        let mut arguments = vec![self.nested(Parser::sum)?];
        while self.peek() == Some(',') {
            self.at += 1;
            self.count()?;
            arguments.push(self.nested(Parser::sum)?);
        }
        self.expect(')')?;
        call(&name, arguments).map_err(|text| format!("{text} at character {start}"))
    }

    fn nested(&mut self, inner: fn(&mut Parser) -> Result<Node, String>) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "expected parentheses and signs at most {MAX_DEPTH} deep, got more at character {}",
                self.at
            ));
        }
        let node = inner(self)?;
        self.depth -= 1;
        Ok(node)
    }

    fn count(&mut self) -> Result<(), String> {
        self.n_operations += 1;
        if self.n_operations > MAX_OPERATIONS {
            Err(format!("expected at most {MAX_OPERATIONS} operations, got more"))
        } else {
            Ok(())
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wanted(&format!("`{wanted}`")))
    }

    /// Returns the next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|char| char.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    fn wanted(&mut self, wanted: &str) -> String {
        match self.peek() {
            Some(char) => format!(
                "expected {wanted}, got {} at character {}",
                quote(&char.to_string()),
                self.at
            ),
            None => format!("expected {wanted}, got the end"),
        }
    }
}

fn call(name: &str, mut arguments: Vec<Node>) -> Result<Node, String> {
    let n_arguments = arguments.len();
    match (name, n_arguments) {
        ("min", _) => Ok(Node::Min(arguments)),
        ("max", _) => Ok(Node::Max(arguments)),
        ("coalesce", _) => Ok(Node::Coalesce(arguments)),
        ("abs", 1) => Ok(Node::Abs(Box::new(arguments.remove(0)))),
        ("round", 2) => {
            let decimals = constant(&arguments[1]).ok_or_else(|| format!("expected a whole number from -{MAX_ROUND} to {MAX_ROUND} as second argument of `round`"))?;
            Ok(Node::Round(Box::new(arguments.remove(0)), decimals))
        }
        _ => Err(format!(
            "expected {} for `{name}`, got {n_arguments}",
            if name == "abs" { "one argument" } else { "two arguments" }
        )),
    }
}

/// Returns the number of digits, which must be the same in every row.
fn constant(node: &Node) -> Option<i32> {
    let decimals = match node {
        Node::Literal(value) => value.to_i32()?,
        Node::Negate(inner) => constant(inner)?.checked_neg()?,
        _ => return None,
    };
    (-MAX_ROUND..=MAX_ROUND).contains(&decimals).then_some(decimals)
}
