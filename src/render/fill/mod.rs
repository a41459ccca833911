//! Existing workbooks: fills templates, and appends rows to lists.
//!
//! The package is changed in place: only parts that must change are rewritten, and only what must change within them.
//! Everything else (charts, pivot tables, pictures, macros, additions of later versions of Excel) is copied byte for byte,
//! so that nothing is lost. umya-spreadsheet, which reads and writes whole workbooks, lost parts of 68 of 364 real ones.
//!
//! The steps: `package` (limits, parts), `book` and `grid` (contents), `plan` (repeated rows, cells with values; all
//! mistakes), `model` (the new cells), `calculate` (results of formulas), `write` and `adjust` (parts).

mod adjust;
mod append;
mod book;
mod calculate;
mod evaluate;
mod formula;
mod grid;
mod kind;
mod model;
mod moves;
mod package;
mod placeholder;
mod plan;
mod problems;
mod refs;
mod related_parts;
mod scope;
mod shift;
#[cfg(test)]
mod tests;
mod value;
mod warnings;
mod write;

use adjust::{Adjust, Owner};
use book::{Book, Styles, Texts};
use calculate::Changed;
use grid::{Grid, MAX_CELLS};
use model::{Content, Maker, OutSheet};
use package::Package;
use plan::{Planner, SheetPlan, Templates};
use problems::Problems;
use refs::At;
use scope::Values;
use shift::Shift;
use warnings::Warnings;

use super::xml_tokens::{XmlToken, xml_tokens};
use super::{FillOptions, FillValue, FillValues, Filled};
use mitt_base::Result;

/// Fills a workbook (`.xlsx`, `.xlsm`) with values.
///
/// A value goes to the cells whose text names it (`{{customer.name}}`; alone in its cell it keeps its type), to the cell or
/// range of its address (`Sheet1!B2`, `Sheet1!B5:E5`) or to the range of a defined name. A row whose cells name fields of a
/// list (`{{items.price}}`), rows between `{{#items}}` and `{{/items}}`, and a range of one row are repeated for each row of
/// the list, with formats, formulas and merged cells. Content below is pushed down, and references everywhere follow.
///
/// # Errors
///
/// [`Input`](mitt_base::ErrorKind::Input) - the template is no workbook of this kind, damaged, encrypted, signed, or too
/// large. [`Arguments`](mitt_base::ErrorKind::Arguments) - values are missing or do not fit: all of them, each with its
/// place.
pub fn fill_xlsx(template: &[u8], values: &FillValues, options: &FillOptions) -> Result<Filled> {
    let mut package = Package::open(template)?;
    kind::check(&mut package, options)?;
    let source = Source::read(&mut package, options)?;
    let texts = Texts::read(&source.texts);
    let templates = Templates::new(&texts);
    let grids = source.grids()?;
    options.cancel.check()?;
    let scope = Values::new(values);
    let mut problems = Problems::default();
    let mut related =
        related_parts::RelatedParts::read(&mut package, &source.book, &source.sheets)?;
    related.check_texts(&scope, &mut problems);
    let plans = Planner::new(&source.book, &templates, &scope, &mut problems).plan(&grids);
    let mut job = Job {
        source: &source,
        grids: &grids,
        templates: &templates,
        values: &scope,
        problems,
        options,
    };
    let mut warnings = Warnings::default();
    for name in scope.unused() {
        warnings.add("values that nothing in the template asks for were not used", name);
    }
    if source.book.external_links > 0 {
        warnings.add(
            "links to other workbooks are kept and were not followed",
            source.book.external_links,
        );
    }
    job.finish(package, &plans, &mut related, &mut warnings)
}

