//! Finds and rewrites references in formulas; everything else stays as it is.
//!
//! Does not know where rows go: the caller decides for each reference.

use super::refs::{self, Area, At};

/// Functions of many arguments in which one cell of a repeated row stands for all of its copies.
const SUMMING: [&str; 12] = [
    "AVERAGE", "AVERAGEA", "COUNT", "COUNTA", "MAX", "MAXA", "MEDIAN", "MIN", "MINA", "PRODUCT",
    "STDEV", "SUBTOTAL",
];

/// The function around a reference that is its whole argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Enclosing {
    /// None in which a cell stands for its copies.
    #[default]
    Other,
    /// One of a single argument.
    Single,
    /// `SUM`, in which nothing counts as zero.
    Sum,
    /// Another one of many arguments.
    Many,
}

impl Enclosing {
    fn of(name: &str) -> Enclosing {
        match name {
            "SUM" => Enclosing::Sum,
            "COUNTBLANK" => Enclosing::Single,
            name if SUMMING.contains(&name) => Enclosing::Many,
            _ => Enclosing::Other,
        }
    }
}

/// One end of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReferenceEnd {
    pub(super) at: At,
    pub(super) fixed_column: bool,
    pub(super) fixed_row: bool,
}

/// A reference in a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference {
    /// The sheet that it names, if any.
    pub(super) sheet: Option<String>,
    pub(super) first: ReferenceEnd,
    /// The other end of a range.
    pub(super) last: Option<ReferenceEnd>,
    pub(super) shape: Shape,
    /// `true` if it is one cell and the whole argument of a function such as `SUM`.
    pub(super) summed: bool,
    /// The function of which it is the whole argument.
    pub(super) enclosing: Enclosing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Cells,
    /// `A:C`; rows have no meaning.
    Columns,
    /// `3:5`; columns have no meaning.
    Rows,
}

impl Reference {
    /// Returns all cells that it names.
    pub(super) fn area(&self) -> Area {
        let last = self.last.unwrap_or(self.first).at;
        let first = self.first.at;
        let (mut top, mut bottom) = (first.row.min(last.row), first.row.max(last.row));
        let (mut left, mut right) = (first.column.min(last.column), first.column.max(last.column));
        match self.shape {
            Shape::Cells => {}
            Shape::Columns => (top, bottom) = (1, refs::MAX_ROW),
            Shape::Rows => (left, right) = (1, refs::MAX_COLUMN),
        }
        Area { first: At { row: top, column: left }, last: At { row: bottom, column: right } }
    }

    /// Returns `true` if both have the same notation.
    fn same_text(&self, other: &Reference) -> bool {
        (self.first, self.last, &self.sheet) == (other.first, other.last, &other.sheet)
    }

    /// Writes it with the name of its sheet, if it names one.
    fn write_qualified(&self, out: &mut String) {
        if let Some(sheet) = &self.sheet {
            out.push_str(&sheet_name(sheet));
            out.push('!');
        }
        self.write(out);
    }

    /// Returns it with rows and columns in each other's place.
    pub(super) fn transposed(self) -> Reference {
        let end = |end: ReferenceEnd| ReferenceEnd {
            at: At { row: end.at.column, column: end.at.row },
            fixed_column: end.fixed_row,
            fixed_row: end.fixed_column,
        };
        let shape = match self.shape {
            Shape::Cells => Shape::Cells,
            Shape::Columns => Shape::Rows,
            Shape::Rows => Shape::Columns,
        };
        Reference { first: end(self.first), last: self.last.map(end), shape, ..self }
    }

    fn write(&self, out: &mut String) {
        let end = |out: &mut String, end: &ReferenceEnd| {
            if self.shape != Shape::Rows {
                out.push_str(if end.fixed_column { "$" } else { "" });
                out.push_str(&refs::column_name(end.at.column));
            }
            if self.shape != Shape::Columns {
                out.push_str(if end.fixed_row { "$" } else { "" });
                out.push_str(&end.at.row.to_string());
            }
        };
        end(out, &self.first);
        if let Some(last) = &self.last {
            out.push(':');
            end(out, last);
        }
    }
}

