//! The meaning of names in a template, within a repeated row and outside of one.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::fill_values::{FillTable, FillValue, FillValues};

/// Rows for which a block is repeated.
#[derive(Clone, Copy)]
pub(super) enum Rows<'v> {
    List(&'v [FillValue]),
    Table(&'v FillTable),
}

impl<'v> Rows<'v> {
    pub(super) fn of(value: &'v FillValue) -> Option<Rows<'v>> {
        match value {
            FillValue::List(items) => Some(Rows::List(items)),
            FillValue::Table(table) => Some(Rows::Table(table)),
            _ => None,
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Rows::List(items) => items.len(),
            Rows::Table(table) => table.rows.len(),
        }
    }

    /// Returns a value of a row by its name; for an empty name the row itself, if it is a single value.
    pub(super) fn field(&self, row: usize, name: &str) -> Option<&'v FillValue> {
        match self {
            Rows::List(items) => match name {
                "" => items.get(row),
                name => items.get(row)?.get(name),
            },
            Rows::Table(table) => {
                let column = table.columns.iter().position(|it| it == name)?;
                table.rows.get(row).map(|row| row.get(column).unwrap_or(&FillValue::Empty))
            }
        }
    }

    /// Returns a value of a row by its position.
    pub(super) fn at(&self, row: usize, column: usize) -> Option<&'v FillValue> {
        match self {
            Rows::Table(table) => table.rows.get(row)?.get(column),
            Rows::List(items) => match items.get(row)? {
                FillValue::List(values) => values.get(column),
                FillValue::Record(entries) => {
                    // In the order of the first row, by the names of this one.
                    let Some(FillValue::Record(first)) = items.first() else {
                        return entries.get(column).map(|(_, value)| value);
                    };
                    let (name, _) = first.get(column)?;
                    entries.iter().find(|(it, _)| it == name).map(|(_, value)| value)
                }
                value => Some(value).filter(|_| column == 0),
            },
        }
    }

    /// Returns the names of its columns, if it has any.
    pub(super) fn names(&self) -> Vec<&'v str> {
        match self {
            Rows::Table(table) => table.columns.iter().map(String::as_str).collect(),
            Rows::List(items) => match items.first() {
                Some(FillValue::Record(entries)) => {
                    entries.iter().map(|(it, _)| it.as_str()).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// Returns the number of its columns.
    pub(super) fn width(&self) -> usize {
        match self {
            Rows::Table(table) => table.columns.len(),
            Rows::List(items) => {
                let width = |item: &FillValue| match item {
                    FillValue::List(values) => values.len(),
                    FillValue::Record(entries) => entries.len(),
                    _ => 1,
                };
                items.iter().map(width).max().unwrap_or(0)
            }
        }
    }
}

/// All values, and which of them were used.
pub(super) struct Values<'v> {
    values: &'v FillValues,
    used: RefCell<BTreeSet<usize>>,
}

/// The row for a placeholder.
#[derive(Clone, Copy)]
pub(super) struct Item<'s, 'v> {
    pub(super) list: &'s str,
    pub(super) rows: Rows<'v>,
    /// `None` in the row that remains of an empty list.
    pub(super) index: Option<usize>,
}

/// Name of the number of a row, from 1.
const NUMBER: &str = "@number";

static EMPTY: FillValue = FillValue::Empty;

/// The meaning of a name.
pub(super) enum Binding<'v> {
    Value(&'v FillValue),
    Number(usize),
}

impl<'v> Values<'v> {
    pub(super) fn new(values: &'v FillValues) -> Values<'v> {
        Values { values, used: RefCell::default() }
    }

    pub(super) fn entries(&self) -> &'v [(String, FillValue)] {
        self.values.entries()
    }

    pub(super) fn mark(&self, entry: usize) {
        self.used.borrow_mut().insert(entry);
    }

    pub(super) fn is_used(&self, entry: usize) -> bool {
        self.used.borrow().contains(&entry)
    }

    /// Returns names that were not used.
    pub(super) fn unused(&self) -> Vec<&'v str> {
        let used = self.used.borrow();
        let all = self.entries().iter().enumerate();
        all.filter(|(at, _)| !used.contains(at)).map(|(_, (name, _))| name.as_str()).collect()
    }

    /// Returns a value outside of the current row.
    pub(super) fn global(&self, name: &str) -> Option<&'v FillValue> {
        let found = self.values.get(name)?;
        let leads = |key: &str| {
            name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let keys = self.entries().iter().enumerate().filter(|(_, (key, _))| leads(key));
        if let Some((at, _)) = keys.max_by_key(|(_, (key, _))| key.len()) {
            self.mark(at);
        }
        Some(found)
    }

    /// Returns the list to which a name leads: its own name, and its rows.
    pub(super) fn list<'n>(&self, name: &'n str) -> Option<(&'n str, Rows<'v>)> {
        let dots = name.match_indices('.').map(|(at, _)| at);
        let ends = dots.chain(std::iter::once(name.len()));
        ends.filter_map(|end| {
            let list = name.get(..end)?;
            Some((list, Rows::of(self.values.get(list)?)?))
        })
        .next()
    }

    /// Returns the meaning of a name here.
    pub(super) fn find(&self, name: &str, item: Option<&Item<'_, 'v>>) -> Option<Binding<'v>> {
        let Some(item) = item else { return self.global(name).map(Binding::Value) };
        self.global(item.list);
        let own = match name.strip_prefix(item.list) {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix('.'),
            None => None,
        };
        let field = own.unwrap_or(name);
        let Some(index) = item.index else {
            // The names of an empty list are unknown.
            let other = self.values.get(name).filter(|_| own.is_none());
            return match other {
                Some(_) => self.global(name).map(Binding::Value),
                None => Some(Binding::Value(&EMPTY)),
            };
        };
        if field == NUMBER {
            return Some(Binding::Number(index + 1));
        }
        let found = item.rows.field(index, field).or_else(|| match own {
            Some(_) => None,
            None => self.global(name),
        });
        found.map(Binding::Value)
    }

    /// Returns all names, for suggestions.
    pub(super) fn names(&self) -> Vec<String> {
        const MOST: usize = 1_000;
        let mut names = Vec::new();
        for (name, value) in self.entries().iter().take(MOST) {
            names.push(name.clone());
            let fields = match (value, Rows::of(value)) {
                (FillValue::Record(entries), _) => {
                    entries.iter().map(|(it, _)| it.as_str()).collect()
                }
                (_, Some(rows)) => rows.names(),
                _ => Vec::new(),
            };
            names.extend(fields.iter().take(MOST).map(|field| format!("{name}.{field}")));
        }
        names
    }
}
