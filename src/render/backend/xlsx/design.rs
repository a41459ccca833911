//! Checks the format's rules for the appearance of a sheet, all at once.

use std::collections::BTreeSet;

use super::cell_problems::formula_problem;
use super::cells::{rows, serial_of};
use super::names::Names;
use super::problems::{Problems, shown};
use super::{charts, is_legal, rules};
use crate::model::workbook::{
    Block, InputKind, InputRule, MAX_HEADER_UNITS, Rule, RuleKind, Sheet, Sparklines, Workbook,
};
use mitt_base::text;

const MAX_RULES: usize = 500;
const MAX_INPUTS: usize = 500;
const MAX_NOTES: usize = 5_000;
const MAX_SPARKLINES: usize = 20_000;
const MAX_PICTURES: usize = 100;
const MAX_PICTURE_BYTES: usize = 20 << 20;
const MAX_NAMES: usize = 1_000;
/// Excel's own limits: for a choice list with its commas and for a message, and for all others below.
const MAX_MESSAGE_UNITS: usize = 255;
const MAX_NOTE_UNITS: usize = 2_000;
const MAX_NAME_UNITS: usize = 255;
const MAX_PASSWORD_UNITS: usize = 255;
const MAX_LEVEL: u8 = 7;

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Checks the totals of a whole workbook, its names, and those of its tables.
pub(super) fn check(book: &Workbook, names: &Names, problems: &mut Problems) {
    let blocks = || book.sheets.iter().flat_map(|sheet| &sheet.blocks);
    let sparklines = |block: &Block| block.sparklines.len().saturating_mul(rows(block).max(1));
    let bytes = |block: &Block| block.pictures.iter().map(|picture| picture.bytes.len()).sum();
    let sum = |of: &dyn Fn(&Block) -> usize| blocks().map(of).fold(0, usize::saturating_add);
    for (what, limit, got, way_out) in [
        (
            "marks of cells",
            MAX_RULES,
            sum(&|block| block.rules.len()),
            "use one for several columns",
        ),
        (
            "checks of input",
            MAX_INPUTS,
            sum(&|block| block.inputs.len()),
            "use one for several columns",
        ),
        ("notes", MAX_NOTES, sum(&|block| block.notes.len()), "put the texts into a column"),
        ("small charts in cells", MAX_SPARKLINES, sum(&sparklines), "show fewer rows"),
        ("pictures", MAX_PICTURES, sum(&|block| block.pictures.len()), "make several workbooks"),
        ("bytes of pictures", MAX_PICTURE_BYTES, sum(&bytes), "make the pictures smaller"),
        ("names", MAX_NAMES, book.names.len(), "use cells instead"),
    ] {
        if got > limit {
            problems
                .add(|| format!("workbook: expected at most {limit} {what}, got {got}; {way_out}"));
        }
    }
    let mut taken = BTreeSet::new();
    for name in &book.names {
        let place = || format!("name `{}`", shown(&name.name));
        check_defined(&name.name, &mut taken, &place, problems);
        if let Some(problem) = formula_problem(&name.formula, "", names) {
            problems.add(|| format!("{}: {problem}", place()));
        }
    }
    for sheet in &book.sheets {
        for block in &sheet.blocks {
            if let Some(name) = &block.table_name {
                let place = || format!("sheet `{}`, table `{}`", shown(&sheet.name), shown(name));
                check_defined(name, &mut taken, &place, problems);
            }
        }
    }
}

/// Checks a name for use in formulas.
fn check_defined(
    name: &str,
    taken: &mut BTreeSet<String>,
    place: &dyn Fn() -> String,
    problems: &mut Problems,
) {
    let is_first = |c: char| c.is_alphabetic() || c == '_';
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut chars = name.chars();
    let is_word = chars.next().is_some_and(is_first) && chars.all(is_part);
    if !is_word || units(name) > MAX_NAME_UNITS || is_cell(name) {
        problems.add(|| {
            format!("{}: expected a name of letters, digits, `_` and `.` that begins with a letter and is no cell such as `A1`", place())
        });
    } else if !taken.insert(name.to_lowercase()) {
        problems.add(|| format!("{}: expected a name that nothing else has", place()));
    }
}

/// Returns `true` for names that look like a cell or a value: `A1`, `R1C1`, `R`, `TRUE`.
fn is_cell(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let letters = upper.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(upper.len());
    let (column, row) = upper.split_at(letters);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_a1 = (1..=3).contains(&column.len()) && !row.is_empty() && is_digits(row);
    let is_r1c1 = upper.strip_prefix('R').is_some_and(|rest| match rest.split_once('C') {
        Some((row, column)) => is_digits(row) && is_digits(column),
        None => is_digits(rest),
    });
    let is_column = upper.strip_prefix('C').is_some_and(is_digits);
    is_a1 || is_r1c1 || is_column || matches!(upper.as_str(), "TRUE" | "FALSE")
}

