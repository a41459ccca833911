//! Data of a chart as a table: the first column has the categories, each other one is a series.

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Empty,
    /// A number in JSON's notation.
    Number(String),
    Text(String),
}

impl Value {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Empty => "",
            Self::Number(text) | Self::Text(text) => text,
        }
    }

    /// Returns the number that a cell is, also one written as text.
    pub(crate) fn number(&self) -> Option<&str> {
        let text = self.text().trim();
        text.parse::<f64>().ok().filter(|it| it.is_finite()).map(|_| text)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

impl Grid {
    pub(crate) fn column(&self, at: usize) -> Vec<Value> {
        self.rows.iter().map(|row| row.get(at).cloned().unwrap_or(Value::Empty)).collect()
    }
}

/// Returns the number of a day in Excel for `2024-12-31`.
pub(crate) fn serial(date: &str) -> Option<i64> {
    let mut parts = date.trim().splitn(3, '-');
    let year: i64 = parts.next().filter(|it| it.len() == 4)?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok().filter(|it| (1..=12).contains(it))?;
    let day: i64 = parts.next()?.get(..2)?.parse().ok().filter(|it| (1..=31).contains(it))?;
    // Days since 1970 by the rule of eras; 25 569 is that day in Excel.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days + 25_569)
}

/// Returns the date of a day's number in Excel; `None` if it is beyond its calendar.
pub(crate) fn date(serial: i64) -> Option<String> {
    let days = Some(serial - 25_569).filter(|_| (61..2_958_466).contains(&serial))? + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_numbers_and_back() {
        for (text, number) in
            [("1970-01-01", 25_569), ("2000-02-29", 36_585), ("2026-03-01", 46_082)]
        {
            assert_eq!(serial(text), Some(number), "{text}");
            assert_eq!(date(number).as_deref(), Some(text));
        }
        assert_eq!(serial("March"), None);
        assert_eq!(date(7), None);
    }
}
