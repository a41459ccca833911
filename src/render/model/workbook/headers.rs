//! Headers that are too long for an Excel table.

use std::collections::BTreeSet;

use super::Workbook;
use mitt_base::text;

/// Most UTF-16 units of a header.
pub(crate) const MAX_HEADER_UNITS: usize = 255;

/// Most sheets that are named; the others are counted.
const MAX_NAMED: usize = 10;

/// Most bytes of a name or header in a warning.
const SHOWN: usize = 120;

impl Workbook {
    /// Shortens headers of more than 255 UTF-16 units, which Excel does not accept, each to a text that is unique in its
    /// block. Returns warnings, one sentence for each sheet.
    pub fn shorten_headers(&mut self) -> Vec<String> {
        let (mut warnings, mut others) = (Vec::new(), 0);
        for sheet in &mut self.sheets {
            let (mut count, mut first) = (0, String::new());
            for block in &mut sheet.blocks {
                if !block.columns.iter().any(|column| is_long(&column.header)) {
                    continue;
                }
                let headers = block.columns.iter().map(|column| column.header.to_lowercase());
                let mut taken: BTreeSet<String> = headers.collect();
                for column in block.columns.iter_mut().filter(|column| is_long(&column.header)) {
                    let header = shortened(&column.header, &mut taken);
                    if count == 0 {
                        first = plain(&header);
                    }
                    (column.header, count) = (header, count + 1);
                }
            }
            match count {
                0 => {}
                _ if warnings.len() == MAX_NAMED => others += count,
                _ => warnings.push(format!(
                    "sheet `{}`: {count} headers are shortened to {MAX_HEADER_UNITS} characters, as Excel takes no longer ones; the first \
                     begins with `{first}`",
                    plain(&sheet.name)
                )),
            }
        }
        if others > 0 {
            warnings.push(format!("{others} more headers, in other sheets, are shortened"));
        }
        warnings
    }
}

fn is_long(header: &str) -> bool {
    // A UTF-16 unit takes at least a byte, so most headers need not be counted.
    header.len() > MAX_HEADER_UNITS && header.encode_utf16().count() > MAX_HEADER_UNITS
}

/// Returns the beginning of a header, followed by a number if another header is the same.
fn shortened(header: &str, taken: &mut BTreeSet<String>) -> String {
    let mut number = 1;
    loop {
        let end = if number == 1 { "…".to_owned() } else { format!("… ({number})") };
        let short =
            format!("{}{end}", beginning(header, MAX_HEADER_UNITS - end.encode_utf16().count()));
        if taken.insert(short.to_lowercase()) {
            return short;
        }
        number += 1;
    }
}

/// Returns the beginning of a text with at most `most` UTF-16 units.
fn beginning(text: &str, most: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > most
    });
    text[..end.map_or(text.len(), |(at, _)| at)].trim_end()
}

fn plain(text: &str) -> String {
    text::cut_bytes(text, SHOWN).replace(|c: char| c == '`' || c.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::workbook::{Block, Sheet, SheetColumn};

    fn book(headers: &[&str]) -> Workbook {
        let column =
            |header: &&str| SheetColumn { header: (*header).to_owned(), ..SheetColumn::default() };
        let block = Block { columns: headers.iter().map(column).collect(), ..Block::default() };
        let sheet = Sheet { name: "S".into(), blocks: vec![block], ..Sheet::default() };
        Workbook { sheets: vec![sheet], ..Workbook::default() }
    }

    #[test]
    fn long_headers_are_shortened_each_to_another_and_told() {
        let (long, faces) = ("长".repeat(404), "😀".repeat(200));
        let same = format!("{}x", "长".repeat(300));
        let fits = "a".repeat(255);
        let mut book = book(&["x", &long, &same, &faces, &fits]);
        let warnings = book.shorten_headers();
        let headers: Vec<_> =
            book.sheets[0].blocks[0].columns.iter().map(|column| column.header.as_str()).collect();
        assert_eq!(headers[0], "x");
        assert_eq!(headers[1], format!("{}…", "长".repeat(254)));
        assert_eq!(headers[2], format!("{}… (2)", "长".repeat(250)));
        assert_eq!(headers[3], format!("{}…", "😀".repeat(127)));
        assert_eq!(headers[4], fits);
        assert!(headers.iter().all(|header| header.encode_utf16().count() <= MAX_HEADER_UNITS));
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("sheet `S`: 3 headers are shortened to 255 characters"),
            "{warnings:?}"
        );
        assert_eq!(book.shorten_headers(), Vec::<String>::new());
    }

    #[test]
    fn many_sheets_are_counted() {
        let mut many = book(&[&"a".repeat(300)]);
        many.sheets = vec![many.sheets[0].clone(); 15];
        let warnings = many.shorten_headers();
        assert_eq!(warnings.len(), 11);
        assert_eq!(warnings[10], "5 more headers, in other sheets, are shortened");
    }
}
