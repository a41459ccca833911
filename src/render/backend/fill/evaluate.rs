//! Calculates simple formulas for viewers that do not calculate: arithmetic, comparison, and functions such as `SUM`.
//!
//! All other formulas are left to Excel, which recalculates on opening: no value is better than a wrong one.

use super::formula::{Reference, references};
use super::refs::{Area, At};

/// Most nested brackets and operators.
const MAX_DEPTH: u32 = 64;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Empty,
    Number(f64),
    Text(String),
    Bool(bool),
}

/// Source of the values of cells. `None` for an unknown value.
pub(super) trait Cells {
    fn value(&mut self, reference: &Reference, at: At) -> Option<Value>;
    /// Returns the reference that a name of the workbook stands for.
    fn name(&self, name: &str) -> Option<Reference>;
    /// Returns all values of an area that are not empty, from left to right and from top to bottom.
    fn values(&mut self, reference: &Reference, area: Area) -> Option<Vec<Value>>;
}

/// Returns the value of a formula; `None` if it has anything unknown.
pub(super) fn evaluate(formula: &str, cells: &mut dyn Cells) -> Option<Value> {
    let mut parser = Parser { rest: formula.trim(), cells, depth: 0 };
    let value = parser.comparison()?;
    parser.rest.trim_start().is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    cells: &'a mut dyn Cells,
    depth: u32,
}

/// An argument of a function.
enum Argument {
    Single(Value),
    Many(Vec<Value>),
}

impl<'a> Parser<'a> {
    fn comparison(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut left = self.joined()?;
        while let Some(operator) = self.one_of(&["<=", ">=", "<>", "=", "<", ">"]) {
            let right = self.joined()?;
            let order = match (&left, &right) {
                (Value::Text(a), Value::Text(b)) => a.to_lowercase().cmp(&b.to_lowercase()),
                (Value::Text(_), _) | (_, Value::Text(_)) => return None,
                (a, b) => number(a)?.partial_cmp(&number(b)?)?,
            };
            left = Value::Bool(match operator {
                "<=" => order.is_le(),
                ">=" => order.is_ge(),
                "<>" => order.is_ne(),
                "=" => order.is_eq(),
                "<" => order.is_lt(),
                _ => order.is_gt(),
            });
        }
        self.depth -= 1;
        Some(left)
    }

