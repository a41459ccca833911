//! Reads a workbook for a model: first what there is, then cells and where a number comes from.

use crate::book::{Book, CellView, cells, shown_formula};
use crate::calc::{Seed, Session};
use crate::edit::charts;
use crate::error::{Result, invalid};
use crate::refs::{self, Area, At, quoted_sheet};
use crate::value::Scalar;
use crate::world::World;
use crate::xml::{children, elements, first_tag, inner_text};
use mitt_package::{counted, either};

/// Most lines of details.
const MAX_LINES: usize = 200;
/// Most lines of a tree.
const MAX_TREE: usize = 120;
/// Most levels of a tree.
const MAX_DEPTH: u32 = 12;
/// What is shown in place of a value that a formula does not have.
const NOT_CALCULATED: &str = "not calculated";

#[derive(Clone, Debug, PartialEq)]
pub struct SheetInfo {
    pub name: String,
    /// `visible`, `hidden`, `veryHidden`, or `chart` for a sheet without cells.
    pub state: String,
    /// The area of all cells.
    pub used: Option<String>,
    /// Counts of what it has, such as `12 formulas`, `2 charts`.
    pub has: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    pub sheets: Vec<SheetInfo>,
    /// Names, tables, and for one sheet everything in it, one line each.
    pub details: Vec<String>,
    pub can_edit: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CellInfo {
    pub at: String,
    pub value: CellValue,
    /// As the cell shows it, if that differs from the value.
    pub display: Option<String>,
    /// With `=`.
    pub formula: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CellValue {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

/// Cells, and the range of those that were left out.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPage {
    pub cells: Vec<CellInfo>,
    pub next: Option<String>,
}

fn count(found: &mut Vec<String>, number: usize, one: &str, many: &str) {
    if number > 0 {
        found.push(format!("{number} {}", if number == 1 { one } else { many }));
    }
}

/// Describes a workbook; with a sheet also what is in it besides cells.
///
/// # Errors
/// Those of opening it, and [`crate::Error::NotFound`] for a sheet.
pub fn overview(bytes: Vec<u8>, sheet: Option<&str>) -> Result<Overview> {
    let book = Book::open(bytes)?;
    let wanted = sheet.map(|it| book.find(it)).transpose()?;
    let all_charts = charts(&book)?;
    let mut sheets = Vec::new();
    let mut details = Vec::new();
    for (index, it) in book.sheets.iter().enumerate() {
        let mut has = Vec::new();
        let Some(text) = &it.text else {
            sheets.push(SheetInfo {
                name: it.name.clone(),
                state: "chart".to_owned(),
                used: None,
                has,
            });
            continue;
        };
        let is_wanted = wanted == Some(index);
        let formulas = memchr::memmem::find_iter(
            text.data.as_bytes(),
            format!("<{}f", text.prefix).as_bytes(),
        )
        .filter(|at| {
            let next = text.data.as_bytes().get(at + 2 + text.prefix.len());
            matches!(next, Some(b'>' | b' ' | b'/'))
        })
        .count();
        count(&mut has, formulas, "formula", "formulas");
        let tables = book.tables.iter().filter(|it| it.area.sheet == index);
        count(&mut has, tables.clone().count(), "table", "tables");
        let own: Vec<_> = all_charts.iter().filter(|it| it.sheet == index).collect();
        count(&mut has, own.len(), "chart", "charts");
        let merged = elements(crate::xml::before_extensions(&text.tail), "mergeCell");
        let rules = elements(crate::xml::before_extensions(&text.tail), "dataValidation");
        let marks = elements(crate::xml::before_extensions(&text.tail), "conditionalFormatting");
        count(&mut has, merged.len(), "merged range", "merged ranges");
        count(&mut has, rules.len(), "validation", "validations");
        count(&mut has, marks.len(), "conditional format", "conditional formats");
        let mut notes = Vec::new();
        for relation in book.package.relations(&it.part)? {
            match relation.kind.as_str() {
                "comments" => {
                    let xml = book.package.text(&relation.target)?.unwrap_or_default();
                    for (_, comment) in elements(&xml, "comment") {
                        let at =
                            first_tag(comment).and_then(|tag| tag.text("ref")).unwrap_or_default();
                        let text = elements(comment, "text")
                            .first()
                            .map_or(String::new(), |it| crate::book::plain(it.1));
                        notes.push(format!("note {at}: {}", short(&text, 120)));
                    }
                }
                "pivotTable" => has.push("a pivot table".to_owned()),
                "threadedComment" => has.push("threads of comments".to_owned()),
                _ => {}
            }
        }
        count(&mut has, notes.len(), "note", "notes");
        let hidden = text.rows.iter().filter(|row| is_hidden(text.row_text(row))).count();
        count(&mut has, hidden, "hidden row", "hidden rows");
        let columns: Vec<String> = elements(&text.head, "col")
            .iter()
            .filter_map(|it| first_tag(it.1))
            .filter(|tag| matches!(tag.attribute("hidden"), Some("1" | "true")))
            .filter_map(|tag| {
                Some(format!(
                    "{}:{}",
                    refs::column_name(tag.number("min")?),
                    refs::column_name(tag.number("max")?)
                ))
            })
            .collect();
        if !columns.is_empty() {
            has.push(format!("hidden columns {}", columns.join(" ")));
        }
        if let Some((_, pane)) = crate::xml::find_tag(&text.head, "pane")
            && pane.attribute("state").is_some_and(|it| it.starts_with("frozen"))
        {
            let split = |name: &str| pane.attribute(name).unwrap_or("0").to_owned();
            has.push(format!("frozen rows {}, columns {}", split("ySplit"), split("xSplit")));
        }
        if let Some((_, tag)) = crate::xml::find_tag(&text.tail, "autoFilter") {
            has.push(format!("filter {}", tag.attribute("ref").unwrap_or_default()));
        }
        if text.tail.contains("sheetProtection") {
            has.push("protected".to_owned());
        }
        sheets.push(SheetInfo {
            name: it.name.clone(),
            state: it.state.clone(),
            used: text.used().map(|it| it.to_string()),
            has,
        });
        for table in tables {
            details.push(format!(
                "table {} {}!{}: {}",
                table.name,
                quoted_sheet(&it.name),
                table.area.area,
                short(&table.area.columns.join(", "), 200)
            ));
        }
        if !is_wanted {
            continue;
        }
        for chart in own {
            details.push(format!(
                "chart {} `{}`: {}",
                chart.name,
                chart.title,
                short(&chart.sources.join(" "), 200)
            ));
        }
        let of = |raw: &str, name: &str| {
            first_tag(raw).and_then(|tag| tag.text(name)).unwrap_or_default()
        };
        details.extend(merged.iter().take(50).map(|it| format!("merged {}", of(it.1, "ref"))));
        for (_, rule) in rules.iter().take(50) {
            let formulas: Vec<_> = children(rule).into_iter().map(inner_text).collect();
            details.push(format!(
                "validation {} {}: {}",
                of(rule, "sqref"),
                of(rule, "type"),
                short(&formulas.join(" … "), 120)
            ));
        }
        for (_, mark) in marks.iter().take(50) {
            for rule in children(mark) {
                let formulas: Vec<_> =
                    elements(rule, "formula").iter().map(|it| inner_text(it.1)).collect();
                let operator = of(rule, "operator");
                details.push(format!(
                    "conditional format {} {} {operator} {}",
                    of(mark, "sqref"),
                    of(rule, "type"),
                    short(&formulas.join(" "), 120)
                ));
            }
        }
        details.extend(notes);
    }
    for name in
        book.names.iter().filter(|it| !it.is_hidden && !it.name.starts_with("_xlnm._Filter"))
    {
        let scope = name
            .scope
            .and_then(|it| book.sheets.get(it))
            .map_or(String::new(), |it| format!(" (in {})", it.name));
        details.push(format!("name {}{scope} = {}", name.name, short(&name.formula, 120)));
    }
    if details.len() > MAX_LINES {
        let left = details.len() - MAX_LINES;
        details.truncate(MAX_LINES);
        details.push(format!("and {left} more"));
    }
    Ok(Overview { sheets, details, can_edit: !book.has_macros && !book.is_signed })
}

fn is_hidden(row: &str) -> bool {
    let head = crate::book::head_tag(row);
    head.contains("hidden")
        && first_tag(head)
            .and_then(|it| it.attribute("hidden"))
            .is_some_and(|it| matches!(it, "1" | "true"))
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Returns the cells of a range that are not empty, row by row, at most `limit` of them.
///
/// # Errors
/// Those of opening it, and [`crate::Error::Invalid`] for a range.
pub fn read_cells(bytes: Vec<u8>, range: &str, limit: usize, world: World) -> Result<CellPage> {
    let mut book = Book::open(bytes)?;
    book.world = world;
    let (sheet, rest) = book.place(range)?;
    let area = if rest.is_empty() {
        Area::SHEET
    } else {
        match refs::wide_area(rest) {
            Some((area, _)) => area,
            None => {
                return invalid(format!("expected a range such as `Sheet1!A1:D20`, got `{range}`"));
            }
        }
    };
    let text = book.text(sheet)?;
    let (mut places, mut next) = (Vec::new(), None);
    'rows: for row in
        text.rows.iter().filter(|row| (area.first.row..=area.last.row).contains(&row.number))
    {
        if places.len() >= limit {
            next = Some(row.number);
            break 'rows;
        }
        for cell in cells(text.row_text(row)) {
            if (area.first.column..=area.last.column).contains(&cell.column)
                && !cell.raw.ends_with("/>")
            {
                places.push(At { row: row.number, column: cell.column });
            }
        }
    }
    let name = quoted_sheet(&book.sheets[sheet].name);
    let mut found = Vec::with_capacity(places.len());
    let mut views = Vec::with_capacity(places.len());
    for at in places {
        views.push((at, book.cell(sheet, at)?));
    }
    // Other libraries than Excel write formulas without values. Then all of this page are calculated.
    let mut session =
        if views.iter().any(|it| is_uncalculated(&it.1)) { Session::of_new(&book) } else { None };
    for (at, mut view) in views {
        if view.value == Scalar::Empty && view.formula.is_none() {
            continue;
        }
        if let Some(session) = &mut session {
            view.value = session.value(&book, sheet, at);
        }
        let code = book.styles.code(view.style);
        let display = if is_uncalculated(&view) {
            NOT_CALCULATED.to_owned()
        } else {
            crate::display::formatted(&view.value, &code, book.from_1904)
        };
        let is_date =
            matches!(view.value, Scalar::Number(_)) && book.styles.shows_dates(view.style);
        let value = match &view.value {
            Scalar::Empty => CellValue::Null,
            Scalar::Number(number) if is_date => {
                CellValue::Text(crate::moment::iso(*number, book.from_1904))
            }
            Scalar::Number(number) => CellValue::Number(*number),
            Scalar::Bool(value) => CellValue::Bool(*value),
            other => CellValue::Text(other.shown()),
        };
        let plain = match &value {
            CellValue::Text(text) => text.clone(),
            _ => view.value.shown(),
        };
        found.push(CellInfo {
            at: at.to_string(),
            value,
            display: Some(display).filter(|it| *it != plain),
            formula: view.formula.as_deref().map(shown_formula),
        });
    }
    let next = next.map(|row| {
        format!("{name}!{}", Area::new(row, area.first.column, area.last.row, area.last.column))
    });
    Ok(CellPage { cells: found, next })
}

/// Returns `true` for a formula without a value.
fn is_uncalculated(view: &CellView) -> bool {
    view.formula.is_some() && view.value == Scalar::Empty
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// The tree of a number down to its inputs.
    Inputs,
    /// The formulas that depend on a cell, directly or through others.
    Dependents,
}

/// Returns where a number comes from, or what depends on it: one line for each cell, indented.
///
/// # Errors
/// Those of opening it, and [`crate::Error::Invalid`] for a place.
pub fn trace(bytes: Vec<u8>, place: &str, direction: Trace, world: World) -> Result<Vec<String>> {
    let mut book = Book::open(bytes)?;
    book.world = world;
    let (sheet, at) = book.cell_place(place)?;
    let session = Session::new(&book);
    if session.is_full() {
        return Err(crate::error::Error::Unsupported(format!(
            "expected a workbook of at most {} formulas",
            crate::calc::MAX_FORMULAS
        )));
    }
    let values = if session.has_new() { Session::of_new(&book) } else { None };
    let mut tracing = Tracing { book, session, values, seen: Vec::new(), lines: Vec::new() };
    match direction {
        Trace::Inputs => tracing.tree((sheet, at), 0)?,
        Trace::Dependents => {
            let seed = Seed { sheet, area: Area::cell(at.row, at.column), includes_itself: false };
            let all: Vec<_> = tracing
                .session
                .dependents(&[seed])
                .into_iter()
                .filter(|it| *it != (sheet, at))
                .collect();
            let first = tracing.line(sheet, at)?;
            let depend = either(all.len(), "depends", "depend");
            tracing.lines.push(format!("{} {depend} on {first}", counted(all.len(), "formula")));
            for (sheet, at) in all.iter().take(MAX_TREE) {
                let line = tracing.line(*sheet, *at)?;
                tracing.lines.push(line);
            }
        }
    }
    let mut lines = tracing.lines;
    if lines.len() >= MAX_TREE {
        lines.push("and more".to_owned());
    }
    Ok(lines)
}

/// A tree of formulas in the making.
struct Tracing {
    book: Book,
    session: Session,
    /// Values of formulas, if some have none in the file.
    values: Option<Session>,
    seen: Vec<(usize, At)>,
    lines: Vec<String>,
}

impl Tracing {
    fn line(&mut self, sheet: usize, at: At) -> Result<String> {
        let mut view = self.book.cell(sheet, at)?;
        if let Some(values) = &mut self.values {
            view.value = values.value(&self.book, sheet, at);
        }
        let name = quoted_sheet(&self.book.sheets[sheet].name);
        let code = self.book.styles.code(view.style);
        let value = if is_uncalculated(&view) {
            NOT_CALCULATED.to_owned()
        } else {
            crate::display::formatted(&view.value, &code, self.book.from_1904)
        };
        let value = if value.is_empty() { "empty".to_owned() } else { short(&value, 60) };
        Ok(match &view.formula {
            Some(formula) => {
                format!("{name}!{at} = {value}  {}", short(&shown_formula(formula), 160))
            }
            None => format!("{name}!{at} = {value}"),
        })
    }

    fn tree(&mut self, place: (usize, At), depth: u32) -> Result<()> {
        if self.lines.len() >= MAX_TREE {
            return Ok(());
        }
        let indent = "  ".repeat(depth as usize);
        let (sheet, at) = place;
        let is_known = self.seen.contains(&place);
        let text = self.line(sheet, at)?;
        let precedents = self.session.precedents(sheet, at);
        self.lines.push(if is_known && !precedents.is_empty() {
            format!("{indent}{text} (see above)")
        } else {
            format!("{indent}{text}")
        });
        if is_known || depth >= MAX_DEPTH {
            return Ok(());
        }
        self.seen.push(place);
        for (sheet, area) in precedents {
            if area.size() <= 12 {
                for row in area.first.row..=area.last.row {
                    for column in area.first.column..=area.last.column {
                        self.tree((sheet, At { row, column }), depth + 1)?;
                    }
                }
                continue;
            }
            if self.lines.len() >= MAX_TREE {
                return Ok(());
            }
            let (filled, formulas) = summary(&self.book, sheet, area);
            let name = quoted_sheet(&self.book.sheets[sheet].name);
            let values = counted(filled, "value");
            let formulas =
                format!("{formulas} of them {}", either(formulas, "a formula", "formulas"));
            self.lines.push(format!("{indent}  {name}!{area}: {values}, {formulas}"));
        }
        Ok(())
    }
}

fn summary(book: &Book, sheet: usize, area: Area) -> (usize, usize) {
    let Some(text) = book.sheets.get(sheet).and_then(|it| it.text.as_ref()) else { return (0, 0) };
    let (mut filled, mut formulas) = (0, 0);
    for row in text.rows.iter().filter(|row| (area.first.row..=area.last.row).contains(&row.number))
    {
        for cell in cells(text.row_text(row)) {
            if (area.first.column..=area.last.column).contains(&cell.column)
                && !cell.raw.ends_with("/>")
            {
                filled += 1;
                formulas += usize::from(cell.has_formula());
            }
        }
    }
    (filled, formulas)
}
