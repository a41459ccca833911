//! Dates as content controls show them.

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    year: u32,
    month: u32,
    day: u32,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

impl Date {
    /// Reads `2026-11-27`, also in front of a time.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let day = text.split('T').next()?;
        let mut parts = day.split('-');
        let mut number = |digits: usize| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|it| it.is_ascii_digit());
            part.parse::<u32>().ok().filter(|_| is_number)
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 31,
        };
        let is_date = parts.next().is_none() && (1..=12).contains(&month);
        (is_date && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }

    pub(super) fn iso(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// Returns the day of the week, from Sunday: Zeller's congruence.
    fn weekday(&self) -> usize {
        let (month, year) =
            if self.month < 3 { (self.month + 12, self.year - 1) } else { (self.month, self.year) };
        let (century, rest) = (year / 100, year % 100);
        let sum = self.day + 13 * (month + 1) / 5 + rest + rest / 4 + century / 4 + 5 * century;
        // Its result counts from Saturday.
        ((sum + 6) % 7) as usize
    }
}

/// Formats a date like Word: `d MMMM yyyy`, `yyyy年M月d日`. `None` if the format has names of months or days in a language
/// other than English.
pub(super) fn format(date: &Date, format: &str, language: Option<&str>) -> Option<String> {
    let has_names = language.is_none_or(|it| it.to_lowercase().starts_with("en"));
    let mut out = String::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let quoted = &rest[1..];
            let end = quoted.find('\'').unwrap_or(quoted.len());
            out.push_str(&quoted[..end]);
            rest = quoted.get(end + 1..).unwrap_or("");
            continue;
        }
        let length = rest.chars().take_while(|it| *it == first).count();
        let name = |name: &str, short: bool| -> Option<String> {
            has_names.then(|| name.chars().take(if short { 3 } else { 20 }).collect())
        };
        let (month, weekday) = (MONTHS[date.month as usize - 1], DAYS[date.weekday()]);
        match (first, length) {
            ('y' | 'Y', 1..=2) => out.push_str(&format!("{:02}", date.year % 100)),
            ('y' | 'Y', _) => out.push_str(&format!("{:04}", date.year)),
            ('M', 1) => out.push_str(&date.month.to_string()),
            ('M', 2) => out.push_str(&format!("{:02}", date.month)),
            ('M', _) => out.push_str(&name(month, length == 3)?),
            ('d' | 'D', 1) => out.push_str(&date.day.to_string()),
            ('d' | 'D', 2) => out.push_str(&format!("{:02}", date.day)),
            ('d' | 'D', _) => out.push_str(&name(weekday, length == 3)?),
            _ => out.extend(std::iter::repeat_n(first, length)),
        }
        rest = &rest[first.len_utf8() * length..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_like_in_word() {
        let date = Date::parse("2026-11-07T00:00:00Z").unwrap();
        let shown = |text: &str| format(&date, text, Some("en-US")).unwrap();
        assert_eq!(shown("d MMMM yyyy"), "7 November 2026");
        assert_eq!(shown("dddd, MMM dd, yy"), "Saturday, Nov 07, 26");
        assert_eq!(shown("yyyy年M月d日"), "2026年11月7日");
        assert_eq!(shown("d 'de' M"), "7 de 11");
        assert_eq!(format(&date, "d MMMM", Some("de-DE")), None);
        assert_eq!(format(&date, "dd.MM.yyyy", Some("de-DE")).unwrap(), "07.11.2026");
        assert_eq!(Date::parse("2024-02-29").unwrap().weekday(), 4);
        for wrong in
            ["2026-02-29", "2026-13-01", "2026-1-01", "today", "2026-01-00", "2026-01-01-01"]
        {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
    }
}
