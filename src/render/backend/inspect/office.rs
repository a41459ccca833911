//! The texts of an office file: paragraphs, cells, formulas, comments, titles, descriptions, addresses of links.
//!
//! Parts in which nothing is left out are copied in their compressed form. Does not know how a file was made.

use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::Inspect;
use super::part::PartInspector;
use mitt_base::memory::Account;
use mitt_base::{Error, Result};

/// Most bytes of all unpacked parts, which is also the limit of writers and templates.
const MAX_UNPACKED: u64 = 512 << 20;

/// Copies of a part in memory: unpacked, rewritten, and what is kept of a paragraph.
const COPIES: u64 = 3;

/// Shows each text of an office file to `look`, and leaves out what it says.
pub(super) fn inspect_office(
    file: &[u8],
    look: &mut dyn Inspect,
    memory: Option<&Account>,
) -> Result<Option<Vec<u8>>> {
    let failed = |what: &dyn std::fmt::Display| {
        Error::input(format!("the file that was made cannot be looked at: {what}"))
            .hint("save the template once more in its program")
    };
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|error| failed(&error))?;
    let mut changed = Vec::new();
    let mut left = MAX_UNPACKED;
    for number in 0..archive.len() {
        let entry = archive.by_index(number).map_err(|error| failed(&error))?;
        let name = entry.name().map_err(|error| failed(&error))?.into_owned();
        let lower = name.to_ascii_lowercase();
        if ![".xml", ".rels", ".vml"].iter().any(|ending| lower.ends_with(ending)) {
            continue;
        }
        let size = entry.size();
        left = left.checked_sub(size).ok_or_else(|| {
            failed(&format_args!("its parts have more than {} MiB", MAX_UNPACKED >> 20))
        })?;
        let charge = memory.map(|memory| memory.charge(size.saturating_mul(COPIES)));
        let charge = charge.transpose().map_err(Error::reached)?;
        let mut bytes = Vec::new();
        entry.take(size + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > size {
            return Err(failed(&format_args!("its part `{name}` is larger than it says")));
        }
        let xml = std::str::from_utf8(&bytes)
            .map_err(|_| failed(&format_args!("its part `{name}` is not UTF-8")))?;
        let part = PartInspector::new(look, lower.ends_with(".rels")).read(xml);
        if let Some(xml) = part.map_err(|error| error.at(format_args!("part `{name}`")))? {
            changed.push((number, xml, charge));
        }
    }
    if changed.is_empty() {
        return Ok(None);
    }
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::DEFAULT);
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let mut changed = changed.into_iter().peekable();
    for number in 0..archive.len() {
        let entry = archive.by_index_raw(number).map_err(|error| failed(&error))?;
        match changed.next_if(|(changed, ..)| *changed == number) {
            Some((_, xml, _charge)) => {
                let name = entry.name().map_err(|error| failed(&error))?.into_owned();
                out.start_file(name, options).map_err(|error| failed(&error))?;
                out.write_all(xml.as_bytes()).map_err(|error| failed(&error))?;
            }
            None => out.raw_copy_file(entry).map_err(|error| failed(&error))?,
        }
    }
    Ok(Some(out.finish().map_err(|error| failed(&error))?.into_inner()))
}
