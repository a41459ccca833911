//! Conversion between tables of the contract and of `mitt-table`, whose buffers are the same.

use mitt_contract::host::mitt::host::{tables as wit, types};
use mitt_table::{CellRef, Chunk, Column, ColumnType, Texts, Validity, Values};

pub(super) fn column(name: &str, column: &Column) -> wit::Column {
    wit::Column {
        name: name.to_owned(),
        type_: match column.column_type() {
            ColumnType::Empty => wit::ColumnType::Empty,
            ColumnType::Boolean => wit::ColumnType::Boolean,
            ColumnType::Integer => wit::ColumnType::Integer,
            ColumnType::Decimal => wit::ColumnType::Decimal,
            ColumnType::Float => wit::ColumnType::Float,
            ColumnType::Text => wit::ColumnType::Text,
            ColumnType::Date => wit::ColumnType::Date,
            ColumnType::Time => wit::ColumnType::Time,
            ColumnType::DateTime => wit::ColumnType::DateTime,
            ColumnType::Mixed => wit::ColumnType::Mixed,
        },
        scale: column.scale(),
        nulls: column.nulls() as u64,
    }
}

pub(super) fn chunk_out(chunk: Chunk) -> wit::Chunk {
    let values = match chunk.values {
        Values::Empty(length) => wit::Values::Empty(length as u64),
        Values::Booleans(bytes, length) => {
            wit::Values::Booleans(wit::Bits { length: length as u64, bytes })
        }
        Values::Integers(values) => wit::Values::Integers(values),
        Values::Decimals(scale, units) => wit::Values::Decimals(wit::Decimals { scale, units }),
        Values::WideDecimals(scale, units) => {
            let units = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            wit::Values::WideDecimals(wit::WideDecimals { scale, units })
        }
        Values::Floats(values) => wit::Values::Floats(values),
        Values::Texts(all) => wit::Values::Texts(texts_out(all)),
        Values::Dictionary(keys, all) => {
            let values = texts_out(Texts::clone(&all));
            wit::Values::Dictionary(wit::Dictionary { keys, values })
        }
        Values::Dates(days) => wit::Values::Dates(days),
        Values::Times(micros) => wit::Values::Times(micros),
        Values::DateTimes(micros) => wit::Values::DateTimes(micros),
        Values::Mixed(cells) => {
            wit::Values::Mixed(cells.iter().map(|cell| cell_out(cell.borrow())).collect())
        }
    };
    wit::Chunk { validity: chunk.validity.into_bytes(), values }
}

fn texts_out(all: Texts) -> wit::Texts {
    let (offsets, bytes) = all.into_parts();
    wit::Texts { offsets, bytes }
}

/// Converts a plugin's chunk. The error says what is wrong with its form; its values are checked later.
pub(super) fn chunk_in(chunk: wit::Chunk) -> Result<Chunk, &'static str> {
    let values = match chunk.values {
        wit::Values::Empty(length) => {
            // Empty values have no buffer, so only this number gives their length.
            Values::Empty(usize::try_from(length).unwrap_or(usize::MAX))
        }
        wit::Values::Booleans(wit::Bits { length, bytes }) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if bytes.len() != length.div_ceil(8) {
                return Err("expected a byte for every 8 bits");
            }
            Values::Booleans(bytes, length)
        }
        wit::Values::Integers(values) => Values::Integers(values),
        wit::Values::Decimals(wit::Decimals { scale, units }) => Values::Decimals(scale, units),
        wit::Values::WideDecimals(wit::WideDecimals { scale, units }) => {
            let (units, rest) = units.as_chunks::<16>();
            if !rest.is_empty() {
                return Err("expected 16 bytes for each wide decimal");
            }
            Values::WideDecimals(scale, units.iter().map(|it| i128::from_le_bytes(*it)).collect())
        }
        wit::Values::Floats(values) => Values::Floats(values),
        wit::Values::Texts(all) => Values::Texts(texts_in(all)?),
        wit::Values::Dictionary(wit::Dictionary { keys, values }) => {
            Values::Dictionary(keys, texts_in(values)?.into())
        }
        wit::Values::Dates(days) => Values::Dates(days),
        wit::Values::Times(micros) => Values::Times(micros),
        wit::Values::DateTimes(micros) => Values::DateTimes(micros),
        wit::Values::Mixed(cells) => {
            Values::Mixed(cells.iter().map(|cell| cell_in(cell).to_cell()).collect())
        }
    };
    let length = values.len();
    let validity = match &values {
        Values::Empty(_) | Values::Mixed(_) => Some(Validity::all(true, length)),
        _ => Validity::from_bytes(chunk.validity, length),
    };
    let validity = validity.ok_or("expected a byte of validity for every 8 cells")?;
    Ok(Chunk { values, validity })
}

fn texts_in(all: wit::Texts) -> Result<Texts, &'static str> {
    Texts::from_parts(all.offsets, all.bytes).ok_or(
        "expected ascending offsets from 0 to the end of the bytes, between characters of UTF-8",
    )
}

pub(super) fn cell_out(cell: CellRef<'_>) -> types::Cell {
    match cell {
        CellRef::Null => types::Cell::Null,
        CellRef::Boolean(value) => types::Cell::Boolean(value),
        CellRef::Number(text) => types::Cell::Number(text.to_owned()),
        CellRef::Text(text) => types::Cell::Text(text.to_owned()),
    }
}

pub(super) fn cell_in(cell: &types::Cell) -> CellRef<'_> {
    match cell {
        types::Cell::Null => CellRef::Null,
        types::Cell::Boolean(value) => CellRef::Boolean(*value),
        types::Cell::Number(text) => CellRef::Number(text),
        types::Cell::Text(text) => CellRef::Text(text),
    }
}