/// Appends rows below those of a sheet, in the format of the last one.
///
/// In an Excel table they become part of it. `sheet` is the name of a sheet or of a table; `None` is the first sheet. Rows
/// are records with the names of the columns, or a table; lists go from left to right. A row of totals stays the last one.
///
/// # Errors
///
/// Those of [`fill_xlsx`]; [`Arguments`](mitt_base::ErrorKind::Arguments) - there is no such sheet, or no such column: all
/// of them.
pub fn append_xlsx(
    workbook: &[u8],
    sheet: Option<&str>,
    rows: &FillValue,
    options: &FillOptions,
) -> Result<Filled> {
    let mut package = Package::open(workbook)?;
    kind::check(&mut package, options)?;
    let source = Source::read(&mut package, options)?;
    let texts = Texts::read(&source.texts);
    // Placeholders are ordinary text here.
    let templates = Templates::plain(&texts);
    let grids = source.grids()?;
    options.cancel.check()?;
    let mut related =
        related_parts::RelatedParts::read(&mut package, &source.book, &source.sheets)?;
    let none = FillValues::new();
    let scope = Values::new(&none);
    let mut warnings = Warnings::default();
    let contents = append::WorkbookContents {
        book: &source.book,
        grids: &grids,
        templates: &templates,
        tables: related.tables(),
    };
    let plans = append::plan(&contents, sheet, rows, &mut warnings)?;
    let mut job = Job {
        source: &source,
        grids: &grids,
        templates: &templates,
        values: &scope,
        problems: Problems::default(),
        options,
    };
    job.finish(package, &plans, &mut related, &mut warnings)
}

/// The parts with cells.
struct Source {
    book: Book,
    styles: std::cell::RefCell<Option<Styles>>,
    texts: String,
    /// Source of each sheet; `None` for those without cells.
    sheets: Vec<Option<String>>,
}

impl Source {
    fn read(package: &mut Package<'_>, options: &FillOptions) -> Result<Source> {
        let book = Book::read(package)?;
        let styles = Styles::read(package, &book)?;
        let all = package.relationships(&book.part)?;
        let texts = match all.iter().find(|it| it.kind == "sharedStrings") {
            Some(part) => package.text(&part.target)?.unwrap_or_default(),
            None => String::new(),
        };
        let mut sheets = Vec::new();
        for sheet in &book.sheets {
            options.cancel.check()?;
            let xml = package.text(&sheet.part)?;
            if xml.is_none() && !sheet.part.is_empty() {
                let what = format!("it has no part for its sheet `{}`", sheet.name);
                return Err(package::damaged(&what));
            }
            sheets.push(xml.filter(|xml| is_worksheet(xml)));
        }
        Ok(Source { book, styles: Some(styles).into(), texts, sheets })
    }

    fn grids(&self) -> Result<Vec<Option<Grid<'_>>>> {
        let mut left = MAX_CELLS;
        let mut grids = Vec::new();
        for (sheet, xml) in self.book.sheets.iter().zip(&self.sheets) {
            let grid = xml.as_ref().map(|xml| Grid::read(xml, &mut left)).transpose();
            grids.push(grid.map_err(|error| error.at(format_args!("sheet `{}`", sheet.name)))?);
        }
        Ok(grids)
    }
}

fn is_worksheet(xml: &str) -> bool {
    let root = xml_tokens(xml).find_map(|token| match token {
        XmlToken::Tag(tag) => Some(tag.name),
        _ => None,
    });
    root == Some("worksheet")
}

/// What filling and appending do with their plans.
struct Job<'j, 'a, 'v> {
    source: &'a Source,
    grids: &'j [Option<Grid<'a>>],
    templates: &'j Templates<'a>,
    values: &'j Values<'v>,
    problems: Problems,
    options: &'j FillOptions,
}

