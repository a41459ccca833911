//! Parses the design lines of a caller, such as `{Growth} < 0: red` and `{Status} one of Open, Done`.
//!
//! The design is lines instead of records, because the schema of records would be in two tools: a model pays for it in every
//! request.

mod trend;

use self::trend::trend;
use crate::bindings::mitt::host::render::{
    CellNote, DefinedName, InputKind, InputRule, Orientation, PageSetup, Paper, Protection, Rule,
    RuleKind, RuleLook, SheetStyle, Sparklines,
};
use crate::column::Origin;
use crate::problems::{Problems, quoted, unknown_column};

/// A picture of the session that is placed below or beside the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) name: String,
    /// The alternative text.
    pub(crate) description: Option<String>,
}

/// The parsed lines of a sheet.
#[derive(Debug)]
pub(crate) struct Design {
    pub(crate) rules: Vec<Rule>,
    pub(crate) inputs: Vec<InputRule>,
    /// Small charts, each with the header of the column that it adds.
    pub(crate) sparklines: Vec<(Sparklines, String)>,
    pub(crate) notes: Vec<CellNote>,
    pub(crate) pictures: Vec<Picture>,
    pub(crate) hidden: Vec<usize>,
    pub(crate) levels: Vec<(usize, u8)>,
    pub(crate) unlocked: Vec<usize>,
    pub(crate) table_name: Option<String>,
    pub(crate) names: Vec<DefinedName>,
    pub(crate) style: SheetStyle,
    pub(crate) accent: Option<u32>,
    pub(crate) page: PageSetup,
    pub(crate) protection: Option<Protection>,
}

impl Default for Design {
    fn default() -> Design {
        Design {
            rules: Vec::new(),
            inputs: Vec::new(),
            sparklines: Vec::new(),
            notes: Vec::new(),
            pictures: Vec::new(),
            hidden: Vec::new(),
            levels: Vec::new(),
            unlocked: Vec::new(),
            table_name: None,
            names: Vec::new(),
            style: SheetStyle::Report,
            accent: None,
            page: PageSetup { orientation: None, paper: None },
            protection: None,
        }
    }
}

const LOOKS: [(&str, RuleLook); 6] = [
    ("red", RuleLook::Red),
    ("yellow", RuleLook::Yellow),
    ("green", RuleLook::Green),
    ("blue", RuleLook::Blue),
    ("grey", RuleLook::Grey),
    ("bold", RuleLook::Bold),
];

/// Longer operators come first, so that `<=` is not read as `<`.
const COMPARISONS: [(&str, RuleKind); 11] = [
    ("<=", RuleKind::LessOrEqual),
    (">=", RuleKind::GreaterOrEqual),
    ("<>", RuleKind::NotEqual),
    ("!=", RuleKind::NotEqual),
    ("==", RuleKind::Equal),
    ("≤", RuleKind::LessOrEqual),
    ("≥", RuleKind::GreaterOrEqual),
    ("≠", RuleKind::NotEqual),
    ("<", RuleKind::Less),
    (">", RuleKind::Greater),
    ("=", RuleKind::Equal),
];

/// Rules without a value, and their default looks.
const PLAIN: [(&str, RuleKind, RuleLook); 13] = [
    ("above average", RuleKind::AboveAverage, RuleLook::Green),
    ("below average", RuleKind::BelowAverage, RuleLook::Red),
    ("duplicates", RuleKind::Duplicate, RuleLook::Red),
    ("unique", RuleKind::Unique, RuleLook::Green),
    ("blank", RuleKind::Blank, RuleLook::Yellow),
    ("bars", RuleKind::Bars, RuleLook::Blue),
    ("shades", RuleKind::TwoColors, RuleLook::Blue),
    ("scale", RuleKind::ThreeColors, RuleLook::Green),
    ("arrows", RuleKind::Arrows, RuleLook::Green),
    ("lights", RuleKind::Lights, RuleLook::Green),
    ("flags", RuleKind::Pennants, RuleLook::Green),
    ("signs", RuleKind::Signs, RuleLook::Green),
    ("ratings", RuleKind::Ratings, RuleLook::Green),
];

