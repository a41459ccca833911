//! Tables out of batches of Arrow's arrays. What a table cannot keep becomes a warning, or an error that names the column.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use mitt_base::memory::Account;
use mitt_base::text::{one_line, shortened};
use mitt_zones::Zone;

use super::cells::{self, Changed, DATE, DATE_TIME, TIME};
use super::is_mixed;
use crate::build::TableBuilder;
use crate::chunk::{Chunk, Problem};
use crate::table::Table;
use crate::values::{ColumnType, Values};

/// Rows that are in memory twice while they are converted.
const ROWS_AT_ONCE: usize = 65_536;

/// Most characters of a name or a type in a message.
const MAX_SHOWN: usize = 120;

/// A table under construction, out of batches of one schema.
pub struct ArrowBuilder {
    builder: TableBuilder,
    fields: Vec<Field>,
    sources: Vec<Source>,
}

/// A column of the schema, and what of it was changed so far.
struct Source {
    zone: Zone,
    /// Its integers are booleans.
    is_bool8: bool,
    changed: Changed,
}

impl ArrowBuilder {
    /// Makes a table without rows, whose memory is charged to `account`.
    ///
    /// # Errors
    ///
    /// [`Problem::ArrowColumn`] - a column's type has no counterpart here, such as a list; its name is empty, or that of a
    /// column before it.
    pub fn new(schema: &Schema, account: &Account) -> Result<ArrowBuilder, Problem> {
        let fields: Vec<Field> =
            schema.fields().iter().map(|field| field.as_ref().clone()).collect();
        let mut names = std::collections::HashMap::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let refused = match names.insert(field.name(), index) {
                _ if field.name().is_empty() => Some(Problem::NoName),
                Some(first) => Some(Problem::TwiceAt(first)),
                None => cells::way_out(field.data_type()).map(Problem::Foreign),
            };
            if let Some(problem) = refused {
                return Err(in_column(index, field, problem));
            }
        }
        let sources = fields.iter().map(|field| Source {
            zone: zone_name(field.data_type()).map_or(Zone::Fixed(0), Zone::of_name),
            is_bool8: field.extension_type_name() == Some(BOOL8)
                && *field.data_type() == DataType::Int8,
            changed: Changed::default(),
        });
        let sources = sources.collect();
        let names = fields.iter().map(|field| field.name().clone()).collect();
        Ok(ArrowBuilder { builder: TableBuilder::new(names, account), fields, sources })
    }

    /// Appends the rows of a batch.
    ///
    /// # Errors
    ///
    /// [`Problem::Width`] - the batch has fewer or more columns than the schema. [`Problem::ArrowColumn`] - a column has
    /// another name or type than in the schema, or a value does not fit: a decimal of more than 38 digits, a date outside of
    /// the years 0 to 9999. The builder then holds part of the batch; drop it.
    pub fn append(&mut self, batch: &RecordBatch) -> Result<(), Problem> {
        if batch.num_columns() != self.fields.len() {
            return Err(Problem::Width(batch.num_columns(), self.fields.len()));
        }
        let schema = batch.schema_ref();
        for (index, (field, expected)) in schema.fields().iter().zip(&self.fields).enumerate() {
            if field.name() != expected.name() || field.data_type() != expected.data_type() {
                let problem = Problem::Schema {
                    name: shown(expected.name()),
                    ty: shown(&expected.data_type().to_string()),
                };
                return Err(in_column(index, field, problem));
            }
        }
        for start in (0..batch.num_rows()).step_by(ROWS_AT_ONCE) {
            let part = batch.slice(start, ROWS_AT_ONCE.min(batch.num_rows() - start));
            let chunks = part.columns().iter().enumerate();
            let chunks = chunks.map(|(index, array)| {
                let chunk = self.chunk(index, array);
                chunk.map_err(|problem| match problem {
                    problem @ Problem::Memory(_) => problem,
                    Problem::Value(at, what) => {
                        let at = self.builder.rows() + at;
                        in_column(index, &self.fields[index], Problem::Value(at, of_arrow(what)))
                    }
                    problem => in_column(index, &self.fields[index], problem),
                })
            });
            let chunks = chunks.collect::<Result<_, _>>()?;
            self.builder.append(chunks)?;
        }
        Ok(())
    }

    /// Converts a part of a column.
    fn chunk(&mut self, index: usize, array: &ArrayRef) -> Result<Chunk, Problem> {
        let source = &mut self.sources[index];
        let mut chunk = cells::of_array(array, &mut source.zone, &mut source.changed)?;
        chunk.check()?;
        if source.is_bool8
            && let Values::Integers(values) = &chunk.values
        {
            let mut bits = vec![0_u8; values.len().div_ceil(8)];
            for (at, _) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
                bits[at / 8] |= 1 << (at % 8);
            }
            chunk.values = Values::Booleans(bits, values.len());
        }
        // Dates in milliseconds are dates until the first of them has a time of day.
        match (self.builder.column_type(index), chunk.values.column_type()) {
            (Some(ColumnType::Date), ColumnType::DateTime) => {
                self.builder.dates_to_date_times(index)?;
            }
            (Some(ColumnType::DateTime), ColumnType::Date) => chunk.values.dates_to_date_times(),
            _ => {}
        }
        Ok(chunk)
    }

    /// Returns the table, and a sentence for everything in a column that it does not keep: time zones, digits of times,
    /// numbers that are not finite, extension types, the order of categories.
    pub fn finish(self) -> Result<(Table, Vec<String>), Problem> {
        let mut warnings = Vec::new();
        for (index, (field, source)) in self.fields.iter().zip(&self.sources).enumerate() {
            let ty = self.builder.column_type(index).unwrap_or(ColumnType::Empty);
            let sentences = source.warnings(field, ty);
            let column = format!("column `{}` (index {index})", shown(field.name()));
            warnings.extend(sentences.into_iter().map(|sentence| format!("{column}: {sentence}")));
        }
        Ok((self.builder.finish()?, warnings))
    }
}

