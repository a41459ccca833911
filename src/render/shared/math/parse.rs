//! The grammar of formulas: groups, scripts, signs. Commands are in `commands`.

use super::commands::Infix;
use super::scan::{Scanner, Token};
use super::signs;
use super::tree::{
    Class, Formula, GridKind, Letters, Node, ScriptPlacement, Symbol, Text, is_integral,
};
use super::{MAX_DEPTH, grids};
use crate::model::cjk::is_cjk;

/// The error is the part that is not understood.
pub(super) type Result<T> = std::result::Result<T, String>;

/// Reads one formula.
pub(super) struct Parser<'a> {
    pub(super) scanner: Scanner<'a>,
    depth: usize,
    /// Style of letters at this point.
    pub(super) letters: Letters,
    pub(super) left_out: Vec<String>,
    /// Numbers of the formula, or of its lines, in order.
    pub(super) tags: Vec<String>,
}

pub(super) fn formula(source: &str) -> Result<Formula> {
    let mut parser = Parser {
        scanner: Scanner::new(source),
        depth: 0,
        letters: Letters::default(),
        left_out: Vec::new(),
        tags: Vec::new(),
    };
    let body = parser.lines()?;
    match parser.scanner.peek() {
        Token::End => {}
        Token::Char('}') => return Err("} without {".to_owned()),
        Token::Char(c) => return Err(c.to_string()),
        Token::Command(name) => return Err(format!("\\{name} without its beginning")),
    }
    let tag = (!parser.tags.is_empty()).then(|| parser.tags.join(", "));
    parser.left_out.sort();
    parser.left_out.dedup();
    Ok(Formula { body, tag, left_out: parser.left_out })
}