/// The forms of lines for columns and for sheets, as a message lists them.
const OF_COLUMNS: &str = "`< 0: red`, `between 1 and 5: yellow`, `top 3`, `bottom 10%`, `above average`, `duplicates`, `blank`, \
    `contains x: red`, `when {A}>{B}: red`, `bars`, `shades`, `scale`, `arrows`, `lights`, `flags`, `signs`, `ratings`, `one of a, b`, \
    `whole 1 to 9`, `decimal >= 0`, `date >= 2024-01-01`, `length <= 20`, `valid {A}>0: message`, `hidden`, `group`, `unlocked`, `note: text`";
const OF_SHEETS: &str = "a line that begins with a column such as `{Growth} < 0: red`, or `trend {Q1} to {Q4}`, `style plain`, `style financial`, \
    `style dark`, `accent #1F4E79`, `landscape`, `portrait`, `A4`, `Letter`, `table Name`, `picture a.png: what it shows`, `protect`, `name x = {Column}`";

/// The data that the lines refer to.
pub(crate) struct About<'a> {
    pub(crate) names: &'a [String],
    pub(crate) origin: Origin,
    /// The number of rows of data.
    pub(crate) rows: usize,
    pub(crate) sheet: &'a str,
}

/// Parses the lines. `place` is the path of their list.
pub(crate) fn read(
    lines: &[String],
    about: &About<'_>,
    place: &str,
    problems: &mut Problems,
) -> Design {
    let mut design = Design::default();
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim();
        let read = if line.is_empty() {
            Ok(())
        } else if line.starts_with('{') {
            of_columns(line, about, &mut design)
        } else {
            of_sheet(line, about, &mut design)
        };
        if let Err(problem) = read {
            problems.add(format!("{place}[{index}]"), problem);
        }
    }
    design
}

type Read<T> = Result<T, String>;

/// Splits a line into the columns at its beginning and the rest: `{A}, {B} < 0`.
fn columns<'a>(line: &'a str, about: &About<'_>) -> Read<(Vec<u32>, &'a str)> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some(inside) = rest.strip_prefix('{') {
        // A column name may contain braces.
        let known = about
            .names
            .iter()
            .enumerate()
            .filter(|(_, name)| {
                inside.strip_prefix(name.as_str()).is_some_and(|it| it.starts_with('}'))
            })
            .max_by_key(|(_, name)| name.len());
        let Some((index, name)) = known else {
            let name = inside.split('}').next().unwrap_or(inside);
            return Err(unknown_column(name, about.names));
        };
        found.push(index as u32);
        rest = inside[name.len() + 1..].trim_start();
        let next = rest.trim_start_matches([',', '，', '、']).trim_start();
        if next.starts_with('{') {
            rest = next;
        }
    }
    Ok((found, rest.trim()))
}

/// Returns the text before the last colon and the text after it.
fn split_colon(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once([':', '：']) {
        Some((before, behind)) => (before.trim(), Some(behind.trim())),
        None => (text, None),
    }
}

/// Returns the look with this name; `None` if there is none.
fn look_of(text: &str) -> Option<RuleLook> {
    let found = LOOKS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, look)| *look)
}

fn look(text: Option<&str>, default: RuleLook) -> Read<RuleLook> {
    let Some(text) = text else { return Ok(default) };
    look_of(text).ok_or_else(|| {
        format!(
            "expected `red`, `yellow`, `green`, `blue`, `grey` or `bold` behind the colon, got {}{}",
            quoted(text),
            meant(text, LOOKS.map(|(name, _)| name).into_iter())
        )
    })
}

