//! Counts values of a column that cannot be kept, for warnings.

use arrow_schema::DataType;

/// The numbers of cells of a column that were changed.
#[derive(Default)]
pub(crate) struct Lost {
    /// Times that were truncated to microseconds.
    pub(crate) nanoseconds: u64,
    /// Dates outside the years 0 to 9999, and times outside a day.
    pub(crate) outside: u64,
    /// NaN and infinite numbers.
    pub(crate) not_finite: u64,
    /// Bytes that are not text.
    pub(crate) bytes: u64,
    /// Bytes that are not text, and too long to show.
    pub(crate) blobs: u64,
    /// Values of unsupported types.
    pub(crate) unknown: u64,
}

impl Lost {
    /// Returns one sentence for each count.
    pub(crate) fn warnings(self) -> impl Iterator<Item = String> {
        let Lost { nanoseconds, outside, not_finite, bytes, blobs, unknown } = self;
        let all = [
            (nanoseconds, "times are cut to whole microseconds"),
            (outside, "dates and times outside of the years 0 to 9999 are empty"),
            (not_finite, "numbers that are NaN or infinite are empty"),
            (bytes, "bytes that are no text stand as hexadecimal digits"),
            (blobs, "long bytes that are no text are left out"),
            (unknown, "values of a type that is not read are empty"),
        ];
        all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| {
            let cells = if n == 1 { "cell" } else { "cells" };
            format!("{what} ({n} {cells})")
        })
    }
}

/// Returns the warning that depends only on the type of a column.
pub(crate) fn of_type(ty: &DataType) -> Option<String> {
    match ty {
        DataType::Timestamp(_, Some(zone)) if !is_utc(zone) => {
            Some(format!("its times are of the zone {zone} and stand as UTC"))
        }
        DataType::Dictionary(_, values) => of_type(values),
        DataType::RunEndEncoded(_, values) => of_type(values.data_type()),
        ty if crate::is_nested(ty) => Some("its values are nested and stand as JSON texts".into()),
        _ => None,
    }
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "GMT" | "Z" | "+00:00" | "-00:00" | "+0000" | "+00")
}
