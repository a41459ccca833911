//! Applies a schema to a value, in a bounded number of steps.

use std::collections::HashSet;

use super::node::{Count, Node, NodeId, Violation, below, canonical, weight};
use crate::value::{Json, Number};

/// Most violations that are reported.
const MAX_VIOLATIONS: usize = 20;

/// Most steps of a check: a subschema that is applied to a value, a member or item of it, and 64 bytes of a text are one each.
/// Alternatives within alternatives multiply.
pub(super) const MAX_STEPS: usize = 2_000_000;

/// Deepest nesting of values and subschemas together. Applying is recursive, and the stack is finite.
const MAX_DEPTH: usize = 300;

/// Longest name of a member in a message, in bytes.
const SHOWN_NAME: usize = 100;

/// The steps of one check.
pub(super) struct Check<'n> {
    pub(super) nodes: &'n [Node],
    pub(super) left: usize,
    /// `true` if the value could not be checked within the bounds.
    pub(super) is_cut: bool,
}

/// A value and its place.
#[derive(Clone, Copy)]
struct At<'v> {
    value: &'v Json,
    pointer: &'v str,
    depth: usize,
}

impl Check<'_> {
    /// Returns the violations of the whole value.
    pub(super) fn run(&mut self, value: &Json) -> Vec<Violation> {
        let mut found = Vec::new();
        self.node(0, At { value, pointer: "", depth: 0 }, &mut found);
        found.truncate(MAX_VIOLATIONS);
        found
    }

    fn node(&mut self, id: NodeId, at: At<'_>, found: &mut Vec<Violation>) {
        let nodes = self.nodes;
        let node = &nodes[id];
        self.is_cut |= at.depth > MAX_DEPTH;
        if found.len() >= MAX_VIOLATIONS || !self.takes(steps(node, at.value)) {
            return;
        }
        let add = |keyword: &str, message: String, found: &mut Vec<Violation>| {
            found.push(Violation {
                pointer: at.pointer.to_owned(),
                message,
                rule: if keyword.is_empty() {
                    node.pointer.clone()
                } else {
                    below(&node.pointer, keyword)
                },
            });
        };
        if node.is_never {
            add("", "expected nothing here".to_owned(), found);
            return;
        }
        if let Some(kinds) = node.kinds.filter(|kinds| !kinds.has(at.value)) {
            add("type", format!("expected {}, got {}", kinds.names(), at.value.kind()), found);
            return;
        }
        let form = || canonical(at.value);
        if let Some((values, shown)) = &node.values
            && !values.contains(&form())
        {
            add("enum", format!("expected one of {shown}, got {}", short(at.value)), found);
        }
        if let Some((value, shown)) = &node.constant
            && *value != form()
        {
            add("const", format!("expected {shown}, got {}", short(at.value)), found);
        }
        match at.value {
            Json::Number(number) => {
                number_problems(node, number, &mut |keyword, message| add(keyword, message, found))
            }
            Json::String(text) => {
                text_problems(node, text, &mut |keyword, message| add(keyword, message, found))
            }
            Json::Array(items) => self.array(node, items, at, found),
            Json::Object(members) => self.object(node, members, at, found),
            Json::Null | Json::Bool(_) => {}
        }
        self.applied_in_place(node, at, found);
    }

    /// Takes steps. Returns `false` if there are not so many left.
    fn takes(&mut self, steps: usize) -> bool {
        self.is_cut |= steps > self.left;
        self.left = self.left.saturating_sub(steps);
        !self.is_cut
    }

    fn array(&mut self, node: &Node, items: &[Json], at: At<'_>, found: &mut Vec<Violation>) {
        if !node.n_items.has(items.len()) {
            let message =
                format!("expected {}, got {}", counted(node.n_items, "items"), items.len());
            found.push(violation(node, at, bound(node.n_items, items.len(), "Items"), message));
        }
        if node.is_unique {
            let mut seen = HashSet::new();
            if let Some(index) = items.iter().position(|item| !seen.insert(canonical(item))) {
                let message = format!("expected items that differ, got item {index} again");
                found.push(violation(node, at, "uniqueItems", message));
            }
        }
        for (index, value) in items.iter().enumerate() {
            let Some(id) = node.prefix.get(index).copied().or(node.items) else { break };
            let pointer = format!("{}/{index}", at.pointer);
            self.node(id, At { value, pointer: &pointer, depth: at.depth + 1 }, found);
        }
    }

    fn object(
        &mut self,
        node: &Node,
        members: &[(String, Json)],
        at: At<'_>,
        found: &mut Vec<Violation>,
    ) {
        let known: HashSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        for name in node.required.iter().filter(|name| !known.contains(name.as_str())) {
            let message = format!("the member `{}` is missing", shown_name(name));
            found.push(violation(node, at, "required", message));
        }
        if !node.n_properties.has(members.len()) {
            let message = format!(
                "expected {}, got {}",
                counted(node.n_properties, "members"),
                members.len()
            );
            found.push(violation(
                node,
                at,
                bound(node.n_properties, members.len(), "Properties"),
                message,
            ));
        }
        for (name, value) in members {
            let pointer = below(at.pointer, name);
            let at = At { value, pointer: &pointer, depth: at.depth + 1 };
            let own = node.properties.get(name).copied();
            let mut is_named = own.is_some();
            if let Some(id) = own {
                self.node(id, at, found);
            }
            for (pattern, id) in &node.patterns {
                if pattern.matches(name) {
                    is_named = true;
                    self.node(*id, at, found);
                }
            }
            if let Some(id) = node.additional.filter(|_| !is_named) {
                if self.nodes[id].is_never {
                    let message = format!("unknown member `{}`", shown_name(name));
                    found.push(violation(node, at, "additionalProperties", message));
                } else {
                    self.node(id, at, found)
                }
            }
            if let Some(id) = node.names {
                let name = Json::String(name.clone());
                self.node(id, At { value: &name, ..at }, found);
            }
        }
    }

    /// Applies the subschemas of the same value.
    fn applied_in_place(&mut self, node: &Node, at: At<'_>, found: &mut Vec<Violation>) {
        let at = At { depth: at.depth + 1, ..at };
        for id in node.reference.iter().chain(&node.all_of) {
            self.node(*id, at, found);
        }
        if let Some(id) = node.not
            && self.of(id, at).is_empty()
            && !self.is_cut
        {
            found.push(violation(node, at, "not", "expected another value".to_owned()));
        }
        if !node.any_of.is_empty() {
            let mut forms = Vec::new();
            for id in &node.any_of {
                let problems = self.of(*id, at);
                if problems.is_empty() || self.is_cut {
                    forms.clear();
                    break;
                }
                forms.push(problems);
            }
            found.extend(nearest(forms, || violation(node, at, "anyOf", no_form(at.value))));
        }
        if !node.one_of.is_empty() {
            let forms: Vec<_> = node.one_of.iter().map(|id| self.of(*id, at)).collect();
            let fitting = forms.iter().filter(|problems| problems.is_empty()).count();
            match fitting {
                1 => {}
                _ if self.is_cut => {}
                0 => {
                    found.extend(nearest(forms, || violation(node, at, "oneOf", no_form(at.value))))
                }
                several => {
                    let message =
                        format!("expected exactly one of the forms, got a value of {several}");
                    found.push(violation(node, at, "oneOf", message));
                }
            }
        }
    }

    fn of(&mut self, id: NodeId, at: At<'_>) -> Vec<Violation> {
        let mut found = Vec::new();
        self.node(id, at, &mut found);
        found
    }
}

