//! Arithmetic expressions over named numbers: parsed with bounded depth and size, calculated exactly.
//!
//! Knows no tables and no templates: names are numbered in order of appearance.

use crate::fraction::Fraction;
use crate::number::Number;

/// Most characters of an expression.
const MAX_CHARS: usize = 2_000;
/// Most nested parentheses and signs.
const MAX_DEPTH: usize = 32;
/// Most operations, because each may add the digits of a cell to a fraction. It bounds the work for a row.
const MAX_OPERATIONS: usize = 100;
/// Most digits to round to; numbers have no more.
const MAX_ROUND: i32 = 28;

/// Most characters of a name or sign in a message.
const MAX_SHOWN: usize = 100;

/// A parsed expression.
#[derive(Debug)]
pub struct Expression {
    /// The expression itself.
    pub root: Node,
    /// Names of the columns, in order of first appearance.
    pub columns: Vec<String>,
}

/// A number over all items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overall {
    /// The sum.
    Sum,
    /// The number of values that are not empty.
    Count,
    /// The arithmetic mean.
    Average,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
}

/// A part of an expression.
#[derive(Debug)]
pub enum Node {
    /// A number.
    Literal(Fraction),
    /// The value of a name, by its index.
    Column(usize),
    /// A value with the other sign.
    Negate(Box<Node>),
    /// Two values with one of `+ - * /` between them.
    Binary(char, Box<Node>, Box<Node>),
    /// The absolute value.
    Abs(Box<Node>),
    /// A value rounded half to even to this many digits.
    Round(Box<Node>, i32),
    /// The least of the values.
    Min(Vec<Node>),
    /// The greatest of the values.
    Max(Vec<Node>),
    /// The first value that is not null.
    Coalesce(Vec<Node>),
    /// A number over all items of a list. Only [`named`] expressions have it.
    Over(Overall, Box<Node>),
}

/// The values of names, and the state of the calculation.
pub trait Operands {
    /// Returns the value of a name; `None` for null.
    fn column(&mut self, index: usize) -> Option<Fraction>;

    /// Returns a number over all items of a list; `None` for null.
    fn over(&mut self, overall: Overall, inner: &Node) -> Option<Fraction>;

    /// Is called for each division by zero, which results in null.
    fn divides_by_zero(&mut self);
}

/// The values of a row, and the state of the calculation.
#[derive(Debug)]
pub struct Context {
    /// The values by the index of their names.
    pub columns: Vec<Option<Fraction>>,
    /// `true` if something was divided by zero.
    pub divided_by_zero: bool,
}

impl Operands for Context {
    fn column(&mut self, index: usize) -> Option<Fraction> {
        self.columns.get(index)?.clone()
    }

    /// Returns null, because expressions over columns have no lists.
    fn over(&mut self, _: Overall, _: &Node) -> Option<Fraction> {
        None
    }

    fn divides_by_zero(&mut self) {
        self.divided_by_zero = true;
    }
}

impl Node {
    /// Returns the value; `None` if an operand is null or a divisor is zero.
    pub fn value<O: Operands>(&self, context: &mut O) -> Option<Fraction> {
        Some(match self {
            Node::Literal(value) => value.clone(),
            Node::Column(idx) => context.column(*idx)?,
            Node::Over(overall, inner) => context.over(*overall, inner)?,
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
                        context.divides_by_zero();
                        return None;
                    }
                    _ => left / right,
                }
            }
        })
    }
}

fn values<O: Operands>(nodes: &[Node], context: &mut O) -> Option<Vec<Fraction>> {
    nodes.iter().map(|node| node.value(context)).collect()
}

/// Parses an expression over columns, whose names are in brackets: `[price] * [quantity]`.
///
/// # Errors
///
/// The text is no expression, is longer than 2 000 characters, or has more than 100 operations or 32 levels.
pub fn parse(text: &str) -> Result<Expression, String> {
    whole(Parser::new(text, false)?)
}

/// Parses an expression over named values: `price * quantity`, `sum(items.price)`. A name with other characters than letters,
/// digits, `_` and dots is in brackets. A hyphen between letters is a part of the name.
///
/// # Errors
///
/// Those of [`parse`].
pub fn named(text: &str) -> Result<Expression, String> {
    whole(Parser::new(text, true)?)
}

fn whole(mut parser: Parser) -> Result<Expression, String> {
    let root = parser.sum()?;
    match parser.peek() {
        None => Ok(Expression { root, columns: parser.columns }),
        Some(_) => Err(parser.wanted("an operator or the end")),
    }
}

#[derive(Clone)]
pub(crate) struct Parser {
    pub(crate) chars: Vec<char>,
    pub(crate) at: usize,
    depth: usize,
    n_operations: usize,
    pub(crate) columns: Vec<String>,
    /// `true` if names stand without brackets, and lists have sums.
    is_named: bool,
}

