//! Checks whether a value keeps the bounds of its type, and describes what it breaks.
//!
//! Works on JSON before it is converted to its type.

use super::bounds::Bounds;
use super::json::Json;
use super::number::Number;
use super::problem::{cut, expected, shown, suggestion};
use super::types::Type;
use std::cmp::Ordering;
use std::fmt::Write;

/// Longest pattern or list of values that a problem shows, in characters.
const MAX_SHOWN_CHARACTERS: usize = 120;

impl Bounds {
    /// Describes how `json`, a value of `ty` where `reported` is expected, breaks a bound. `None` if it breaks none, or has
    /// another kind than the one they apply to.
    pub(super) fn violation(&self, ty: &Type, reported: &Type, json: &Json) -> Option<String> {
        let broken = match json {
            Json::String(_) if self.plain_number => {
                Some("; write the number without quotes".to_owned())
            }
            Json::Number(number) => self.number(number),
            // A string of digits instead of a 64-bit number.
            Json::String(text) if matches!(ty.target(), Type::U64 | Type::S64) => {
                Number::parse(text.as_str()).and_then(|number| self.number(&number))
            }
            Json::String(text) => self.text(text),
            Json::Array(items) => self.items(items),
            _ => None,
        };
        let broken = broken.or_else(|| self.other_value(json))?;
        Some(format!("expected {}, got {}{broken}", expected(reported), shown(json)))
    }

    fn number(&self, number: &Number) -> Option<String> {
        let beyond = |bound: &Option<Number>, wrong: &[Ordering]| {
            let order = number.compare(bound.as_ref()?);
            Some(order.is_none_or(|order| wrong.contains(&order)))
        };
        let outside = [
            beyond(&self.minimum, &[Ordering::Less]),
            beyond(&self.maximum, &[Ordering::Greater]),
            beyond(&self.exclusive_minimum, &[Ordering::Less, Ordering::Equal]),
            beyond(&self.exclusive_maximum, &[Ordering::Greater, Ordering::Equal]),
        ];
        if outside.contains(&Some(true)) {
            return Some(self.range_text());
        }
        let unit = self.multiple_of?;
        let multiple = number.to_integer().is_some_and(|value| value % i128::from(unit) == 0);
        (!multiple).then(|| format!("; a multiple of {unit} is needed"))
    }

    /// `; the range here is 1 to 10`
    fn range_text(&self) -> String {
        if let (Some(minimum), Some(maximum)) = (&self.minimum, &self.maximum) {
            return format!("; the range here is {minimum} to {maximum}");
        }
        let sides = [
            ("at least", &self.minimum),
            ("more than", &self.exclusive_minimum),
            ("at most", &self.maximum),
            ("less than", &self.exclusive_maximum),
        ];
        let mut text = String::new();
        for (word, bound) in sides {
            if let Some(bound) = bound {
                let joint = if text.is_empty() { "; " } else { " and " };
                // Writing to a string cannot fail.
                let _ = write!(text, "{joint}{word} {bound}");
            }
        }
        text.push_str(" is needed here");
        text
    }

    fn text(&self, text: &str) -> Option<String> {
        let (least, most) = (self.min_length.unwrap_or(0), self.max_length.unwrap_or(u64::MAX));
        if least > 0 || most < u64::MAX {
            let length = text.chars().count() as u64;
            if length < least {
                return Some(format!(
                    "; its length of {length} is less than the {least} needed here"
                ));
            }
            if length > most {
                return Some(format!(
                    "; its length of {length} is more than the {most} allowed here"
                ));
            }
        }
        let pattern = self.pattern.as_ref()?;
        (!pattern.matches(text))
            .then(|| format!("; it must match `{}`", cut(pattern.as_str(), MAX_SHOWN_CHARACTERS)))
    }

    fn items(&self, items: &[Json]) -> Option<String> {
        let count = items.len() as u64;
        if let Some(least) = self.min_items.filter(|least| count < *least) {
            return Some(format!("; the number of items must be at least {least} here"));
        }
        if let Some(most) = self.max_items.filter(|most| count > *most) {
            return Some(format!("; the number of items must be at most {most} here"));
        }
        if !self.unique_items {
            return None;
        }
        let mut keys: Vec<(String, usize)> =
            items.iter().enumerate().map(|(index, item)| (item.canonical(), index)).collect();
        keys.sort_unstable();
        let twice = keys.windows(2).find(|pair| pair[0].0 == pair[1].0)?;
        Some(format!("; the items {} and {} are equal", twice[0].1, twice[1].1))
    }

    fn other_value(&self, json: &Json) -> Option<String> {
        if self.one_of.is_empty() {
            return None;
        }
        let key = json.canonical();
        if self.one_of.iter().any(|value| value.canonical() == key) {
            return None;
        }
        let texts = self.one_of.iter().filter_map(Json::as_str);
        if let Json::String(text) = json
            && texts.clone().count() == self.one_of.len()
        {
            return Some(suggestion(text, texts, "the values here are"));
        }
        let values: Vec<String> = self.one_of.iter().map(Json::to_string).collect();
        Some(format!("; the values here are {}", cut(&values.join(", "), MAX_SHOWN_CHARACTERS)))
    }
}