fn meant<'a>(text: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match mitt_guest::nearest(text, known) {
        Some(nearest) => format!(", did you mean {}", quoted(nearest)),
        None => String::new(),
    }
}

/// Returns the rest of a text after a word in either case.
fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let start = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let is_whole = rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    (start.eq_ignore_ascii_case(word) && is_whole).then(|| rest.trim())
}

fn of_columns(line: &str, about: &About<'_>, design: &mut Design) -> Read<()> {
    let (columns, text) = columns(line, about)?;
    if let Some(rest) = behind(text, "note") {
        return note(rest, &columns, about, design);
    }
    if input(text, &columns, about, design)? || property(text, &columns, design)? {
        return Ok(());
    }
    let mut rule =
        Rule { columns, kind: RuleKind::Formula, value: None, upper: None, look: RuleLook::Red };
    if let Some(rest) = behind(text, "contains").or_else(|| behind(text, "not contains")) {
        rule.kind = match behind(text, "contains") {
            Some(_) => RuleKind::Contains,
            None => RuleKind::NotContains,
        };
        // The message may contain a colon.
        let (before, tail) = split_colon(rest);
        let look = tail.and_then(look_of);
        let text = if look.is_some() { before } else { rest };
        rule.value = Some(unquoted(text).to_owned());
        rule.look = look.unwrap_or(RuleLook::Red);
    } else if let Some(rest) = behind(text, "when") {
        let (before, tail) = match split_colon(rest) {
            (before, Some(tail))
                if look_of(tail).is_some() || !tail.contains(['$', '}', '(', ')']) =>
            {
                (before, Some(tail))
            }
            _ => (rest, None),
        };
        rule.value = Some(formula(before, about)?);
        rule.look = look(tail, RuleLook::Red)?;
    } else {
        let (before, tail) = split_colon(text);
        rule.look = mark(before, about, &mut rule)?;
        rule.look = look(tail, rule.look)?;
    }
    design.rules.push(rule);
    Ok(())
}

/// Parses the condition under which a cell is marked. Returns its default look.
fn mark(text: &str, about: &About<'_>, rule: &mut Rule) -> Read<RuleLook> {
    if let Some((_, kind, look)) = PLAIN.iter().find(|(name, ..)| name.eq_ignore_ascii_case(text)) {
        rule.kind = *kind;
        return Ok(*look);
    }
    if let Some((sign, kind)) = COMPARISONS.iter().find(|(sign, _)| text.starts_with(sign)) {
        rule.kind = *kind;
        rule.value = Some(value(&text[sign.len()..], about)?);
        return Ok(RuleLook::Red);
    }
    let is_not = behind(text, "not between");
    if let Some(rest) = is_not.or_else(|| behind(text, "between")) {
        rule.kind = if is_not.is_some() { RuleKind::NotBetween } else { RuleKind::Between };
        let (least, most) = rest
            .split_once(" and ")
            .or_else(|| rest.split_once(" to "))
            .ok_or_else(|| format!("expected `between 1 and 5`, got {}", quoted(text)))?;
        (rule.value, rule.upper) = (Some(value(least, about)?), Some(value(most, about)?));
        return Ok(RuleLook::Yellow);
    }
    for (word, all, percent, look) in [
        ("top", RuleKind::Top, RuleKind::TopPercent, RuleLook::Green),
        ("bottom", RuleKind::Bottom, RuleKind::BottomPercent, RuleLook::Red),
    ] {
        let Some(rest) = behind(text, word) else { continue };
        let count = rest.trim_end_matches('%').trim();
        rule.kind = if rest.ends_with('%') { percent } else { all };
        let most = if rest.ends_with('%') { 100 } else { 1_000 };
        if !count.parse::<u16>().is_ok_and(|count| (1..=most).contains(&count)) {
            return Err(format!(
                "expected a whole number from 1 to {most} behind `{word}`, got {}",
                quoted(rest)
            ));
        }
        rule.value = Some(count.to_owned());
        return Ok(look);
    }
    let known = PLAIN.iter().map(|(name, ..)| *name);
    let known = known.chain(["hidden", "group", "unlocked", "note", "one of", "contains"]);
    Err(format!("expected {OF_COLUMNS}, got {}{}", quoted(text), meant(text, known)))
}

