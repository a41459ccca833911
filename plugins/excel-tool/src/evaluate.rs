//! Calculates simple formulas, for viewers that do not calculate.
//!
//! Knows exact arithmetic over cells of the same sheet. All other formulas are left to Excel, which calculates them on
//! opening: no value is better than a wrong one.

use crate::column::{self, Origin};
use crate::facts::Value;
use rust_decimal::Decimal;
use rust_decimal::prelude::{RoundingStrategy, ToPrimitive};

/// Most levels of nesting. It bounds the stack; deeper formulas are left to Excel.
const MAX_DEPTH: u32 = 32;

/// Most cells that all formulas of a sheet may read together: a running total of 100 000 rows reads five billion.
pub(crate) const DEFAULT_READS: usize = 2_000_000;

/// Returns the value of a formula, with or without its leading `=`; `None` if this module cannot calculate it.
pub(crate) fn evaluate(
    expression: &str,
    columns: &[Vec<Value>],
    origin: Origin,
    reads_left: &mut usize,
) -> Option<Decimal> {
    let text = expression.trim();
    let rest = text.strip_prefix('=').unwrap_or(text);
    let mut parser = Parser { rest, columns, origin, reads_left, depth: 0 };
    let value = parser.sum()?;
    parser.rest.trim().is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    columns: &'a [Vec<Value>],
    origin: Origin,
    reads_left: &'a mut usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Option<Decimal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut value = self.product()?;
        while let Some(operator) = self.take_one_of(&['+', '-']) {
            let right = self.product()?;
            value = if operator == '+' {
                value.checked_add(right)?
            } else {
                value.checked_sub(right)?
            };
        }
        self.depth -= 1;
        Some(value)
    }

    fn product(&mut self) -> Option<Decimal> {
        let mut value = self.factor()?;
        while let Some(operator) = self.take_one_of(&['*', '/']) {
            let right = self.factor()?;
            value = if operator == '*' {
                value.checked_mul(right)?
            } else {
                value.checked_div(right)?
            };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<Decimal> {
        let mut is_negative = false;
        while let Some(sign) = self.take_one_of(&['-', '+']) {
            is_negative ^= sign == '-';
        }
        let mut value = self.primary()?;
        while self.take_one_of(&['%']).is_some() {
            value = value.checked_div(Decimal::ONE_HUNDRED)?;
        }
        Some(if is_negative { -value } else { value })
    }

    fn primary(&mut self) -> Option<Decimal> {
        if self.take_one_of(&['(']).is_some() {
            let value = self.sum()?;
            self.take_one_of(&[')'])?;
            return Some(value);
        }
        let rest = self.rest;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '$');
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Decimal::from_str_exact(word).ok();
        }
        if self.take_one_of(&['(']).is_some() {
            return self.function(word);
        }
        let (column, row) = reference(word)?;
        // A range is an argument, not an operand.
        if self.rest.trim_start().starts_with(':') {
            self.rest = rest;
            return None;
        }
        match self.cell(column, row)? {
            Value::Empty => Some(Decimal::ZERO),
            Value::Number(value) | Value::Date(value) => Some(*value),
            Value::Filled | Value::TooLong | Value::Unknown => None,
        }
    }

    fn function(&mut self, name: &str) -> Option<Decimal> {
        let mut numbers = Vec::new();
        loop {
            self.argument(&mut numbers)?;
            match self.take_one_of(&[',', ')'])? {
                ')' => break,
                _ => continue,
            }
        }
        let sum = |numbers: &[Decimal]| {
            numbers.iter().try_fold(Decimal::ZERO, |sum, &number| sum.checked_add(number))
        };
        match (name.to_ascii_uppercase().as_str(), &numbers[..]) {
            ("SUM", numbers) => sum(numbers),
            ("AVERAGE", numbers) => sum(numbers)?.checked_div(Decimal::from(numbers.len())),
            ("MIN", numbers) => Some(numbers.iter().min().copied().unwrap_or_default()),
            ("MAX", numbers) => Some(numbers.iter().max().copied().unwrap_or_default()),
            ("ABS", [number]) => Some(number.abs()),
            ("ROUND", [number, digits]) => {
                let digits = digits.to_u32().filter(|&digits| digits <= 15)?;
                Some(number.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero))
            }
            _ => None,
        }
    }

    /// Parses an argument. A range adds its numbers and ignores its texts, as in Excel. Every other argument is one number.
    fn argument(&mut self, numbers: &mut Vec<Decimal>) -> Option<()> {
        let Some((from, to)) = self.range() else {
            numbers.push(self.sum()?);
            return Some(());
        };
        for row in from.1..=to.1 {
            for column in from.0..=to.0 {
                match self.cell(column, row)? {
                    Value::Number(value) | Value::Date(value) => numbers.push(*value),
                    Value::Empty | Value::Filled => {}
                    Value::TooLong | Value::Unknown => return None,
                }
            }
        }
        Some(())
    }

    fn range(&mut self) -> Option<((usize, usize), (usize, usize))> {
        let rest = self.rest;
        let is_reference = |c: char| c.is_ascii_alphanumeric() || c == '$';
        let from = reference(self.take_while(is_reference));
        let colon = self.take_one_of(&[':']);
        let to = reference(self.take_while(is_reference));
        match (from, colon, to) {
            (Some(from), Some(_), Some(to)) if from.0 <= to.0 && from.1 <= to.1 => Some((from, to)),
            _ => {
                self.rest = rest;
                None
            }
        }
    }

    /// Returns a cell by its column from 0 and its Excel row from 1; `None` for the header and outside the data.
    fn cell(&mut self, column: usize, row: usize) -> Option<&'a Value> {
        *self.reads_left = self.reads_left.checked_sub(1)?;
        let columns: &'a [Vec<Value>] = self.columns;
        let column = columns.get(column.checked_sub(self.origin.column)?)?;
        column.get(row.checked_sub(self.origin.excel_row(0))?)
    }

    fn take_one_of(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let found = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

/// Parses `B7` or `$B$7` to column from 0 and row from 1.
fn reference(word: &str) -> Option<(usize, usize)> {
    let word = word.strip_prefix('$').unwrap_or(word);
    let end = word.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, row) = word.split_at(end);
    let row = row.strip_prefix('$').unwrap_or(row);
    if !row.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((column::index(letters)?, row.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::evaluate;
    use crate::column::Origin;
    use crate::facts::Value;
    use crate::number::decimal;

    fn columns() -> Vec<Vec<Value>> {
        let number = |text: &str| Value::Number(decimal(text).unwrap());
        [
            vec![number("0.1"), number("0.2"), Value::Empty],
            vec![number("3"), Value::Filled, Value::Unknown],
        ]
        .into()
    }

    #[test]
    fn values() {
        for (formula, expected) in [
            ("=A2+A3", Some("0.3")),
            ("A2 * $B$2 - 1", Some("-0.7")),
            ("=-(A2+A3)/2", Some("-0.15")),
            ("=2*-A2", Some("-0.2")),
            ("=10%+A4", Some("0.1")),
            ("=SUM(A2:A4)", Some("0.3")),
            ("=SUM(A2:B3, 1)", Some("4.3")),
            ("=average(A2:A3)", Some("0.15")),
            ("=MAX(A2:A3)-MIN(A2,A3)", Some("0.1")),
            ("=ROUND(A2/B2,2)", Some("0.03")),
            ("=ABS(-1.5)", Some("1.5")),
            ("=1/0", None),
            ("=AVERAGE(A4:A4)", None),
            ("=B3+1", None),
            ("=B4+1", None),
            ("=SUM(B2:B4)", None),
            ("=A1+1", None),
            ("=A5+1", None),
            ("=C2+1", None),
            ("=A2:A3", None),
            ("=SUM(A3:A2)", None),
            ("=2^3", None),
            ("=IF(A2>0,1,2)", None),
            ("=\"text\"", None),
            ("=A2 A3", None),
            ("=", None),
            ("", None),
            ("=Other!A2", None),
            ("=SUM(", None),
        ] {
            let found = evaluate(formula, &columns(), Origin::default(), &mut 1000)
                .map(|value| value.normalize().to_string());
            assert_eq!(found.as_deref(), expected, "{formula}");
        }
    }

    #[test]
    fn effort_is_bounded() {
        assert_eq!(evaluate("=SUM(A2:A4)", &columns(), Origin::default(), &mut 2), None);
        assert_eq!(evaluate(&"(".repeat(100_000), &columns(), Origin::default(), &mut 1000), None);
        assert_eq!(
            evaluate(
                &format!("{}1{}", "(".repeat(20), ")".repeat(20)),
                &columns(),
                Origin::default(),
                &mut 0
            ),
            Some(1.into())
        );
        assert_eq!(
            evaluate("=SUM(A2:XFD99999999)", &columns(), Origin::default(), &mut 1000),
            None
        );
    }
}
