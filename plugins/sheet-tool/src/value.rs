//! Values of cells and formulas. Knows nothing of workbooks.

use std::rc::Rc;

/// An error value of Excel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    Null,
    Div0,
    Value,
    Ref,
    Name,
    Num,
    NotAvailable,
    GettingData,
    Spill,
    Calc,
}

const ERRORS: [(ErrorCode, &str); 10] = [
    (ErrorCode::Null, "#NULL!"),
    (ErrorCode::Div0, "#DIV/0!"),
    (ErrorCode::Value, "#VALUE!"),
    (ErrorCode::Ref, "#REF!"),
    (ErrorCode::Name, "#NAME?"),
    (ErrorCode::Num, "#NUM!"),
    (ErrorCode::NotAvailable, "#N/A"),
    (ErrorCode::GettingData, "#GETTING_DATA"),
    (ErrorCode::Spill, "#SPILL!"),
    (ErrorCode::Calc, "#CALC!"),
];

impl ErrorCode {
    pub(crate) fn as_str(self) -> &'static str {
        ERRORS.iter().find(|it| it.0 == self).map_or("#VALUE!", |it| it.1)
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        ERRORS.iter().find(|it| it.1.eq_ignore_ascii_case(text)).map(|it| it.0)
    }

    /// Returns the error at the beginning of a text.
    pub(crate) fn at_start(text: &str) -> Option<(Self, usize)> {
        ERRORS
            .iter()
            .find(|it| text.get(..it.1.len()).is_some_and(|start| start.eq_ignore_ascii_case(it.1)))
            .map(|it| (it.0, it.1.len()))
    }

    /// Returns the number that `ERROR.TYPE` gives.
    pub(crate) fn number(self) -> f64 {
        match self {
            Self::Null => 1.0,
            Self::Div0 => 2.0,
            Self::Value => 3.0,
            Self::Ref => 4.0,
            Self::Name => 5.0,
            Self::Num => 6.0,
            Self::NotAvailable => 7.0,
            Self::GettingData => 8.0,
            Self::Spill => 9.0,
            Self::Calc => 14.0,
        }
    }
}

/// A single value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Scalar {
    #[default]
    Empty,
    Number(f64),
    Text(Rc<str>),
    Bool(bool),
    Error(ErrorCode),
}

impl Scalar {
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Rc::from(text.as_ref()))
    }

    /// Returns `true` if both are the same but for the last digits of a number.
    pub(crate) fn is_close(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => {
                a == b || (a - b).abs() <= 1e-13 * a.abs().max(b.abs())
            }
            _ => self == other,
        }
    }

    /// Returns the value as a person writes it, without a number format.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Number(number) => general(*number),
            Self::Text(text) => text.to_string(),
            Self::Bool(true) => "TRUE".to_owned(),
            Self::Bool(false) => "FALSE".to_owned(),
            Self::Error(code) => code.as_str().to_owned(),
        }
    }
}

/// Returns a number as Excel joins it to a text: at most 15 digits, with an exponent if it is long.
pub(crate) fn general(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:.14e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-5..21).contains(&exponent) && (exponent >= -4 || trimmed(mantissa).len() < 8) {
        // The rounded digits, not those of the number itself.
        let rounded: f64 = scientific.parse().unwrap_or(number);
        let decimals = usize::try_from(14 - exponent).unwrap_or(0);
        return trimmed(&format!("{rounded:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}E{sign}{:02}", trimmed(mantissa), exponent.abs())
}

/// A rectangle of values, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) cells: Vec<Scalar>,
}

impl Array {
    pub(crate) fn get(&self, row: usize, column: usize) -> &Scalar {
        self.cells.get(row * self.columns + column).unwrap_or(&Scalar::Empty)
    }

    pub(crate) fn column(cells: Vec<Scalar>) -> Self {
        Self { rows: cells.len(), columns: 1, cells }
    }

    pub(crate) fn row(cells: Vec<Scalar>) -> Self {
        Self { rows: 1, columns: cells.len(), cells }
    }

    pub(crate) fn transposed(&self) -> Self {
        let at = |index: usize| self.get(index % self.rows, index / self.rows).clone();
        Self {
            rows: self.columns,
            columns: self.rows,
            cells: (0..self.cells.len()).map(at).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_have_fifteen_digits() {
        for (number, expected) in [
            (0.1 + 0.2, "0.3"),
            (1234567.0, "1234567"),
            (-12.5, "-12.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1E+21"),
            (1.5e-7, "1.5E-07"),
            (0.0001, "0.0001"),
            (1.0 / 3.0, "0.333333333333333"),
        ] {
            assert_eq!(general(number), expected);
        }
    }
}
