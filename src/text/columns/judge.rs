//! Decides what points and commas in numbers mean, and the type of each column.
//!
//! `1.250` is one and a quarter or one thousand two hundred and fifty, and its own column may not show which. So all columns
//! of a file are compared: `0,05` or `12.500,00` in one of them shows a decimal comma, `0.05` a decimal point. An ambiguous
//! column stays text if the columns contradict each other, or if none shows the notation and the delimiter is a semicolon.

use super::seen::{Class, First, Seen};
use super::{Kind, Plan, Style};
use crate::number::{Exponent, Form, MAX_DIGITS};

/// Most columns that a warning names.
const NAMED: usize = 8;

pub(crate) struct Judged {
    pub(crate) plans: Vec<Plan>,
    pub(crate) warnings: Vec<String>,
    /// `true` if cells that were not seen may change what a point or a comma means.
    pub(crate) may_change: bool,
}

/// Plans the columns of a table. `name` returns the name of a column for warnings.
pub(crate) fn judge(columns: &[Seen], delimiter: u8, name: impl Fn(usize) -> String) -> Judged {
    let is_numeric = |seen: &&Seen| seen.numbers_of_any_form() * 2 > seen.total();
    let numeric = || columns.iter().filter(is_numeric);
    let file = File {
        has_comma: numeric().any(|seen| has_comma(seen) && !has_point(seen)),
        has_point: numeric().any(|seen| has_point(seen) && !has_comma(seen)),
        delimiter,
    };
    let styles: Vec<Style> = columns
        .iter()
        .map(|seen| if is_numeric(&seen) { file.style(seen) } else { file.style_of_texts(seen) })
        .collect();
    let plans: Vec<Plan> =
        columns.iter().zip(&styles).map(|(seen, style)| plan(seen, *style)).collect();
    let may_change = columns.iter().any(|seen| {
        seen.of(&[Form::PointOrGroup, Form::PointGroups, Form::CommaOrGroup, Form::Comma]) > 0
    });
    let warnings = warnings(columns, &plans, &file, name);
    Judged { plans, warnings, may_change }
}

/// Returns `true` if a number of the column certainly has a decimal comma.
fn has_comma(seen: &Seen) -> bool {
    seen.of(&[Form::Comma, Form::PointGroups]) > 0
}

/// Returns `true` if a number of the column certainly has a decimal point.
fn has_point(seen: &Seen) -> bool {
    seen.of(&[Form::Point, Form::GroupedPoint, Form::CommaGroups]) > 0
}

/// The notation of numbers that the columns of a file show.
struct File {
    has_comma: bool,
    has_point: bool,
    delimiter: u8,
}

impl File {
    fn says_comma(&self) -> bool {
        self.has_comma && !self.has_point
    }

    /// Returns the style of a column of mostly numbers.
    fn style(&self, seen: &Seen) -> Style {
        let unclear = seen.of(&[Form::PointOrGroup]) > 0;
        match (has_comma(seen), has_point(seen)) {
            (true, false) => Style::Comma,
            (false, true) => Style::Point,
            (true, true) if unclear => Style::Text,
            (true, true) => Style::Point,
            (false, false) if self.says_comma() => {
                if unclear || seen.of(&[Form::CommaOrGroup]) > 0 {
                    Style::Comma
                } else {
                    Style::Point
                }
            }
            (false, false) if !unclear || (self.has_point && !self.has_comma) => Style::Point,
            // A semicolon as delimiter suggests decimal commas. A comma as delimiter leaves only the decimal point.
            (false, false) => {
                if self.has_comma || self.delimiter == b';' {
                    Style::Text
                } else {
                    Style::Point
                }
            }
        }
    }

    /// Returns the style of a column of mostly other texts.
    fn style_of_texts(&self, seen: &Seen) -> Style {
        let unclear = seen.of(&[Form::PointOrGroup]) > 0 && !has_point(seen);
        if unclear && self.has_comma { Style::Cautious } else { Style::Point }
    }
}

fn plan(seen: &Seen, style: Style) -> Plan {
    let (total, numbers) = (seen.total(), seen.numbers(style));
    let sure = seen.count(Class::Exponent(Exponent::Sure));
    let exponents = sure + seen.count(Class::Exponent(Exponent::MaybeCode));
    let with = |kind| Plan { style, kind, exponents: false };
    if total == 0 {
        return with(Kind::Empty);
    }
    if style == Style::Text {
        return with(Kind::Text);
    }
    // `1E3` may be an identifier, unless the column also has `1.5E+3`.
    if sure > 0 && numbers + exponents == total && seen.beyond.is_none() {
        return Plan { style, kind: of_numbers(seen, style, true), exponents: true };
    }
    if numbers == total {
        return with(of_numbers(seen, style, false));
    }
    if numbers > 0 {
        return with(Kind::Mixed);
    }
    for (class, kind) in
        [(Class::Date, Kind::Date), (Class::Time, Kind::Time), (Class::DateTime, Kind::DateTime)]
    {
        if seen.count(class) == total {
            return with(kind);
        }
    }
    for spelling in 0..3 {
        if seen.count(Class::Boolean(spelling)) == total {
            return with(Kind::Boolean(spelling));
        }
    }
    with(Kind::Text)
}