/// Checks everything of a sheet outside of its blocks.
pub(super) fn check_sheet(sheet: &Sheet, problems: &mut Problems) {
    let name = shown(&sheet.name);
    let password = sheet.protection.as_ref().and_then(|protection| protection.password.as_ref());
    if password.is_some_and(|password| units(password) > MAX_PASSWORD_UNITS) {
        problems.add(|| {
            format!(
                "sheet `{name}`: expected a password of at most {MAX_PASSWORD_UNITS} characters"
            )
        });
    }
    if sheet.look.accent.is_some_and(|color| color > 0xFF_FF_FF) {
        problems.add(|| format!("sheet `{name}`: expected a colour of at most `0xFFFFFF`"));
    }
    let mut with_input = BTreeSet::new();
    for block in &sheet.blocks {
        for column in block.inputs.iter().flat_map(|input| &input.columns) {
            let at = block.column.saturating_add(*column);
            if !with_input.insert((block.row, at)) {
                problems.add(|| {
                    let header = header(block, *column);
                    format!("sheet `{name}`, column `{header}`: expected one check of input, got another")
                });
            }
        }
    }
}

fn header(block: &Block, column: u32) -> &str {
    block.columns.get(column as usize).map_or("?", |column| shown(&column.header))
}

/// Checks everything of a block except its cells.
pub(super) fn check_block(name: &str, block: &Block, names: &Names, problems: &mut Problems) {
    let width = block.columns.len();
    let column = |what: &str, index: u32, problems: &mut Problems| {
        if index as usize >= width {
            problems.add(|| {
                format!(
                    "sheet `{name}`, {what}: expected a column index below {width}, got {index}"
                )
            });
        }
        (index as usize) < width
    };
    for rule in &block.rules {
        let all = rule.columns.iter().all(|index| column("mark", *index, problems));
        for problem in rule_problems(rule, names) {
            let header = rule.columns.first().map_or("?", |index| header(block, *index));
            if all {
                problems.add(|| format!("sheet `{name}`, mark of column `{header}`: {problem}"));
            }
        }
    }
    for input in &block.inputs {
        let all = input.columns.iter().all(|index| column("check of input", *index, problems));
        for problem in input_problems(input, names) {
            let header = input.columns.first().map_or("?", |index| header(block, *index));
            if all {
                problems.add(|| format!("sheet `{name}`, input of column `{header}`: {problem}"));
            }
        }
    }
    for Sparklines { column: at, first, last, .. } in &block.sparklines {
        let all = [*at, *first, *last].iter().all(|at| column("small charts", *at, problems));
        if all && (first >= last || (first..=last).contains(&at)) {
            problems.add(|| {
                format!("sheet `{name}`, small charts: expected two or more columns beside each other, other than that of the charts")
            });
        }
    }
    for note in &block.notes {
        let is_there = column("note", note.column, problems);
        let rows = rows(block);
        if is_there && note.row.is_some_and(|row| row as usize >= rows) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, note: expected a row below {rows}, got {}",
                    note.row.unwrap_or(0)
                )
            });
        }
        let got = units(&note.text);
        if note.text.trim().is_empty() || got > MAX_NOTE_UNITS {
            problems.add(|| {
                format!("sheet `{name}`, note: expected a text of 1 to {MAX_NOTE_UNITS} characters, got {got}")
            });
        }
    }
    let mut places = BTreeSet::new();
    if block.notes.iter().any(|note| !places.insert((note.row, note.column))) {
        problems.add(|| format!("sheet `{name}`, note: expected one for a cell"));
    }
    for (index, picture) in block.pictures.iter().enumerate() {
        let is_known = picture.bytes.starts_with(b"\x89PNG\r\n\x1a\n")
            || picture.bytes.starts_with(b"\xFF\xD8\xFF");
        if !is_known || charts::picture_size(picture).is_none() {
            problems.add(|| {
                format!("sheet `{name}`, picture {}: expected a PNG or JPEG file", index + 1)
            });
        }
        if picture.width.is_some_and(|width| !(16..=2_000).contains(&width)) {
            problems.add(|| {
                format!("sheet `{name}`, picture {}: expected a width of 16 to 2000", index + 1)
            });
        }
        let description = picture.description.as_deref().map_or(0, units);
        if description > MAX_MESSAGE_UNITS {
            problems.add(|| format!("sheet `{name}`, picture {}: expected a description of at most {MAX_MESSAGE_UNITS} characters, got {description}", index + 1));
        }
    }
    for column in &block.columns {
        if column.level > MAX_LEVEL {
            problems.add(|| {
                format!(
                    "sheet `{name}`, column `{}`: expected a level of 0 to {MAX_LEVEL}, got {}",
                    shown(&column.header),
                    column.level
                )
            });
        }
    }
    if block.table_name.is_some() {
        check_headers(name, block, problems);
    }
}

