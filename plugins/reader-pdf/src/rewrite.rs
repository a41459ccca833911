//! Changes what is painted on pages, as an update at the end of the file (ISO 32000-1, 7.5.6), before the library reads it.

use crate::shades::Grid;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// Deepest nesting of what a page's dictionary holds.
const MAX_DEPTH: usize = 32;

/// What a page is to be painted with.
#[derive(Default)]
pub(crate) struct Painting {
    pub(crate) page: u32,
    /// Operators in place of those that it has.
    pub(crate) instead: Option<Vec<u8>>,
    /// Tables whose borders are drawn first.
    pub(crate) grids: Vec<Grid>,
}

/// The document with these paintings; none if it cannot be written. It is not encrypted: otherwise everything would have to
/// be encrypted again.
pub(crate) fn repainted(
    bytes: &[u8],
    document: &RawDocument,
    pages: &BTreeMap<u32, (u32, u16)>,
    paintings: &[Painting],
) -> Option<Vec<u8>> {
    let trailer = document.trailer();
    let size = dict_get(trailer, b"Size").and_then(PdfObject::as_i64)?;
    let mut next = u32::try_from(size).ok().filter(|size| *size < 8_000_000)?;
    let mut out = bytes.to_vec();
    out.push(b'\n');
    let mut entries = Vec::new();
    for Painting { page: number, instead, grids } in paintings {
        let id = *pages.get(number)?;
        let mut page = document.get_dict(id).ok()?.clone();
        let mut contents = vec![PdfObject::Reference(next, 0)];
        let mut content = if grids.is_empty() { String::new() } else { lines(grids) }.into_bytes();
        match instead {
            Some(instead) => {
                content.push(b'\n');
                content.extend_from_slice(instead);
            }
            None => {
                let before = dict_get(&page, b"Contents")?;
                match document.resolve(before) {
                    PdfObject::Array(parts) => contents.extend(parts.iter().cloned()),
                    _ => contents.push(before.clone()),
                }
            }
        }
        entries.push(((next, 0), out.len()));
        out.extend_from_slice(
            format!("{next} 0 obj\n<</Length {}>>stream\n", content.len()).as_bytes(),
        );
        out.extend_from_slice(&content);
        out.extend_from_slice(b"\nendstream\nendobj\n");
        page.insert(b"Contents".to_vec(), PdfObject::Array(contents));
        entries.push((id, out.len()));
        out.extend_from_slice(format!("{} {} obj\n", id.0, id.1).as_bytes());
        write(&PdfObject::Dict(page), &mut out, 0)?;
        out.extend_from_slice(b"\nendobj\n");
        next += 1;
    }
    let before = unpdf::parser::raw::xref::find_startxref(bytes).ok()?;
    let start = out.len();
    let mut table = String::from("xref\n");
    for ((number, generation), offset) in entries {
        write!(table, "{number} 1\n{offset:010} {generation:05} n \n").ok()?;
    }
    out.extend_from_slice(table.as_bytes());
    let mut update = PdfDict::new();
    for key in [b"Root".as_slice(), b"Info", b"ID"] {
        if let Some(value) = dict_get(trailer, key) {
            update.insert(key.to_vec(), value.clone());
        }
    }
    update.insert(b"Size".to_vec(), PdfObject::Integer(next.into()));
    update.insert(b"Prev".to_vec(), PdfObject::Integer(i64::try_from(before).ok()?));
    out.extend_from_slice(b"trailer\n");
    write(&PdfObject::Dict(update), &mut out, 0)?;
    out.extend_from_slice(format!("\nstartxref\n{start}\n%%EOF\n").as_bytes());
    Some(out)
}

/// Operators that draw the borders.
fn lines(grids: &[Grid]) -> String {
    let mut out = String::from("q 0.5 w 0 G");
    for Grid { rows, columns } in grids {
        let (Some(top), Some(bottom), Some(left), Some(right)) =
            (rows.first(), rows.last(), columns.first(), columns.last())
        else {
            continue;
        };
        for row in rows {
            out.push_str(&format!(" {left:.2} {row:.2} m {right:.2} {row:.2} l S"));
        }
        for column in columns {
            out.push_str(&format!(" {column:.2} {bottom:.2} m {column:.2} {top:.2} l S"));
        }
    }
    out + " Q"
}

/// Write a value; none for what no dictionary of a page holds.
fn write(object: &PdfObject, out: &mut Vec<u8>, depth: usize) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    match object {
        PdfObject::Null => out.extend_from_slice(b"null"),
        PdfObject::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
        PdfObject::Integer(value) => out.extend_from_slice(value.to_string().as_bytes()),
        PdfObject::Real(value) => out.extend_from_slice(format!("{value:.6}").as_bytes()),
        PdfObject::Name(name) => write_name(name, out),
        PdfObject::Str(text) => {
            out.push(b'<');
            text.iter().for_each(|byte| out.extend_from_slice(format!("{byte:02x}").as_bytes()));
            out.push(b'>');
        }
        PdfObject::Array(items) => {
            out.push(b'[');
            for item in items {
                write(item, out, depth + 1)?;
                out.push(b' ');
            }
            out.push(b']');
        }
        PdfObject::Dict(dict) => {
            out.extend_from_slice(b"<<");
            for (key, value) in dict {
                write_name(key, out);
                out.push(b' ');
                write(value, out, depth + 1)?;
            }
            out.extend_from_slice(b">>");
        }
        PdfObject::Reference(number, generation) => {
            out.extend_from_slice(format!("{number} {generation} R").as_bytes())
        }
        PdfObject::Stream(_) => return None,
    }
    Some(())
}

fn write_name(name: &[u8], out: &mut Vec<u8>) {
    out.push(b'/');
    for byte in name {
        if byte.is_ascii_alphanumeric() || b"-_.+*".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("#{byte:02x}").as_bytes());
        }
    }
}
