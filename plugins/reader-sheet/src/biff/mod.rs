//! Reads workbooks of Excel 2 to 2003, in a compound file or as the bare stream that small programs write.

mod globals;
mod painted;
mod record;
mod remarks;
mod sheet;
mod summary;
mod text;

pub(crate) use sheet::error;

use crate::format::Paddings;
use crate::intake::{Failure, Intake};
use crate::open::{Entry, Source, encrypted, malformed, sheet_failure};
use crate::properties::Properties;
use calamine::{Reader, Xls};
use globals::Globals;
use mitt_reader_kit::Error;
use mitt_reader_kit::compound::{self, Regular};
use std::borrow::Cow;
use std::io::{Cursor, Read};

/// Stream with an encrypted package.
const ENCRYPTED: &str = "/EncryptedPackage";

pub(crate) fn open(bytes: &[u8]) -> Result<Book<'_>, Error> {
    if !bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        let (stream, properties) = (bytes.to_vec(), Properties::default());
        let globals = Globals::read(&stream)?;
        return Ok(Book { bytes: bytes.into(), stream, properties, globals, formulas: None });
    }
    let Regular { bytes, warnings } = compound::regular(bytes).map_err(malformed)?;
    let (stream, properties) = streams(&bytes)?;
    let mut globals = Globals::read(&stream)?;
    globals.warnings.extend(warnings);
    Ok(Book { bytes, stream, properties, globals, formulas: None })
}

/// Library that decodes the text of formulas.
type Formulas<'a> = Xls<Cursor<Cow<'a, [u8]>>>;

/// A workbook whose sheets can be read.
pub(crate) struct Book<'a> {
    bytes: Cow<'a, [u8]>,
    stream: Vec<u8>,
    properties: Properties,
    globals: Globals,
    /// Decoder of formulas. It is made when the first formula needs it.
    formulas: Option<Option<Formulas<'a>>>,
}

impl Source for Book<'_> {
    fn properties(&mut self) -> Properties {
        std::mem::take(&mut self.properties)
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |sheet: &globals::SheetEntry| Entry {
            name: sheet.name.clone(),
            kind: sheet.kind,
            is_hidden: sheet.is_hidden,
        };
        self.globals.sheets.iter().map(entry).collect()
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        let place = &self.globals.sheets[index];
        let start = place.start;
        let stream = self.stream.get(start..).ok_or_else(|| sheet_failure("it is cut off"))?;
        let uncalculated = sheet::read(stream, &self.globals, index, intake)?;
        if uncalculated.is_empty() {
            return Ok(());
        }
        let bytes = &self.bytes;
        let formulas = self
            .formulas
            .get_or_insert_with(|| Xls::new(Cursor::new(bytes.clone())).ok())
            .as_mut()
            .and_then(|xls| xls.worksheet_formula(&place.name).ok());
        for (row, column) in uncalculated {
            let text = formulas.as_ref().and_then(|range| range.get_value((row, column)));
            let text = text.filter(|text| !text.starts_with("Unrecognised formula"));
            intake.uncalculated(row, column, text.map_or("?", String::as_str))?;
        }
        Ok(())
    }

    fn paddings(&self) -> Option<&Paddings> {
        Some(&self.globals.paddings)
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.globals.warnings)
    }
}

/// Returns whether a file is an encrypted package, which is a compound file.
pub(crate) fn is_encrypted(bytes: &[u8]) -> bool {
    compound::regular(bytes)
        .and_then(|regular| cfb::CompoundFile::open(Cursor::new(regular.bytes)))
        .is_ok_and(|file| file.is_stream(ENCRYPTED))
}

/// Returns the workbook stream of a compound file, and its metadata.
fn streams(bytes: &[u8]) -> Result<(Vec<u8>, Properties), Error> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).map_err(malformed)?;
    if file.is_stream(ENCRYPTED) {
        return Err(encrypted());
    }
    let name = ["/Workbook", "/Book"]
        .into_iter()
        .find(|name| file.is_stream(name))
        .ok_or_else(|| malformed("it has no stream `Workbook`"))?;
    let mut read = |name: &str| -> std::io::Result<Vec<u8>> {
        let mut content = Vec::new();
        // The declared size of a stream may be wrong. No stream is longer than the file.
        file.open_stream(name)?.take(bytes.len() as u64).read_to_end(&mut content)?;
        Ok(content)
    };
    let stream = read(name).map_err(malformed)?;
    let summary = read("/\u{5}SummaryInformation").ok();
    let of_document = read("/\u{5}DocumentSummaryInformation").ok();
    Ok((stream, summary::properties(summary.as_deref(), of_document.as_deref())))
}
