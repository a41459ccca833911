//! Content streams: operators with their operands and their place, so that one can be replaced and the rest stays byte for
//! byte.

use crate::lex::{Budget, Fault, Lexer, is_space};
use crate::object::{Dict, Object};
use std::ops::Range;

/// Most values of one content stream.
const MAX_VALUES: usize = 6_000_000;
/// Most operands of one operator; more are forgotten, as other readers do.
const MAX_OPERANDS: usize = 1_000;

/// An operator.
pub(crate) struct Operation<'a> {
    pub(crate) operator: &'a [u8],
    pub(crate) operands: Vec<Object>,
    /// Its bytes with its operands.
    pub(crate) span: Range<usize>,
    /// Data of an inline picture; its dictionary is the operand.
    pub(crate) data: Range<usize>,
}

impl Operation<'_> {
    /// Returns a number of the operands; zero if there is none.
    pub(crate) fn number(&self, at: usize) -> f64 {
        self.operands.get(at).and_then(Object::as_f64).filter(|it| it.is_finite()).unwrap_or(0.0)
    }

    /// Returns all operands as numbers, if there are as many.
    pub(crate) fn numbers<const N: usize>(&self) -> Option<[f64; N]> {
        let start = self.operands.len().checked_sub(N)?;
        let mut numbers = [0.0; N];
        for (to, from) in numbers.iter_mut().zip(&self.operands[start..]) {
            *to = from.as_f64().filter(|it| it.is_finite())?;
        }
        Some(numbers)
    }

    /// Returns a name that is the last operand.
    pub(crate) fn name(&self) -> Option<&[u8]> {
        self.operands.last().and_then(Object::as_name)
    }
}

/// Reads the operators of a content stream.
pub(crate) struct Operations<'a> {
    lexer: Lexer<'a>,
    budget: Budget,
    /// Memory of operands that are done with.
    spare: Vec<Object>,
    /// A limit was exceeded, and the rest was not read.
    pub(crate) is_cut: bool,
}

impl<'a> Operations<'a> {
    pub(crate) fn new(content: &'a [u8]) -> Self {
        let (lexer, budget) = (Lexer::new(content, 0), Budget(MAX_VALUES));
        Self { lexer, budget, spare: Vec::new(), is_cut: false }
    }

    /// Returns `true` if a comment stands in what was read.
    pub(crate) fn has_comments(&self) -> bool {
        self.lexer.has_comments
    }

    /// Takes the memory of an operation back.
    pub(crate) fn reuse(&mut self, operation: Operation<'_>) {
        self.spare = operation.operands;
        self.spare.clear();
    }

    /// Reads the dictionary and the data behind `BI`.
    fn inline(&mut self, start: usize) -> Operation<'a> {
        let mut dict = Dict::new();
        loop {
            self.lexer.skip_space();
            if self.lexer.peek().is_none() {
                break;
            }
            if self.lexer.peek() != Some(b'/') {
                if self.lexer.word() == b"ID" {
                    break;
                }
                if self.lexer.at == start || self.lexer.peek().is_some_and(|it| !is_space(it)) {
                    self.lexer.at += 1;
                }
                continue;
            }
            let Ok(Object::Name(key)) = self.lexer.value(&mut self.budget, false) else { break };
            self.lexer.skip_space();
            let before = self.lexer.at;
            match self.lexer.value(&mut self.budget, false) {
                Ok(value) => dict.push(&key, value),
                Err(_) => {
                    self.lexer.at = before;
                    if self.lexer.word().is_empty() {
                        self.lexer.at += 1;
                    }
                }
            }
        }
        if self.lexer.peek().is_some_and(is_space) {
            self.lexer.at += 1;
        }
        let data = self.lexer.at.min(self.lexer.bytes.len());
        let end = end_of_inline(self.lexer.bytes, data, &dict);
        self.lexer.at = (end + 3).min(self.lexer.bytes.len());
        if self.lexer.bytes.get(end..end + 2) == Some(b"EI") {
            self.lexer.at = end + 2;
        }
        Operation {
            operator: b"BI",
            operands: vec![Object::Dict(dict)],
            span: start..self.lexer.at,
            data: data..end,
        }
    }
}

/// States that content saves and restores.
#[derive(Clone, Copy, Default)]
pub(crate) struct Saves {
    open: usize,
    unopened: usize,
}

impl Saves {
    /// Counts an operator.
    pub(crate) fn count(&mut self, operator: &[u8]) {
        match operator {
            b"q" => self.open += 1,
            b"Q" if self.open > 0 => self.open -= 1,
            b"Q" => self.unopened += 1,
            _ => {}
        }
    }