    fn joined(&mut self) -> Option<Value> {
        let mut left = self.sum()?;
        while self.one_of(&["&"]).is_some() {
            let right = self.sum()?;
            left = Value::Text(shown(&left)? + &shown(&right)?);
            if matches!(&left, Value::Text(text) if text.len() > super::value::MAX_TEXT) {
                return None;
            }
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<Value> {
        let mut left = self.product()?;
        while let Some(operator) = self.one_of(&["+", "-"]) {
            let (a, b) = (number(&left)?, number(&self.product()?)?);
            left = finite(if operator == "+" { a + b } else { a - b })?;
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Value> {
        let mut left = self.power()?;
        while let Some(operator) = self.one_of(&["*", "/"]) {
            let (a, b) = (number(&left)?, number(&self.power()?)?);
            left = finite(if operator == "*" { a * b } else { a / b })?;
        }
        Some(left)
    }

    fn power(&mut self) -> Option<Value> {
        let mut left = self.signed()?;
        while self.one_of(&["^"]).is_some() {
            let (a, b) = (number(&left)?, number(&self.signed()?)?);
            left = finite(a.powf(b))?;
        }
        Some(left)
    }

    fn signed(&mut self) -> Option<Value> {
        let mut negative = None;
        while let Some(sign) = self.one_of(&["-", "+"]) {
            negative = Some(negative.unwrap_or(false) ^ (sign == "-"));
        }
        let mut value = self.primary()?;
        while self.one_of(&["%"]).is_some() {
            value = finite(number(&value)? / 100.0)?;
        }
        match negative {
            None => Some(value),
            Some(negative) => {
                let value = number(&value)?;
                Some(Value::Number(if negative { -value } else { value }))
            }
        }
    }

    fn primary(&mut self) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if self.one_of(&["("]).is_some() {
            let value = self.comparison()?;
            self.one_of(&[")"])?;
            return Some(value);
        }
        if let Some(text) = self.quoted() {
            return Some(Value::Text(text));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let digits = |text: &str| {
                text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len())
            };
            let mut end = digits(self.rest);
            if let Some(exponent) = self.rest[end..].strip_prefix(['e', 'E']) {
                let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
                if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
                    end = self.rest.len() - unsigned.len() + digits(unsigned);
                }
            }
            let (number, rest) = self.rest.split_at(end);
            self.rest = rest;
            return finite(number.parse().ok()?);
        }
        let name = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
            .unwrap_or(self.rest.len());
        let (word, behind) = self.rest.split_at(name);
        if let Some(inner) = behind.strip_prefix('(') {
            self.rest = inner;
            return self.function(&word.to_ascii_uppercase());
        }
        for (name, value) in [("TRUE", true), ("FALSE", false)] {
            if word.eq_ignore_ascii_case(name) {
                self.rest = behind;
                return Some(Value::Bool(value));
            }
        }
        let reference = self.reference()?;
        let area = reference.area();
        if area.is_cell() { self.cells.value(&reference, area.first) } else { None }
    }

    /// Reads a reference.
    fn reference(&mut self) -> Option<Reference> {
        let end = reference_end(self.rest);
        let (text, rest) = self.rest.split_at(end);
        let (mut found, others) = references(text);
        if found.is_empty()
            && let Some(reference) = self.cells.name(text)
        {
            self.rest = rest;
            return Some(reference);
        }
        if found.len() != 1 || others.any {
            return None;
        }
        self.rest = rest;
        found.pop()
    }

    fn quoted(&mut self) -> Option<String> {
        let mut rest = self.rest.strip_prefix('"')?;
        let mut text = String::new();
        loop {
            let end = rest.find('"')?;
            text.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('"') {
                Some(more) => {
                    text.push('"');
                    rest = more;
                }
                None => {
                    self.rest = rest;
                    return Some(text);
                }
            }
        }
    }

    fn function(&mut self, name: &str) -> Option<Value> {
        let mut arguments = Vec::new();
        if self.one_of(&[")"]).is_none() {
            loop {
                arguments.push(self.argument()?);
                match self.one_of(&[",", ")"])? {
                    ")" => break,
                    _ if arguments.len() >= 255 => return None,
                    _ => {}
                }
            }
        }
        match (name, &arguments[..]) {
            ("IF", [Argument::Single(test), then, rest @ ..]) if rest.len() <= 1 => {
                let chosen = if number(test)? != 0.0 { Some(then) } else { rest.first() };
                match chosen {
                    Some(Argument::Single(Value::Empty)) => Some(Value::Number(0.0)),
                    Some(Argument::Single(value)) => Some(value.clone()),
                    Some(Argument::Many(_)) => None,
                    None => Some(Value::Bool(false)),
                }
            }
            ("ROUND", [Argument::Single(value), Argument::Single(places)]) => {
                round(number(value)?, number(places)?)
            }
            ("ABS", [Argument::Single(value)]) => finite(number(value)?.abs()),
            ("INT", [Argument::Single(value)]) => finite(number(value)?.floor()),
            ("COUNTA", all) => {
                let count = all.iter().map(|it| match it {
                    Argument::Single(_) => 1,
                    Argument::Many(values) => values.len(),
                });
                Some(Value::Number(count.sum::<usize>() as f64))
            }
            (_, all) => aggregate(name, all),
        }
    }

    fn argument(&mut self) -> Option<Argument> {
        self.rest = self.rest.trim_start();
        let before = self.rest;
        if let Some(reference) = self.reference()
            && matches!(self.rest.trim_start().chars().next(), Some(',' | ')'))
        {
            let area = reference.area();
            return self.cells.values(&reference, area).map(|mut values| {
                match (area.is_cell(), values.len()) {
                    (true, 0) => Argument::Single(Value::Empty),
                    (true, _) => Argument::Single(values.remove(0)),
                    (false, _) => Argument::Many(values),
                }
            });
        }
        self.rest = before;
        self.comparison().map(Argument::Single)
    }

    fn one_of(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest.trim_start();
        let found = wanted.iter().find(|it| rest.starts_with(**it))?;
        self.rest = &rest[found.len()..];
        Some(found)
    }
}

/// Returns the length of a possible reference, including its sheet.
fn reference_end(text: &str) -> usize {
    let mut at = 0;
    if text.starts_with('\'') {
        at = super::refs::qualified(text).map_or(text.len(), |(_, rest)| text.len() - rest.len());
    }
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '!' | ':' | '\\' | '?');
    at + text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at)
}

/// Returns the result of a function over numbers of areas; a single argument must be a number.
fn aggregate(name: &str, arguments: &[Argument]) -> Option<Value> {
    let mut numbers = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Single(Value::Empty) => {}
            // Excel ignores a cell with another type, but not such an argument.
            Argument::Single(Value::Text(_) | Value::Bool(_)) => return None,
            Argument::Single(Value::Number(value)) => numbers.push(*value),
            Argument::Many(values) => numbers.extend(values.iter().filter_map(|it| match it {
                Value::Number(value) => Some(*value),
                _ => None,
            })),
        }
    }
    let sum = || numbers.iter().sum::<f64>();
    match name {
        "SUM" => finite(sum()),
        "COUNT" => Some(Value::Number(numbers.len() as f64)),
        "AVERAGE" if !numbers.is_empty() => finite(sum() / numbers.len() as f64),
        "MIN" => finite(numbers.iter().copied().reduce(f64::min).unwrap_or(0.0)),
        "MAX" => finite(numbers.iter().copied().reduce(f64::max).unwrap_or(0.0)),
        "PRODUCT" if !numbers.is_empty() => finite(numbers.iter().product()),
        _ => None,
    }
}

