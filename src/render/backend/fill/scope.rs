//! The meaning of names in a template, within repeated rows and outside of them; values that are calculated.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::problems::Problems;
use crate::model::fill_values::{FillTable, FillValue, FillValues};
use crate::shared::template::scope::{Binding as Meaning, Scope as Names, Thing, within};

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

    /// Returns `true` for the same list, whatever its name.
    pub(super) fn is(&self, other: &Rows<'v>) -> bool {
        match (self, other) {
            (Rows::List(left), Rows::List(right)) => std::ptr::eq(*left, *right),
            (Rows::Table(left), Rows::Table(right)) => std::ptr::eq(*left, *right),
            _ => false,
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
                name => {
                    let item = items.get(row)?;
                    item.get(name).or_else(|| numbered(Thing::One(item), name))
                }
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

/// A repetition around a place: an item of a list, and the repetitions around it.
pub(super) struct Level<'v> {
    pub(super) outer: Scope<'v>,
    pub(super) list: Rc<str>,
    /// Its other name, which includes or leaves out the list around it: `lines` for `orders.lines`.
    alias: Option<Rc<str>>,
    pub(super) rows: Rows<'v>,
    /// `None` in the row that remains of an empty list.
    pub(super) index: Option<usize>,
}

impl<'v> Level<'v> {
    pub(super) fn new(
        outer: Scope<'v>,
        list: Rc<str>,
        rows: Rows<'v>,
        index: Option<usize>,
    ) -> Scope<'v> {
        let alias = outer.as_ref().map(|outer| {
            let rest = list.strip_prefix(&*outer.list).and_then(|rest| rest.strip_prefix('.'));
            match rest {
                Some(rest) => Rc::from(rest),
                None => Rc::from(format!("{}.{list}", outer.list)),
            }
        });
        Some(Rc::new(Level { outer, list, alias, rows, index }))
    }

    /// Returns the rest of a name that begins with the list.
    fn own<'n>(&self, name: &'n str) -> Option<&'n str> {
        [Some(&self.list), self.alias.as_ref()].into_iter().flatten().find_map(|list| {
            match name.strip_prefix(&**list)? {
                "" => Some(""),
                rest => rest.strip_prefix('.'),
            }
        })
    }
}

/// The repetitions around a place, from the innermost one.
pub(super) type Scope<'v> = Option<Rc<Level<'v>>>;

