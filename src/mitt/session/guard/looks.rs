//! What the guard does to the looks of a workbook: the texts of sheets and cells are checked as those of tables are.
//!
//! Knows that a cell with a format is an object with the field `d`, and that a chart has its numbers in `values`. Does not know
//! sessions.

use std::collections::BTreeMap;

use mitt_guard::REDACTED;
use mitt_wit::value::Weight;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::check::Check;
use mitt_base::at_most::AtMost;
use mitt_base::memory::Account;
use mitt_base::{Error, Result};
use mitt_types::{WorkbookView, WorkbookViewInternal as _};

/// Fields of a cell: the text that is displayed, its value, its formula and its kind.
const DISPLAYED: &str = "d";
const VALUE: &str = "v";
const FORMULA: &str = "f";
const KIND: &str = "k";

/// Field of a series of a chart: its numbers.
const VALUES: &str = "values";

/// Rows of a block. They are parsed one after the other, because a few bytes of JSON become a hundred bytes of values.
type BlockRows<'a> = AtMost<&'a RawValue, { WorkbookView::BLOCK_ROWS }>;

impl Check {
    /// Redacts the looks of a workbook: names, texts and values of cells, formulas, charts, warnings. `memory` is charged for
    /// what is parsed of it.
    ///
    /// # Errors
    ///
    /// Those of [`Check::text`]. [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the reader wrote no JSON.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - there is no memory for parsing it.
    pub(in crate::session) fn view(
        &mut self,
        view: &mut WorkbookView,
        memory: &Account,
    ) -> Result<()> {
        let (outline, blocks, warnings) = view.texts();
        if let Some(redacted) = self.json_text(outline, memory)? {
            *outline = redacted;
        }
        for block in blocks {
            if let Some(redacted) = self.rows(block, memory)? {
                *block = redacted;
            }
        }
        self.texts(&mut *warnings)?;
        warnings.extend(self.warning());
        Ok(())
    }

    /// Returns the rows of a block without the redacted parts, or `None` if nothing was redacted.
    fn rows(&mut self, block: &str, memory: &Account) -> Result<Option<String>> {
        let read: BlockRows<'_> = serde_json::from_str(block).map_err(Error::bug)?;
        if read.has_more {
            return Err(Error::bug("a block of a workbook has more rows than expected"));
        }
        let rows = read.items;
        let (mut changed, mut working) = (BTreeMap::new(), memory.nothing());
        for (number, row) in rows.iter().enumerate() {
            if let Some(redacted) = self.json_text(row.get(), memory)? {
                working.grow(redacted.len() as u64).map_err(Error::reached)?;
                changed.insert(number, redacted);
            }
        }
        if changed.is_empty() {
            return Ok(None);
        }
        let row = |(number, row): (usize, &&RawValue)| -> usize {
            changed.get(&number).map_or(row.get().len(), String::len) + 1
        };
        let bytes = rows.iter().enumerate().map(row).sum::<usize>() + 2;
        working.grow(bytes as u64).map_err(Error::reached)?;
        let mut written = String::with_capacity(bytes);
        for (number, row) in rows.iter().enumerate() {
            written.push(if number == 0 { '[' } else { ',' });
            written.push_str(changed.get(&number).map_or(row.get(), String::as_str));
        }
        written.push(']');
        Ok(Some(written))
    }

    /// Returns a JSON text without the redacted parts, or `None` if nothing was redacted.
    fn json_text(&mut self, json: &str, memory: &Account) -> Result<Option<String>> {
        let weight = Weight::of(json.as_bytes()).message_and_text_bytes();
        let _tree = memory.charge(weight).map_err(Error::reached)?;
        let before = self.redacted_texts();
        let mut value: Value = serde_json::from_str(json).map_err(Error::bug)?;
        self.shown(&mut value)?;
        Ok((self.redacted_texts() != before).then(|| value.to_string()))
    }

