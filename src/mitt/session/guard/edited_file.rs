//! What the guard does to edited files. Their bytes cannot be redacted, so a rule that would redact something refuses the file,
//! as one that blocks does. Both name the place.
//!
//! Knows what a reader saw in the file. Does not know formats.

use std::borrow::Cow;
use std::fmt::Display;

use mitt_guard::{Action, Guard, Hit};
use mitt_table::{CellRef, ColumnType, NamedTable};

use super::session_guard::SessionGuard;
use crate::check::Check;
use mitt_base::{Error, ErrorKind, Result};
use mitt_types::Document;

impl SessionGuard {
    /// Checks an edited file as its reader saw it, and records the findings in the journal under `file`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Blocked`] - a rule that blocks found something. [`ErrorKind::Input`] - a rule that redacts did.
    pub(in crate::session) fn edited_file(&self, file: &str, document: &Document) -> Result<()> {
        let guard = self.rules();
        let Some(check) = Check::new(&guard) else { return Ok(()) };
        let mut inspection = Inspection { guard, check };
        inspection.document(document).map_err(|error| error.at(file))?;
        self.note(&inspection.check, file);
        Ok(())
    }
}

struct Inspection {
    guard: Guard,
    /// Counts the findings.
    check: Check,
}

impl Inspection {
    /// Checks what `Check::document` redacts, without the warnings, which are those of the reader.
    fn document(&mut self, document: &Document) -> Result<()> {
        self.text(&document.text)
            .map_err(|error| error.at(place_in_text(&self.guard, document)))?;
        if let Some(title) = &document.title {
            self.text(title).map_err(|error| error.at("the title"))?;
        }
        let properties = document.metadata.iter().flat_map(|(name, value)| [name, value]);
        for text in properties {
            self.text(text).map_err(|error| error.at("the properties"))?;
        }
        for (number, place) in (1_u64..).zip(&document.places) {
            self.text(&place.label)
                .map_err(|error| error.at(format_args!("the name of part {number}")))?;
        }
        for (number, table) in (1_u64..).zip(document.tables.iter()) {
            self.table(table, number)?;
        }
        Ok(())
    }

    fn table(&mut self, table: &NamedTable, number: u64) -> Result<()> {
        let NamedTable { name, data, place } = table;
        for text in std::iter::once(name).chain(place) {
            self.text(text)
                .map_err(|error| error.at(format_args!("the name of table {number}")))?;
        }
        for (index, (name, column)) in data.columns().enumerate() {
            let place =
                |part: &dyn Display| format!("table {number}: {part}, column {}", index + 1);
            self.text(name).map_err(|error| error.at(place(&"header")))?;
            let is_text = matches!(
                column.column_type(),
                ColumnType::Text | ColumnType::Mixed | ColumnType::Integer | ColumnType::Decimal
            );
            if !is_text {
                continue;
            }
            let mut written = String::new();
            for row in 0..data.rows() {
                if let CellRef::Text(text) | CellRef::Number(text) =
                    data.cell(row, index, &mut written)
                {
                    self.text(text)
                        .map_err(|error| error.at(place(&format_args!("row {}", row + 1))))?;
                }
            }
        }
        Ok(())
    }

    /// Checks a text. An error has no place.
    fn text(&mut self, text: &str) -> Result<()> {
        let checked = self.guard.apply_read(text).map_err(|blocked| Error::from(*blocked))?;
        self.check.add(&checked.hits);
        match checked.text {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(_) => Err(unredacted(&checked.hits)),
        }
    }
}

/// Returns the error of a file in which a rule would redact something.
fn unredacted(hits: &[Hit]) -> Error {
    let rule = hits.iter().find(|hit| hit.action == Action::Redact);
    let rule = rule.map_or_else(|| "a rule".to_owned(), |hit| format!("the rule `{}`", hit.rule));
    let message = format!("{rule} would redact something, and edited files are not redacted");
    Error::new(ErrorKind::Input, message).hint("make the change without this text")
}

/// Returns the place of the first line that cannot stay, for people; the whole text if several lines hide it together.
fn place_in_text(guard: &Guard, document: &Document) -> String {
    let mut offset = 0_u64;
    for (number, line) in (1_u64..).zip(document.text.split('\n')) {
        if !is_clean(guard, line) {
            let before = document.places.partition_point(|place| place.offset <= offset);
            let part = before.checked_sub(1).and_then(|last| document.places.get(last));
            // A label is text of the file, too.
            return match part.filter(|part| is_clean(guard, &part.label)) {
                Some(part) => format!("{}, line {number} of the text", part.label),
                None => format!("line {number} of the text"),
            };
        }
        offset += line.chars().count() as u64 + 1;
    }
    "the text".to_owned()
}

