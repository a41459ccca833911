//! Counts values of a column that cannot be kept, and knows the time zones of its times, for warnings.

use std::collections::BTreeSet;

use arrow_schema::DataType;
use mitt_zones::Zone;

/// Most zones of a column whose times are looked up. More only cost time: a column of nested values can have one for each field.
const MAX_ZONES: usize = 8;

/// Most zones that a warning names, and most characters of a name.
const SHOWN_ZONES: usize = 8;
const SHOWN_CHARACTERS: usize = 80;

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
    /// Times in an hour that the clocks of their zone repeat.
    pub(crate) repeated: u64,
    pub(crate) zones: Zones,
}

/// The time zones of a column.
#[derive(Default)]
pub(crate) struct Zones {
    known: Vec<(String, Zone)>,
    /// The names of zones whose local times stand in the column, and of those that are unknown.
    local: BTreeSet<String>,
    unknown: BTreeSet<String>,
}

impl Zones {
    /// Returns the zone of a name.
    pub(crate) fn of_name(&mut self, name: &str) -> &mut Zone {
        let at = self.known.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            let zone = Zone::of_name(name);
            match zone {
                // Times without a zone are mostly UTC, too.
                _ if is_utc(name) => {}
                Zone::Unknown => _ = self.unknown.insert(name.to_owned()),
                _ => _ = self.local.insert(name.to_owned()),
            }
            if self.known.len() == MAX_ZONES {
                self.known.remove(0);
            }
            self.known.push((name.to_owned(), zone));
            self.known.len() - 1
        });
        &mut self.known[at].1
    }

    fn warnings(self) -> impl Iterator<Item = String> {
        let local = named(&self.local).map(|(names, is_one)| {
            let zones = if is_one { "zone" } else { "zones" };
            format!("its times stand as local times of the {zones} {names}, which the table does not keep")
        });
        let unknown = named(&self.unknown).map(|(names, is_one)| {
            if is_one {
                format!("its time zone {names} is unknown, and its times stand as UTC")
            } else {
                format!("its time zones {names} are unknown, and their times stand as UTC")
            }
        });
        local.into_iter().chain(unknown)
    }
}

/// Returns names for a warning, and `true` for one name; `None` if there are none.
fn named(names: &BTreeSet<String>) -> Option<(String, bool)> {
    let shown = names.iter().take(SHOWN_ZONES).map(|name| {
        let mut characters = name.chars().filter(|c| !c.is_control());
        let shown: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
        let rest = if characters.next().is_some() { "…" } else { "" };
        format!("`{shown}{rest}`")
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN_ZONES {
        text.push_str(&format!(" and {} more", names.len() - SHOWN_ZONES));
    }
    (!names.is_empty()).then_some((text, names.len() == 1))
}

impl Lost {
    /// Returns one sentence for the zones, and one for each count.
    pub(crate) fn warnings(self) -> impl Iterator<Item = String> {
        let Lost { nanoseconds, outside, not_finite, bytes, blobs, unknown, repeated, zones } =
            self;
        let all = [
            (repeated, "times in an hour that the clocks repeat are ambiguous"),
            (nanoseconds, "times are cut to whole microseconds"),
            (outside, "dates and times outside of the years 0 to 9999 are empty"),
            (not_finite, "numbers that are NaN or infinite are empty"),
            (bytes, "bytes that are no text stand as hexadecimal digits"),
            (blobs, "long bytes that are no text are left out"),
            (unknown, "values of a type that is not read are empty"),
        ];
        let counted = all.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| {
            let cells = if n == 1 { "cell" } else { "cells" };
            format!("{what} ({n} {cells})")
        });
        zones.warnings().chain(counted)
    }
}

/// Returns the warning that depends only on the type of a column.
pub(crate) fn of_type(ty: &DataType) -> Option<String> {
    match ty {
        DataType::Dictionary(_, values) => of_type(values),
        DataType::RunEndEncoded(_, values) => of_type(values.data_type()),
        ty if crate::is_nested(ty) => Some("its values are nested and stand as JSON texts".into()),
        _ => None,
    }
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "GMT" | "Z" | "+00:00" | "-00:00" | "+0000" | "+00")
}

#[cfg(test)]
mod tests {
    use super::{Lost, MAX_ZONES, SHOWN_ZONES};

    #[test]
    fn zones_are_bounded_and_named() {
        let mut lost = Lost::default();
        for hour in 0..20 {
            for name in [format!("+{hour:02}:30"), format!("Mars/{hour:02}\n{}", "x".repeat(1_000))]
            {
                assert!(lost.zones.of_name(&name).local(0).is_some());
            }
        }
        // The zone was let go before, and is found again.
        let local = lost.zones.of_name("+00:30").local(0).unwrap();
        assert_eq!(local.micros, 1_800_000_000);
        assert!(lost.zones.known.len() <= MAX_ZONES);
        let warnings: Vec<String> = lost.warnings().collect();
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("zones `+00:30`, `+01:30`, "), "{}", warnings[0]);
        assert!(warnings[0].contains("`+07:30` and 12 more, which the table"), "{}", warnings[0]);
        assert!(warnings[1].starts_with("its time zones `Mars/00xxx"), "{}", warnings[1]);
        assert!(warnings[1].len() < SHOWN_ZONES * 100 + 100, "{}", warnings[1]);
    }
}
