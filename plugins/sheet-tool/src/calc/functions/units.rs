//! `CONVERT`: units of measurement.

use super::Single;
use crate::calc::coerce::{finite, number, text};
use crate::value::ErrorCode;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Mass,
    Length,
    Time,
    Pressure,
    Force,
    Energy,
    Power,
    Magnetism,
    Temperature,
    Volume,
    Area,
    Information,
    Speed,
}

const INCH: f64 = 0.0254;
const FOOT: f64 = 0.3048;
const YARD: f64 = 0.9144;
const MILE: f64 = 1609.344;
const SEA_MILE: f64 = 1852.0;
const LIGHT_YEAR: f64 = 9.460_730_472_580_8e15;
const POINT: f64 = INCH / 72.0;
const GRAVITY: f64 = 9.806_65;
const POUND: f64 = 453.592_37;
/// A gallon of the United States in litres.
const GALLON: f64 = 3.785_411_784;
const SURVEY_MILE: f64 = 6_336_000.0 / 3937.0;

/// What is measured, the units with their size, and `true` for those that take the prefixes of ten.
type Units = (Kind, &'static [(&'static str, f64, bool)]);

#[rustfmt::skip]
const UNITS: [Units; 13] = [
    (Kind::Mass, &[
        ("g", 1.0, true), ("sg", POUND * GRAVITY / FOOT, false), ("lbm", POUND, false), ("u", 1.660_538_782e-24, true),
        ("ozm", POUND / 16.0, false), ("grain", POUND / 7000.0, false), ("cwt", POUND * 100.0, false),
        ("shweight", POUND * 100.0, false), ("uk_cwt", POUND * 112.0, false), ("lcwt", POUND * 112.0, false),
        ("hweight", POUND * 112.0, false), ("stone", POUND * 14.0, false), ("ton", POUND * 2000.0, false),
        ("uk_ton", POUND * 2240.0, false), ("LTON", POUND * 2240.0, false), ("brton", POUND * 2240.0, false),
    ]),
    (Kind::Length, &[
        ("m", 1.0, true), ("mi", MILE, false), ("Nmi", SEA_MILE, false), ("in", INCH, false), ("ft", FOOT, false),
        ("yd", YARD, false), ("ang", 1e-10, true), ("ell", 1.143, false), ("ly", LIGHT_YEAR, true),
        ("parsec", 3.085_677_581_281_55e16, true), ("pc", 3.085_677_581_281_55e16, true), ("Picapt", POINT, false),
        ("Pica", POINT, false), ("pica", INCH / 6.0, false), ("survey_mi", SURVEY_MILE, false),
    ]),
    (Kind::Time, &[
        ("yr", 31_557_600.0, false), ("day", 86_400.0, false), ("d", 86_400.0, false), ("hr", 3600.0, false),
        ("mn", 60.0, false), ("min", 60.0, false), ("sec", 1.0, true), ("s", 1.0, true),
    ]),
    (Kind::Pressure, &[
        ("Pa", 1.0, true), ("p", 1.0, true), ("atm", 101_325.0, true), ("at", 101_325.0, true), ("mmHg", 133.322, true),
        ("psi", POUND / 1000.0 * GRAVITY / (INCH * INCH), false), ("Torr", 101_325.0 / 760.0, false),
    ]),
    (Kind::Force, &[
        ("N", 1.0, true), ("dyn", 1e-5, true), ("dy", 1e-5, true), ("lbf", POUND / 1000.0 * GRAVITY, false),
        ("pond", GRAVITY / 1000.0, true),
    ]),
    (Kind::Energy, &[
        ("J", 1.0, true), ("e", 1e-7, true), ("c", 4.184, true), ("cal", 4.1868, true), ("eV", 1.602_176_487e-19, true),
        ("ev", 1.602_176_487e-19, true), ("HPh", HORSE * 3600.0, false), ("hh", HORSE * 3600.0, false),
        ("Wh", 3600.0, true), ("wh", 3600.0, true), ("flb", POUND / 1000.0 * GRAVITY * FOOT, false),
        ("BTU", 1_055.055_852_62, false), ("btu", 1_055.055_852_62, false),
    ]),
    (Kind::Power, &[
        ("HP", HORSE, false), ("h", HORSE, false), ("PS", 735.498_75, false), ("W", 1.0, true), ("w", 1.0, true),
    ]),
    (Kind::Magnetism, &[("T", 1.0, true), ("ga", 1e-4, true)]),
    (Kind::Temperature, &[
        ("C", 1.0, false), ("cel", 1.0, false), ("F", 1.0, false), ("fah", 1.0, false), ("K", 1.0, true),
        ("kel", 1.0, true), ("Rank", 1.0, false), ("Reau", 1.0, false),
    ]),
    (Kind::Volume, &[
        ("tsp", GALLON / 768.0, false), ("tspm", 0.005, false), ("tbs", GALLON / 256.0, false),
        ("oz", GALLON / 128.0, false), ("cup", GALLON / 16.0, false), ("pt", GALLON / 8.0, false),
        ("us_pt", GALLON / 8.0, false), ("uk_pt", 0.568_261_25, false), ("qt", GALLON / 4.0, false),
        ("uk_qt", 1.136_522_5, false), ("gal", GALLON, false), ("uk_gal", 4.546_09, false), ("l", 1.0, true),
        ("L", 1.0, true), ("lt", 1.0, true), ("barrel", GALLON * 42.0, false), ("bushel", 35.239_070_166_88, false),
        ("GRT", FOOT * FOOT * FOOT * 100_000.0, false), ("regton", FOOT * FOOT * FOOT * 100_000.0, false),
        ("MTON", FOOT * FOOT * FOOT * 40_000.0, false),
    ]),
    (Kind::Area, &[
        ("uk_acre", 4_046.856_422_4, false), ("us_acre", SURVEY_MILE * SURVEY_MILE / 640.0, false), ("ar", 100.0, true),
        ("ha", 10_000.0, false), ("Morgen", 2500.0, false),
    ]),
    (Kind::Information, &[("bit", 1.0, true), ("byte", 8.0, true)]),
    (Kind::Speed, &[
        ("admkn", 6080.0 * FOOT / 3600.0, false), ("kn", SEA_MILE / 3600.0, false), ("m/h", 1.0 / 3600.0, true),
        ("m/hr", 1.0 / 3600.0, true), ("m/s", 1.0, true), ("m/sec", 1.0, true), ("mph", MILE / 3600.0, false),
    ]),
];