    /// Returns what must stand before and behind the content, so that it changes nothing for what is drawn behind it.
    pub(crate) fn around(self) -> [String; 2] {
        let before = "q\n".repeat((self.unopened + 1).min(1_000));
        [before, format!("\n{}", "Q\n".repeat((self.open + 1).min(1_000)))]
    }
}

/// Returns the length of unfiltered data; `None` if it cannot be known.
fn plain_length(dict: &Dict) -> Option<usize> {
    let either = |long: &str, short: &str| {
        if dict.has(long) { dict.get(long) } else { dict.get(short) }.clone()
    };
    if !either("Filter", "F").is_null() {
        return None;
    }
    let int = |long: &str, short: &str| {
        either(long, short).as_int().and_then(|it| usize::try_from(it).ok())
    };
    let (width, height) = (int("Width", "W")?, int("Height", "H")?);
    if either("ImageMask", "IM") == Object::Bool(true) {
        return width.div_ceil(8).checked_mul(height);
    }
    let colors = match either("ColorSpace", "CS").as_name()? {
        b"DeviceGray" | b"G" => 1,
        b"DeviceRGB" | b"RGB" => 3,
        b"DeviceCMYK" | b"CMYK" => 4,
        _ => return None,
    };
    let bits = int("BitsPerComponent", "BPC")?;
    width.checked_mul(colors)?.checked_mul(bits)?.div_ceil(8).checked_mul(height)
}

fn end_of_inline(bytes: &[u8], data: usize, dict: &Dict) -> usize {
    let ends = |at: usize| {
        bytes.get(at..at + 2) == Some(b"EI")
            && bytes.get(at + 2).is_none_or(|it| is_space(*it))
            // What follows must look like operators.
            && bytes[(at + 2).min(bytes.len())..].iter().take(10).all(|it| (0x20..0x7f).contains(it) || is_space(*it))
    };
    if let Some(end) = plain_length(dict).and_then(|it| data.checked_add(it)) {
        let blank = bytes
            .get(end..)
            .map_or(0, |it| it.iter().take(3).take_while(|it| is_space(**it)).count());
        if ends(end + blank) {
            return end + blank;
        }
    }
    let mut at = data;
    while at < bytes.len() {
        if bytes[at] == b'E'
            && (at == data || is_space(bytes[at - 1]) || bytes[at - 1] == b'>')
            && ends(at)
        {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

impl<'a> Iterator for Operations<'a> {
    type Item = Operation<'a>;

    fn next(&mut self) -> Option<Operation<'a>> {
        let mut operands = std::mem::take(&mut self.spare);
        self.lexer.skip_space();
        let mut start = self.lexer.at;
        loop {
            self.lexer.skip_space();
            if operands.is_empty() {
                start = self.lexer.at;
            }
            self.lexer.peek()?;
            match self.lexer.value(&mut self.budget, false) {
                Ok(value) => {
                    if operands.len() >= MAX_OPERANDS {
                        operands.clear();
                    }
                    operands.push(value);
                }
                Err(Fault::Limit) => {
                    self.is_cut = true;
                    return None;
                }
                Err(Fault::End) => return None,
                Err(Fault::Syntax) => {
                    let operator = self.lexer.word();
                    if operator.is_empty() {
                        // A stray delimiter.
                        self.lexer.at += 1;
                        continue;
                    }
                    if operator == b"BI" {
                        return Some(self.inline(start));
                    }
                    let span = start..self.lexer.at;
                    return Some(Operation { operator, operands, span, data: 0..0 });
                }
            }
        }
    }
}

/// A matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Returns the matrix that applies this one first, then the other.
    pub(crate) fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    pub(crate) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// Returns the box around a rectangle that is turned.
    pub(crate) fn bounds(self, rect: [f64; 4]) -> [f64; 4] {
        let corners = [(0, 1), (2, 1), (0, 3), (2, 3)].map(|(x, y)| self.apply(rect[x], rect[y]));
        let mut out = [f64::MAX, f64::MAX, f64::MIN, f64::MIN];
        for (x, y) in corners {
            out = [out[0].min(x), out[1].min(y), out[2].max(x), out[3].max(y)];
        }
        out
    }

    /// Returns the inverse; `None` if there is none.
    pub(crate) fn inverse(self) -> Option<Self> {
        let [a, b, c, d, e, f] = self.0;
        let det = a * d - b * c;
        if det.abs() < 1e-12 || !det.is_finite() {
            return None;
        }
        Some(Self([
            d / det,
            -b / det,
            -c / det,
            a / det,
            (c * f - d * e) / det,
            (b * e - a * f) / det,
        ]))
    }
}