impl Parser {
    pub(crate) fn new(text: &str, is_named: bool) -> Result<Parser, String> {
        let n_chars = text.chars().count();
        if n_chars > MAX_CHARS {
            return Err(format!("expected at most {MAX_CHARS} characters, got {n_chars}"));
        }
        let (chars, columns) = (text.chars().collect(), Vec::new());
        Ok(Parser { chars, at: 0, depth: 0, n_operations: 0, columns, is_named })
    }

    pub(crate) fn sum(&mut self) -> Result<Node, String> {
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
            Some(char) if self.is_named && (char.is_alphabetic() || "_@.".contains(char)) => {
                if self.is_call() { self.function() } else { self.bare() }
            }
            Some(char) if char.is_ascii_alphabetic() => self.function(),
            _ if self.is_named => Err(self.wanted("a number, a name, a function or `(`")),
            _ => Err(self.wanted("a number, a column in brackets, a function or `(`")),
        }
    }

    /// Returns `true` if letters before a parenthesis follow.
    fn is_call(&self) -> bool {
        let mut rest = self.chars.get(self.at..).unwrap_or_default().iter();
        rest.by_ref()
            .skip_while(|char| char.is_ascii_alphanumeric())
            .find(|char| !char.is_whitespace())
            .is_some_and(|char| *char == '(')
    }

    /// Parses a name without brackets.
    fn bare(&mut self) -> Result<Node, String> {
        let name = self.word();
        self.index(name)
    }

    /// Returns the name that follows: letters, digits, `_`, `@`, dots, and hyphens between letters.
    pub(crate) fn word(&mut self) -> String {
        let is_letter = |char: &char| char.is_alphanumeric() || "_@".contains(*char);
        let mut name = String::new();
        while let Some(char) = self.chars.get(self.at) {
            let next = self.chars.get(self.at + 1);
            let is_inner = *char == '-' && !name.is_empty() && next.is_some_and(is_letter);
            if !(is_letter(char) || *char == '.' || is_inner) {
                break;
            }
            name.push(*char);
            self.at += 1;
        }
        name
    }

    /// Returns the node of a name.
    fn index(&mut self, name: String) -> Result<Node, String> {
        let known = self.columns.iter().position(|column| *column == name);
        let idx = known.unwrap_or(self.columns.len());
        if known.is_none() {
            self.count()?;
            self.columns.push(name);
        }
        Ok(Node::Column(idx))
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
        self.index(name)
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
        let is_over = self.is_named && matches!(name.as_str(), "sum" | "count" | "average");
        let is_known = matches!(name.as_str(), "abs" | "round" | "min" | "max" | "coalesce");
        if !is_known && self.is_named && !is_over {
            return Err(format!(
                "expected `sum`, `count`, `average`, `min`, `max`, `abs`, `round` or `coalesce`, got {} at character {start}",
                quote(&name)
            ));
        }
        if !is_known && !is_over {
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
        if self.is_named && arguments.len() == 1 {
            let overall = match name.as_str() {
                "sum" => Some(Overall::Sum),
                "count" => Some(Overall::Count),
                "average" => Some(Overall::Average),
                "min" => Some(Overall::Min),
                "max" => Some(Overall::Max),
                _ => None,
            };
            if let (Some(overall), Some(inner)) = (overall, arguments.pop_if(|_| overall.is_some()))
            {
                return Ok(Node::Over(overall, Box::new(inner)));
            }
        }
        call(&name, arguments).map_err(|text| format!("{text} at character {start}"))
    }

    pub(crate) fn nested<T>(
        &mut self,
        inner: fn(&mut Parser) -> Result<T, String>,
    ) -> Result<T, String> {
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

    pub(crate) fn count(&mut self) -> Result<(), String> {
        self.n_operations += 1;
        if self.n_operations > MAX_OPERATIONS {
            Err(format!("expected at most {MAX_OPERATIONS} operations, got more"))
        } else {
            Ok(())
        }
    }

    pub(crate) fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wanted(&format!("`{wanted}`")))
    }

    /// Returns the next character that is not white space.
    pub(crate) fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|char| char.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    pub(crate) fn wanted(&mut self, wanted: &str) -> String {
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

/// Quotes a text for a message, shortened and without control characters.
fn quote(text: &str) -> String {
    let mut short = String::new();
    for (n_chars, char) in text.chars().enumerate() {
        if n_chars == MAX_SHOWN {
            short.push('…');
            break;
        }
        if char.is_control() { short.extend(char.escape_default()) } else { short.push(char) }
    }
    format!("`{short}`")
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
            if name == "round" { "two arguments" } else { "one argument" }
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
