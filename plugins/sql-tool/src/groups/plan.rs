//! The plan of a query with groups: read from the text that `sqlite/columnwise.h` writes, and checked against the columns.
//!
//! The check accepts what gives the same result as SQLite for any rows, and nothing else. SQLite converts a value before it
//! compares it with one of another type; such comparisons are not accepted.

use super::batch::{At, Key};
use super::condition::{Comparison, Condition};
use super::formula::{Formula, Operation};
use super::sums::{Argument, Function, Name, Term};
use crate::columns::{Columns, Kind};
use crate::decimal::short;
use std::rc::Rc;
use std::str::SplitAsciiWhitespace;

/// An expression as SQLite has it.
#[derive(Clone)]
enum Expr {
    Column(At),
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Compare(Comparison, Box<[Expr; 2]>),
    And(Box<[Expr; 2]>),
    Or(Box<[Expr; 2]>),
    Not(Box<Expr>),
    IsNull(Box<Expr>),
    Calculated(Operation, Box<[Expr; 2]>),
    Case(Vec<(Expr, Expr)>, Box<Expr>),
}

/// A function with its argument and its filter.
type Called = (Name, Option<Expr>, Option<Expr>);

/// A plan that was read.
pub(super) struct Plan {
    pub(super) tables: Vec<usize>,
    is_left: Vec<bool>,
    pub(super) keys: Vec<Key>,
    conditions: Vec<Expr>,
    /// The conditions of each LEFT JOIN, with the place of its right table.
    left: Vec<(usize, Expr)>,
    functions: Vec<Called>,
    /// How many rows are wanted; 0 for groups.
    most: usize,
}

/// A plan that gives the result of SQLite.
pub(super) struct Checked {
    pub(super) keys: Vec<Key>,
    /// Two columns that are equal, and are in two tables.
    pub(super) equal: Vec<[At; 2]>,
    /// The columns that are equal by a LEFT JOIN, that of its right table last.
    pub(super) left: Vec<[At; 2]>,
    /// `true` for each table at the right of a LEFT JOIN.
    pub(super) is_left: Vec<bool>,
    pub(super) conditions: Vec<Condition>,
    pub(super) functions: Vec<Function>,
    pub(super) most: usize,
}

struct Reader<'a> {
    words: SplitAsciiWhitespace<'a>,
}

impl Reader<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.words.next()?.parse().ok()
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.number::<u8>()? == 1)
    }

    fn at(&mut self) -> Option<At> {
        Some(At { table: self.number()?, column: self.number()? })
    }

    fn two(&mut self) -> Option<Box<[Expr; 2]>> {
        Some(Box::new([self.expr()?, self.expr()?]))
    }

    fn expr(&mut self) -> Option<Expr> {
        let word = self.words.next()?;
        if let Some(comparison) = Comparison::named(word) {
            return Some(Expr::Compare(comparison, self.two()?));
        }
        if let Some(operation) = Operation::named(word) {
            return Some(Expr::Calculated(operation, self.two()?));
        }
        Some(match word {
            "c" => Expr::Column(self.at()?),
            "null" => Expr::Null,
            "i" => Expr::Integer(self.number()?),
            "r" => Expr::Real(f64::from_bits(self.number::<i64>()?.cast_unsigned())),
            "and" => Expr::And(self.two()?),
            "or" => Expr::Or(self.two()?),
            "not" => Expr::Not(Box::new(self.expr()?)),
            "isnull" => Expr::IsNull(Box::new(self.expr()?)),
            "case" => {
                let arms = self.number()?;
                let arms: Option<_> =
                    (0..arms).map(|_: u32| Some((self.expr()?, self.expr()?))).collect();
                Expr::Case(arms?, Box::new(self.expr()?))
            }
            text => Expr::Text(bytes_of(text.strip_prefix('x')?)?),
        })
    }

    fn function(&mut self) -> Option<Called> {
        let name = Name::named(self.words.next()?)?;
        let (has_argument, has_filter) = (self.flag()?, self.flag()?);
        let argument = if has_argument { Some(self.expr()?) } else { None };
        let filter = if has_filter { Some(self.expr()?) } else { None };
        Some((name, argument, filter))
    }
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.as_bytes().chunks(2).map(pair).collect()
}

