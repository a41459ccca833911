//! The passes over a workbook: copies of sheets, columns, groups of rows and conditions, and at last the values.

use super::adjust::{Adjust, Owner};
use super::append;
use super::book::{Book, Texts};
use super::calculate::{self, Changed};
use super::columns;
use super::grid::{Grid, MAX_CELLS};
use super::hints;
use super::layout::{Layout, SheetLayout};
use super::model::{Content, Maker, OutSheet};
use super::package::{self, Package};
use super::pictures::{self, Placed};
use super::plan::{Planner, SheetPlan, Templates};
use super::problems::Problems;
use super::refs::At;
use super::related_parts::RelatedParts;
use super::scope::{Scope, Values};
use super::sheets;
use super::shift::{Axis, Shift};
use super::styles::Styles;
use super::warnings::Warnings;
use super::write;
use crate::shared::xml_tokens::{XmlToken, xml_tokens};
use crate::{FillOptions, FillValue, Filled};
use mitt_base::{Error, ErrorKind, Result};

/// Most passes over groups and conditions.
const MAX_PASSES: usize = 40;

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

/// The state of all passes.
pub(super) struct Passes<'s, 'v> {
    values: &'s Values<'v>,
    options: &'s FillOptions,
    layout: Layout<'v>,
    warnings: Warnings,
}

impl<'s, 'v> Passes<'s, 'v> {
    pub(super) fn new(values: &'s Values<'v>, options: &'s FillOptions) -> Passes<'s, 'v> {
        Passes { values, options, layout: Layout::new(), warnings: Warnings::default() }
    }

    /// Fills a template.
    pub(super) fn fill(mut self, mut package: Package<'_>) -> Result<Filled> {
        let placed = self.all(&mut package)?;
        pictures::place(&mut package, &placed, &self.options.pictures)?;
        let warnings = self.warnings.into_warnings();
        Ok(Filled { bytes: package.finish()?, warnings })
    }

    fn all(&mut self, package: &mut Package<'_>) -> Result<Vec<Placed>> {
        hints::check(package)?;
        sheets::copy(package, self.values, &mut self.layout, &mut self.warnings)?;
        self.options.cancel.check()?;
        self.columns(package)?;
        let mut passes = 0;
        while self.structure(package)? {
            passes += 1;
            if passes > MAX_PASSES {
                let message = format!("the template: at most {MAX_PASSES} passes over its marks");
                return Err(Error::new(ErrorKind::Arguments, message)
                    .hint("put fewer groups and conditions into each other"));
            }
        }
        self.last(package)
    }

    /// Repeats columns.
    fn columns(&mut self, package: &mut Package<'_>) -> Result<()> {
        let source = Source::read(package, self.options)?;
        let texts = Texts::read(&source.texts);
        let templates = Templates::new(&texts);
        let grids = source.grids()?;
        self.layout.sheets.resize_with(grids.len(), SheetLayout::default);
        let mut problems = Problems::default();
        let plans = columns::plan(
            (&source.book, &grids, &templates),
            (self.values, &mut self.layout),
            &mut problems,
        );
        fail(&mut problems, self.values)?;
        let Some(plans) = plans else { return Ok(()) };
        let related = RelatedParts::read(package, &source.book, &source.sheets)?;
        related.check_columns(&source.book, &plans, &mut problems);
        let shift =
            Shift::new(&source.book, plans.iter().map(|it| &it.moves).collect(), Axis::Columns);
        let mut styles = Styles::default();
        let mut sheets = Vec::new();
        for (number, (grid, plan)) in grids.iter().zip(&plans).enumerate() {
            self.options.cancel.check()?;
            let mut placed = Vec::new();
            let mut maker = Maker {
                book: &source.book,
                templates: &templates,
                values: self.values,
                shift: &shift,
                styles: &mut styles,
                problems: &mut problems,
                warnings: &mut self.warnings,
                layout: &self.layout,
                pictures: &mut placed,
                copies_only: true,
            };
            sheets.push(grid.as_ref().map(|grid| columns::sheet(&mut maker, number, grid, plan)));
        }
        fail(&mut problems, self.values)?;
        write_parts(
            package,
            (&source, &grids, &sheets),
            &shift,
            (self.values, &self.layout, false),
        )?;
        related.adjust(
            package,
            &Adjust { shift: &shift, values: self.values, layout: &self.layout, fills: false },
            &Changed::default(),
            &mut self.warnings,
        )?;
        let adjust =
            Adjust { shift: &shift, values: self.values, layout: &self.layout, fills: false };
        related.finish_book(package, &source.book, &adjust, false)?;
        columns::note(&mut self.layout, plans);
        Ok(())
    }