/// Replacement of a reference.
pub(super) enum Becomes {
    Same,
    Other(Reference),
    /// Several, as arguments of the function around it.
    Many(Vec<Reference>),
    /// Its cells no longer exist, and count as zero.
    Zero,
    /// Its target no longer exists.
    Lost,
}

/// Returns the name of a sheet as formulas have it, with quotation marks if it needs them.
pub(super) fn sheet_name(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && refs::cell(name).is_none()
        // `R1C1` is an address in another notation.
        && !name.chars().all(|c| matches!(c, 'r' | 'R' | 'c' | 'C') || c.is_ascii_digit());
    if is_plain { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

/// Other names in a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OtherDependencies {
    /// `true` if the formula depends on more than its references: on a name, a column of a table, another workbook, or a
    /// function that finds cells by itself.
    pub(super) any: bool,
}

/// Calls `becomes` for each reference of a formula. Returns `None` if all stay.
pub(super) fn rewrite(
    formula: &str,
    becomes: impl FnMut(Reference) -> Becomes,
) -> (Option<String>, OtherDependencies) {
    let mut reader = Reader {
        text: formula,
        at: 0,
        out: String::new(),
        copied: 0,
        others: OtherDependencies::default(),
        open: Vec::new(),
        before: '(',
        prefix: None,
        becomes,
    };
    while reader.token() {}
    let out = match reader.copied {
        0 => None,
        copied => Some(reader.out + &formula[copied..]),
    };
    (out, reader.others)
}

/// Returns all references of a formula.
pub(super) fn references(formula: &str) -> (Vec<Reference>, OtherDependencies) {
    let mut found = Vec::new();
    let (_, others) = rewrite(formula, |reference| {
        found.push(reference);
        Becomes::Same
    });
    (found, others)
}

/// Returns the formula shifted by rows and columns, as in a shared formula.
pub(super) fn translated(formula: &str, rows: i64, columns: i64) -> String {
    let moved = |value: u32, by: i64, fixed: bool, most: u32| {
        let to = if fixed { i64::from(value) } else { i64::from(value) + by };
        u32::try_from(to).ok().filter(|to| (1..=most).contains(to))
    };
    let end = |end: ReferenceEnd| {
        let row = moved(end.at.row, rows, end.fixed_row, refs::MAX_ROW)?;
        let column = moved(end.at.column, columns, end.fixed_column, refs::MAX_COLUMN)?;
        Some(ReferenceEnd { at: At { row, column }, ..end })
    };
    let (out, _) = rewrite(formula, |mut reference| {
        // Ends without meaning in whole columns and rows must not move outside.
        if reference.shape == Shape::Columns {
            reference.first.fixed_row = true;
            reference.last = reference.last.map(|last| ReferenceEnd { fixed_row: true, ..last });
        } else if reference.shape == Shape::Rows {
            reference.first.fixed_column = true;
            reference.last = reference.last.map(|last| ReferenceEnd { fixed_column: true, ..last });
        }
        let last = reference.last.map(end);
        match (end(reference.first), last) {
            (Some(first), None) => Becomes::Other(Reference { first, ..reference }),
            (Some(first), Some(Some(last))) => {
                Becomes::Other(Reference { first, last: Some(last), ..reference })
            }
            _ => Becomes::Lost,
        }
    });
    out.unwrap_or_else(|| formula.to_owned())
}

struct Reader<'a, F> {
    text: &'a str,
    at: usize,
    out: String,
    copied: usize,
    others: OtherDependencies,
    /// For each open bracket, the function to which it belongs.
    open: Vec<Enclosing>,
    /// The last character that is not blank.
    before: char,
    /// Beginning of the name of the sheet that is being read.
    prefix: Option<usize>,
    becomes: F,
}