/// Returns the steps of applying a subschema to a value, without those for what is inside.
fn steps(node: &Node, value: &Json) -> usize {
    let own = match value {
        Json::String(text) => text.len() / 64,
        Json::Object(members) => node.required.len() + members.len() * (1 + node.patterns.len()),
        Json::Array(items) => items.len(),
        Json::Null | Json::Bool(_) | Json::Number(_) => 0,
    };
    let is_compared = node.values.is_some() || node.constant.is_some() || node.is_unique;
    1 + own + if is_compared { weight(value) } else { 0 }
}

fn violation(node: &Node, at: At<'_>, keyword: &str, message: String) -> Violation {
    Violation { pointer: at.pointer.to_owned(), message, rule: below(&node.pointer, keyword) }
}

/// Returns the problems of the form that is nearest to the value: it has problems only further inside, and the fewest. If
/// two are equally near, `other` is returned.
fn nearest(mut forms: Vec<Vec<Violation>>, other: impl Fn() -> Violation) -> Vec<Violation> {
    if forms.is_empty() {
        return Vec::new();
    }
    let here = other().pointer;
    let distance = |problems: &Vec<Violation>| {
        let own = problems.iter().filter(|it| it.pointer == here).count();
        (own, problems.len())
    };
    forms.sort_by_key(distance);
    let is_tie = forms.get(1).is_some_and(|second| distance(second) == distance(&forms[0]));
    if is_tie { vec![other()] } else { forms.swap_remove(0) }
}

fn no_form(value: &Json) -> String {
    format!("{} has none of the allowed forms", value.kind())
}

