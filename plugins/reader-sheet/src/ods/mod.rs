//! Reads OpenDocument spreadsheets.

mod content;
mod shape;
mod styles;

use crate::format::Paddings;
use crate::intake::{Failure, Intake};
use crate::open::{Entry, SheetKind, Source, encrypted, malformed};
use crate::package::{Package, elements, text_of, texts_of};
use crate::properties::Properties;
use content::Table;
use mitt_reader_kit::Error;

pub(crate) fn open(bytes: &[u8]) -> Result<Spreadsheet, Error> {
    let mut package = Package::open(bytes).map_err(malformed)?;
    let mut is_encrypted = false;
    elements(&package.read("META-INF/manifest.xml").unwrap_or_default(), |element| {
        is_encrypted |= element.local_name().as_ref() == "encryption-data";
    });
    if is_encrypted {
        return Err(encrypted());
    }
    let properties = package.read("meta.xml").map(|meta| properties(&meta)).unwrap_or_default();
    let styles = content::styles(&package.read("styles.xml").unwrap_or_default());
    let part = package.stream("content.xml").ok_or_else(|| malformed("it has no `content.xml`"))?;
    let (tables, paddings) = content::read(part, styles)?;
    Ok(Spreadsheet { properties, tables, paddings })
}

pub(crate) struct Spreadsheet {
    properties: Properties,
    tables: Vec<Table>,
    paddings: Paddings,
}

impl Source for Spreadsheet {
    fn properties(&mut self) -> Properties {
        std::mem::take(&mut self.properties)
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |table: &Table| Entry {
            name: table.name.clone(),
            kind: SheetKind::Worksheet,
            is_hidden: table.is_hidden,
        };
        self.tables.iter().map(entry).collect()
    }

    fn paddings(&self) -> Option<&Paddings> {
        Some(&self.paddings)
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        std::mem::take(&mut self.tables[index]).hand_over(intake)
    }
}

/// Returns the metadata in `meta.xml`. It has no field for a company.
fn properties(meta: &[u8]) -> Properties {
    let keywords = texts_of(meta, "keyword");
    Properties {
        title: text_of(meta, "title"),
        author: text_of(meta, "initial-creator").or_else(|| text_of(meta, "creator")),
        subject: text_of(meta, "subject"),
        keywords: (!keywords.is_empty()).then(|| keywords.join(", ")),
        company: None,
        created: text_of(meta, "creation-date"),
        modified: text_of(meta, "date"),
    }
}
