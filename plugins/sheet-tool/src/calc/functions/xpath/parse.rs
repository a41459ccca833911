//! Reads an XPath expression.

use super::evaluate::Halt;
use super::tree::{Axis, Operator, Start, Step, Test, Tree};

/// Most nested expressions.
const MAX_DEPTH: u32 = 32;
/// Most tokens of an expression.
const MAX_TOKENS: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Text(String),
    Name(String),
    Sign(&'static str),
}

/// Signs, of which longer ones come first.
const SIGNS: [&str; 22] = [
    "::", "//", "..", "!=", "<=", ">=", "/", ".", "@", "(", ")", "[", "]", ",", "|", "+", "-", "=",
    "<", ">", "*", "$",
];

/// Functions with the fewest and the most arguments.
const FUNCTIONS: [(&str, usize, usize); 25] = [
    ("boolean", 1, 1),
    ("ceiling", 1, 1),
    ("concat", 2, 64),
    ("contains", 2, 2),
    ("count", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("name", 0, 1),
    ("normalize-space", 0, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("position", 0, 0),
    ("round", 1, 1),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-length", 0, 1),
    ("substring", 2, 3),
    ("substring-after", 2, 2),
    ("substring-before", 2, 2),
    ("sum", 1, 1),
    ("translate", 3, 3),
    ("true", 0, 0),
    ("namespace-uri", 0, 1),
];

pub(super) fn parsed(path: &str) -> Result<Tree, Halt> {
    let tokens = tokens(path)?;
    if tokens.len() > MAX_TOKENS {
        return Err(Halt::Limit);
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let tree = parser.expression(0)?;
    if parser.at == tokens.len() { Ok(tree) } else { Err(Halt::Wrong) }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn tokens(path: &str) -> Result<Vec<Token>, Halt> {
    let mut found = Vec::new();
    let mut rest = path.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || first == '.' && second_is_digit {
            let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            found.push(Token::Number(rest[..end].parse().map_err(|_| Halt::Wrong)?));
            rest = &rest[end..];
        } else if first == '\'' || first == '"' {
            let end = rest[1..].find(first).ok_or(Halt::Wrong)?;
            found.push(Token::Text(rest[1..=end].to_owned()));
            rest = &rest[end + 2..];
        } else if is_name_start(first) {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
            if rest.starts_with(':') && !rest.starts_with("::") {
                let Some(Token::Name(prefix)) = found.pop() else { return Err(Halt::Wrong) };
                return Err(Halt::Unsupported(format!("the namespace prefix `{prefix}`")));
            }
        } else {
            let sign = SIGNS.iter().find(|it| rest.starts_with(**it)).ok_or(Halt::Wrong)?;
            found.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
        rest = rest.trim_start();
    }
    Ok(found)
}

/// Operators by their strength, the weakest first.
const LEVELS: [&[(&str, Operator)]; 7] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[("=", Operator::Equal), ("!=", Operator::NotEqual)],
    &[
        ("<", Operator::Less),
        ("<=", Operator::LessOrEqual),
        (">", Operator::Greater),
        (">=", Operator::GreaterOrEqual),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply), ("div", Operator::Divide), ("mod", Operator::Remainder)],
    &[("|", Operator::Union)],
];

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(it)) if *it == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), Halt> {
        if self.take(sign) { Ok(()) } else { Err(Halt::Wrong) }
    }

    fn operator(&mut self, level: usize) -> Option<Operator> {
        let word = match self.tokens.get(self.at)? {
            Token::Sign(sign) => sign,
            Token::Name(name) => name.as_str(),
            _ => return None,
        };
        let found = LEVELS[level].iter().find(|it| it.0 == word)?.1;
        self.at += 1;
        Some(found)
    }

    fn expression(&mut self, level: usize) -> Result<Tree, Halt> {
        self.depth += u32::from(level == 0);
        if self.depth > MAX_DEPTH {
            return Err(Halt::Limit);
        }
        // A sign binds weaker than `|` and stronger than all others.
        let mut left = match level {
            6 => {
                let mut is_negative = false;
                while self.take("-") {
                    is_negative = !is_negative;
                }
                let value = self.union()?;
                if is_negative { Tree::Negative(Box::new(value)) } else { value }
            }
            level => self.expression(level + 1)?,
        };
        while level < 6
            && let Some(operator) = self.operator(level)
        {
            let right = self.expression(level + 1)?;
            left = Tree::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= u32::from(level == 0);
        Ok(left)
    }

    fn union(&mut self) -> Result<Tree, Halt> {
        let mut left = self.path()?;
        while let Some(operator) = self.operator(6) {
            left = Tree::Binary(operator, Box::new(left), Box::new(self.path()?));
        }
        Ok(left)
    }

    fn path(&mut self) -> Result<Tree, Halt> {
        let mut steps = Vec::new();
        if self.take("//") {
            steps.push(any_depth());
            self.steps(&mut steps)?;
            return Ok(Tree::Path(Start::Root, steps));
        }
        if self.take("/") {
            if self.starts_step() {
                self.steps(&mut steps)?;
            }
            return Ok(Tree::Path(Start::Root, steps));
        }
        let Some(value) = self.primary()? else {
            self.steps(&mut steps)?;
            return Ok(Tree::Path(Start::Context, steps));
        };
        let predicates = self.predicates()?;
        if self.is("/") || self.is("//") {
            self.more_steps(&mut steps)?;
        } else if predicates.is_empty() {
            return Ok(value);
        }
        Ok(Tree::Path(Start::Nodes(Box::new(value), predicates), steps))
    }

    /// Reads a number, a text, a call or what is in brackets; `None` if a step stands here.
    fn primary(&mut self) -> Result<Option<Tree>, Halt> {
        let opens = matches!(self.tokens.get(self.at + 1), Some(Token::Sign("(")));
        let tree = match self.tokens.get(self.at) {
            Some(Token::Number(number)) => Tree::Number(*number),
            Some(Token::Text(text)) => Tree::Text(text.clone()),
            Some(Token::Sign("(")) => {
                self.at += 1;
                let inner = self.expression(0)?;
                self.expect(")")?;
                return Ok(Some(inner));
            }
            Some(Token::Sign("$")) => return Err(Halt::Unsupported("a variable".to_owned())),
            Some(Token::Name(name)) if opens && !is_node_test(name) => {
                let name = name.clone();
                self.at += 2;
                return self.call(name).map(Some);
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(tree))
    }

    fn call(&mut self, name: String) -> Result<Tree, Halt> {
        let Some((_, least, most)) = FUNCTIONS.iter().find(|it| it.0 == name) else {
            return Err(Halt::Unsupported(format!("the function `{name}`")));
        };
        let mut arguments = Vec::new();
        if !self.take(")") {
            loop {
                arguments.push(self.expression(0)?);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        if (least..=most).contains(&&arguments.len()) {
            Ok(Tree::Call(name, arguments))
        } else {
            Err(Halt::Wrong)
        }
    }

    fn starts_step(&self) -> bool {
        matches!(
            self.tokens.get(self.at),
            Some(Token::Name(_) | Token::Sign("." | ".." | "@" | "*"))
        )
    }

    fn steps(&mut self, steps: &mut Vec<Step>) -> Result<(), Halt> {
        steps.push(self.step()?);
        self.more_steps(steps)
    }

    fn more_steps(&mut self, steps: &mut Vec<Step>) -> Result<(), Halt> {
        loop {
            if self.take("//") {
                steps.push(any_depth());
            } else if !self.take("/") {
                return Ok(());
            }
            steps.push(self.step()?);
        }
    }

    fn step(&mut self) -> Result<Step, Halt> {
        let abbreviation = match self.tokens.get(self.at) {
            Some(Token::Sign(".")) => Some(Axis::Itself),
            Some(Token::Sign("..")) => Some(Axis::Parent),
            _ => None,
        };
        if let Some(axis) = abbreviation {
            self.at += 1;
            return Ok(Step { axis, test: Test::AnyNode, predicates: Vec::new() });
        }
        let mut axis = if self.take("@") { Axis::Attribute } else { Axis::Child };
        if let (Some(Token::Name(name)), Some(Token::Sign("::"))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
        {
            axis = Axis::of(name).ok_or_else(|| Halt::Unsupported(format!("the axis `{name}`")))?;
            self.at += 2;
        }
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn test(&mut self) -> Result<Test, Halt> {
        if self.take("*") {
            return Ok(Test::AnyName);
        }
        let Some(Token::Name(name)) = self.tokens.get(self.at) else { return Err(Halt::Wrong) };
        self.at += 1;
        if !is_node_test(name) || !self.take("(") {
            return Ok(Test::Name(name.clone()));
        }
        let test = match name.as_str() {
            "node" => Test::AnyNode,
            "text" => Test::Text,
            "comment" => Test::Comment,
            _ => match self.tokens.get(self.at) {
                Some(Token::Text(target)) => {
                    self.at += 1;
                    Test::Instruction(Some(target.clone()))
                }
                _ => Test::Instruction(None),
            },
        };
        self.expect(")")?;
        Ok(test)
    }

    fn predicates(&mut self) -> Result<Vec<Tree>, Halt> {
        let mut found = Vec::new();
        while self.take("[") {
            found.push(self.expression(0)?);
            self.expect("]")?;
        }
        Ok(found)
    }
}

fn is_node_test(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}

fn any_depth() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::AnyNode, predicates: Vec::new() }
}