impl<'a, 'v> Job<'_, 'a, 'v> {
    fn finish(
        &mut self,
        mut package: Package<'_>,
        plans: &[SheetPlan<'v>],
        related: &mut related_parts::RelatedParts,
        warnings: &mut Warnings,
    ) -> Result<Filled> {
        let book = &self.source.book;
        self.fail()?;
        let shift = Shift { book, moves: plans.iter().map(|plan| &plan.moves).collect() };
        let mut styles = self.source.styles.borrow_mut().take().unwrap_or_default();
        let mut sheets = Vec::new();
        let any = plans.iter().any(|plan| !plan.is_nothing());
        for (number, (grid, plan)) in self.grids.iter().zip(plans).enumerate() {
            self.options.cancel.check()?;
            let mut maker = Maker {
                book,
                templates: self.templates,
                values: self.values,
                shift: &shift,
                styles: &mut styles,
                problems: &mut self.problems,
                warnings,
            };
            // Sheets are read only if anything changes.
            sheets.push(grid.as_ref().filter(|_| any).map(|grid| maker.sheet(number, grid, plan)));
        }
        related.check_tables(book, &shift, &sheets, &mut self.problems);
        self.fail()?;
        let mut changed = changed(&sheets);
        let has_formulas = {
            let names = calculate::Names::new(&shift);
            calculate::calculate((book, &names), self.templates, &mut sheets, &mut changed)
        };
        self.options.cancel.check()?;
        let adjust = Adjust { shift: &shift, values: self.values };
        for (number, (grid, out)) in self.grids.iter().zip(&sheets).enumerate() {
            self.options.cancel.check()?;
            let (Some(grid), Some(part)) = (grid, book.sheets.get(number)) else { continue };
            if let Some(xml) = sheet_part(grid, out.as_ref(), number, &adjust)? {
                package.set(&part.part, xml);
            }
        }
        styles.finish(&mut package);
        related.adjust(&mut package, &adjust, &changed, warnings)?;
        let writes = !changed.is_empty() || !shift.is_nothing();
        related.finish_book(&mut package, book, &adjust, writes && has_formulas)?;
        if book.has_macros && !shift.is_nothing() {
            warnings.add("rows moved, and what macros say of cells stays as it is", &book.part);
        }
        let warnings = std::mem::take(warnings).into_warnings();
        let bytes = package.finish()?;
        Ok(Filled { bytes, warnings })
    }

    fn fail(&mut self) -> Result<()> {
        let problems = std::mem::take(&mut self.problems);
        problems.into_error(&self.values.names()).map_or(Ok(()), Err)
    }
}

/// Returns the cells whose values differ from before.
fn changed(sheets: &[Option<OutSheet<'_>>]) -> Changed {
    let mut changed = Changed::default();
    for (sheet, out) in sheets.iter().enumerate() {
        for row in out.iter().flat_map(|out| &out.rows) {
            for cell in &row.cells {
                let is_new = match &cell.content {
                    Content::Same(_) => row.fresh,
                    Content::Value { .. } => true,
                    // Filled strings change its value as well.
                    Content::Formula(formula) => row.fresh || formula.cell.inner.contains("{{"),
                };
                if is_new {
                    changed.add(sheet, At { row: row.number, column: cell.column });
                }
            }
        }
    }
    changed
}

/// Returns the part of a sheet; `None` if nothing of it changes.
fn sheet_part(
    grid: &Grid<'_>,
    out: Option<&OutSheet<'_>>,
    number: usize,
    adjust: &Adjust<'_, '_>,
) -> Result<Option<String>> {
    let moves = !adjust.shift.is_nothing();
    let owner = Owner { sheet: Some(number), moves, texts: true, grows: false };
    let head = adjust.part(grid.head, owner);
    let own = adjust.shift.moves.get(number).filter(|moves| !moves.is_nothing());
    let tail = own.map(|moves| write::repeated(grid.tail, moves)).transpose()?;
    let tail = tail.map(|tail| write::counted(&tail));
    let adjusted = adjust.part(tail.as_deref().unwrap_or(grid.tail), owner);
    let is_changed = out.is_some_and(|out| out.changed);
    if head.is_none() && tail.is_none() && adjusted.is_none() && !is_changed {
        return Ok(None);
    }
    let mut xml = head.unwrap_or_else(|| grid.head.to_owned());
    let tail = adjusted.or(tail).unwrap_or_else(|| grid.tail.to_owned());
    match out.filter(|out| is_changed && !out.rows.is_empty()) {
        None if is_changed && !grid.is_bare => {}
        None => {
            // Only the frame around the rows.
            let whole = grid.whole;
            xml.push_str(
                whole.get(grid.head.len()..whole.len() - grid.tail.len()).unwrap_or_default(),
            );
        }
        Some(out) => {
            if grid.is_bare {
                let open = xml.trim_end_matches('>').trim_end_matches('/').trim_end().len();
                xml.truncate(open);
                xml.push('>');
            }
            write::rows(grid, out, &mut xml)?;
            if grid.is_bare {
                xml.push_str(&format!("</{}sheetData>", grid.prefix));
            }
        }
    }
    xml.push_str(&tail);
    Ok(Some(xml))
}