    /// Redacts all texts of a value. A cell in which something was found keeps nothing but the mark.
    fn shown(&mut self, value: &mut Value) -> Result<()> {
        match value {
            Value::String(text) => self.text(text).map(drop),
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.shown(item)),
            Value::Object(fields) => {
                let before = self.redacted_texts();
                if let Some(Value::Number(number)) = fields.get(VALUE) {
                    self.text(&mut digits(number))?;
                }
                if let Some(Value::Array(values)) = fields.get_mut(VALUES) {
                    values.iter_mut().try_for_each(|value| self.number(value))?;
                }
                fields.values_mut().try_for_each(|value| self.shown(value))?;
                if fields.contains_key(DISPLAYED) && self.redacted_texts() != before {
                    fields.insert(DISPLAYED.to_owned(), REDACTED.into());
                    fields.retain(|name, _| !matches!(name.as_str(), VALUE | FORMULA | KIND));
                }
                Ok(())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    /// Removes a number of a chart if a rule finds it. A value of another kind stays.
    fn number(&mut self, value: &mut Value) -> Result<()> {
        let is_found = match &*value {
            Value::Number(number) => self.text(&mut digits(number))?,
            _ => false,
        };
        if is_found {
            *value = Value::Null;
        }
        Ok(())
    }
}

/// Returns a number as people see it: `12345` for `12345.0`, and no exponent.
fn digits(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => value.to_string(),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mitt_guard::{Guard, RuleSet};

    use super::*;
    use mitt_base::memory::Charge;
    use mitt_base::{ErrorKind, Resource};

    fn view(rows: &str) -> WorkbookView {
        let blocks = BTreeMap::from([((0, 0), rows.to_owned())]);
        let outline = r#"{"sheets":[{"name":"heron","rows":12345}]}"#.to_owned();
        WorkbookView::new((outline, blocks, Vec::new()), Charge::default()).unwrap()
    }

    fn memory(bytes: u64) -> Account {
        Account::root(Resource::CallMemory, bytes)
    }

    fn check(action: &str) -> Check {
        let rule = |word: &str| format!("{{word: \"{word}\", action: {action}}}");
        let rules = format!("rules: [{}, {}]", rule("heron"), rule("12345"));
        Check::new(&Guard::new([RuleSet::yaml("t", &rules).unwrap()]).unwrap()).unwrap()
    }

    #[test]
    fn a_cell_with_a_word_shows_nothing_else() {
        let rows = r#"[["a heron",null,{"d":"12,345","v":12345,"k":"n","s":2},{"d":"1","v":1}]]"#;
        let mut view = view(rows);
        check("redact").view(&mut view, &memory(u64::MAX)).unwrap();
        let expected = r#"[["a [███]",null,{"d":"[███]","s":2},{"d":"1","v":1}]]"#;
        assert_eq!(view.block(0, 0), Some(expected));
        assert_eq!(view.outline(), r#"{"sheets":[{"name":"[███]","rows":12345}]}"#);
        assert_eq!(view.warnings().len(), 1);
        view.charge_again().unwrap();
    }

    #[test]
    fn what_is_blocked_is_not_shown_at_all() {
        let error = check("block").view(&mut view("[]"), &memory(u64::MAX)).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Blocked);
    }

    #[test]
    fn numbers_and_texts_of_a_chart_are_redacted() {
        let chart = r#"{"title":"heron","categories":["heron","b"],"series":[{"name":"a heron","values":[1,12345.0,12345,null]}]}"#;
        let outline = format!(r#"{{"sheets":[{{"name":"a","rows":12345,"charts":[{chart}]}}]}}"#);
        let parts = (outline, BTreeMap::new(), Vec::new());
        let mut view = WorkbookView::new(parts, Charge::default()).unwrap();
        check("redact").view(&mut view, &memory(u64::MAX)).unwrap();
        let chart = r#"{"title":"[███]","categories":["[███]","b"],"series":[{"name":"a [███]","values":[1,null,null,null]}]}"#;
        let expected = format!(r#"{{"sheets":[{{"name":"a","rows":12345,"charts":[{chart}]}}]}}"#);
        assert_eq!(view.outline(), expected);
    }

    #[test]
    fn rows_are_checked_one_after_the_other_within_the_memory() {
        // All of it at once would take 52 MB.
        let row = format!("[{}\"a heron\"]", "null,".repeat(16_383));
        let mut wide = view(&format!("[[1],{}]", vec![row.as_str(); 100].join(",")));
        let account = memory(32 << 20);
        check("redact").view(&mut wide, &account).unwrap();
        let block = wide.block(0, 0).unwrap();
        assert!(block.starts_with("[[1],[null,"), "{block:.20}");
        assert!(block.ends_with(r#"null,"a [███]"]]"#));
        assert_eq!((block.matches("a [███]").count(), account.usage().used), (100, 0));
        // Nothing is written of a block without such a word.
        let mut plain = view("[ [ 1 ] ]");
        check("redact").view(&mut plain, &account).unwrap();
        assert_eq!(plain.block(0, 0), Some("[ [ 1 ] ]"));
        let mut long = view(&format!("[[{}1]]", "null,".repeat(200_000)));
        let error = check("redact").view(&mut long, &account).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit(_)), "{error}");
        let mut many = view(&format!("[{}[]]", "[],".repeat(WorkbookView::BLOCK_ROWS)));
        let error = check("redact").view(&mut many, &account).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Host);
    }
}