impl Plan {
    /// Reads a plan.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { words: text.split_ascii_whitespace() };
        let n_tables: usize = reader.number()?;
        let (mut tables, mut is_left) = (Vec::new(), Vec::new());
        for _ in 0..n_tables {
            tables.push(reader.number()?);
            is_left.push(reader.flag()?);
        }
        let n_keys: usize = reader.number()?;
        let keys = (0..n_keys)
            .map(|_| Some(Key { at: reader.at()?, descending: reader.flag()? }))
            .collect::<Option<_>>()?;
        let (mut conditions, mut left) = (Vec::new(), Vec::new());
        loop {
            match reader.words.next()? {
                "where" => conditions.push(reader.expr()?),
                "left" => left.push((reader.number()?, reader.expr()?)),
                _ => break,
            }
        }
        let n_functions: usize = reader.number()?;
        let functions = (0..n_functions).map(|_| reader.function()).collect::<Option<_>>()?;
        let most = reader.number().unwrap_or(0);
        Some(Self { tables, is_left, keys, conditions, left, functions, most })
    }

    /// Returns the plan with the types of the columns; `None` if its result could differ from that of SQLite.
    pub(super) fn check(self, tables: &[Rc<Columns>]) -> Option<Checked> {
        let check = Check { tables, has_choices: self.conditions.iter().any(Expr::has_or) };
        let mut equal = Vec::new();
        let mut conditions = Vec::new();
        for condition in &self.conditions {
            match check.equal(condition) {
                Some(pair) => equal.push(pair),
                None => conditions.push(check.condition(condition)?),
            }
        }
        let left = self.left.iter().map(|(table, condition)| {
            // A table is joined with one before it.
            let [one, other] = check.equal(condition)?;
            let pair = if other.table == *table { [one, other] } else { [other, one] };
            (pair[0].table < *table && pair[1].table == *table).then_some(pair)
        });
        let left = left.collect::<Option<_>>()?;
        for key in &self.keys {
            let kind = check.kind(key.at)?;
            // Two floating point numbers are equal that are not the same: 0 and -0.
            if is_odd(kind) || self.most == 0 && kind == Kind::Float {
                return None;
            }
        }
        let functions =
            self.functions.iter().map(|called| check.function(called)).collect::<Option<_>>()?;
        let Self { is_left, keys, most, .. } = self;
        Some(Checked { keys, equal, left, is_left, conditions, functions, most })
    }
}

struct Check<'a> {
    tables: &'a [Rc<Columns>],
    /// A condition has OR or IN. SQLite may then read the rows of one value after those of another.
    has_choices: bool,
}

impl Expr {
    /// Returns `true` if there is an OR in it, which IN with a list is, too.
    fn has_or(&self) -> bool {
        match self {
            Self::Or(_) => true,
            Self::And(sides) | Self::Compare(_, sides) | Self::Calculated(_, sides) => {
                sides.iter().any(Self::has_or)
            }
            Self::Not(inner) | Self::IsNull(inner) => inner.has_or(),
            Self::Case(arms, otherwise) => {
                arms.iter().any(|(when, then)| when.has_or() || then.has_or()) || otherwise.has_or()
            }
            Self::Column(_) | Self::Null | Self::Integer(_) | Self::Real(_) | Self::Text(_) => {
                false
            }
        }
    }
}