    /// Repeats the outermost groups and follows the outermost conditions. Returns `false` if there are none.
    fn structure(&mut self, package: &mut Package<'_>) -> Result<bool> {
        let source = Source::read(package, self.options)?;
        let texts = Texts::read(&source.texts);
        let templates = Templates::new(&texts);
        let grids = source.grids()?;
        self.options.cancel.check()?;
        let mut problems = Problems::default();
        let planner = Planner {
            book: &source.book,
            templates: &templates,
            values: self.values,
            problems: &mut problems,
            layout: &mut self.layout,
        };
        let Some(plans) = { planner }.structure(&grids) else { return Ok(false) };
        fail(&mut problems, self.values)?;
        let mut related = RelatedParts::read(package, &source.book, &source.sheets)?;
        let sinks = (&mut problems, &mut self.warnings);
        related.check_dropped(package, &source.book, &plans, sinks)?;
        let mut job = Job {
            source: &source,
            grids: &grids,
            templates: &templates,
            values: self.values,
            problems,
            options: self.options,
            layout: &self.layout,
            copies_only: true,
        };
        let written = job.write(package, &plans, &mut related, &mut self.warnings)?;
        drop(job);
        for (sheet, (rows, plan)) in written.rows.into_iter().zip(plans).enumerate() {
            if plan.is_nothing() {
                continue;
            }
            let scopes: Vec<Vec<Scope<'v>>> = plan
                .blocks
                .iter()
                .map(|block| (0..block.copies() as u32).map(|copy| block.scope(copy)).collect())
                .collect();
            let rows = rows.into_iter().map(|(now, before, copy)| {
                let scope =
                    copy.and_then(|(block, copy)| scopes.get(block)?.get(copy as usize).cloned());
                (now, before, scope)
            });
            self.layout.made(sheet, plan.moves, rows);
        }
        Ok(true)
    }

    /// Repeats rows and fills cells.
    fn last(&mut self, package: &mut Package<'_>) -> Result<Vec<Placed>> {
        let source = Source::read(package, self.options)?;
        let texts = Texts::read(&source.texts);
        let templates = Templates::new(&texts);
        let grids = source.grids()?;
        self.options.cancel.check()?;
        let mut problems = Problems::default();
        let mut related = RelatedParts::read(package, &source.book, &source.sheets)?;
        related.check_texts(self.values, &self.layout, &mut problems);
        let planner = Planner {
            book: &source.book,
            templates: &templates,
            values: self.values,
            problems: &mut problems,
            layout: &mut self.layout,
        };
        let plans = { planner }.plan(&grids);
        hints::check_cells(&source.book, &grids, &templates, &self.layout, &mut self.warnings);
        let mut job = Job {
            source: &source,
            grids: &grids,
            templates: &templates,
            values: self.values,
            problems,
            options: self.options,
            layout: &self.layout,
            copies_only: false,
        };
        for name in self.values.unused() {
            self.warnings.add("values that nothing in the template asks for were not used", name);
        }
        if source.book.external_links > 0 {
            self.warnings.add(
                "links to other workbooks are kept and were not followed",
                source.book.external_links,
            );
        }
        job.fail()?;
        Ok(job.write(package, &plans, &mut related, &mut self.warnings)?.pictures)
    }