impl Source {
    /// Returns what of the column was changed.
    fn warnings(&self, field: &Field, ty: ColumnType) -> Vec<String> {
        let Changed { nanoseconds, not_finite, repeated } = self.changed;
        let mut warnings = Vec::new();
        if let Some(name) = zone_name(field.data_type()) {
            let name = shown(name);
            warnings.push(match &self.zone {
                Zone::Unknown => {
                    format!("its time zone `{name}` is unknown, and its times stand as UTC")
                }
                _ => format!(
                    "its times stand as local times of the zone `{name}`, which the table does not keep"
                ),
            });
        }
        if repeated > 0 {
            let cells = counted(repeated);
            warnings
                .push(format!("times in an hour that the clocks repeat are ambiguous ({cells})"));
        }
        if nanoseconds > 0 {
            let cells = counted(nanoseconds);
            warnings.push(format!("times are cut to whole microseconds ({cells})"));
        }
        if not_finite > 0 {
            let cells = counted(not_finite);
            warnings.push(format!("numbers that are NaN or infinite count as empty ({cells})"));
        }
        if let Some(name) = field.extension_type_name()
            && !self.is_bool8
            && name != JSON
        {
            warnings.push(format!(
                "its extension type `{}` is not kept; its values stand as they are stored, as {}",
                shown(name),
                ty.name()
            ));
        }
        if field.dict_is_ordered() == Some(true) {
            warnings.push("the order of its categories is not kept".to_owned());
        }
        if is_mixed(field) {
            warnings.push("it had cells of several types, which are texts now".to_owned());
        }
        warnings
    }
}

/// The extension type of booleans in bytes.
const BOOL8: &str = "arrow.bool8";
/// The extension type of texts of JSON, which are texts in a table too.
const JSON: &str = "arrow.json";

fn counted(cells: u64) -> String {
    if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") }
}

/// Returns the zone of timestamps, also of those in a dictionary.
fn zone_name(ty: &DataType) -> Option<&str> {
    match ty {
        DataType::Timestamp(_, zone) => zone.as_deref(),
        DataType::Dictionary(_, values) => zone_name(values),
        _ => None,
    }
}

/// Returns what a value of this type must be in words that name the bounds.
fn of_arrow(what: &'static str) -> &'static str {
    match what {
        "date" => DATE,
        "date-time" => DATE_TIME,
        "time" => TIME,
        what => what,
    }
}

fn in_column(index: usize, field: &Field, problem: Problem) -> Problem {
    Problem::ArrowColumn { place: place(index, field), problem: Box::new(problem) }
}

/// Returns the place of a column for messages: its name, its index, its type in Arrow's notation.
pub fn place(index: usize, field: &Field) -> String {
    let (name, ty) = (shown(field.name()), shown(&field.data_type().to_string()));
    format!("column `{name}` (index {index}, Arrow's type {ty})")
}

/// Returns a name of others as a part of a message: one line, not too long.
pub(super) fn shown(name: &str) -> String {
    one_line(&shortened(name, MAX_SHOWN))
}