const HORSE: f64 = 550.0 * FOOT * POUND / 1000.0 * GRAVITY;

/// Lengths whose squares and cubes are units: also with `^` before the number.
const POWERS: [(&str, f64, bool); 10] = [
    ("ang", 1e-10, true),
    ("ft", FOOT, false),
    ("in", INCH, false),
    ("ly", LIGHT_YEAR, false),
    ("m", 1.0, true),
    ("mi", MILE, false),
    ("Nmi", SEA_MILE, false),
    ("Picapt", POINT, false),
    ("Pica", POINT, false),
    ("yd", YARD, false),
];

const PREFIXES: [(&str, f64); 21] = [
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("da", 1e1),
    ("e", 1e1),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
    ("z", 1e-21),
    ("y", 1e-24),
];

/// Prefixes of bits and bytes, each 1024 times the one before.
const BINARY: [&str; 8] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"];

pub(super) fn find(name: &str) -> Option<Single> {
    (name == "CONVERT").then_some((3, 3, |_, a| {
        let x = number(&a[0])?;
        let (from, to) = (text(&a[1])?, text(&a[2])?);
        let unknown = ErrorCode::NotAvailable;
        let (kind, size) = unit(&from).ok_or(unknown)?;
        let (other, target) = unit(&to).ok_or(unknown)?;
        match () {
            () if kind != other => Err(unknown),
            () if kind == Kind::Temperature => {
                let kelvin = kelvin(&from, x * size).ok_or(unknown)?;
                finite(degrees(&to, kelvin).ok_or(unknown)? / target)
            }
            () if from == to => finite(x),
            () => finite(x * size / target),
        }
    }))
}

/// Returns what a unit measures and its size.
fn unit(name: &str) -> Option<(Kind, f64)> {
    let prefixed =
        PREFIXES.iter().filter_map(|(prefix, size)| Some((name.strip_prefix(prefix)?, *size)));
    plain(name, false)
        .map(|it| (it.0, it.1))
        .or_else(|| {
            let mut found = prefixed.filter_map(|(rest, prefix)| {
                let (kind, size, power) = plain(rest, true)?;
                Some((kind, size * prefix.powi(power)))
            });
            found.next()
        })
        .or_else(|| {
            let (at, rest) = BINARY
                .iter()
                .enumerate()
                .find_map(|(at, prefix)| Some((at, name.strip_prefix(prefix)?)))?;
            let (kind, size, _) = plain(rest, true)?;
            (kind == Kind::Information).then(|| (kind, size * 1024_f64.powi(at as i32 + 1)))
        })
}

/// Returns what a unit without a prefix measures, its size, and its power of a length.
fn plain(name: &str, needs_prefix: bool) -> Option<(Kind, f64, i32)> {
    for (kind, units) in &UNITS {
        let found = units.iter().find(|it| it.0 == name && (it.2 || !needs_prefix));
        if let Some((_, size, _)) = found {
            return Some((*kind, *size, 1));
        }
    }
    let (base, power) = match name.strip_suffix('2') {
        Some(base) => (base, 2),
        None => (name.strip_suffix('3')?, 3),
    };
    let base = base.strip_suffix('^').unwrap_or(base);
    let (_, size, _) = POWERS.iter().find(|it| it.0 == base && (it.2 || !needs_prefix))?;
    Some(match power {
        2 => (Kind::Area, size * size, 2),
        // Volumes are in litres.
        _ => (Kind::Volume, size * size * size * 1000.0, 3),
    })
}

fn kelvin(unit: &str, x: f64) -> Option<f64> {
    Some(match unit {
        "C" | "cel" => x + 273.15,
        "F" | "fah" => (x + 459.67) / 1.8,
        "Rank" => x / 1.8,
        "Reau" => x * 1.25 + 273.15,
        unit if unit.ends_with(['K', 'l']) => x,
        _ => return None,
    })
}

fn degrees(unit: &str, kelvin: f64) -> Option<f64> {
    Some(match unit {
        "C" | "cel" => kelvin - 273.15,
        "F" | "fah" => kelvin * 1.8 - 459.67,
        "Rank" => kelvin * 1.8,
        "Reau" => (kelvin - 273.15) / 1.25,
        unit if unit.ends_with(['K', 'l']) => kelvin,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_found_and_none_twice() {
        let mut names: Vec<&str> =
            UNITS.iter().flat_map(|it| it.1.iter().map(|unit| unit.0)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for (kind, units) in UNITS {
            assert!(units.iter().all(|it| unit(it.0).is_some_and(|found| found.0 == kind)));
        }
        assert_eq!(unit("km^2"), Some((Kind::Area, 1e6)));
        assert_eq!(unit("kmi"), None);
    }
}