fn finite(value: f64) -> Option<Value> {
    value.is_finite().then_some(Value::Number(value))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Empty => Some(0.0),
        Value::Number(number) => Some(*number),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Text(_) => None,
    }
}

/// Returns a value within a text; `None` for numbers whose notation is uncertain.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Empty => Some(String::new()),
        Value::Text(text) => Some(text.clone()),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e11 => {
            Some(format!("{number}"))
        }
        Value::Number(_) => None,
        Value::Bool(value) => Some(if *value { "TRUE" } else { "FALSE" }.into()),
    }
}

/// Rounds half away from zero, by the decimal notation of the number: 1.005 becomes 1.01.
fn round(value: f64, places: f64) -> Option<Value> {
    if places.fract() != 0.0 || !(-15.0..=15.0).contains(&places) {
        return None;
    }
    let factor = 10_f64.powi(places as i32);
    let scaled = value.abs() * factor;
    // The nearest number with fifteen digits, in which halves are exact.
    let seen: f64 = format!("{scaled:.14e}").parse().ok()?;
    let rounded = (seen + 0.5).floor() / factor;
    finite(rounded.copysign(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Cells for Fixed {
        fn name(&self, name: &str) -> Option<Reference> {
            let (mut found, _) = references("A5:A6");
            found.pop().filter(|_| name == "税率")
        }

        fn value(&mut self, reference: &Reference, at: At) -> Option<Value> {
            self.values(reference, Area { first: at, last: at })
                .map(|mut it| it.pop().unwrap_or(Value::Empty))
        }

        /// Column A: 1, 2, 3 …, B: texts, C: empty, D: unknown.
        fn values(&mut self, _: &Reference, area: Area) -> Option<Vec<Value>> {
            let mut values = Vec::new();
            for row in area.first.row..=area.last.row.min(100) {
                for column in area.first.column..=area.last.column {
                    match column {
                        1 => values.push(Value::Number(f64::from(row))),
                        2 => values.push(Value::Text(format!("t{row}"))),
                        3 => {}
                        _ => return None,
                    }
                }
            }
            Some(values)
        }
    }

    #[test]
    fn values_are_those_of_excel_or_none() {
        let number = |value| Some(Value::Number(value));
        let text = |value: &str| Some(Value::Text(value.into()));
        for (formula, expected) in [
            ("SUM(A1:A3)*2", number(12.0)),
            ("SUM(A1:C3,10)", number(16.0)),
            ("-2^2", number(4.0)),
            ("1+2*3-4/2", number(5.0)),
            ("(1+2)*10%", number(0.3)),
            ("ROUND(1.005,2)", number(1.01)),
            ("ROUND(-2.5,0)", number(-3.0)),
            ("ROUND(1234.5,-2)", number(1200.0)),
            ("IF(A3>2,\"yes\",\"no\")", text("yes")),
            ("IF(A1>2,1)", Some(Value::Bool(false))),
            ("IF(B1=\"T1\",A2,0)", number(2.0)),
            ("\"共 \"&A3&\" 项\"", text("共 3 项")),
            ("AVERAGE(A1:A4)", number(2.5)),
            ("COUNT(A1:C3)+COUNTA(B1:C3)", number(6.0)),
            ("MAX(A1:A9)-MIN(A1,A2)", number(8.0)),
            ("'it''s'!A2+表!A3", number(5.0)),
            ("1.5E+2", number(150.0)),
            ("SUM(税率)+1", number(12.0)),
            ("C1+1", number(1.0)),
            ("INT(-1.5)", number(-2.0)),
            ("1<>2", Some(Value::Bool(true))),
            ("2<>2", Some(Value::Bool(false))),
            ("1<=1", Some(Value::Bool(true))),
            ("2<=1", Some(Value::Bool(false))),
            ("1>=2", Some(Value::Bool(false))),
            ("2>=2", Some(Value::Bool(true))),
            ("2>2", Some(Value::Bool(false))),
            ("2<2", Some(Value::Bool(false))),
            ("\"b\">\"A\"", Some(Value::Bool(true))),
            ("\"a\"<>\"A\"", Some(Value::Bool(false))),
            ("D1+1", None),
            ("SUM(A1:D1)", None),
            ("1/0", None),
            ("VLOOKUP(1,A1:B3,2)", None),
            ("SUM(T[x])", None),
            ("B1+1", None),
            ("0.1&\"\"", None),
            ("A1:A2", None),
            ("SUM(A1:A3", None),
            ("", None),
            ("SUBTOTAL(9,A1:A3)", None),
        ] {
            let found = evaluate(formula, &mut Fixed);
            match (&found, &expected) {
                (Some(Value::Number(a)), Some(Value::Number(b))) => {
                    assert!((a - b).abs() < 1e-12, "{formula}: {a}")
                }
                _ => assert_eq!(found, expected, "{formula}"),
            }
        }
        assert_eq!(evaluate(&"(".repeat(100_000), &mut Fixed), None);
        assert_eq!(evaluate(&"-".repeat(100_000), &mut Fixed), None);
    }
}