/// Returns a text without the quotation marks around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let pairs = [('"', '"'), ('“', '”'), ('\'', '\'')];
    let inner = |(open, close)| text.strip_prefix(open).and_then(|it: &str| it.strip_suffix(close));
    pairs.into_iter().find_map(inner).unwrap_or(text)
}

/// Parses a value for a comparison: a number or percentage, a date, a text, or a column of the same row.
fn value(text: &str, about: &About<'_>) -> Read<String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a value to compare with, got nothing".to_owned());
    }
    if text.starts_with(['{', '=']) {
        return formula(text, about);
    }
    Ok(number(text).unwrap_or_else(|| unquoted(text).to_owned()))
}

/// Parses `1,000`, `-0.5` or `5%`.
fn number(text: &str) -> Option<String> {
    match text.trim().strip_suffix(['%', '％']) {
        Some(percent) => {
            let number = crate::number::decimal(&crate::number::from_text(percent.trim())?)?;
            Some((number / rust_decimal::Decimal::ONE_HUNDRED).normalize().to_string())
        }
        None => crate::number::from_text(text.trim()),
    }
}

/// Returns a formula for the first row of the data: `{Column}` becomes its cell there.
fn formula(text: &str, about: &About<'_>) -> Read<String> {
    let row = about.origin.excel_row(0);
    let cell = |index| format!("${}{row}", about.origin.letters(index));
    filled(text, about, &cell)
}

