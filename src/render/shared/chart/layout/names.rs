//! Names along a horizontal axis: in one line if they fit, or in several lines, thinned out if they follow an order, or
//! turned.

use super::super::palette::GREY;
use super::super::scene::Anchor;
use super::{Area, Drawing, EDGE, LABEL};

/// Space between two adjacent names.
const GAP: f64 = 8.0;
/// Most lines of a name.
const MAX_LINES: usize = 3;
/// Greatest length of a turned name.
const MAX_TURNED: f64 = 150.0;
/// Sine of 45 degrees.
const SLOPE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Layout of names.
pub(super) struct Names {
    /// Index and lines of each shown name.
    shown: Vec<(usize, Vec<String>)>,
    is_turned: bool,
    /// Height of all names.
    pub(super) height: f64,
}

impl Drawing<'_> {
    /// Lays out the names of places at a distance of `step`, the first of which is at `first`.
    pub(super) fn names(&mut self, step: f64, first: f64, places: &dyn Fn(usize) -> f64) -> Names {
        let names: Vec<String> =
            self.chart.categories.iter().map(|name| name.trim().to_owned()).collect();
        let widths: Vec<f64> = names.iter().map(|name| LABEL.width(name)).collect();
        let widest = widths.iter().copied().fold(0.0, f64::max);
        let room = step - GAP;
        let one_line = |indices: Vec<usize>| Names {
            shown: indices.into_iter().map(|index| (index, vec![names[index].clone()])).collect(),
            is_turned: false,
            height: LABEL.line() + 4.0,
        };
        if widest <= room {
            return one_line((0..names.len()).collect());
        }
        if is_ordered(&names) || names.len() > 60 {
            if !is_ordered(&names) {
                self.left_out += names.len();
            }
            let shown = thinned(&names, widest, places);
            if !is_ordered(&names) {
                self.left_out -= shown.len();
            }
            return one_line(shown);
        }
        if names.iter().all(|name| fits(name, step)) {
            let shown: Vec<_> = names
                .iter()
                .enumerate()
                .map(|(index, name)| (index, LABEL.wrap(name, room, MAX_LINES).0))
                .collect();
            let lines = shown.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1);
            return Names { shown, is_turned: false, height: LABEL.line() * lines as f64 + 4.0 };
        }
        // Turned names need the height of a line each.
        let each = (LABEL.line() / step).ceil().max(1.0) as usize;
        self.left_out += names.len() - names.len().div_ceil(each);
        let mut shown = Vec::new();
        let mut longest = 0.0_f64;
        for index in (0..names.len()).step_by(each) {
            // It goes down to the left, and must not leave the drawing.
            let space = ((first + step * index as f64 - EDGE) / SLOPE).clamp(30.0, MAX_TURNED);
            let name = self.fit(&names[index], LABEL, space);
            longest = longest.max(LABEL.width(&name));
            shown.push((index, vec![name]));
        }
        Names { shown, is_turned: true, height: longest * SLOPE + LABEL.line() }
    }

    /// Draws the names below the plot.
    pub(super) fn write_names(&mut self, plot: Area, names: &Names, places: &dyn Fn(usize) -> f64) {
        for (index, lines) in &names.shown {
            let x = places(*index);
            if names.is_turned {
                let at = (x + 4.0, plot.bottom + LABEL.line() * 0.9);
                for line in lines {
                    self.scene.text(at, line, LABEL, GREY, Anchor::End);
                    self.scene.turn(-45.0);
                }
                continue;
            }
            for (number, line) in lines.iter().enumerate() {
                let y = plot.bottom + 4.0 + LABEL.line() * (number as f64 + 0.5) + LABEL.drop();
                // Names at the ends stay within the drawing.
                let half = LABEL.width(line) / 2.0;
                let least = (2.0 + half).min(self.scene.width / 2.0);
                let x = x.clamp(least, self.scene.width - least);
                self.scene.text((x, y), line, LABEL, GREY, Anchor::Middle);
            }
        }
    }
}

/// Returns `true` if a name fits below a place of this width, in the most lines that it may have, without broken words.
pub(super) fn fits(name: &str, step: f64) -> bool {
    let room = step - GAP;
    room >= 20.0 && LABEL.longest_word(name) <= room && !LABEL.wrap(name, room, MAX_LINES).1
}