/// All values, and which of them were used.
pub(super) struct Values<'v> {
    values: &'v FillValues,
    used: RefCell<BTreeSet<usize>>,
    calculator: RefCell<Names<'v>>,
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
    /// Returns the values; `none` has none.
    pub(super) fn new(values: &'v FillValues, none: &'v FillValues) -> Values<'v> {
        let calculator = Names::new(values, none).into();
        Values { values, used: RefCell::default(), calculator }
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
        let all = Thing::All(self.entries());
        let found = self.values.get(name).or_else(|| numbered(all, name))?;
        self.marks(name);
        Some(found)
    }

    /// Notes that the value to which a name leads is used.
    fn marks(&self, name: &str) {
        let leads = |key: &str| {
            name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let keys = self.entries().iter().enumerate().filter(|(_, (key, _))| leads(key));
        if let Some((at, _)) = keys.max_by_key(|(_, (key, _))| key.len()) {
            self.mark(at);
        }
    }

    /// Returns the list to which a name leads here and that is not being repeated yet: its own name, and its rows.
    pub(super) fn list<'n>(&self, name: &'n str, scope: &Scope<'v>) -> Option<(&'n str, Rows<'v>)> {
        let dots = name.match_indices('.').map(|(at, _)| at);
        let ends = dots.chain(std::iter::once(name.len()));
        ends.filter_map(|end| {
            let list = name.get(..end)?;
            if is_repeated(list, scope) || is_numbered(name.get(end..)?) {
                return None;
            }
            match self.find(list, scope)? {
                Binding::Value(value) => Some((list, Rows::of(value)?)),
                Binding::Number(_) => None,
            }
        })
        .next()
    }

    /// Returns the meaning of a name here.
    pub(super) fn find(&self, name: &str, scope: &Scope<'v>) -> Option<Binding<'v>> {
        let mut is_unknown = false;
        let mut at = scope;
        while let Some(level) = at {
            self.marks(&level.list);
            let own = level.own(name);
            let Some(index) = level.index else {
                // The names of an empty list are unknown.
                if own.is_some() || name == NUMBER {
                    return Some(Binding::Value(&EMPTY));
                }
                is_unknown = true;
                at = &level.outer;
                continue;
            };
            let field = own.unwrap_or(name);
            if field == NUMBER {
                return Some(Binding::Number(index + 1));
            }
            let found = level.rows.field(index, field);
            if own.is_some() || found.is_some() {
                return found.map(Binding::Value);
            }
            at = &level.outer;
        }
        let found = self.global(name);
        found.or(is_unknown.then_some(&EMPTY)).map(Binding::Value)
    }

    /// Returns the result of an expression here. `None` if it has none, which is recorded.
    pub(super) fn calculated(
        &self,
        source: &str,
        is_plain: bool,
        scope: &Scope<'v>,
        (place, problems): (&str, &mut Problems),
    ) -> Option<FillValue> {
        self.with(scope, (place, problems), |names| names.calculated(source, is_plain, place))
            .unwrap_or(Some(FillValue::Empty))
    }

    /// Returns the index of the first condition that holds here; one that is `None` always does.
    pub(super) fn branch(
        &self,
        conditions: &[Option<String>],
        scope: &Scope<'v>,
        (place, problems): (&str, &mut Problems),
    ) -> Option<usize> {
        let branch =
            |names: &mut Names<'v>| names.branch(conditions.iter().map(Option::as_deref), place);
        self.with(scope, (place, problems), branch).flatten()
    }

    /// Returns the names in the value of a placeholder whose lists repeat a row: those outside of sums.
    pub(super) fn names_of(&self, mark: &str, scope: &Scope<'v>) -> Vec<String> {
        let mut names = self.calculator.borrow_mut();
        let depth = enter(&mut names, scope);
        let found = names.names_of(mark);
        (0..depth).for_each(|_| names.leave());
        found
    }

    /// Calculates here. Returns `None` in the row that remains of an empty list if a value is missing.
    fn with<T>(
        &self,
        scope: &Scope<'v>,
        (place, problems): (&str, &mut Problems),
        calculate: impl FnOnce(&mut Names<'v>) -> T,
    ) -> Option<T> {
        let mut names = self.calculator.borrow_mut();
        let depth = enter(&mut names, scope);
        let result = calculate(&mut names);
        (0..depth).for_each(|_| names.leave());
        let (missing, others) = names.take_problems();
        names.used_names().for_each(|name| self.marks(name));
        let has_failed = !missing.is_empty() || !others.is_empty();
        let mut at = scope;
        while let Some(level) = at {
            if level.index.is_none() && has_failed {
                return None;
            }
            at = &level.outer;
        }
        missing.iter().for_each(|name| problems.missing(name, place.to_owned()));
        others.into_iter().for_each(|problem| problems.other(problem));
        Some(result)
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

/// Enters all repetitions around a place, except for those without an item. Returns their number.
fn enter<'v>(names: &mut Names<'v>, scope: &Scope<'v>) -> usize {
    let mut levels = Vec::new();
    let mut at = scope;
    while let Some(level) = at {
        levels.push(level);
        at = &level.outer;
    }
    let mut depth = 0;
    for level in levels.into_iter().rev() {
        let Some(index) = level.index else { continue };
        let thing = match level.rows {
            Rows::List(items) => items.get(index).map(Thing::One),
            Rows::Table(table) => Some(Thing::Row(table, index)),
        };
        let Some(thing) = thing else { continue };
        for name in [level.alias.as_ref(), Some(&level.list)].into_iter().flatten() {
            names.enter(name, thing, index + 1);
            depth += 1;
        }
    }
    depth
}

/// Returns `true` if a list is being repeated here.
fn is_repeated(list: &str, scope: &Scope<'_>) -> bool {
    let mut at = scope;
    while let Some(level) = at {
        if level.own(list) == Some("") {
            return true;
        }
        at = &level.outer;
    }
    false
}

/// Returns `true` if the rest of a name begins with the number of an item: `.3`.
fn is_numbered(rest: &str) -> bool {
    crate::shared::template::evaluate::is_numbered(rest)
}

/// Returns the value of a name that leads through the number of an item: `items.2.price`. A number beyond the end is empty.
fn numbered<'v>(thing: Thing<'v>, name: &str) -> Option<&'v FillValue> {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    if !name.split('.').skip(1).any(is_number) {
        return None;
    }
    match within(thing, name) {
        Some(Meaning::One(value)) => Some(value),
        Some(_) => None,
        None => {
            let (at, number) = name.match_indices('.').find_map(|(at, _)| {
                let number = name.get(at + 1..)?.split('.').next()?;
                is_number(number).then_some((at, number))
            })?;
            let Some(Meaning::One(list)) = within(thing, name.get(..at)?) else { return None };
            let is_beyond =
                number.parse::<usize>().is_ok_and(|it| it > list.row_count().unwrap_or(usize::MAX));
            is_beyond.then_some(&EMPTY)
        }
    }
}
