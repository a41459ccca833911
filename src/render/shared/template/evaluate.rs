//! Expressions and conditions in marks: `{{price * quantity}}`, `{{sum(items.total)}}`, `{{#if total > 1000}}`. The grammar and the
//! exact arithmetic are those of `table_tool__calculate`; nothing else runs.

use std::cmp::Ordering;
use std::rc::Rc;

use super::marks;
use super::scope::{Binding, Items, MAX_VISITS, Scope};
use crate::FillValue;
use mitt_arithmetic::{
    Comparison, Condition, Expression, Fraction, Node, Number, Operand, Operands, Overall,
    condition, named,
};
use mitt_base::text;

/// Digits behind the point of a result without a format whose digits do not end; as `table_tool__calculate` has by default.
const DECIMALS: i32 = 6;

/// Digits behind the point that a format can show.
const MAX_DECIMALS: u32 = 40;

/// Most bits of a fraction before it is reduced, and of a reduced one.
const MAX_BITS: u64 = 8_192;

/// Most parsed expressions that are kept.
const MAX_KEPT: usize = 1_000;

/// Most nested lists in a sum.
const MAX_LISTS: usize = 10;

/// Values that are compared.
enum Side {
    Empty,
    Number(Fraction),
    Text(String),
    Date(String),
    Bool(bool),
    /// A list, by its number of items; a record has one.
    Items(usize),
}

impl<'v> Scope<'v> {
    /// Returns the result of an expression, with all digits that a format can show, or rounded as it is written without one.
    /// `None` if a problem was recorded, [`FillValue::Empty`] if an operand is empty.
    pub(crate) fn calculated(
        &mut self,
        source: &str,
        is_plain: bool,
        part: &str,
    ) -> Option<FillValue> {
        let parsed = self.parsed(source);
        let expression = match &*parsed {
            Ok(expression) => expression,
            Err(what) => {
                self.problem(format!("`{}` ({part}): {what}", text::one_line(source)));
                return None;
            }
        };
        let mut values = Values::new(self, &expression.columns, part, source);
        let value = expression.root.value(&mut values);
        if values.has_failed {
            return None;
        }
        let Some(value) = value else { return Some(FillValue::Empty) };
        let mut digits = value.digits(MAX_DECIMALS);
        if is_plain && !digits.is_exact {
            digits = value.round(DECIMALS).digits(MAX_DECIMALS);
        }
        Some(FillValue::Number(digits.lexeme))
    }

    fn parsed(&mut self, source: &str) -> Rc<Result<Expression, String>> {
        if let Some(known) = self.expressions.get(source) {
            return known.clone();
        }
        let parsed = Rc::new(named(source));
        if self.expressions.len() < MAX_KEPT {
            self.expressions.insert(source.to_owned(), parsed.clone());
        }
        parsed
    }

    /// Returns the names in a mark's value whose lists repeat a row: those outside of sums.
    pub(crate) fn names_of(&mut self, mark: &str) -> Vec<String> {
        let name = super::format::split(mark).0;
        if self.find(name).is_some() || !marks::is_expression(name) {
            return vec![name.to_owned()];
        }
        let parsed = self.parsed(name);
        // Columns of files have names such as `price (EUR)`.
        let Ok(expression) = &*parsed else { return vec![name.to_owned()] };
        let mut indices = Vec::new();
        names_in(&expression.root, false, &mut indices);
        indices.iter().filter_map(|index| expression.columns.get(*index).cloned()).collect()
    }

    /// Returns the names in a condition whose lists repeat a row: those outside of sums.
    pub(crate) fn names_of_condition(source: &str) -> Vec<String> {
        let Ok(test) = condition(source) else { return Vec::new() };
        let mut indices = Vec::new();
        names_of_test(&test.root, &mut indices);
        indices.iter().filter_map(|index| test.names.get(*index).cloned()).collect()
    }

