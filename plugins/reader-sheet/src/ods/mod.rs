//! OpenDocument spreadsheets.

mod content;
mod shape;

use crate::intake::{Failure, Intake};
use crate::open::{Entry, Kind, Source, encrypted, malformed};
use crate::package::{Package, elements, text_of};
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
    let title = package.read("meta.xml").and_then(|meta| text_of(&meta, "title"));
    let part = package.stream("content.xml").ok_or_else(|| malformed("it has no `content.xml`"))?;
    Ok(Spreadsheet { title, tables: content::read(part)? })
}

pub(crate) struct Spreadsheet {
    title: Option<String>,
    tables: Vec<Table>,
}

impl Source for Spreadsheet {
    fn title(&mut self) -> Option<String> {
        self.title.take()
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |table: &Table| Entry {
            name: table.name.clone(),
            kind: Kind::Worksheet,
            is_hidden: table.is_hidden,
        };
        self.tables.iter().map(entry).collect()
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        std::mem::take(&mut self.tables[index]).hand_over(intake)
    }
}
