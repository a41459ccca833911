//! References to ranges of a worksheet, as formulas of charts have them: `Sheet1!$B$2:$B$5`.

/// A rectangle of cells; rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) sheet: String,
    pub(crate) top: u32,
    pub(crate) left: u32,
    pub(crate) bottom: u32,
    pub(crate) right: u32,
}

impl Area {
    /// Parses a reference to one range; `None` for names, other workbooks and unions.
    pub(crate) fn parse(formula: &str) -> Option<Self> {
        let (sheet, range) = formula.trim().trim_start_matches('=').rsplit_once('!')?;
        let sheet = match sheet.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')) {
            Some(quoted) => quoted.replace("''", "'"),
            None => sheet.to_owned(),
        };
        if sheet.contains(['[', ']', ',', '(']) || sheet.is_empty() {
            return None;
        }
        Some(Self { sheet, ..Self::of_range(range)? })
    }

    /// Parses a range without a sheet: `A1:C4`.
    pub(crate) fn of_range(range: &str) -> Option<Self> {
        let (first, last) = range.split_once(':').unwrap_or((range, range));
        let (top, left) = cell(first)?;
        let (bottom, right) = cell(last)?;
        let area = Self { sheet: String::new(), top, left, bottom, right };
        (top <= bottom && left <= right).then_some(area)
    }

    pub(crate) fn formula(&self) -> String {
        let is_plain = self.sheet.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !self.sheet.starts_with(|c: char| c.is_ascii_digit());
        let sheet = if is_plain {
            self.sheet.clone()
        } else {
            format!("'{}'", self.sheet.replace('\'', "''"))
        };
        let first = format!("${}${}", letters(self.left), self.top + 1);
        if (self.top, self.left) == (self.bottom, self.right) {
            format!("{sheet}!{first}")
        } else {
            format!("{sheet}!{first}:${}${}", letters(self.right), self.bottom + 1)
        }
    }

    /// Returns the range without a sheet.
    pub(crate) fn range(&self) -> String {
        format!("{}:{}", address(self.top, self.left), address(self.bottom, self.right))
    }

    pub(crate) fn is_line(&self) -> bool {
        self.top == self.bottom || self.left == self.right
    }

    pub(crate) fn is_row(&self) -> bool {
        self.top == self.bottom && self.right > self.left
    }

    pub(crate) fn length(&self) -> usize {
        ((self.bottom - self.top) + (self.right - self.left) + 1) as usize
    }

    /// Returns the area with another number of cells; along rows if `is_row`.
    pub(crate) fn with_length(&self, length: usize, is_row: bool) -> Self {
        let more = length.max(1) as u32 - 1;
        let mut area = self.clone();
        (area.bottom, area.right) = (area.top, area.left);
        if is_row {
            area.right += more
        } else {
            area.bottom += more
        }
        area
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let (top, left, bottom, right) = (self.top, self.left, self.bottom, self.right);
        (top..=bottom).flat_map(move |row| (left..=right).map(move |column| (row, column)))
    }

    /// Moves the area by a number of rows and columns.
    pub(crate) fn moved(&self, rows: u32, columns: u32) -> Self {
        Self {
            sheet: self.sheet.clone(),
            top: self.top + rows,
            left: self.left + columns,
            bottom: self.bottom + rows,
            right: self.right + columns,
        }
    }
}

/// Parses `B7` or `$B$7` to row and column.
pub(crate) fn cell(text: &str) -> Option<(u32, u32)> {
    let text = text.trim().replace('$', "");
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = text.split_at(digits);
    if letters.is_empty()
        || letters.len() > 3
        || !letters.bytes().all(|it| it.is_ascii_alphabetic())
    {
        return None;
    }
    let column = letters
        .bytes()
        .fold(0_u32, |value, it| value * 26 + u32::from(it.to_ascii_uppercase() - b'A') + 1);
    let row: u32 = row.parse().ok().filter(|it| (1..=1_048_576).contains(it))?;
    (column <= 16_384).then_some((row - 1, column - 1))
}

pub(crate) fn address(row: u32, column: u32) -> String {
    format!("{}{}", letters(column), row + 1)
}

fn letters(column: u32) -> String {
    let mut out = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        out.push(b'A' + ((rest - 1) % 26) as u8);
        rest = (rest - 1) / 26;
    }
    out.iter().rev().map(|&it| char::from(it)).collect()
}