impl<'a, F: FnMut(Reference) -> Becomes> Reader<'a, F> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads one token. Returns `false` at the end.
    fn token(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        let length = match c {
            '"' => quoted(rest, '"'),
            '\'' => {
                let length = quoted(rest, '\'');
                let name = refs::qualified(rest);
                if let Some((name, behind)) = name.filter(|_| rest[length..].starts_with('!')) {
                    self.prefix = Some(self.at);
                    self.at = self.text.len() - behind.len();
                    return self.sheet(name);
                }
                length
            }
            '[' => {
                self.others.any = true;
                self.at += brackets(rest);
                // The number of another workbook precedes the name of its sheet.
                let behind = self.rest();
                let name = behind.find(|c| !is_word(c)).unwrap_or(behind.len());
                if behind[name..].starts_with('!') {
                    self.at += name + 1;
                    return self.sheet("[".into());
                }
                self.before = ']';
                return true;
            }
            '(' => {
                self.open.push(Enclosing::Other);
                1
            }
            ')' => {
                self.open.pop();
                1
            }
            c if is_word(c) => return self.word(),
            c => c.len_utf8(),
        };
        if !c.is_whitespace() {
            self.before = c;
        }
        self.at += length.max(1);
        true
    }

    /// Reads what follows the name of a sheet and its `!`.
    fn sheet(&mut self, name: String) -> bool {
        let prefix = self.prefix.take();
        // References to other workbooks and to ranges of sheets stay.
        if name.contains('[') || name.contains(':') {
            self.others.any = true;
            let length = self.rest().find(|c| !is_word(c) && c != ':').unwrap_or(self.rest().len());
            self.at += length;
            self.before = 'A';
            return true;
        }
        let start = self.at;
        self.prefix = prefix;
        let is_one = self.reference(Some(name), start);
        self.prefix = None;
        if !is_one {
            self.others.any = true;
            let length = self.rest().find(|c| !is_word(c)).unwrap_or(self.rest().len());
            self.at += length;
        }
        self.before = 'A';
        true
    }

    /// Reads a function, a reference, a sheet, a name or a number.
    fn word(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        if behind.starts_with('!') {
            self.prefix = Some(self.at);
            self.at += length + 1;
            return self.sheet(word.to_owned());
        }
        if behind.starts_with('(') {
            let upper = word.to_ascii_uppercase();
            self.others.any |= matches!(
                upper.as_str(),
                "INDIRECT"
                    | "OFFSET"
                    | "NOW"
                    | "TODAY"
                    | "RAND"
                    | "RANDBETWEEN"
                    | "CELL"
                    | "INFO"
                    | "ROW"
                    | "ROWS"
            );
            self.open.push(Enclosing::of(&upper));
            self.at += length + 1;
            self.before = '(';
            return true;
        }
        // The first of several sheets: `Q1:Q4!A1`.
        if let Some(second) = behind.strip_prefix(':') {
            let end = second.find(|c| !is_word(c)).unwrap_or(second.len());
            if second[end..].starts_with('!') {
                self.at += length + 1 + end + 1;
                return self.sheet(":".into());
            }
        }
        let start = self.at;
        if !behind.starts_with('[') && self.reference(None, start) {
            self.before = 'A';
            return true;
        }
        let is_value = word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            || ["TRUE", "FALSE"].iter().any(|it| word.eq_ignore_ascii_case(it))
            || self.before == '#';
        self.others.any |= !is_value;
        self.at += length;
        self.before = 'A';
        true
    }

    /// Reads a reference. Returns `false` if there is none.
    fn reference(&mut self, sheet: Option<String>, start: usize) -> bool {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        let second = behind.strip_prefix(':').map(|second| {
            let end = second.find(|c| !is_word(c)).unwrap_or(second.len());
            (&second[..end], second[end..].starts_with(['(', '!', '[']))
        });
        let second = second.filter(|(_, is_other)| !is_other).map(|(word, _)| word);
        let pair = |read: fn(&str) -> Option<ReferenceEnd>| {
            Some((read(word)?, Some(read(second?)?), length + 1 + second?.len()))
        };
        let found = match cell_end(word) {
            Some(first) => match second.and_then(cell_end) {
                Some(last) => {
                    Some((first, Some(last), length + 1 + second.map_or(0, str::len), Shape::Cells))
                }
                None => Some((first, None, length, Shape::Cells)),
            },
            None => pair(column_end)
                .map(|(first, last, length)| (first, last, length, Shape::Columns))
                .or_else(|| {
                    pair(row_end).map(|(first, last, length)| (first, last, length, Shape::Rows))
                }),
        };
        let Some((first, last, length, shape)) = found else { return false };
        let after = rest[length..].trim_start().chars().next();
        // The rest of a range with a calculated end, such as `A1:INDEX(…)`.
        self.others.any |= after == Some(':') || self.before == ':';
        let is_argument = matches!(self.before, '(' | ',') && matches!(after, Some(',' | ')'));
        let enclosing = match (is_argument, self.open.last()) {
            (true, Some(function)) => *function,
            _ => Enclosing::Other,
        };
        let summed = last.is_none() && enclosing != Enclosing::Other;
        let reference = Reference { sheet, first, last, shape, summed, enclosing };
        let prefix = self.prefix.unwrap_or(start);
        match (self.becomes)(reference.clone()) {
            Becomes::Same => {}
            Becomes::Other(other) if other.same_text(&reference) => {}
            Becomes::Other(other) if other.sheet == reference.sheet => {
                self.out.push_str(&self.text[self.copied..start]);
                other.write(&mut self.out);
                self.copied = start + length;
            }
            Becomes::Other(other) => {
                self.out.push_str(&self.text[self.copied..prefix]);
                other.write_qualified(&mut self.out);
                self.copied = start + length;
            }
            Becomes::Many(all) => {
                self.out.push_str(&self.text[self.copied..prefix]);
                for (number, one) in all.iter().enumerate() {
                    self.out.push_str(if number > 0 { "," } else { "" });
                    one.write_qualified(&mut self.out);
                }
                self.copied = start + length;
            }
            Becomes::Zero => {
                self.out.push_str(&self.text[self.copied..prefix]);
                self.out.push('0');
                self.copied = start + length;
            }
            Becomes::Lost => {
                self.out.push_str(&self.text[self.copied..start]);
                self.out.push_str("#REF!");
                self.copied = start + length;
            }
        }
        self.at = start + length;
        true
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?')
}