impl Parser<'_> {
    /// Runs `read` one level deeper. Returns an error if there are too many levels.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let letters = self.letters;
        let read = read(self);
        self.letters = letters;
        self.depth -= 1;
        read
    }

    /// Reads all lines up to their end. Separators of a table outside of one make lines, as people write them.
    fn lines(&mut self) -> Result<Node> {
        let rows = self.deeper(grids::rows)?;
        if rows.is_single() {
            Ok(rows.into_single())
        } else {
            rows.into_grid(GridKind::Lines, None, "").map(Node::Grid)
        }
    }

    /// Reads parts up to the end of a group: a brace, a separator of a table, the end of an environment, `\right`; or
    /// `stop`.
    pub(super) fn list(&mut self, stop: Option<char>) -> Result<Node> {
        self.deeper(|parser| parser.parts(stop))
    }

    fn parts(&mut self, stop: Option<char>) -> Result<Node> {
        let mut nodes = Vec::new();
        loop {
            self.scanner.skip_spaces();
            match self.scanner.peek() {
                Token::End | Token::Char('}' | '&' | '$') => break,
                Token::Char(c) if Some(c) == stop => break,
                Token::Command("\\" | "cr" | "newline" | "end" | "right" | "middle") => break,
                Token::Command(name) => {
                    if let Some(infix) = Infix::of(name) {
                        self.scanner.next();
                        let above = finished(nodes);
                        let below = self.list(stop)?;
                        return Ok(infix.join(above, below));
                    }
                    if let Some(size) = super::commands::size(name) {
                        self.scanner.next();
                        let body = Box::new(self.list(stop)?);
                        nodes.push(Node::Sized { size, body });
                        break;
                    }
                    self.with_scripts(&mut nodes)?;
                }
                Token::Char(_) => self.with_scripts(&mut nodes)?,
            }
        }
        Ok(finished(nodes))
    }

    /// Reads one part, and its scripts.
    fn with_scripts(&mut self, nodes: &mut Vec<Node>) -> Result<()> {
        let base = match self.scanner.peek() {
            // Scripts without a base, as before isotopes.
            Token::Char('^' | '_' | '\'' | '’') => Some(Node::empty()),
            _ => self.part(false)?,
        };
        let Some(base) = base else { return Ok(()) };
        let mut place = place_of(&base);
        let (mut sub, mut sup, mut primes) = (None, None, String::new());
        loop {
            self.scanner.skip_spaces();
            match self.scanner.peek() {
                Token::Char('^') if sup.is_none() => {
                    self.scanner.next();
                    sup = Some(self.argument("^")?);
                }
                Token::Char('_') if sub.is_none() => {
                    self.scanner.next();
                    sub = Some(self.argument("_")?);
                }
                Token::Char('\'' | '’') if sup.is_none() => {
                    self.scanner.next();
                    primes.push('′');
                }
                Token::Char('^') => return Err("two superscripts".to_owned()),
                Token::Char('_') => return Err("two subscripts".to_owned()),
                Token::Char('\'' | '’') => return Err("a prime behind a superscript".to_owned()),
                Token::Command("limits") => {
                    self.scanner.next();
                    place = ScriptPlacement::Stacked;
                }
                Token::Command("nolimits") => {
                    self.scanner.next();
                    place = ScriptPlacement::Beside;
                }
                Token::Command("displaylimits") => {
                    self.scanner.next();
                }
                _ => break,
            }
        }
        if !primes.is_empty() {
            let primes = sign(&primes, Class::Ordinary);
            sup = Some(match sup {
                None => primes,
                Some(sup) => Node::Row(vec![primes, sup]),
            });
        }
        match (sub, sup) {
            (None, None) => push(nodes, base),
            (sub, sup) => {
                let (sub, sup) = (sub.map(Box::new), sup.map(Box::new));
                nodes.push(Node::Scripts { base: Box::new(base), sub, sup, place });
            }
        }
        Ok(())
    }

    /// Reads a group in braces, or the next part alone.
    pub(super) fn argument(&mut self, of: &str) -> Result<Node> {
        if self.scanner.take('{') {
            let body = self.list(None)?;
            return if self.scanner.take('}') { Ok(body) } else { Err("{ without }".to_owned()) };
        }
        self.scanner.skip_spaces();
        match self.scanner.peek() {
            Token::End | Token::Char('}' | '&' | '$' | '^' | '_') => {
                Err(format!("{of} without an argument"))
            }
            Token::Command("\\" | "end" | "right" | "middle") => {
                Err(format!("{of} without an argument"))
            }
            _ => self
                .deeper(|parser| parser.part(true))?
                .ok_or_else(|| format!("{of} without an argument")),
        }
    }

    /// Reads an optional argument in brackets.
    pub(super) fn option(&mut self) -> Result<Option<Node>> {
        if !self.scanner.take('[') {
            return Ok(None);
        }
        let body = self.list(Some(']'))?;
        if self.scanner.take(']') { Ok(Some(body)) } else { Err("[ without ]".to_owned()) }
    }

    /// Reads the next part without its scripts. Returns `None` if it shows nothing, and takes no space. `is_short`: only one
    /// digit of a number.
    fn part(&mut self, is_short: bool) -> Result<Option<Node>> {
        let c = match self.scanner.peek() {
            Token::Command(name) => {
                self.scanner.next();
                return self.command(name);
            }
            Token::End => return Ok(None),
            Token::Char(c) => c,
        };
        if c == '{' {
            // A group is spaced like a letter, whatever it contains.
            return self.argument("{").map(|mut group| match group.class() {
                Class::Ordinary => Some(group),
                Class::Large => Some(Node::Row(vec![group])),
                _ => {
                    set_ordinary(&mut group);
                    Some(group)
                }
            });
        }
        if c.is_ascii_digit() && !is_short {
            let text = self.scanner.take_number().to_owned();
            return Ok(Some(Node::Symbol(Symbol {
                text,
                class: Class::Ordinary,
                letters: self.letters,
            })));
        }
        self.scanner.next();
        if c.is_ascii_alphanumeric() {
            return Ok(Some(self.letter(c)));
        }
        if let Some((drawn, class)) = signs::by_sign(c) {
            return Ok(Some(self.sign(drawn, class)));
        }
        match c {
            '~' => Ok(Some(Node::Space(6))),
            '#' | '$' | '&' | '^' | '_' | '}' => Err(c.to_string()),
            c if c.is_control() => Err(format!("U+{:04X}", u32::from(c))),
            c => {
                // Chinese, and other characters without a meaning in formulas, are text.
                let mut text = c.to_string();
                if is_cjk(c) && !is_short {
                    text.push_str(
                        self.scanner.take_while(|c| is_cjk(c) && signs::by_sign(c).is_none()),
                    );
                }
                Ok(Some(Node::Text(Text {
                    text,
                    is_strong: self.letters.is_bold,
                    is_italic: false,
                    is_code: false,
                })))
            }
        }
    }

    /// Returns a letter or a digit in the current style.
    pub(super) fn letter(&self, c: char) -> Node {
        Node::Symbol(Symbol { text: c.to_string(), class: Class::Ordinary, letters: self.letters })
    }

    /// Returns a sign in the current style. Capital Greek letters are upright.
    pub(super) fn sign(&self, drawn: char, class: Class) -> Node {
        let mut letters = Letters { is_word: false, ..self.letters };
        if matches!(drawn, 'Α'..='Ω' | '∂' | '∇') && letters.is_italic.is_none() {
            letters.is_italic = Some(false);
        }
        if !drawn.is_alphabetic() && !matches!(drawn, '∂' | '∇') {
            letters = Letters { is_bold: letters.is_bold, ..Letters::default() };
        }
        Node::Symbol(Symbol { text: drawn.to_string(), class, letters })
    }
}