    /// Returns the index of the first condition that holds; one that is `None` always does. `None` if none holds, or if a
    /// problem was recorded.
    pub(crate) fn branch<'t>(
        &mut self,
        conditions: impl Iterator<Item = Option<&'t str>>,
        part: &str,
    ) -> Option<usize> {
        for (index, source) in conditions.enumerate() {
            let Some(source) = source else { return Some(index) };
            match self.holds(source, part) {
                Ok(true) => return Some(index),
                Ok(false) => {}
                Err(Some(what)) => {
                    let shown = text::one_line(source);
                    self.problem(format!("`{{{{#if {shown}}}}}` ({part}): {what}"));
                    return None;
                }
                Err(None) => return None,
            }
        }
        None
    }

    /// Returns `true` if a condition holds. The error is `None` if the problem was recorded.
    fn holds(&mut self, source: &str, part: &str) -> Result<bool, Option<String>> {
        let test = condition(source).map_err(Some)?;
        let mut values = Values::new(self, &test.names, part, source);
        let held = values.test(&test.root);
        if values.has_failed { Err(None) } else { held.map_err(Some) }
    }
}

/// Adds the indices of the names of an expression; those in sums only with `with_sums`.
fn names_in(node: &Node, with_sums: bool, indices: &mut Vec<usize>) {
    match node {
        Node::Literal(_) => {}
        Node::Column(index) => indices.push(*index),
        Node::Negate(inner) | Node::Abs(inner) | Node::Round(inner, _) => {
            names_in(inner, with_sums, indices);
        }
        Node::Binary(_, left, right) => {
            names_in(left, with_sums, indices);
            names_in(right, with_sums, indices);
        }
        Node::Min(nodes) | Node::Max(nodes) | Node::Coalesce(nodes) => {
            nodes.iter().for_each(|node| names_in(node, with_sums, indices));
        }
        Node::Over(_, inner) => {
            if with_sums {
                names_in(inner, with_sums, indices);
            }
        }
    }
}

/// Adds the indices of the names of a condition, except for those in sums.
fn names_of_test(test: &Condition, indices: &mut Vec<usize>) {
    let mut add = |operand: &Operand| {
        if let Operand::Value(node) = operand {
            names_in(node, false, indices);
        }
    };
    match test {
        Condition::Or(left, right) | Condition::And(left, right) => {
            names_of_test(left, indices);
            names_of_test(right, indices);
        }
        Condition::Not(inner) => names_of_test(inner, indices),
        Condition::Compare(left, _, right) => {
            add(left);
            add(right);
        }
        Condition::Holds(operand) => add(operand),
    }
}

/// Returns an exact number.
fn fraction(lexeme: &str) -> Option<Fraction> {
    Number::from_json(lexeme.trim()).ok()?.exact().map(Fraction::from)
}

/// The values of the names of an expression.
struct Values<'s, 'v> {
    scope: &'s mut Scope<'v>,
    names: &'s [String],
    part: &'s str,
    source: &'s str,
    has_failed: bool,
}

impl<'s, 'v> Values<'s, 'v> {
    fn new(
        scope: &'s mut Scope<'v>,
        names: &'s [String],
        part: &'s str,
        source: &'s str,
    ) -> Values<'s, 'v> {
        Values { scope, names, part, source, has_failed: false }
    }

    fn fail(&mut self, what: &str) {
        self.has_failed = true;
        let (source, part) = (text::one_line(self.source), self.part);
        self.scope.problem(format!("`{source}` ({part}): {what}"));
    }

