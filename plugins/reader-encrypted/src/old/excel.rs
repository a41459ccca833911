//! Excel: the content of records is encrypted, but not their headers. A record near the beginning describes the encryption.

use super::key::Key;
use super::xor;
use super::{File, put, replace, stream, u16_at};
use crate::{damaged, unknown};
use mitt_reader_kit::Error;

pub(super) const STREAMS: [&str; 2] = ["/Workbook", "/Book"];

const PIECE: usize = 1024;

const BEGINNING: u16 = 0x0809;
const SHEET: u16 = 0x0085;
const PASSWORD: u16 = 0x002F;
/// The type of a record without meaning (the end of menu data), which replaces that of the password.
const NOTHING: u16 = 0x00E2;
/// Types of records that are never encrypted.
const CLEAR: [u16; 7] = [BEGINNING, PASSWORD, 0x0194, 0x0195, 0x00E1, 0x0196, 0x0138];

pub(super) fn decrypt(file: &mut File, name: &str, units: &[u16]) -> Result<(), Error> {
    let mut bytes = stream(file, name)?;
    let records = records(&bytes);
    let Some(&(_, from, to)) = records.iter().find(|(kind, ..)| *kind == PASSWORD) else {
        return Err(damaged("it is not encrypted"));
    };
    let description = bytes.get(from..to).unwrap_or_default().to_vec();
    // Before Excel 97 there was only one method.
    let (way, rest) = match description.len() {
        4 => (0, 0),
        _ => (u16_at(&description, 0)?, 2),
    };
    let encrypted = bytes.clone();
    match way {
        0 => {
            let array =
                xor::array(u16_at(&description, rest)?, u16_at(&description, rest + 2)?, units)?;
            for (_, from, to) in &records {
                xor::apply(&array, *to, bytes.get_mut(*from..*to).unwrap_or_default());
            }
        }
        1 => {
            let key = Key::of(description.get(rest..).unwrap_or_default(), units)?;
            key.apply_in_pieces(PIECE, &mut bytes)?;
        }
        other => return Err(unknown(&format!("way {other}"))),
    }
    for (kind, from, to) in records {
        let clear_to = match kind {
            _ if CLEAR.contains(&kind) => to,
            // The offset of the sheet in the stream is not encrypted.
            SHEET => to.min(from + 4),
            _ => from,
        };
        put(&mut bytes, from - 4, encrypted.get(from - 4..clear_to).unwrap_or_default());
        if kind == PASSWORD {
            put(&mut bytes, from - 4, &NOTHING.to_le_bytes());
        }
    }
    replace(file, name, &bytes)
}

/// Returns the records of a workbook: their type, and the start and end of their contents.
fn records(bytes: &[u8]) -> Vec<(u16, usize, usize)> {
    let mut records = Vec::new();
    let mut at = 0;
    while let (Ok(kind), Ok(length)) = (u16_at(bytes, at), u16_at(bytes, at + 2)) {
        let (from, to) = (at + 4, at + 4 + usize::from(length));
        if to > bytes.len() {
            break;
        }
        records.push((kind, from, to));
        at = to;
    }
    records
}
