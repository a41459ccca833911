//! Files made part by part and record by record.
#![allow(dead_code, reason = "each test file takes what it needs")]

use mitt_reader_kit::tables::{Memory, Source};
use mitt_reader_kit::{Cell, Content, Error, NamedTable, Table, TableSource};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(crate) fn number(text: &str) -> Cell {
    Cell::Number(text.to_owned())
}

pub(crate) fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

/// Returns a ZIP archive of parts.
pub(crate) fn archive<B: AsRef<[u8]>>(parts: &[(&str, B)]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_ref()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns a relationships part from ids, types and targets.
pub(crate) fn relationships(all: &[(&str, &str, &str)]) -> String {
    let mut xml = String::from("<Relationships>");
    for (id, kind, target) in all {
        xml.push_str(&format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" \
             Target=\"{target}\"/>"
        ));
    }
    xml + "</Relationships>"
}

/// Returns the relationships of the package to the workbook part.
pub(crate) fn root(workbook: &str) -> String {
    relationships(&[("rId1", "officeDocument", workbook)])
}

/// Returns a worksheet part around rows.
pub(crate) fn worksheet(rows: &str) -> String {
    format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")
}

/// Returns a workbook part around its list of sheets.
pub(crate) fn workbook(sheets: &[(&str, &str)]) -> String {
    let mut xml = String::from("<workbook xmlns:r=\"r\"><sheets>");
    for (name, id) in sheets {
        xml.push_str(&format!("<sheet name=\"{name}\" sheetId=\"1\" r:id=\"{id}\"/>"));
    }
    xml + "</sheets></workbook>"
}

/// Returns a record of an old workbook.
pub(crate) fn record(id: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&id.to_le_bytes()[..], &length.to_le_bytes(), data].concat()
}

/// Returns the BOF record of a substream of Excel 5 (`0x0500`) or later (`0x0600`).
pub(crate) fn beginning(version: u16, part: u16) -> Vec<u8> {
    record(0x0809, &[version.to_le_bytes(), part.to_le_bytes(), [0; 2], [0; 2]].concat())
}

/// Returns a number cell with a cell format.
pub(crate) fn number_record(row: u16, column: u16, format: u16, value: f64) -> Vec<u8> {
    let mut data = cell(row, column, format);
    data.extend(value.to_le_bytes());
    record(0x0203, &data)
}

/// Returns the start of a cell record.
pub(crate) fn cell(row: u16, column: u16, format: u16) -> Vec<u8> {
    [row, column, format].iter().flat_map(|part| part.to_le_bytes()).collect()
}

/// Returns the bytes of a text cell before Excel 97.
pub(crate) fn label(row: u16, column: u16, text: &[u8]) -> Vec<u8> {
    let mut data = cell(row, column, 0);
    data.extend((text.len() as u16).to_le_bytes());
    data.extend(text);
    record(0x0204, &data)
}

/// Returns an old workbook of globals and sheets: names, types, records.
pub(crate) fn old_workbook(
    version: u16,
    globals: &[Vec<u8>],
    sheets: &[(&str, u8, Vec<u8>)],
) -> Vec<u8> {
    let entry = |start: usize, name: &str, kind: u8| {
        let mut data = (start as u32).to_le_bytes().to_vec();
        data.extend([0, kind, name.len() as u8]);
        if version == 0x0600 {
            data.push(0);
        }
        data.extend(name.as_bytes());
        record(0x0085, &data)
    };
    let mut stream = beginning(version, 0x0005);
    stream.extend(globals.concat());
    let entries: usize = sheets.iter().map(|(name, kind, _)| entry(0, name, *kind).len()).sum();
    let mut start = stream.len() + entries + 4;
    for (name, kind, records) in sheets {
        stream.extend(entry(start, name, *kind));
        start += records.len();
    }
    stream.extend(record(0x000A, &[]));
    for (_, _, records) in sheets {
        stream.extend(records);
    }
    stream
}

/// Returns the records of a sheet with its begin and end.
pub(crate) fn old_sheet(version: u16, part: u16, records: &[Vec<u8>]) -> Vec<u8> {
    [beginning(version, part), records.concat(), record(0x000A, &[])].concat()
}

/// Returns a compound file with a workbook stream.
pub(crate) fn compound(stream: &[u8]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/Workbook").unwrap().write_all(stream).unwrap();
    file.into_inner().into_inner()
}

/// Returns a record of a binary part.
pub(crate) fn binary_record(id: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = match id {
        0..0x80 => vec![id as u8],
        _ => vec![id as u8 | 0x80, (id >> 7) as u8],
    };
    bytes.extend([data.len() as u8 | 0x80, (data.len() >> 7) as u8]);
    bytes.extend(data);
    bytes
}

/// Returns text with its length for a binary part.
pub(crate) fn wide(text: &str) -> Vec<u8> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [&((units.len() / 2) as u32).to_le_bytes()[..], &units].concat()
}

/// Returns the rows of the only table.
pub(crate) fn only_table(content: &Content) -> &[Vec<Cell>] {
    assert_eq!(content.tables.len(), 1, "{content:?}");
    &content.tables[0].data.rows
}

/// Reads a workbook. Returns its tables as rows.
pub(crate) fn read(bytes: &[u8], extension: &str) -> Result<Content, Error> {
    let Content { title, metadata, markdown, places, tables, warnings, .. } =
        reader_sheet::read(bytes, extension)?;
    let rows = |NamedTable { name, data, place }: NamedTable<_>| {
        let table: Memory = TableSource::build(data, &mut Vec::new())?;
        let columns = table.columns().into_iter().map(|column| column.name).collect();
        Ok(NamedTable { name, data: Table { columns, rows: table.to_rows() }, place })
    };
    let tables = tables.into_iter().map(rows).collect::<Result<_, Error>>()?;
    Ok(Content { title, metadata, markdown, places, tables, warnings, ..Content::default() })
}