impl Check<'_> {
    /// Returns the type of a column.
    fn kind(&self, at: At) -> Option<Kind> {
        self.tables.get(at.table)?.kinds.get(at.column as usize).copied()
    }

    /// Returns the two columns of different tables that an expression sets equal.
    fn equal(&self, expr: &Expr) -> Option<[At; 2]> {
        let Expr::Compare(Comparison::Equal, sides) = expr else { return None };
        let [Expr::Column(left), Expr::Column(right)] = **sides else { return None };
        let kinds = (self.kind(left)?, self.kind(right)?);
        let same = matches!(kinds, (Kind::Text, Kind::Text) | (Kind::Integer, Kind::Integer));
        (same && left.table != right.table).then_some([left, right])
    }

    fn condition(&self, expr: &Expr) -> Option<Condition> {
        let two = |sides: &[Expr; 2]| {
            Some(Box::new([self.condition(&sides[0])?, self.condition(&sides[1])?]))
        };
        Some(match expr {
            Expr::And(sides) => Condition::And(two(sides)?),
            Expr::Or(sides) => Condition::Or(two(sides)?),
            Expr::Not(inner) => Condition::Not(Box::new(self.condition(inner)?)),
            Expr::IsNull(inner) => match **inner {
                Expr::Column(at) if !is_odd(self.kind(at)?) => Condition::Null(at),
                _ => return None,
            },
            // A number is true unless it is 0.
            Expr::Column(at) if matches!(self.kind(*at)?, Kind::Boolean | Kind::Integer) => {
                Condition::Whole(*at, Comparison::Unequal, 0)
            }
            Expr::Compare(comparison, sides) => match &**sides {
                [Expr::Column(at), constant] => self.compare(*at, *comparison, constant)?,
                [constant, Expr::Column(at)] => self.compare(*at, comparison.turned(), constant)?,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn compare(&self, at: At, comparison: Comparison, constant: &Expr) -> Option<Condition> {
        let kind = self.kind(at)?;
        if is_odd(kind) {
            return None;
        }
        Some(match (kind, constant) {
            (_, Expr::Null) => Condition::Unknown,
            (Kind::Boolean | Kind::Integer, Expr::Integer(number)) => {
                Condition::Whole(at, comparison, *number)
            }
            // Such a whole number is exact in binary.
            (Kind::Decimal | Kind::Float, Expr::Integer(number))
                if number.unsigned_abs() < 1 << 53 =>
            {
                Condition::Real(at, comparison, *number as f64)
            }
            (Kind::Decimal | Kind::Float, Expr::Real(number)) => {
                Condition::Real(at, comparison, *number)
            }
            (Kind::Text | Kind::Date | Kind::Time | Kind::DateTime, Expr::Text(text)) => {
                Condition::Text(at, comparison, text.clone())
            }
            _ => return None,
        })
    }

    fn function(&self, (name, argument, filter): &Called) -> Option<Function> {
        let filter = match filter {
            Some(filter) => Some(self.condition(filter)?),
            None => None,
        };
        let argument = match argument {
            None if *name == Name::Count => None,
            None => return None,
            Some(Expr::Case(arms, otherwise)) if !matches!(name, Name::Least | Name::Greatest) => {
                let arms = arms
                    .iter()
                    .map(|(when, then)| Some((self.condition(when)?, self.term(*name, then)?)))
                    .collect::<Option<Vec<_>>>()?;
                Some(Argument { arms, otherwise: self.term(*name, otherwise)? })
            }
            Some(expr @ Expr::Column(_)) => {
                Some(Argument { arms: Vec::new(), otherwise: self.term(*name, expr)? })
            }
            Some(expr @ Expr::Calculated(..)) if !matches!(name, Name::Least | Name::Greatest) => {
                Some(Argument { arms: Vec::new(), otherwise: self.term(*name, expr)? })
            }
            Some(_) => return None,
        };
        let function = Function { name: *name, argument, filter };
        self.is_exact(&function).then_some(function)
    }

    fn term(&self, name: Name, expr: &Expr) -> Option<Term> {
        Some(match expr {
            Expr::Null => Term::Null,
            Expr::Integer(number) if number.unsigned_abs() <= 1_000_000 => Term::Whole(*number),
            Expr::Real(number) if number.abs() <= 1e6 => {
                let decimal = short(*number)?.shortest();
                let places = u8::try_from(-decimal.exponent.min(0)).ok().filter(|it| *it <= 6)?;
                let power = 10_i128.checked_pow(decimal.exponent.max(0).unsigned_abs())?;
                Term::Decimal(decimal.digits.checked_mul(power)?, places)
            }
            Expr::Text(_) if name == Name::Count => Term::Whole(0),
            Expr::Column(at) => {
                let kind = self.kind(*at)?;
                let is_number =
                    matches!(kind, Kind::Boolean | Kind::Integer | Kind::Decimal | Kind::Float);
                // Texts that are added up give a warning.
                let fits = is_number || !name.adds() && !is_odd(kind);
                fits.then_some(Term::Column(*at, kind))?
            }
            Expr::Calculated(..) => {
                let (formula, is_whole) = self.formula(expr)?;
                Term::Formula(formula, is_whole)
            }
            _ => return None,
        })
    }

    /// Returns what an expression calculates, and `true` if the result is a whole number.
    fn formula(&self, expr: &Expr) -> Option<(Formula, bool)> {
        Some(match expr {
            Expr::Column(at) => match self.kind(*at)? {
                Kind::Boolean | Kind::Integer => (Formula::Column(*at), true),
                Kind::Decimal => (Formula::Column(*at), false),
                _ => return None,
            },
            Expr::Integer(number) if number.unsigned_abs() <= 1_000_000 => {
                (Formula::Constant(*number, 0), true)
            }
            Expr::Real(_) => match self.term(Name::Sum, expr)? {
                Term::Decimal(units, places) => {
                    (Formula::Constant(i64::try_from(units).ok()?, places), false)
                }
                _ => return None,
            },
            Expr::Calculated(operation, sides) => {
                let (left, left_is_whole) = self.formula(&sides[0])?;
                let (right, right_is_whole) = self.formula(&sides[1])?;
                let formula = Formula::Calculated(*operation, Box::new([left, right]));
                (formula, left_is_whole && right_is_whole)
            }
            _ => return None,
        })
    }

    /// Returns `true` if the result of a function does not depend on the order of the rows, or if they come in the order of
    /// SQLite: those of one table, without a choice between terms or rows.
    fn is_exact(&self, function: &Function) -> bool {
        let Some(Argument { arms, otherwise }) = &function.argument else { return true };
        if function.name == Name::Count {
            return true;
        }
        let terms = || arms.iter().map(|(_, term)| term).chain([otherwise]);
        let whole = terms().filter(|term| match term {
            Term::Column(_, kind) => matches!(kind, Kind::Boolean | Kind::Integer),
            Term::Formula(_, is_whole) => *is_whole,
            _ => false,
        });
        let mut decimal = terms().filter(|term| {
            matches!(term, Term::Column(_, Kind::Decimal) | Term::Formula(_, false))
        });
        let first = decimal.next();
        let is_first = |term: &Term| match (first, term) {
            (Some(Term::Column(first, _)), Term::Column(at, _)) => first == at,
            _ => false,
        };
        // Sums of several could need more than 38 digits, and SQLite's way to add them up is another one.
        let mixes = first.is_some() && (whole.count() > 0 || !decimal.all(is_first));
        let has_floats = terms().any(|term| matches!(term, Term::Column(_, Kind::Float)));
        let is_in_order = arms.is_empty() && self.tables.len() == 1 && !self.has_choices;
        !mixes && (!has_floats || is_in_order)
    }
}

/// Returns `true` for columns whose values have several types, or compare by a collation of their own.
fn is_odd(kind: Kind) -> bool {
    matches!(kind, Kind::Mixed | Kind::WideDecimal)
}