/// Returns the names that remain if only some fit: every second, fifth, tenth, or those at which a month or a year begins.
fn thinned(names: &[String], widest: f64, places: &dyn Fn(usize) -> f64) -> Vec<usize> {
    let fits = |shown: &[usize]| {
        shown.windows(2).all(|pair| places(pair[1]) - places(pair[0]) >= widest + GAP)
    };
    let months = names.iter().all(|name| month_of(name).is_some());
    let steps: &[usize] = match months && names.len() > 3 {
        true if names.iter().all(|name| name.len() >= 8) => &[],
        true => &[1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000, 24_000],
        false => &[
            1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 20_000,
        ],
    };
    // Days: the first one of every group of months.
    for months in [1, 3, 6, 12, 24, 60, 120, 240, 600].into_iter().filter(|_| steps.is_empty()) {
        let number = |index: usize| month_of(&names[index]).map_or(0, |month| month / months);
        let begins = |index: &usize| *index > 0 && number(*index) != number(*index - 1);
        let shown: Vec<usize> = (0..names.len()).filter(begins).collect();
        if shown.len() >= 2 && fits(&shown) {
            return shown;
        }
    }
    let all = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000];
    let steps = if steps.is_empty() { &all[..] } else { steps };
    // Months begin with January.
    let offset = |step: usize| {
        if months && step >= 12 {
            (0..names.len().min(12))
                .find(|at| month_of(&names[*at]).is_some_and(|month| month % 12 == 0))
                .unwrap_or(0)
        } else {
            0
        }
    };
    for step in steps {
        let shown: Vec<usize> = (offset(*step)..names.len()).step_by(*step).collect();
        if fits(&shown) {
            return shown;
        }
    }
    vec![0]
}

/// Returns `true` if names follow a familiar order, so that those in between can be left out.
pub(super) fn is_ordered(names: &[String]) -> bool {
    let has_digit = |name: &String| name.contains(|c: char| c.is_ascii_digit());
    if names.len() < 4 || !names.iter().all(has_digit) {
        return false;
    }
    // The text without digits is always the same: `2024-01`, `1月`, `Q1 2024`, `第1周`.
    let shape =
        |name: &String| -> String { name.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let first = shape(&names[0]);
    names.iter().all(|name| shape(name) == first)
}

/// Returns the number of the month in `2024-01`, `2024/1`, `2024-01-05`, `2024年1月`, counted from the year 0.
fn month_of(name: &str) -> Option<u32> {
    let mut parts =
        name.split(['-', '/', '年', '月', '.', ' ', 'T', '日']).filter(|part| !part.is_empty());
    let (year, month) = (parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() > 2 {
        return None;
    }
    let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
    (1..=12).contains(&month).then(|| year * 12 + month - 1)
}

/// Returns days since 0000-03-01 for `2024-01-05`.
pub(super) fn day_of(name: &str) -> Option<f64> {
    let mut parts = name.trim().split(['-', '/']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let (year, month, day): (i64, i64, i64) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some((year * 365 + leap + (month * 153 + 2) / 5 + day - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[String], width: f64) -> String {
        let step = 600.0 / names.len() as f64;
        let shown = thinned(names, width, &|index| index as f64 * step);
        shown.into_iter().map(|index| names[index].clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dates_are_thinned_where_readers_expect_it() {
        let months: Vec<String> =
            (0..60).map(|at| format!("{}-{:02}", 2020 + at / 12, at % 12 + 1)).collect();
        assert_eq!(shown(&months, 60.0), "2020-01 2021-01 2022-01 2023-01 2024-01");
        let from_april: Vec<String> = months[3..].to_vec();
        assert_eq!(shown(&from_april, 60.0), "2021-01 2022-01 2023-01 2024-01");
        let days: Vec<String> =
            (0..90).map(|at| format!("2024-{:02}-{:02}", at / 30 + 1, at % 30 + 1)).collect();
        assert_eq!(shown(&days, 80.0), "2024-02-01 2024-03-01");
        let years: Vec<String> = (1990..2025).map(|year| year.to_string()).collect();
        assert_eq!(shown(&years, 40.0), "1990 1995 2000 2005 2010 2015 2020");
    }

    #[test]
    fn orders_are_known_by_their_shape() {
        let is = |names: &[&str]| {
            is_ordered(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert!(is(&["1月", "2月", "3月", "4月"]));
        assert!(is(&["Q1 2024", "Q2 2024", "Q3 2024", "Q4 2024"]));
        assert!(!is(&["华东", "华南", "华北", "西南"]));
        assert!(!is(&["A1", "B2", "C3", "D4"]));
    }

    #[test]
    fn days_are_counted() {
        let days = |a: &str, b: &str| day_of(b).unwrap() - day_of(a).unwrap();
        assert_eq!(days("2024-02-28", "2024-03-01"), 2.0);
        assert_eq!(days("1900-02-28", "1900-03-01"), 1.0);
        assert_eq!(days("2023-12-31", "2024-01-01"), 1.0);
        for text in ["2024-13-01", "2024-01", "x", "2024-01-05-1", "20240105"] {
            assert_eq!(day_of(text), None, "{text}");
        }
    }
}