/// Returns the length of a quoted text, in which quotation marks are doubled.
fn quoted(rest: &str, mark: char) -> usize {
    let mut at = 1;
    loop {
        match rest.get(at..).and_then(|it| it.find(mark)) {
            None => return rest.len(),
            Some(end) => {
                at += end + 1;
                if !rest[at..].starts_with(mark) {
                    return at;
                }
                at += 1;
            }
        }
    }
}

/// Returns the length of brackets with their content.
fn brackets(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\'' => drop(bytes.next()),
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    rest.len()
}

fn cell_end(word: &str) -> Option<ReferenceEnd> {
    let at = refs::cell(word)?;
    let fixed_column = word.starts_with('$');
    let fixed_row = word.get(1..)?.contains('$');
    Some(ReferenceEnd { at, fixed_column, fixed_row })
}

fn column_end(word: &str) -> Option<ReferenceEnd> {
    let column = refs::column(word.strip_prefix('$').unwrap_or(word))?;
    Some(ReferenceEnd {
        at: At { row: 1, column },
        fixed_column: word.starts_with('$'),
        fixed_row: false,
    })
}

fn row_end(word: &str) -> Option<ReferenceEnd> {
    let row = refs::row(word.strip_prefix('$').unwrap_or(word))?;
    Some(ReferenceEnd {
        at: At { row, column: 1 },
        fixed_column: false,
        fixed_row: word.starts_with('$'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(formula: &str) -> Vec<String> {
        let (all, _) = references(formula);
        all.iter()
            .map(|it| {
                let sheet = it.sheet.as_ref().map(|name| format!("{name}!")).unwrap_or_default();
                format!("{sheet}{}{}", it.area(), if it.summed { " summed" } else { "" })
            })
            .collect()
    }

    #[test]
    fn references_are_told_from_everything_else() {
        for (formula, expected) in [
            ("SUM(D5)", vec!["D5 summed"]),
            ("SUM(D5*2, $D$6 ,D7:D8)", vec!["D5", "D6 summed", "D7:D8"]),
            ("IF(A1>0,\"B2 \"\"C3\",'it''s B2'!C3)", vec!["A1", "it's B2!C3"]),
            ("LOG10(2)+ABC1X+Tax_2024+E5", vec!["E5"]),
            ("表!B2:C3+SUM(A:A)+SUM($3:4)", vec!["表!B2:C3", "A1:A1048576", "A3:XFD4"]),
            ("[1]Sheet1!A1+'[b.xlsx]S 1'!A1:B2+Q1:Q4!A1+B2", vec!["B2"]),
            ("Sales[[#This Row],[B2]]*Sales[A1]+C3", vec!["C3"]),
            ("1E5+2.5+#REF!+TRUE+A1#", vec!["A1"]),
            ("A1:INDEX(B1:B9,2)", vec!["A1", "B1:B9"]),
            ("{1,2;3,4}+$A1", vec!["A1"]),
            ("", vec![]),
            ("\"open", vec![]),
            ("'open", vec![]),
            ("((((", vec![]),
        ] {
            assert_eq!(found(formula), expected, "{formula}");
        }
        assert!(references("Tax*A1").1.any && references("SUM(T[x])").1.any);
        assert!(!references("SUM(A1:B2)*2%+1E5").1.any);
    }

    #[test]
    fn shared_formulas_read_further_on() {
        assert_eq!(translated("A1+$A1+A$1+$A$1+SUM(B2:C3)", 2, 1), "B3+$A3+B$1+$A$1+SUM(C4:D5)");
        assert_eq!(translated("A1+B2&\"A1\"", -1, 0), "#REF!+B1&\"A1\"");
        assert_eq!(translated("SUM(A:B)+SUM(1:2)", 1, 1), "SUM(B:C)+SUM(2:3)");
        // Whole columns have no row that could move out of the sheet, and whole rows no column.
        assert_eq!(translated("SUM(B:C)+SUM(2:3)", -1, -1), "SUM(A:B)+SUM(1:2)");
    }

    #[test]
    fn the_function_around_a_cell_is_known() {
        for (formula, expected) in [
            ("SUM(A1)", Enclosing::Sum),
            ("AVERAGE(A1)", Enclosing::Many),
            ("COUNTBLANK(A1)", Enclosing::Single),
            ("ABS(A1)", Enclosing::Other),
            ("SUM(A1+1)", Enclosing::Other),
            ("A1", Enclosing::Other),
        ] {
            assert_eq!(references(formula).0[0].enclosing, expected, "{formula}");
        }
    }

    #[test]
    fn a_sheet_has_quotation_marks_if_its_name_reads_as_something_else() {
        for plain in ["Sales", "表1", "R_1"] {
            assert_eq!(sheet_name(plain), plain);
        }
        for quoted in ["A1", "R1C1", "rc", "R", "2024", "a b", "a-b"] {
            assert_eq!(sheet_name(quoted), format!("'{quoted}'"));
        }
        assert_eq!(sheet_name("it's"), "'it''s'");
    }
}