/// Returns the narrowest type for the numbers of a column. [`Kind::Mixed`] if one has too many digits.
fn of_numbers(seen: &Seen, style: Style, exponents: bool) -> Kind {
    let mut size = if style == Style::Comma { seen.comma } else { seen.point };
    if exponents {
        size.scale = size.scale.max(seen.exponent.scale);
        size.whole_digits = size.whole_digits.max(seen.exponent.whole_digits);
        size.is_long |= seen.exponent.whole_digits > 18;
        size.is_too_long |= seen.exponent.is_too_long;
    }
    let digits = size.whole_digits + size.scale;
    let scale = u8::try_from(size.scale).unwrap_or(u8::MAX);
    match digits {
        _ if size.is_too_long || digits > MAX_DIGITS => Kind::Mixed,
        _ if size.scale == 0 && !size.is_long => Kind::Integer,
        ..=18 => Kind::Decimal(scale),
        _ => Kind::Wide(scale),
    }
}

fn warnings(
    columns: &[Seen],
    plans: &[Plan],
    file: &File,
    name: impl Fn(usize) -> String,
) -> Vec<String> {
    let named = |is_it: &dyn Fn(&Seen, &Plan) -> bool| {
        let all: Vec<usize> =
            (0..columns.len()).filter(|at| is_it(&columns[*at], &plans[*at])).collect();
        let names: Vec<String> = all.iter().take(NAMED).map(|at| name(*at)).collect();
        let more = all.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (all, names.join(", ") + &more)
    };
    let mut warnings = Vec::new();
    let example = |first: &Option<First>| {
        first.as_ref().map_or_else(String::new, |it| format!("`{}` in line {}", it.text, it.line))
    };
    let (commas, names) = named(&|_, plan| plan.style == Style::Comma);
    if !commas.is_empty() {
        let evidence =
            columns.iter().find_map(|seen| seen.first_comma.as_ref().filter(|_| has_comma(seen)));
        let evidence = evidence
            .map_or_else(String::new, |it| format!(" (as `{}` in line {})", it.text, it.line));
        let unclear = commas.iter().find_map(|at| columns[*at].first_unclear.as_ref());
        let unclear = unclear.map_or_else(String::new, |it| {
            format!("; `{}` in line {} is {}", it.text, it.line, it.text.replace('.', ""))
        });
        warnings.push(format!(
            "numbers are written with a comma before decimals and points between thousands{evidence}: columns read so: {names}{unclear}"
        ));
    }
    let (texts, names) = named(&|_, plan| matches!(plan.style, Style::Text | Style::Cautious));
    if let Some(first) = texts.first() {
        warnings.push(format!(
            "it is not clear whether a point stands before decimals or between thousands, so these columns were kept as text: {names} ({})",
            example(&columns[*first].first_unclear)
        ));
    }
    let (commas, names) = named(&|seen, plan| {
        let is_kept = matches!(plan.kind, Kind::Text | Kind::Mixed) && plan.style == Style::Point;
        is_kept && seen.first_with_comma.is_some() && seen.numbers_of_any_form() * 2 > seen.total()
    });
    if let Some(first) = commas.first() {
        warnings.push(format!(
            "numbers with a comma were kept as text: {names} ({}); `parse_numbers` of `table_tool` makes numbers of them",
            example(&columns[*first].first_with_comma)
        ));
    }
    // Three digits follow every point, and the other numbers are whole: points may separate thousands.
    let (points, names) = named(&|seen, plan| {
        let unclear = seen.of(&[Form::PointOrGroup]) > 0 && !has_point(seen);
        let beside = seen.of(&[Form::Whole]) > 0 || file.delimiter == b'\t';
        plan.style == Style::Point && unclear && beside && !file.has_point
    });
    if let Some(first) = points.first() {
        warnings.push(format!(
            "the points in these columns were read as points before decimals, and may stand between thousands: {names} ({})",
            example(&columns[*first].first_unclear)
        ));
    }
    let (codes, names) = named(&|seen, plan| {
        seen.first_code.is_some() && !plan.exponents && plan.kind == Kind::Mixed
    });
    if let Some(first) = codes.first() {
        warnings.push(format!(
            "texts that may be codes or numbers with an exponent were kept as text among numbers: {names} ({})",
            example(&columns[*first].first_code)
        ));
    }
    let (beyond, names) = named(&|seen, _| seen.beyond.is_some());
    if let Some(first) = beyond.first() {
        warnings.push(format!(
            "numbers that are too large for every type were kept as text: {names} ({})",
            example(&columns[*first].beyond)
        ));
    }
    warnings
}
