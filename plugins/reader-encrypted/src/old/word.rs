//! Word: the text and its tables are encrypted in blocks of 512 bytes. The header of the text describes the encryption.

use super::key::Key;
use super::{File, put, replace, stream, u16_at, u32_at};
use crate::{damaged, unknown};
use mitt_reader_kit::Error;

pub(super) const STREAM: &str = "/WordDocument";

const PIECE: usize = 512;
/// Bytes of the text's header that are never encrypted.
const CLEAR: usize = 68;

const FLAGS_AT: usize = 10;
const KEY_AT: usize = 14;
const ENCRYPTED: u16 = 0x0100;
const SECOND_TABLE: u16 = 0x0200;
const OBFUSCATED: u16 = 0x8000;

pub(super) fn decrypt(file: &mut File, units: &[u16]) -> Result<(), Error> {
    let mut text = stream(file, STREAM)?;
    let flags = u16_at(&text, FLAGS_AT)?;
    if flags & ENCRYPTED == 0 {
        return Err(damaged("it is not encrypted"));
    }
    if flags & OBFUSCATED != 0 {
        return Err(unknown("the obfuscation of Word 95"));
    }
    let table_name = if flags & SECOND_TABLE != 0 { "/1Table" } else { "/0Table" };
    let mut table = stream(file, table_name)?;
    let description = u32_at(&text, KEY_AT)? as usize;
    let description =
        table.get(..description).ok_or_else(|| damaged("its description is cut short"))?.to_vec();
    let key = Key::of(&description, units)?;

    let clear = text.get(..CLEAR).ok_or_else(|| damaged("it is cut short"))?.to_vec();
    key.apply_in_pieces(PIECE, &mut text)?;
    put(&mut text, 0, &clear);
    put(&mut text, FLAGS_AT, &(flags & !ENCRYPTED).to_le_bytes());
    put(&mut text, KEY_AT, &[0; 4]);
    replace(file, STREAM, &text)?;

    key.apply_in_pieces(PIECE, &mut table)?;
    put(&mut table, 0, &description);
    replace(file, table_name, &table)?;

    const DATA: &str = "/Data";
    if file.is_stream(DATA) {
        let mut data = stream(file, DATA)?;
        key.apply_in_pieces(PIECE, &mut data)?;
        replace(file, DATA, &data)?;
    }
    Ok(())
}