fn is_clean(guard: &Guard, text: &str) -> bool {
    guard.apply_read(text).is_ok_and(|checked| matches!(checked.text, Cow::Borrowed(_)))
}

#[cfg(test)]
mod tests {
    use mitt_guard::RuleSet;
    use mitt_table::{Cell, Chunk, TableBuilder, Texts, Validity, Values};

    use super::*;
    use mitt_base::Resource;
    use mitt_base::memory::Account;
    use mitt_types::{DocumentInternal as _, Place};

    const RULES: &str = "
rules:
  - {word: heron, action: redact, id: r}
  - {word: egret, id: b}
  - {word: gull, action: flag, id: f}
";

    fn checked(document: &Document) -> Result<Option<serde_json::Value>> {
        let guard = Guard::new([RuleSet::yaml("t", RULES).unwrap()]).unwrap();
        let check = Check::new(&guard).unwrap();
        let mut inspection = Inspection { guard, check };
        inspection.document(document)?;
        Ok(inspection.check.details("here"))
    }

    fn document(text: &str) -> Document {
        let characters = text.chars().count() as u64;
        Document { text: text.to_owned(), characters, ..Document::empty("a.docx", "") }
    }

    fn table(header: &str, cell: &str) -> NamedTable {
        let account = Account::root(Resource::Documents, u64::MAX);
        let names = mitt_table::column_names(&["a".to_owned(), header.to_owned()]);
        let mut builder = TableBuilder::new(names, &account);
        let chunk = |cell: &str| {
            let mut texts = Texts::default();
            assert!(texts.push(cell));
            Chunk { values: Values::Texts(texts), validity: Validity::all(true, 1) }
        };
        let mixed = Chunk {
            values: Values::Mixed(vec![Cell::Text(cell.into())]),
            validity: Validity::all(true, 1),
        };
        builder.append(vec![chunk("one"), mixed]).unwrap();
        NamedTable::new("t", builder.finish().unwrap())
    }

    #[test]
    fn what_cannot_stay_is_named_by_its_place() {
        let places = || {
            let place = |offset, label: &str| Place { offset, label: label.to_owned() };
            vec![place(0, "slide 1"), place(8, "slide 2"), place(14, "a heron")]
        };
        let of_slides = |text| Document { places: places(), ..document(text) };
        let with = |tables: Vec<NamedTable>| Document { tables: tables.into(), ..document("") };
        for (document, kind, expected) in [
            (document("one\ntwo\nan **eg**ret"), ErrorKind::Blocked, "line 3 of the text: blocked"),
            (document("a heron"), ErrorKind::Input, "line 1 of the text: the rule `r` would"),
            (of_slides("第一页\n二\n三\nheron"), ErrorKind::Input, "slide 2, line 4 of the text: "),
            (of_slides("0123456\n89012\nheron"), ErrorKind::Input, "line 3 of the text: "),
            (
                Document { title: Some("heron".into()), ..document("") },
                ErrorKind::Input,
                "the title: ",
            ),
            (
                Document { metadata: vec![("author".into(), "egret".into())], ..document("") },
                ErrorKind::Blocked,
                "the properties: ",
            ),
            (of_slides(""), ErrorKind::Input, "the name of part 3: "),
            (
                with(vec![table("b", "x"), table("b", "a heron")]),
                ErrorKind::Input,
                "table 2: row 1, column 2: ",
            ),
            (with(vec![table("egret", "x")]), ErrorKind::Blocked, "table 1: header, column 2: "),
        ] {
            let error = checked(&document).unwrap_err();
            assert_eq!(*error.kind(), kind, "{error}");
            let told = error.to_string();
            assert!(told.starts_with(expected), "{expected}: {told}");
            assert!(!told.contains("heron") && !told.contains("egret"), "{told}");
        }
    }

    #[test]
    fn what_is_flagged_stays_and_is_recorded() {
        let found = checked(&document("a gull")).unwrap().unwrap();
        assert_eq!(found["found"][0]["rule"], "f");
        assert_eq!(checked(&document("a duck")).unwrap(), None);
    }
}