    /// Appends rows to a sheet or a table.
    pub(super) fn append(
        mut self,
        mut package: Package<'_>,
        sheet: Option<&str>,
        rows: &'v FillValue,
    ) -> Result<Filled> {
        let source = Source::read(&mut package, self.options)?;
        let texts = Texts::read(&source.texts);
        // Placeholders are ordinary text here.
        let templates = Templates::plain(&texts);
        let grids = source.grids()?;
        self.options.cancel.check()?;
        let mut related = RelatedParts::read(&mut package, &source.book, &source.sheets)?;
        let contents = append::WorkbookContents {
            book: &source.book,
            grids: &grids,
            templates: &templates,
            tables: related.tables(),
        };
        let plans = append::plan(&contents, sheet, rows, &mut self.warnings)?;
        let mut job = Job {
            source: &source,
            grids: &grids,
            templates: &templates,
            values: self.values,
            problems: Problems::default(),
            options: self.options,
            layout: &self.layout,
            copies_only: false,
        };
        job.write(&mut package, &plans, &mut related, &mut self.warnings)?;
        let warnings = self.warnings.into_warnings();
        Ok(Filled { bytes: package.finish()?, warnings })
    }
}

fn fail(problems: &mut Problems, values: &Values<'_>) -> Result<()> {
    let problems = std::mem::take(problems);
    problems.into_error(&values.names()).map_or(Ok(()), Err)
}

/// A row now, its row before, and the copy of the block that contains it.
type RowChange = (u32, u32, Option<(usize, u32)>);

/// What a pass wrote.
struct Written {
    /// The rows of each sheet.
    rows: Vec<Vec<RowChange>>,
    pictures: Vec<Placed>,
}

/// A pass over rows with its plans.
struct Job<'j, 'a, 'v> {
    source: &'a Source,
    grids: &'j [Option<Grid<'a>>],
    templates: &'j Templates<'a>,
    values: &'j Values<'v>,
    problems: Problems,
    options: &'j FillOptions,
    layout: &'j Layout<'v>,
    /// `true` if cells are only copied, and placeholders stay.
    copies_only: bool,
}

impl<'v> Job<'_, '_, 'v> {
    fn write(
        &mut self,
        package: &mut Package<'_>,
        plans: &[SheetPlan<'v>],
        related: &mut RelatedParts,
        warnings: &mut Warnings,
    ) -> Result<Written> {
        let book = &self.source.book;
        let layout = self.layout;
        self.fail()?;
        let shift = Shift::new(book, plans.iter().map(|plan| &plan.moves).collect(), Axis::Rows);
        let mut styles = self.source.styles.borrow_mut().take().unwrap_or_default();
        let mut sheets = Vec::new();
        let mut pictures = Vec::new();
        let any = plans.iter().any(|plan| !plan.is_nothing())
            || layout.sheets.iter().any(|sheet| sheet.is_new);
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
                layout,
                pictures: &mut pictures,
                copies_only: self.copies_only,
            };
            // Sheets are read only if anything changes.
            sheets.push(grid.as_ref().filter(|_| any).map(|grid| maker.sheet(number, grid, plan)));
        }
        related.check_tables(book, &shift, &sheets, (&mut self.problems, self.copies_only));
        self.fail()?;
        let fills = !self.copies_only;
        let mut changed = Changed::default();
        let mut has_formulas = false;
        if fills {
            changed = self::changed(&sheets, layout);
            let names = calculate::Names::new(&shift);
            has_formulas =
                calculate::calculate((book, &names), self.templates, &mut sheets, &mut changed);
        }
        self.options.cancel.check()?;
        write_parts(
            package,
            (self.source, self.grids, &sheets),
            &shift,
            (self.values, layout, fills),
        )?;
        styles.finish(package);
        let adjust = Adjust { shift: &shift, values: self.values, layout, fills };
        related.adjust(package, &adjust, &changed, warnings)?;
        let writes = !changed.is_empty() || !shift.is_nothing();
        related.finish_book(package, book, &adjust, fills && writes && has_formulas)?;
        if book.has_macros && !shift.is_nothing() {
            warnings.add("rows moved, and what macros say of cells stays as it is", &book.part);
        }
        if shift.widened.get() > 0 {
            warnings.add(
                "names, charts or rules for some of the rows that are repeated together cover all of them now",
                shift.widened.get(),
            );
        }
        if shift.lost.get() > 0 {
            warnings.add(
                "names, charts or rules refer to rows that a condition removed",
                shift.lost.get(),
            );
        }
        let rows = |out: &Option<OutSheet<'_>>| {
            let rows = out.iter().flat_map(|out| &out.rows);
            rows.map(|row| (row.number, row.before, row.copy)).collect()
        };
        Ok(Written { rows: sheets.iter().map(rows).collect(), pictures })
    }

    fn fail(&mut self) -> Result<()> {
        fail(&mut self.problems, self.values)
    }
}