/// Returns a formula with `{Column}` replaced by the result of `with`.
fn filled(text: &str, about: &About<'_>, with: &dyn Fn(usize) -> String) -> Read<String> {
    let mut out = String::from("=");
    let mut rest = text.trim().trim_start_matches('=');
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        let close = inside.find('}').ok_or("expected a closing `}`, got none")?;
        let name = &inside[..close];
        match about.names.iter().position(|column| column == name) {
            Some(index) => out.push_str(&with(index)),
            // Excel writes arrays in braces.
            None if name.starts_with(|c: char| c.is_ascii_digit() || c == '"' || c == '-') => {
                out.push_str(&rest[open..open + close + 2]);
            }
            None => return Err(unknown_column(name, about.names)),
        }
        rest = &inside[close + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// Parses a rule for what may be typed. Returns `false` if the text is not one.
fn input(text: &str, columns: &[u32], about: &About<'_>, design: &mut Design) -> Read<bool> {
    let mut made = InputRule {
        columns: columns.to_vec(),
        kind: InputKind::Choices,
        choices: Vec::new(),
        minimum: None,
        maximum: None,
        formula: None,
        prompt: None,
        message: None,
        warns: false,
    };
    if let Some(rest) = behind(text, "one of") {
        if rest.starts_with(['=', '{']) {
            made.formula = Some(rest.to_owned());
        } else {
            let (list, message) = split_colon(rest);
            made.message = message.map(str::to_owned);
            let choices = list.split([',', '，', '、', '|']).map(unquoted);
            made.choices = choices.filter(|it| !it.is_empty()).map(str::to_owned).collect();
            let units: usize = made.choices.iter().map(|it| it.encode_utf16().count() + 1).sum();
            if made.choices.is_empty() || units > 256 {
                return Err(format!(
                    "expected choices of 1 to 255 characters such as `one of Open, Done`, got {}; hint: put them into cells, \
                     and give their range: `one of =Lists!$A$2:$A$9`",
                    units.saturating_sub(1)
                ));
            }
        }
    } else if let Some(rest) = behind(text, "valid") {
        let (before, message) = match rest.rsplit_once([':', '：']) {
            Some((before, message)) if !message.contains(['$', '}', ')']) => {
                (before, Some(message.trim()))
            }
            _ => (rest, None),
        };
        made.kind = InputKind::Custom;
        made.formula = Some(formula(before, about)?);
        made.message = message.map(str::to_owned);
    } else {
        let kinds = [
            ("whole", InputKind::Whole),
            ("decimal", InputKind::Decimal),
            ("date", InputKind::Date),
            ("length", InputKind::Length),
        ];
        let of = kinds.iter().find_map(|(word, kind)| Some((*kind, behind(text, word)?)));
        let Some((kind, rest)) = of else { return Ok(false) };
        let (range, message) = split_colon(rest);
        made.kind = kind;
        made.message = message.map(str::to_owned);
        let end = |text: &str| {
            let text = text.trim();
            let number = if kind == InputKind::Date { None } else { number(text) };
            let is_fine =
                number.is_some() || kind == InputKind::Date && crate::date::parse(text).is_some();
            let what =
                if kind == InputKind::Date { "a date such as `2024-12-31`" } else { "a number" };
            if is_fine {
                Ok(number.unwrap_or_else(|| text.to_owned()))
            } else {
                Err(format!("expected {what}, got {}", quoted(text)))
            }
        };
        let sign = COMPARISONS.iter().find(|(sign, _)| range.starts_with(sign));
        match (sign, range.split_once(" to ").or_else(|| range.split_once(" and "))) {
            (Some((sign, RuleKind::LessOrEqual)), _) => {
                made.maximum = Some(end(&range[sign.len()..])?)
            }
            (Some((sign, RuleKind::GreaterOrEqual)), _) => {
                made.minimum = Some(end(&range[sign.len()..])?)
            }
            (None, Some((least, most))) => {
                (made.minimum, made.maximum) = (Some(end(least)?), Some(end(most)?));
            }
            (None, None) if range.is_empty() => {}
            _ => {
                return Err(format!(
                    "expected a range such as `1 to 9`, `>= 1` or `<= 9`, got {}",
                    quoted(range)
                ));
            }
        }
    }
    if made.message.as_ref().is_some_and(|text| text.encode_utf16().count() > 255) {
        return Err("expected a message of at most 255 characters".to_owned());
    }
    design.inputs.push(made);
    Ok(true)
}

/// Parses a property of columns. Returns `false` if the text is not one.
fn property(text: &str, columns: &[u32], design: &mut Design) -> Read<bool> {
    let columns = columns.iter().map(|index| *index as usize);
    if text.eq_ignore_ascii_case("hidden") {
        design.hidden.extend(columns);
    } else if text.eq_ignore_ascii_case("unlocked") {
        design.unlocked.extend(columns);
    } else if let Some(rest) = behind(text, "group") {
        let level = match rest {
            "" => 1,
            rest => rest.parse().ok().filter(|level| (1..=7).contains(level)).ok_or_else(|| {
                format!("expected a level from 1 to 7 behind `group`, got {}", quoted(rest))
            })?,
        };
        design.levels.extend(columns.map(|index| (index, level)));
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Parses `note: text` for the header, and `note 3: text` for the third row of the data.
fn note(rest: &str, columns: &[u32], about: &About<'_>, design: &mut Design) -> Read<()> {
    let (row, text) = rest
        .split_once([':', '：'])
        .ok_or_else(|| format!("expected `note: text`, got {}", quoted(rest)))?;
    let row = match row.trim() {
        "" => None,
        number => {
            let row = number.parse::<usize>().ok().filter(|row| (1..=about.rows).contains(row));
            let row = row.ok_or_else(|| {
                format!(
                    "expected a row of the data from 1 to {}, got {}",
                    about.rows,
                    quoted(number)
                )
            })?;
            Some(row as u32 - 1)
        }
    };
    let text = text.trim();
    let units = text.encode_utf16().count();
    if !(1..=2_000).contains(&units) {
        return Err(format!("expected a note of 1 to 2000 characters, got {units}"));
    }
    for column in columns {
        design.notes.push(CellNote { column: *column, row, text: text.to_owned() });
    }
    Ok(())
}

fn of_sheet(line: &str, about: &About<'_>, design: &mut Design) -> Read<()> {
    if let Some(rest) = behind(line, "trend") {
        return trend(rest, about, design);
    }
    if let Some(rest) = behind(line, "style") {
        let styles = [
            ("report", SheetStyle::Report),
            ("plain", SheetStyle::Plain),
            ("financial", SheetStyle::Financial),
            ("dark", SheetStyle::Dark),
        ];
        let found = styles.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest));
        let (_, style) = found.ok_or_else(|| {
            let names = styles.iter().map(|(name, _)| *name);
            format!(
                "expected `report`, `plain`, `financial` or `dark`, got {}{}",
                quoted(rest),
                meant(rest, names)
            )
        })?;
        design.style = *style;
    } else if let Some(rest) = behind(line, "accent") {
        let digits = rest.trim_start_matches('#');
        let is_color = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let color = u32::from_str_radix(digits, 16).ok().filter(|_| is_color);
        design.accent =
            Some(color.ok_or_else(|| {
                format!("expected a colour such as `#1F4E79`, got {}", quoted(rest))
            })?);
    } else if let Some(rest) = behind(line, "table") {
        let name = if rest.is_empty() { "Table1" } else { rest };
        design.table_name = Some(name.to_owned());
    } else if let Some(rest) = behind(line, "picture") {
        let (name, description) = rest.split_once([':', '：']).unwrap_or((rest, ""));
        let (name, description) = (name.trim(), description.trim());
        let extension = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        if !extension.is_some_and(|end| matches!(end.as_str(), "png" | "jpg" | "jpeg")) {
            return Err(format!(
                "expected the name of a picture such as `chart.png` or `photo.jpg`, got {}",
                quoted(name)
            ));
        }
        let description = Some(description.to_owned()).filter(|it| !it.is_empty());
        design.pictures.push(Picture { name: name.to_owned(), description });
    } else if let Some(rest) = behind(line, "protect") {
        let password = rest.trim_start_matches([':', '：']).trim();
        design.protection =
            Some(Protection { password: Some(password.to_owned()).filter(|it| !it.is_empty()) });
    } else if let Some(rest) = behind(line, "name") {
        let (name, text) = rest
            .split_once('=')
            .ok_or_else(|| format!("expected `name x = formula`, got {}", quoted(line)))?;
        let (first, last) =
            (about.origin.excel_row(0), about.origin.excel_row(about.rows.max(1) - 1));
        let sheet = about.sheet.replace('\'', "''");
        let cells = |index| {
            let letters = about.origin.letters(index);
            format!("'{sheet}'!${letters}${first}:${letters}${last}")
        };
        let formula = filled(text, about, &cells)?;
        design.names.push(DefinedName { name: name.trim().to_owned(), formula });
    } else {
        match line.to_ascii_lowercase().as_str() {
            "landscape" => design.page.orientation = Some(Orientation::Landscape),
            "portrait" => design.page.orientation = Some(Orientation::Portrait),
            "a4" => design.page.paper = Some(Paper::A4),
            "letter" => design.page.paper = Some(Paper::Letter),
            _ => {
                let known = [
                    "landscape",
                    "portrait",
                    "letter",
                    "trend",
                    "style",
                    "accent",
                    "table",
                    "picture",
                    "protect",
                ];
                let word = line.split_whitespace().next().unwrap_or(line);
                let meant = meant(word, known.into_iter());
                return Err(format!("expected {OF_SHEETS}, got {}{meant}", quoted(line)));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "design_tests.rs"]
mod tests;