    /// Returns what a name means here, or records that it has no value.
    fn find(&mut self, index: usize) -> Option<Binding<'v>> {
        let name = self.names.get(index)?;
        let found = self.scope.find(name);
        if found.is_some() {
            return found;
        }
        let ends = name.match_indices('.').map(|(at, _)| at);
        let list = ends.map(|end| &name[..end]).find(|it| self.scope.is_list(it));
        match list.filter(|list| !is_numbered(&name[list.len()..])) {
            Some(list) => {
                let (list, name) = (text::one_line(list), text::one_line(name));
                self.fail(&format!(
                    "`{list}` is a list: write `sum({name})`, or repeat a part of the template for its items, from `{{{{#{list}}}}}` to `{{{{/{list}}}}}`"
                ));
            }
            None => {
                self.has_failed = true;
                self.scope.is_missing(name, self.part);
            }
        }
        None
    }

    fn side(&mut self, operand: &Operand) -> Option<Side> {
        Some(match operand {
            Operand::Text(text) => Side::Text(text.clone()),
            Operand::Bool(value) => Side::Bool(*value),
            Operand::Value(Node::Column(index)) => match self.find(*index)? {
                Binding::Number(number) => Side::Number(fraction(&number.to_string())?),
                Binding::Row(..) => Side::Items(1),
                Binding::One(value) => match value {
                    FillValue::Empty => Side::Empty,
                    FillValue::Text(text) if text.is_empty() => Side::Empty,
                    FillValue::Text(text) => Side::Text(text.clone()),
                    FillValue::Date(text) => Side::Date(text.clone()),
                    FillValue::Bool(value) => Side::Bool(*value),
                    FillValue::Number(lexeme) => match fraction(lexeme) {
                        Some(number) => Side::Number(number),
                        None => {
                            self.fail(&too_long(lexeme));
                            return None;
                        }
                    },
                    FillValue::Record(_) => Side::Items(1),
                    FillValue::List(_) | FillValue::Table(_) => {
                        Side::Items(value.row_count().unwrap_or(0))
                    }
                },
            },
            Operand::Value(node) => match node.value(self) {
                Some(value) => Side::Number(value),
                None => Side::Empty,
            },
        })
    }

    fn test(&mut self, test: &Condition) -> Result<bool, String> {
        Ok(match test {
            Condition::Or(left, right) => self.test(left)? || self.test(right)?,
            Condition::And(left, right) => self.test(left)? && self.test(right)?,
            Condition::Not(inner) => !self.test(inner)?,
            Condition::Holds(operand) => match self.side(operand) {
                Some(Side::Bool(value)) => value,
                Some(Side::Items(count)) => count > 0,
                Some(Side::Empty) | None => false,
                Some(_) => true,
            },
            Condition::Compare(left, how, right) => {
                let (left, right) = (self.side(left), self.side(right));
                let (Some(left), Some(right)) = (left, right) else { return Ok(false) };
                compared(left, *how, right)?
            }
        })
    }

    /// Returns the list that the names lead through first; an error if there are two.
    fn list(&mut self, indices: &[usize], whole: bool) -> Result<Option<String>, String> {
        let mut found: Option<String> = None;
        for index in indices {
            let Some(name) = self.names.get(*index) else { continue };
            let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
            let list = ends.map(|end| &name[..end]).find(|it| {
                let is_one = if whole {
                    is_list(&self.scope.whole_list(it))
                } else {
                    self.scope.is_list(it)
                };
                is_one && !is_numbered(&name[it.len()..])
            });
            match (&found, list) {
                (Some(known), Some(list)) if known != list => {
                    return Err(format!(
                        "expected the items of one list, got those of `{known}` and `{list}`"
                    ));
                }
                (None, Some(list)) => found = Some(list.to_owned()),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Returns what a sum depends on, if that is one list only: its source, and the address of the list, which lives as long as
    /// the values do.
    fn key(&mut self, overall: Overall, inner: &Node, names: &[usize]) -> Option<(String, usize)> {
        let list = match self.list(names, false).ok()? {
            Some(list) => (self.scope.find(&list), list),
            None => {
                let list = self.list(names, true).ok()??;
                (self.scope.whole_list(&list), list)
            }
        };
        let (Some(Binding::One(value)), list) = list else { return None };
        let is_within = |index: &usize| {
            let rest = self.names.get(*index).and_then(|name| name.strip_prefix(&*list));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let source = format!("{overall:?} {inner:?} {:?}", self.names);
        names.iter().all(is_within).then_some((source, std::ptr::from_ref(value).addr()))
    }

    /// Adds the values of all items. Returns `None` if a problem was recorded.
    fn gather(&mut self, gathered: &mut Gathered<'_>, depth: usize) -> Option<()> {
        let mut list = self.list(&gathered.names, false);
        let mut binding = None;
        if let Ok(Some(name)) = &list {
            binding = self.scope.find(name);
        } else if depth == 0 && list.is_ok() {
            // Within the repetition of a list, its name means the whole list in a sum.
            list = self.list(&gathered.names, true);
            if let Ok(Some(name)) = &list {
                binding = self.scope.whole_list(name);
            }
        }
        let name = match list {
            Ok(name) => name,
            Err(what) => {
                self.fail(&what);
                return None;
            }
        };
        let (Some(name), Some(binding)) = (name, binding) else { return self.leaf(gathered) };
        if depth >= MAX_LISTS {
            self.fail(&format!("at most {MAX_LISTS} lists in each other"));
            return None;
        }
        let items = Items::of(binding);
        for index in 0..items.len() {
            let Some(left) = self.scope.visits_left.checked_sub(1) else {
                self.fail(&format!(
                    "expected at most {MAX_VISITS} items in all sums together, they have more; give the result as a value of its own"
                ));
                return None;
            };
            self.scope.visits_left = left;
            let thing = items.get(index)?;
            self.scope.enter(&name, thing, index + 1);
            let result = self.gather(gathered, depth + 1);
            self.scope.leave();
            result?;
        }
        Some(())
    }

    /// Adds the value at this place.
    fn leaf(&mut self, gathered: &mut Gathered<'_>) -> Option<()> {
        if let (Overall::Count, Node::Column(index)) = (gathered.overall, gathered.inner) {
            let is_empty = match self.find(*index)? {
                // An item counts, whatever it is.
                Binding::One(_)
                    if self.names.get(*index).is_some_and(|it| self.scope.is_item(it)) =>
                {
                    false
                }
                Binding::One(FillValue::Empty) => true,
                Binding::One(FillValue::Text(text)) => text.is_empty(),
                _ => false,
            };
            gathered.count += u64::from(!is_empty);
            return Some(());
        }
        let value = gathered.inner.value(self);
        if self.has_failed {
            return None;
        }
        let Some(value) = value else { return Some(()) };
        gathered.count += 1;
        let mut total = match (gathered.total.take(), gathered.overall) {
            (None, _) => value,
            (Some(total), Overall::Min) => total.min(value),
            (Some(total), Overall::Max) => total.max(value),
            (Some(total), _) => total + value,
        };
        if total.bits() > MAX_BITS / 8 {
            total = total.reduced();
        }
        if total.bits() > MAX_BITS {
            self.fail("the sum has too many digits; round its items, as in `sum(round(…, 2))`");
            return None;
        }
        gathered.total = Some(total);
        Some(())
    }
}

/// The state of a sum.
struct Gathered<'n> {
    overall: Overall,
    inner: &'n Node,
    names: Vec<usize>,
    total: Option<Fraction>,
    count: u64,
}

impl Operands for Values<'_, '_> {
    fn column(&mut self, index: usize) -> Option<Fraction> {
        let lexeme = match self.find(index)? {
            Binding::Number(number) => return fraction(&number.to_string()),
            Binding::One(FillValue::Empty) => return None,
            Binding::One(FillValue::Text(text)) if text.is_empty() => return None,
            Binding::One(FillValue::Number(text) | FillValue::Text(text)) => text,
            other => {
                let name = text::one_line(self.names.get(index)?);
                let what = match other {
                    Binding::One(value @ (FillValue::List(_) | FillValue::Table(_))) => {
                        let kind = value.kind();
                        format!(
                            "expected a number, `{name}` is {kind}; write `sum({name})` or `sum({name}.column)`"
                        )
                    }
                    Binding::One(value) => {
                        format!("expected a number, `{name}` is {}", value.kind())
                    }
                    _ => format!("expected a number, `{name}` is a row; name one of its columns"),
                };
                self.fail(&what);
                return None;
            }
        };
        let number = fraction(lexeme);
        if number.is_none() {
            let is_long = Number::from_json(lexeme.trim()).is_ok();
            let name = self.names.get(index).map_or("", String::as_str);
            let shown = text::shortened(lexeme, 40);
            let what = if is_long {
                too_long(lexeme)
            } else {
                format!("expected a number, `{}` is the text `{shown}`", text::one_line(name))
            };
            self.fail(&what);
        }
        number
    }

    fn over(&mut self, overall: Overall, inner: &Node) -> Option<Fraction> {
        let mut names = Vec::new();
        names_in(inner, true, &mut names);
        let key = self.key(overall, inner, &names);
        if let Some(known) = key.as_ref().and_then(|key| self.scope.sums.get(key)) {
            return known.clone();
        }
        let mut gathered = Gathered { overall, inner, names, total: None, count: 0 };
        self.gather(&mut gathered, 0)?;
        let result = match overall {
            Overall::Count => fraction(&gathered.count.to_string()),
            // The sum of nothing is zero; least, greatest and mean of nothing do not exist.
            Overall::Sum => gathered.total.or_else(|| fraction("0")),
            Overall::Min | Overall::Max => gathered.total,
            Overall::Average => {
                let count = fraction(&gathered.count.to_string())?;
                gathered.total.map(|total| total / count)
            }
        };
        if let Some(key) = key
            && self.scope.sums.len() < MAX_KEPT
        {
            self.scope.sums.insert(key, result.clone());
        }
        result
    }

    fn divides_by_zero(&mut self) {
        self.fail("divides by zero; write the place only if it can be calculated, from `{{#if quantity != 0}}` to `{{/if}}`");
    }
}

fn is_list(binding: &Option<Binding<'_>>) -> bool {
    matches!(binding, Some(Binding::One(FillValue::List(_) | FillValue::Table(_))))
}

/// Returns `true` if the rest of a name begins with the number of an item: `.3`.
pub(crate) fn is_numbered(rest: &str) -> bool {
    let segment = rest.strip_prefix('.').and_then(|rest| rest.split('.').next());
    segment.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
}

fn too_long(lexeme: &str) -> String {
    let shown = text::shortened(lexeme, 40);
    format!("expected a number of at most 28 digits, got `{shown}`")
}

/// Compares two values. An empty value equals only an empty one, and is neither less nor greater than another.
fn compared(left: Side, how: Comparison, right: Side) -> Result<bool, String> {
    let is_equality = matches!(how, Comparison::Equal | Comparison::NotEqual);
    let differs = how == Comparison::NotEqual;
    let order: Option<Ordering> = match (&left, &right) {
        (Side::Number(left), Side::Number(right)) => Some(left.cmp(right)),
        (Side::Number(number), Side::Text(text)) => fraction(text).map(|it| number.cmp(&it)),
        (Side::Text(text), Side::Number(number)) => fraction(text).map(|it| it.cmp(number)),
        (Side::Items(count), Side::Number(number)) => {
            fraction(&count.to_string()).map(|it| it.cmp(number))
        }
        (Side::Number(number), Side::Items(count)) => {
            fraction(&count.to_string()).map(|it| number.cmp(&it))
        }
        (Side::Date(left), Side::Date(right) | Side::Text(right))
        | (Side::Text(left), Side::Date(right)) => Some(left.cmp(right)),
        (Side::Text(left), Side::Text(right)) if is_equality => Some(left.cmp(right)),
        (Side::Bool(left), Side::Bool(right)) if is_equality => Some(left.cmp(right)),
        (Side::Empty, Side::Empty) => Some(Ordering::Equal),
        // `""` in the template.
        (Side::Empty, Side::Text(text)) | (Side::Text(text), Side::Empty) if text.is_empty() => {
            Some(Ordering::Equal)
        }
        (Side::Empty, _) | (_, Side::Empty) => return Ok(differs),
        _ => None,
    };
    match order {
        Some(order) => Ok(how.holds(order)),
        None if is_equality => Ok(differs),
        None => Err(format!(
            "{} and {} have no order; they can be compared by `=` and `!=`",
            left.kind(),
            right.kind()
        )),
    }
}

impl Side {
    fn kind(&self) -> &'static str {
        match self {
            Side::Empty => "nothing",
            Side::Number(_) => "a number",
            Side::Text(_) => "a text",
            Side::Date(_) => "a date",
            Side::Bool(_) => "a boolean",
            Side::Items(_) => "a list",
        }
    }
}
