//! Filling of templates: values from JSON, tables and text files, and the filling itself.
//!
//! `mitt-render` knows how a template is filled; `worker/` of `mitt` decides in which process.

use serde::{Deserialize, Serialize};

use crate::{IdentifiedFile, IngestAccounts, bare_text, identify, is_plain};
use mitt_base::memory::Account;
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Resource, Result};
use mitt_render::{FillOptions, FillTable, FillValue, FillValues, Filled};
use mitt_table::{CellRef, Table};
use mitt_wit::value::Json;

/// Deepest nesting of arrays and objects in values.
const MAX_VALUE_DEPTH: u64 = 32;

/// Largest JSON text of values, in bytes.
const MAX_VALUE_BYTES: u64 = 64 << 20;

/// The key of a date in JSON: `{"$date": "2026-01-31"}`.
const DATE: &str = "$date";

/// Change to an existing workbook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum FillOrder {
    /// Fills the workbook as a template.
    Fill(FillValues),
    /// Appends rows to a sheet or a table; to the first sheet if none is named.
    Append {
        /// Name of the sheet or the table.
        sheet: Option<String>,
        /// The rows.
        rows: FillValue,
    },
}

impl FillOrder {
    /// Carries out the change in this process.
    ///
    /// # Errors
    ///
    /// Those of [`mitt_render::fill_xlsx`] and [`mitt_render::append_xlsx`].
    pub fn carry_out(&self, template: &[u8], options: &FillOptions) -> Result<Filled> {
        match self {
            FillOrder::Fill(values) => mitt_render::fill_xlsx(template, values, options),
            FillOrder::Append { sheet, rows } => {
                mitt_render::append_xlsx(template, sheet.as_deref(), rows, options)
            }
        }
    }

    /// Returns the approximate number of bytes that the values occupy.
    pub fn kept_bytes(&self) -> u64 {
        match self {
            FillOrder::Fill(values) => values.kept_bytes(),
            FillOrder::Append { rows, .. } => rows.kept_bytes(),
        }
    }
}

/// Parses values from a JSON object.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the text is not JSON or not an object; [`ErrorKind::Limit`] - it is longer than 64 MiB or nested
/// deeper than 32 levels.
pub fn values_of_json(text: &[u8]) -> Result<FillValues> {
    match Json::parse(text, MAX_VALUE_BYTES, MAX_VALUE_DEPTH)? {
        Json::Object(entries) => {
            Ok(entries.into_iter().map(|(name, value)| (name, of_json(value))).collect())
        }
        other => {
            let message = format!("expected an object with names and values, got {}", other.kind());
            Err(Error::new(ErrorKind::Arguments, message)
                .hint("write it as `{\"name\": \"value\", \"items\": [{\"price\": 1.5}]}`"))
        }
    }
}

/// Parses one value from JSON.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the text is not JSON; [`ErrorKind::Limit`] - it is too long or nested too deeply.
pub fn value_of_json(text: &[u8]) -> Result<FillValue> {
    Json::parse(text, MAX_VALUE_BYTES, MAX_VALUE_DEPTH).map(of_json)
}

fn of_json(json: Json) -> FillValue {
    match json {
        Json::Null => FillValue::Empty,
        Json::Bool(value) => FillValue::Bool(value),
        Json::Number(number) => FillValue::Number(number.into_string()),
        Json::String(text) => FillValue::Text(text),
        Json::Array(items) => FillValue::List(items.into_iter().map(of_json).collect()),
        Json::Object(mut entries) => {
            if let [(key, Json::String(date))] = &mut entries[..]
                && key == DATE
            {
                return FillValue::Date(std::mem::take(date));
            }
            let entries = entries.into_iter().map(|(name, value)| (name, of_json(value)));
            FillValue::Record(entries.collect())
        }
    }
}

/// Converts a table to rows for a template.
pub fn value_of_table(table: &Table) -> FillValue {
    let mut text = String::new();
    let columns = table.names().map(str::to_owned).collect();
    let row = |row: usize| {
        let cells = (0..table.width()).map(|column| match table.cell(row, column, &mut text) {
            CellRef::Null => FillValue::Empty,
            CellRef::Boolean(value) => FillValue::Bool(value),
            CellRef::Number(number) => FillValue::Number(number.to_owned()),
            CellRef::Text(text) => FillValue::Text(text.to_owned()),
        });
        cells.collect()
    };
    FillValue::Table(FillTable { columns, rows: (0..table.rows()).map(row).collect() })
}

/// Reads rows from a text file such as CSV, in any encoding and with any delimiter.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the file holds no table; [`ErrorKind::Limit`] - it is too large.
pub fn value_of_file(name: &str, bytes: Vec<u8>) -> Result<FillValue> {
    let memory = Account::root(Resource::Memory, 1 << 30);
    let tables = memory.below(Resource::Documents, 1 << 30);
    let accounts = IngestAccounts { memory, tables, characters: 0, rows: Rows::default() };
    let found = match identify(name, bytes, None, &accounts)? {
        IdentifiedFile::Text(document, _) => {
            document.tables.first().map(|it| value_of_table(&it.data))
        }
        IdentifiedFile::Unparsed(file) if is_plain(&file) => {
            let (document, _charge) = bare_text(file, &accounts)?;
            document.tables.first().map(|it| value_of_table(&it.data))
        }
        IdentifiedFile::Unparsed(_) => None,
    };
    found.ok_or_else(|| {
        Error::new(ErrorKind::Input, format!("`{name}` holds no table"))
            .hint("give a CSV file whose first row names the columns, or a JSON list of objects in a `.json` file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_types_and_digits() {
        let json = r#"{"n": 1.10, "d": {"$date": "2026-01-31"}, "r": {"$date": 1}, "l": [null, true, "x"]}"#;
        let values = values_of_json(json.as_bytes()).unwrap();
        assert_eq!(values.get("n"), Some(&FillValue::Number("1.10".into())));
        assert_eq!(values.get("d"), Some(&FillValue::Date("2026-01-31".into())));
        assert!(matches!(values.get("r"), Some(FillValue::Record(_))));
        assert_eq!(values.get("l").and_then(FillValue::row_count), Some(3));
        for bad in ["[]", "1", "{", "{\"a\": 1, \"a\": 2}"] {
            assert_eq!(
                *values_of_json(bad.as_bytes()).unwrap_err().kind(),
                ErrorKind::Arguments,
                "{bad}"
            );
        }
        assert!(
            values_of_json(format!("{{\"a\": {}1{}}}", "[".repeat(40), "]".repeat(40)).as_bytes())
                .is_err()
        );
    }

    #[test]
    fn rows_come_out_of_text_files() {
        let rows =
            value_of_file("a.csv", "品名,单价,编号\n笔,1.50,007\n本,2,008\n".into()).unwrap();
        let FillValue::Table(table) = rows else { panic!("expected a table") };
        assert_eq!(table.columns, ["品名", "单价", "编号"]);
        // A number, without the zeros at its end.
        assert_eq!(table.rows[0][1], FillValue::Number("1.5".into()));
        assert_eq!(table.rows[0][2], FillValue::Text("007".into()));
        assert!(value_of_file("a.txt", b"only text".to_vec()).is_err());
    }
}
