//! The meaning of names at a place: values of the caller, and the items of the repetitions around.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{foreign, format, marks};
use crate::{FillTable, FillValue, FillValues};
use mitt_arithmetic::{Expression, Fraction};
use mitt_base::text;

/// Most items that all sums of a template visit together.
pub(crate) const MAX_VISITS: usize = 2_000_000;

/// Most names among which the nearest is searched.
const MAX_CANDIDATES: usize = 1_000;

/// Most nested repetitions.
pub(crate) const MAX_NESTING: usize = 10;

/// Most names in an error.
const MAX_LISTED: usize = 50;

/// Name of the number of an item, from 1.
const NUMBER: &str = "@number";

/// An item, or all values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Thing<'v> {
    All(&'v [(String, FillValue)]),
    One(&'v FillValue),
    Row(&'v FillTable, usize),
}

/// A repetition.
#[derive(Clone, Debug)]
struct Around<'v> {
    /// Its name in the template: `items`, `customer.items`.
    name: String,
    item: Thing<'v>,
    number: usize,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) enum Binding<'v> {
    One(&'v FillValue),
    /// The number of an item.
    Number(usize),
    Row(&'v FillTable, usize),
}

/// Values, and errors about names.
pub(crate) struct Scope<'v> {
    values: &'v FillValues,
    /// Further values of the caller, which the template need not use.
    more: &'v FillValues,
    around: Vec<Around<'v>>,
    used: BTreeSet<&'v str>,
    /// Names without a value, and where they are.
    missing: BTreeMap<String, String>,
    /// Other errors, in order.
    problems: Vec<String>,
    /// Expressions that were parsed, by their source.
    pub(crate) expressions: BTreeMap<String, Rc<Result<Expression, String>>>,
    /// Sums of whole lists, by their source and the address of the list.
    pub(crate) sums: BTreeMap<(String, usize), Option<Fraction>>,
    /// Items that expressions may still visit.
    pub(crate) visits_left: usize,
}

impl<'v> Scope<'v> {
    pub(crate) fn new(values: &'v FillValues, more: &'v FillValues) -> Scope<'v> {
        Scope {
            values,
            more,
            around: Vec::new(),
            used: BTreeSet::new(),
            missing: BTreeMap::new(),
            problems: Vec::new(),
            expressions: BTreeMap::new(),
            sums: BTreeMap::new(),
            visits_left: MAX_VISITS,
        }
    }

    pub(crate) fn enter(&mut self, name: &str, item: Thing<'v>, number: usize) {
        self.around.push(Around { name: name.to_owned(), item, number });
    }

    pub(crate) fn leave(&mut self) {
        self.around.pop();
    }

    /// Returns the meaning of a name: that of the innermost repetition that has it.
    pub(crate) fn find(&mut self, name: &str) -> Option<Binding<'v>> {
        for around in self.around.iter().rev() {
            if name == "." || name == around.name {
                return of_thing(around.item);
            }
            if name == NUMBER {
                return Some(Binding::Number(around.number));
            }
            let rest = name.strip_prefix(&*around.name).and_then(|rest| rest.strip_prefix('.'));
            if let Some(rest) = rest {
                return within(around.item, rest.trim());
            }
            if let Some(found) = within(around.item, name) {
                return Some(found);
            }
        }
        for all in [self.values, self.more] {
            let first = name.split('.').next().unwrap_or(name).trim();
            for key in [name, first] {
                if let Some((known, _)) = all.entries().iter().find(|(it, _)| it == key)
                    && let Some(found) = within(Thing::All(all.entries()), name)
                {
                    self.used.insert(known);
                    return Some(found);
                }
            }
        }
        None
    }

    /// Returns the text for a mark, in the format that it may have. Records an error for a name without a value, for a list,
    /// and for a value that does not fit its format.
    pub(crate) fn text(&mut self, mark: &str, part: &str) -> String {
        let (name, format) = match self.find(mark) {
            // A name may contain the characters of a format.
            Some(_) => (mark, None),
            None => format::split(mark),
        };
        let format = match format.transpose() {
            Ok(format) => format.unwrap_or_default(),
            Err(what) => {
                self.problem(format!("`{}` ({part}): {what}", text::one_line(mark)));
                return String::new();
            }
        };
        match self.find(name) {
            Some(Binding::Number(number)) => {
                let value = FillValue::Number(number.to_string());
                format.write(&value).unwrap_or_else(|what| {
                    self.problem(format!("`{name}` ({part}): {what}"));
                    String::new()
                })
            }
            Some(Binding::One(value)) => match value {
                FillValue::List(_) | FillValue::Table(_) => {
                    self.problem(format!("`{name}` ({part}) is a list: repeat a part of the template for its items, from `{{{{#{name}}}}}` to `{{{{/{name}}}}}`"));
                    String::new()
                }
                FillValue::Record(_) => {
                    self.problem(format!("`{name}` ({part}) has values of its own: name one of them, as in `{{{{{name}.name}}}}`"));
                    String::new()
                }
                value => format.write(value).unwrap_or_else(|what| {
                    self.problem(format!("`{}` ({part}): {what}", text::one_line(name)));
                    String::new()
                }),
            },
            Some(Binding::Row(..)) => {
                self.problem(format!("`{name}` ({part}) is a row: name one of its columns, as in `{{{{{name}.column}}}}`"));
                String::new()
            }
            None if marks::is_expression(name) => {
                let is_plain = format == format::Format::default();
                let value = self.calculated(name, is_plain, part);
                let written = value.map(|value| format.write(&value)).transpose();
                written.map(Option::unwrap_or_default).unwrap_or_else(|what| {
                    self.problem(format!("`{}` ({part}): {what}", text::one_line(name)));
                    String::new()
                })
            }
            None => {
                self.is_missing(name, part);
                String::new()
            }
        }
    }

    /// Returns the list of the innermost repetition of this name, as it is around that repetition.
    pub(crate) fn whole_list(&mut self, name: &str) -> Option<Binding<'v>> {
        let at = self.around.iter().rposition(|around| around.name == name)?;
        let inner = self.around.split_off(at);
        let found = self.find(name);
        self.around.extend(inner);
        found
    }

    /// Returns the items of a repeated part; `None` for an unknown name. A record is one item; an empty or false value has
    /// no items.
    pub(crate) fn items(&mut self, name: &str, part: &str) -> Option<Items<'v>> {
        let Some(binding) = self.find(name) else {
            self.is_missing(name, part);
            return None;
        };
        Some(Items::of(binding))
    }

    /// Returns all names of values, at any depth, for merge fields.
    pub(crate) fn names(&self) -> BTreeSet<&'v str> {
        let mut names = BTreeSet::new();
        let entries = [self.values, self.more].into_iter().flat_map(FillValues::entries);
        entries.for_each(|(name, value)| {
            names.insert(name.as_str());
            names_in(value, &mut names);
        });
        names
    }

    /// Returns `true` if a value has this name, here or at the top.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        let is_top = |all: &FillValues| all.entries().iter().any(|(it, _)| it == first);
        is_top(self.values)
            || self.around.iter().any(|around| in_thing(around.item, first).is_some())
    }

    /// Returns `true` if a name is the item of a repetition around.
    pub(crate) fn is_item(&self, name: &str) -> bool {
        name == "." || self.around.iter().any(|around| around.name == name)
    }

    /// Returns `true` if a name is a list that is not being repeated here.
    pub(crate) fn is_list(&mut self, name: &str) -> bool {
        let is_around = self.around.iter().any(|around| around.name == name);
        let found = if is_around { None } else { self.find(name) };
        matches!(found, Some(Binding::One(FillValue::List(_) | FillValue::Table(_))))
    }

    pub(crate) fn is_missing(&mut self, name: &str, part: &str) {
        self.missing.entry(name.to_owned()).or_insert_with(|| part.to_owned());
    }

    pub(crate) fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_LISTED && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Returns the names of the values that were used.
    pub(crate) fn used_names(&self) -> impl Iterator<Item = &'v str> {
        self.used.iter().copied()
    }

    /// Takes the errors so far: names without a value, and the others.
    pub(crate) fn take_problems(&mut self) -> (Vec<String>, Vec<String>) {
        let missing = std::mem::take(&mut self.missing).into_keys().collect();
        (missing, std::mem::take(&mut self.problems))
    }

    /// Returns all errors, one line each.
    pub(crate) fn problems(&self) -> Option<String> {
        let mut lines = self.problems.clone();
        if !self.missing.is_empty() {
            let known: Vec<_> = self.names().into_iter().take(MAX_CANDIDATES).collect();
            let listed = self.missing.iter().take(MAX_LISTED);
            let mut names: Vec<_> = listed
                .map(|(name, part)| {
                    let advice = advice(name, &known);
                    format!("`{}` ({part}{advice})", text::one_line(name))
                })
                .collect();
            let more = self.missing.len().saturating_sub(MAX_LISTED);
            if more > 0 {
                names.push(format!("and {more} more"));
            }
            lines.insert(0, format!("no value for {}", names.join(", ")));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Returns a warning about values that the template does not use.
    pub(crate) fn unused(&self) -> Option<String> {
        let names = self.values.entries().iter().map(|(name, _)| name.as_str());
        let unused = names.filter(|name| !self.used.contains(name));
        let mut names: Vec<_> = unused.map(|name| format!("`{}`", text::one_line(name))).collect();
        if names.is_empty() {
            return None;
        }
        let more = names.len().saturating_sub(MAX_LISTED);
        names.truncate(MAX_LISTED);
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        Some(format!("values have no place in the template: {}", names.join(", ")))
    }
}

/// Returns what a name without a value may mean.
fn advice(name: &str, known: &[&str]) -> String {
    if let Some(form) = foreign::mark(name) {
        return format!("; {form}");
    }
    let whole = text::nearest(name, known.iter().copied()).first().map(|it| (*it).to_owned());
    let nearest = whole.or_else(|| {
        let (path, last) = name.rsplit_once('.')?;
        let near = *text::nearest(last, known.iter().copied()).first()?;
        (near != last).then(|| format!("{path}.{near}"))
    });
    match nearest {
        Some(near) => format!("; did you mean `{}`?", text::one_line(&near)),
        None if name.contains('-') => "; a minus has spaces around it".to_owned(),
        None => String::new(),
    }
}

/// The items of a repetition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Items<'v> {
    List(&'v [FillValue]),
    Table(&'v FillTable),
    Row(&'v FillTable, usize),
    /// Written once, without an item.
    Holds,
}

impl<'v> Items<'v> {
    pub(crate) fn of(binding: Binding<'v>) -> Items<'v> {
        match binding {
            Binding::One(FillValue::List(items)) => Items::List(items),
            Binding::One(FillValue::Table(table)) => Items::Table(table),
            Binding::One(FillValue::Empty | FillValue::Bool(false)) => Items::List(&[]),
            Binding::One(FillValue::Text(text)) if text.is_empty() => Items::List(&[]),
            Binding::One(value @ FillValue::Record(_)) => Items::List(std::slice::from_ref(value)),
            Binding::Row(table, row) => Items::Row(table, row),
            // A true value repeats nothing: its part is written once, with the names around it.
            Binding::One(_) | Binding::Number(_) => Items::Holds,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Items::List(items) => items.len(),
            Items::Table(table) => table.rows.len(),
            Items::Row(..) | Items::Holds => 1,
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<Thing<'v>> {
        match self {
            Items::List(items) => items.get(index).map(Thing::One),
            Items::Table(table) => Some(Thing::Row(table, index)),
            Items::Row(table, row) => Some(Thing::Row(table, *row)),
            Items::Holds => None,
        }
    }
}

/// Adds the names within a value. Values are as deep as JSON allows.
fn names_in<'v>(value: &'v FillValue, names: &mut BTreeSet<&'v str>) {
    match value {
        FillValue::List(items) => items.iter().for_each(|item| names_in(item, names)),
        FillValue::Record(entries) => entries.iter().for_each(|(name, value)| {
            names.insert(name.as_str());
            names_in(value, names);
        }),
        FillValue::Table(table) => names.extend(table.columns.iter().map(String::as_str)),
        _ => {}
    }
}

fn of_thing(thing: Thing<'_>) -> Option<Binding<'_>> {
    match thing {
        Thing::All(_) => None,
        Thing::One(value) => Some(Binding::One(value)),
        Thing::Row(table, row) => Some(Binding::Row(table, row)),
    }
}

/// Returns the value of this name in an item.
fn in_thing<'v>(thing: Thing<'v>, name: &str) -> Option<&'v FillValue> {
    match thing {
        Thing::All(entries) => named(entries, name),
        Thing::One(FillValue::Record(entries)) => named(entries, name),
        // The number of an item, from 1.
        Thing::One(FillValue::List(items)) => {
            items.get(name.parse::<usize>().ok()?.checked_sub(1)?)
        }
        Thing::One(_) => None,
        Thing::Row(table, row) => {
            let index = table.columns.iter().position(|column| column == name)?;
            // A short row has empty values at its end.
            Some(table.rows.get(row)?.get(index).unwrap_or(&FillValue::Empty))
        }
    }
}

fn named<'v>(entries: &'v [(String, FillValue)], name: &str) -> Option<&'v FillValue> {
    entries.iter().find(|(it, _)| it == name).map(|(_, value)| value)
}

/// Returns the meaning of a path in an item: `no`, `customer.name`. A name may contain dots itself.
pub(crate) fn within<'v>(mut thing: Thing<'v>, path: &str) -> Option<Binding<'v>> {
    let mut path = path;
    loop {
        if let Thing::One(FillValue::Table(table)) = thing {
            // The number of a row, from 1.
            let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
            let row = first.trim().parse::<usize>().ok()?.checked_sub(1)?;
            table.rows.get(row)?;
            thing = Thing::Row(table, row);
            match rest {
                Some(rest) => path = rest,
                None => return of_thing(thing),
            }
            continue;
        }
        if let Some(whole) = in_thing(thing, path.trim()) {
            return Some(Binding::One(whole));
        }
        let (first, rest) = path.split_once('.')?;
        thing = Thing::One(in_thing(thing, first.trim())?);
        path = rest;
    }
}