/// Returns a sign without a style.
pub(super) fn sign(text: &str, class: Class) -> Node {
    Node::Symbol(Symbol { text: text.to_owned(), class, letters: Letters::default() })
}

/// Returns the default position of scripts.
fn place_of(base: &Node) -> ScriptPlacement {
    match base {
        Node::Operator { has_limits: true, .. } => ScriptPlacement::Movable,
        Node::Symbol(symbol) if symbol.is_large() && !is_integral(&symbol.text) => {
            ScriptPlacement::Movable
        }
        Node::Classed { class: Class::Large, .. } => ScriptPlacement::Movable,
        Node::Along {
            mark: super::Mark::Brace | super::Mark::Bracket | super::Mark::Parenthesis,
            ..
        } => ScriptPlacement::Stacked,
        _ => ScriptPlacement::Beside,
    }
}

/// Adds a part; letters of one name are joined.
fn push(nodes: &mut Vec<Node>, node: Node) {
    if let (Some(Node::Symbol(last)), Node::Symbol(next)) = (nodes.last_mut(), &node)
        && next.letters.is_word
        && last.letters == next.letters
        && last.class == Class::Ordinary
        && next.class == Class::Ordinary
    {
        last.text.push_str(&next.text);
        return;
    }
    nodes.push(node);
}

/// Completes a list: a binary sign that lacks one of its operands is spaced like a letter.
pub(super) fn finished(mut nodes: Vec<Node>) -> Node {
    let mut before = None;
    for index in 0..nodes.len() {
        if matches!(nodes.get(index), Some(Node::Space(_))) {
            continue;
        }
        let class = nodes.get(index).map_or(Class::Ordinary, Node::class);
        if class == Class::Binary {
            let after = nodes.get(index + 1..).unwrap_or_default().iter();
            let after =
                after.filter(|node| !matches!(node, Node::Space(_))).map(Node::class).next();
            use Class::{Binary, Closing, Large, Opening, Punctuation, Relation};
            let is_alone =
                matches!(before, None | Some(Binary | Relation | Opening | Punctuation | Large))
                    || matches!(after, None | Some(Relation | Closing | Punctuation));
            if is_alone && let Some(node) = nodes.get_mut(index) {
                set_ordinary(node);
            }
        }
        before = nodes.get(index).map(Node::class);
    }
    Node::row(nodes)
}

fn set_ordinary(node: &mut Node) {
    match node {
        Node::Symbol(symbol) => symbol.class = Class::Ordinary,
        Node::Scripts { base, .. } => set_ordinary(base),
        Node::Big { class, .. } | Node::Classed { class, .. } => *class = Class::Ordinary,
        _ => {}
    }
}