/// Writes the parts of sheets that change.
fn write_parts<'v>(
    package: &mut Package<'_>,
    (source, grids, sheets): (&Source, &[Option<Grid<'_>>], &[Option<OutSheet<'_>>]),
    shift: &Shift<'_>,
    (values, layout, fills): (&Values<'v>, &Layout<'v>, bool),
) -> Result<()> {
    let adjust = Adjust { shift, values, layout, fills };
    for (number, (grid, out)) in grids.iter().zip(sheets).enumerate() {
        let (Some(grid), Some(part)) = (grid, source.book.sheets.get(number)) else { continue };
        if let Some(xml) = sheet_part(grid, out.as_ref(), number, &adjust)? {
            package.set(&part.part, xml);
        }
    }
    Ok(())
}

/// Returns the cells whose values differ from before.
fn changed(sheets: &[Option<OutSheet<'_>>], layout: &Layout<'_>) -> Changed {
    let mut changed = Changed::default();
    for (sheet, out) in sheets.iter().enumerate() {
        let all_new = layout.sheets.get(sheet).is_some_and(|it| it.is_new);
        for row in out.iter().flat_map(|out| &out.rows) {
            for cell in &row.cells {
                let is_new = all_new
                    || match &cell.content {
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
pub(super) fn sheet_part(
    grid: &Grid<'_>,
    out: Option<&OutSheet<'_>>,
    number: usize,
    adjust: &Adjust<'_, '_>,
) -> Result<Option<String>> {
    let moves = !adjust.shift.is_nothing();
    let sheet = Some(number);
    let owner = Owner { sheet, scope: sheet, moves, texts: true, grows: false };
    let head = adjust.part(grid.head, owner);
    let own = adjust.shift.moves.get(number).filter(|moves| !moves.is_nothing());
    let axis = adjust.shift.axis;
    let tail = own.map(|moves| write::repeated(grid.tail, moves, axis)).transpose()?;
    let tail = tail.map(|tail| write::counted(&tail));
    let adjusted = adjust.part(tail.as_deref().unwrap_or(grid.tail), owner);
    let adjusted = match own.filter(|moves| moves.drops(1, u32::MAX)) {
        Some(_) => adjusted.map(|tail| write::without_empty(&tail)),
        None => adjusted,
    };
    let is_changed = out.is_some_and(|out| out.changed);
    if head.is_none() && tail.is_none() && adjusted.is_none() && !is_changed {
        return Ok(None);
    }
    let mut xml = head.unwrap_or_else(|| grid.head.to_owned());
    if let Some(moves) = own.filter(|_| axis == Axis::Columns) {
        xml = columns::widths(&xml, moves);
    }
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