/// Checks the headers of an Excel table. Excel calls it damaged if two columns have the same header, or a header differs
/// from its name in the list of columns.
fn check_headers(name: &str, block: &Block, problems: &mut Problems) {
    let mut taken = BTreeSet::new();
    for column in &block.columns {
        let header = shown(&column.header);
        let is_plain = !column.header.is_empty()
            && units(&column.header) <= MAX_HEADER_UNITS
            && column.header.chars().all(|c| is_legal(c) && !c.is_control());
        if !is_plain {
            problems.add(|| format!("sheet `{name}`, column `{}`: expected a header of one line, as the rows are a table of Excel's", header.escape_debug()));
        } else if !taken.insert(column.header.to_lowercase()) {
            problems.add(|| format!("sheet `{name}`, column `{header}`: expected a header that no other column has, as the rows are a table of Excel's"));
        }
    }
}

fn is_number(text: &str) -> bool {
    text.len() <= 64 && text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn rule_problems(rule: &Rule, names: &Names) -> Vec<String> {
    let mut found = Vec::new();
    if rule.columns.is_empty() {
        found.push("expected at least one column, got none".to_owned());
    }
    let value = rule.value.as_deref();
    let is_comparable = |what: &str, value: Option<&str>| match value {
        None | Some("") => Some(format!("expected {what} to compare with, got nothing")),
        Some(value) if value.starts_with('=') => formula_problem(value, "", names),
        Some(value) if units(value) > MAX_MESSAGE_UNITS => {
            Some(format!("expected {what} of at most {MAX_MESSAGE_UNITS} characters"))
        }
        Some(_) => None,
    };
    match rule.kind {
        RuleKind::Equal
        | RuleKind::NotEqual
        | RuleKind::Greater
        | RuleKind::GreaterOrEqual
        | RuleKind::Less
        | RuleKind::LessOrEqual => found.extend(is_comparable("a value", value)),
        RuleKind::Contains | RuleKind::NotContains => {
            found.extend(is_comparable("a text", value.filter(|text| !text.starts_with('='))));
        }
        RuleKind::Between | RuleKind::NotBetween => {
            found.extend(is_comparable("a value", value));
            found.extend(is_comparable("an upper end", rule.upper.as_deref()));
        }
        RuleKind::Top | RuleKind::Bottom => found.extend(count_problem(value, 1_000)),
        RuleKind::TopPercent | RuleKind::BottomPercent => found.extend(count_problem(value, 100)),
        RuleKind::Formula => {
            found.extend(formula_problem(value.unwrap_or_default(), "", names));
        }
        _ => {}
    }
    found
}

fn count_problem(value: Option<&str>, most: u16) -> Option<String> {
    let value = value?;
    let is_fine = value.parse::<u16>().is_ok_and(|count| (1..=most).contains(&count));
    (!is_fine).then(|| {
        format!("expected a whole number from 1 to {most}, got `{}`", text::cut_bytes(value, 80))
    })
}

fn input_problems(input: &InputRule, names: &Names) -> Vec<String> {
    let mut found = Vec::new();
    if input.columns.is_empty() {
        found.push("expected at least one column, got none".to_owned());
    }
    for (what, text) in [("a prompt", &input.prompt), ("a message", &input.message)] {
        let got = text.as_deref().map_or(0, units);
        if got > MAX_MESSAGE_UNITS {
            found.push(format!(
                "expected {what} of at most {MAX_MESSAGE_UNITS} characters, got {got}"
            ));
        }
    }
    if let Some(formula) = &input.formula {
        found.extend(formula_problem(formula, "", names));
    }
    match input.kind {
        InputKind::Choices if input.formula.is_none() => {
            let all: usize = input.choices.iter().map(|choice| units(choice) + 1).sum();
            if input.choices.is_empty() || all > MAX_MESSAGE_UNITS + 1 {
                found.push(format!(
                    "expected choices of 1 to {MAX_MESSAGE_UNITS} characters with the commas between them, got {}; \
                     hint: put them into cells, and give their range",
                    all.saturating_sub(1)
                ));
            }
            if input.choices.iter().any(|choice| choice.trim().is_empty() || choice.contains(',')) {
                found.push("expected choices that are not empty and have no comma".to_owned());
            }
        }
        InputKind::Custom if input.formula.is_none() => {
            found.push("expected a formula, got nothing".to_owned());
        }
        _ => {}
    }
    let is_date = input.kind == InputKind::Date;
    for end in [&input.minimum, &input.maximum].into_iter().flatten() {
        let is_fine = if is_date { serial_of(end).is_some() } else { is_number(end) };
        if !is_fine {
            let what = if is_date { "a date such as `2024-12-31`" } else { "a number" };
            found.push(format!("expected {what}, got `{}`", text::cut_bytes(end, 80)));
        }
    }
    found
}

/// Returns the memory that it takes while it is written.
pub(super) fn bytes(block: &Block) -> usize {
    let (first, last) = rules::data_rows(block);
    let rows = (last - first + 1) as usize;
    let pictures: usize = block.pictures.iter().map(|picture| picture.bytes.len()).sum();
    let columns: usize = block.rules.iter().map(|rule| rule.columns.len()).sum();
    let inputs: usize = block.inputs.iter().map(|input| input.columns.len()).sum();
    let notes: usize = block.notes.iter().map(|note| 2_048 + 4 * note.text.len()).sum();
    block.sparklines.len() * rows * 512 + 4 * pictures + 256 * (columns + inputs) + notes
}