fn number_problems(node: &Node, number: &Number, add: &mut dyn FnMut(&str, String)) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    for (bound, keyword, allowed, words) in [
        (&node.minimum, "minimum", [Equal, Greater].as_slice(), "at least"),
        (&node.maximum, "maximum", &[Equal, Less], "at most"),
        (&node.above, "exclusiveMinimum", &[Greater], "more than"),
        (&node.below, "exclusiveMaximum", &[Less], "less than"),
    ] {
        if let Some(bound) = bound
            && !number.compare(bound).is_some_and(|order| allowed.contains(&order))
        {
            add(keyword, format!("expected {words} {bound}, got {number}"));
        }
    }
    if let Some(unit) = &node.multiple_of
        && !is_multiple(number, unit)
    {
        add("multipleOf", format!("expected a multiple of {unit}, got {number}"));
    }
}

/// Returns whether a number is a multiple of a unit of few digits, exactly.
fn is_multiple(number: &Number, unit: &Number) -> bool {
    let (Some((_, digits, point)), Some((_, unit, unit_point))) = (number.parts(), unit.parts())
    else {
        return false;
    };
    let Ok(divisor) = unit.parse::<u128>() else { return false };
    if digits.is_empty() {
        return true;
    }
    // Both as whole numbers times a power of ten.
    let power = |digits: &str, point: i64| point.checked_sub(i64::try_from(digits.len()).ok()?);
    let (Some(power), Some(unit_power)) = (power(&digits, point), power(&unit, unit_point)) else {
        return false;
    };
    let Some(zeros) = power.checked_sub(unit_power).filter(|zeros| *zeros >= 0) else {
        // The number ends behind the last digit of the unit.
        return false;
    };
    let mut rest = 0_u128;
    for digit in digits.bytes().map(|byte| u128::from(byte - b'0')) {
        rest = (rest * 10 + digit) % divisor;
    }
    // The divisor has at most 18 digits, so 64 zeros more than cover its factors of ten.
    for _ in 0..zeros.min(64) {
        rest = rest * 10 % divisor;
    }
    rest == 0
}

fn text_problems(node: &Node, text: &str, add: &mut dyn FnMut(&str, String)) {
    if node.n_characters.least.is_some() || node.n_characters.most.is_some() {
        let count = text.chars().count();
        if !node.n_characters.has(count) {
            let expected = counted(node.n_characters, "characters");
            add(
                bound(node.n_characters, count, "Length"),
                format!("expected {expected}, got {count}"),
            );
        }
    }
    if let Some(pattern) = node.pattern.as_ref().filter(|pattern| !pattern.matches(text)) {
        add("pattern", format!("expected a text that matches `{}`", pattern.as_str()));
    }
    if let Some((format, name)) = &node.format
        && !format.has(text)
    {
        add(
            "format",
            format!("expected the format `{name}`, got {}", short(&Json::String(text.to_owned()))),
        );
    }
}

fn counted(count: Count, what: &str) -> String {
    match (count.least, count.most) {
        (Some(least), Some(most)) => format!("{least} to {most} {what}"),
        (Some(least), None) => format!("at least {least} {what}"),
        (_, Some(most)) => format!("at most {most} {what}"),
        (None, None) => what.to_owned(),
    }
}

/// Returns the keyword of the bound that a count exceeds.
fn bound(bounds: Count, count: usize, of: &'static str) -> &'static str {
    let is_few = bounds.least.is_some_and(|least| (count as u64) < least);
    match (of, is_few) {
        ("Items", true) => "minItems",
        ("Items", false) => "maxItems",
        ("Properties", true) => "minProperties",
        ("Properties", false) => "maxProperties",
        (_, true) => "minLength",
        (_, false) => "maxLength",
    }
}

fn short(value: &Json) -> String {
    let text = value.to_string();
    match text.len() {
        ..=SHOWN_NAME => text,
        _ => value.kind().to_owned(),
    }
}

fn shown_name(name: &str) -> String {
    mitt_base::text::one_line(mitt_base::text::cut_bytes(name, SHOWN_NAME)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_named_by_the_bound_that_it_exceeds() {
        let bounds = Count { least: Some(2), most: Some(3) };
        for (of, few, many) in [
            ("Items", "minItems", "maxItems"),
            ("Properties", "minProperties", "maxProperties"),
            ("Length", "minLength", "maxLength"),
        ] {
            assert_eq!(bound(bounds, 1, of), few);
            assert_eq!(bound(bounds, 4, of), many);
            assert_eq!(bound(Count { least: None, most: Some(3) }, 4, of), many);
        }
        let said = |least, most| counted(Count { least, most }, "items");
        assert_eq!(said(Some(2), Some(3)), "2 to 3 items");
        assert_eq!(said(Some(2), None), "at least 2 items");
        assert_eq!(said(None, Some(3)), "at most 3 items");
    }
}
