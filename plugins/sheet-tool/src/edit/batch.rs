//! A batch of edits from the first to the last, its check, and the calculation behind it.

use super::excerpt::Excerpt;
use super::kinds::{Edit, Expected, Input};
use super::state::{Batch, EditOptions, shown};
use super::{charts, content, finish, frame, notes, sheets, shift::Shift, sizes, structure};
use crate::book::{Book, CellView, shown_formula};
use crate::calc::{Seed, Session};
use crate::error::{Error, Result, invalid};
use crate::refs::{self, At, Axis};
use crate::value::Scalar;
use crate::world::World;

/// Most edits of a batch.
const MAX_EDITS: usize = 2_000;
/// Most problems that are reported at once.
const MAX_PROBLEMS: usize = 20;

/// An edited workbook.
#[derive(Debug)]
pub struct Edited {
    pub bytes: Vec<u8>,
    /// One line each: place, before and after.
    pub changes: Vec<String>,
    /// Number of formulas that were calculated.
    pub recalculated: u32,
    pub warnings: Vec<String>,
}

impl Batch {
    fn structure(&mut self, place: &str, is_insertion: bool) -> Result<()> {
        let (sheet, rest) = self.book.place(place)?;
        let shift = match refs::wide_area(rest) {
            Some((area, Axis::Rows)) => {
                Shift { sheet, is_rows: true, at: area.first.row, count: area.rows(), is_insertion }
            }
            Some((area, Axis::Columns)) => Shift {
                sheet,
                is_rows: false,
                at: area.first.column,
                count: area.columns(),
                is_insertion,
            },
            _ => {
                return invalid(format!(
                    "expected rows such as `Sheet1!5:7` or columns such as `Sheet1!C:D`, got `{place}`"
                ));
            }
        };
        structure::apply(&mut self.book, &shift)?;
        let spans = structure::spans(&self.book, &shift);
        if let Some((first, count)) = spans {
            let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
            self.warn(format!(
                "{first}{more} names cells of several sheets at once; these references do not follow rows and columns of one sheet"
            ));
        }
        self.shift_notes(&shift);
        self.has_moved = true;
        self.has_values = true;
        self.seeds.push(Seed { sheet, area: structure::touched(&shift), includes_itself: false });
        let verb = if is_insertion { "inserted" } else { "deleted" };
        let line = format!("{}: {verb}", self.place(sheet, rest));
        self.changed(line);
        Ok(())
    }

    fn one(&mut self, edit: &Edit) -> Result<()> {
        match edit {
            Edit::SetCells(cells) => content::set_cells(self, cells),
            Edit::SetRange { at, rows } => content::set_range(self, at, rows),
            Edit::Clear { range } => content::clear(self, range),
            Edit::Insert { place } => self.structure(place, true),
            Edit::Delete { place } => self.structure(place, false),
            Edit::CopyRange { from, to } => content::copy(self, from, to),
            Edit::AddSheet { name, before } => sheets::add(self, name, before.as_deref()),
            Edit::DeleteSheet { sheet } => sheets::delete(self, sheet),
            Edit::RenameSheet { sheet, name } => sheets::rename(self, sheet, name),
            Edit::MoveSheet { sheet, position } => sheets::relocate(self, sheet, *position),
            Edit::CopySheet { sheet, name } => sheets::copy(self, sheet, name),
            Edit::HideSheet { sheet, is_hidden } => sheets::hide(self, sheet, *is_hidden),
            Edit::Format { range, format } => content::format(self, range, format),
            Edit::SetSize { range, size } => sizes::size(self, range, *size),
            Edit::Freeze { at } => frame::freeze(self, at),
            Edit::Filter { range } => frame::filter(self, range),
            Edit::Merge { range } => frame::merge(self, range, true),
            Edit::Unmerge { range } => frame::merge(self, range, false),
            Edit::SetName { name, refers_to } => sheets::set_name(self, name, refers_to.as_deref()),
            Edit::Validate { range, rule, message } => {
                frame::validate(self, range, rule, message.as_deref())
            }
            Edit::Mark { range, rule, format } => frame::mark(self, range, rule, format),
            Edit::SetNote { at, text, author } => {
                notes::set(self, at, text.as_deref(), author.as_deref())
            }
            Edit::SetChart { chart, title, series, values, categories } => charts::set(
                self,
                chart,
                title.as_deref(),
                *series,
                values.as_deref(),
                categories.as_deref(),
            ),
            Edit::Protect { sheet, is_on } => frame::protect(self, sheet, *is_on),
        }
    }
}

/// Checks what a caller believes to stand in a cell.
fn check_expected(
    book: &mut Book,
    known: &mut Option<Session>,
    at: &str,
    expected: &Input,
) -> Result<()> {
    let (sheet, place) = book.cell_place(at)?;
    let mut view = book.cell(sheet, place)?;
    if view.formula.is_some() && view.value == Scalar::Empty {
        book.needs_whole()?;
        // A reader saw the calculated value.
        if known.is_none() {
            *known = Session::of_new(book);
        }
        if let Some(session) = known {
            view.value = session.value(book, sheet, place);
        }
    }
    if is_expected(book, &view, expected) {
        return Ok(());
    }
    let wanted = match expected {
        Input::Null => "nothing".to_owned(),
        Input::Bool(value) => value.to_string().to_uppercase(),
        Input::Number(number) => number.clone(),
        Input::Text(text) => format!("`{text}`"),
    };
    invalid(format!("{at}: expected {wanted}, but there is {}", shown(book, &view)))
}

fn is_expected(book: &Book, view: &CellView, expected: &Input) -> bool {
    match expected {
        Input::Null => view.value == Scalar::Empty && view.formula.is_none(),
        Input::Bool(value) => view.value == Scalar::Bool(*value),
        Input::Number(number) => match (&view.value, number.parse::<f64>()) {
            (Scalar::Number(a), Ok(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => false,
        },
        Input::Text(text) => {
            if let Some(formula) = text.strip_prefix('=') {
                let plain = |it: &str| shown_formula(it).to_lowercase().replace(' ', "");
                return view.formula.as_deref().is_some_and(|it| plain(it) == plain(formula));
            }
            let code = book.styles.code(view.style);
            view.value.shown() == *text
                || crate::display::formatted(&view.value, &code, book.from_1904) == *text
                || matches!(view.value, Scalar::Number(number) if crate::moment::iso(number, book.from_1904) == *text)
        }
    }
}

/// Opens a workbook that is to be edited.
pub(crate) fn open(bytes: Vec<u8>) -> Result<Book> {
    let book = Book::open(bytes)?;
    let why = match () {
        () if book.has_macros => "the workbook has macros (.xlsm); save it as .xlsx in Excel first",
        () if book.is_signed => "the workbook is signed, and no signature outlives a change",
        () if book.package.names().any(|it| it.starts_with("xl/revisions/")) => {
            "the workbook keeps a log of changes by many users; end the sharing in Excel first"
        }
        () => return Ok(book),
    };
    Err(Error::Unsupported(why.to_owned()))
}

/// Applies a batch of edits.
///
/// # Errors
/// [`Error::Invalid`] lists what does not fit, one line each; nothing is changed then.
pub fn apply(
    bytes: Vec<u8>,
    expected: &[Expected],
    edits: &[Edit],
    options: &EditOptions,
) -> Result<Edited> {
    if edits.len() > MAX_EDITS {
        return invalid(format!("expected at most {MAX_EDITS} edits, got {}", edits.len()));
    }
    if let Some(done) = apply_to_excerpt(&bytes, expected, edits, options) {
        return Ok(done);
    }
    apply_to(open(bytes)?, expected, edits, options)
}

/// Applies a batch to an excerpt of a large sheet. Returns `None` if the batch needs the whole sheet, or cannot be applied.
fn apply_to_excerpt(
    bytes: &[u8],
    expected: &[Expected],
    edits: &[Edit],
    options: &EditOptions,
) -> Option<Edited> {
    let excerpt = Excerpt::of(bytes, edits, expected)?;
    let mut book = open(excerpt.workbook().to_vec()).ok()?;
    book.is_excerpt = true;
    // The whole workbook reports what does not fit.
    let done = apply_to(book, expected, edits, options).ok()?;
    Some(Edited { bytes: excerpt.put_back(&done.bytes)?, ..done })
}

/// Applies a batch to a workbook, or to an excerpt of one.
pub(crate) fn apply_to(
    book: Book,
    expected: &[Expected],
    edits: &[Edit],
    options: &EditOptions,
) -> Result<Edited> {
    let mut batch = Batch::new(book);
    let mut problems = Vec::new();
    batch.book.world = match options.now.as_deref().map(str::trim).filter(|it| !it.is_empty()) {
        None => options.world,
        Some(now) => {
            let clock = World::clock_at(now);
            if clock.is_none() {
                problems.push(format!(
                    "today: expected a date such as `2026-11-29` or `2026-11-29T08:30`, got `{now}`"
                ));
            }
            World { clock, ..options.world }
        }
    };
    let mut known = None;
    for it in expected {
        if let Err(error) = check_expected(&mut batch.book, &mut known, &it.at, &it.value) {
            problems.push(error.to_string());
        }
    }
    drop(known);
    let broken = finish::broken(&batch.book, edits)?;
    for (number, edit) in edits.iter().enumerate() {
        match batch.one(edit) {
            Ok(()) => {}
            // What comes after a failed move would be reported with wrong places.
            Err(error @ (Error::Malformed(_) | Error::Unsupported(_))) => return Err(error),
            Err(error) => {
                problems.push(format!("edits[{number}]: {error}"));
                if matches!(edit, Edit::Insert { .. } | Edit::Delete { .. })
                    || problems.len() >= MAX_PROBLEMS
                {
                    break;
                }
            }
        }
    }
    if !problems.is_empty() {
        return invalid(problems.join("\n"));
    }
    let (count, first) = std::mem::take(&mut batch.long_numbers);
    if count > 0 {
        let noun =
            if count == 1 { "1 number is".to_owned() } else { format!("{count} numbers are") };
        batch.warn(format!(
            "{noun} text, as a cell does not keep all of their digits; the first is in `{first}`"
        ));
    }
    let recalculated = finish(&mut batch, broken.as_ref())?;
    let bytes = batch.book.save()?;
    Ok(Edited { bytes, changes: batch.changes, recalculated, warnings: batch.warnings })
}

/// What a workbook would show.
#[derive(Clone, Debug, PartialEq)]
pub struct WhatIf {
    pub at: String,
    pub before: String,
    pub after: String,
}

/// Sets inputs, calculates, and returns outputs with their values before and after. Nothing is changed.
///
/// # Errors
/// [`Error::Invalid`] - a place is wrong. [`Error::Unsupported`] - an output depends on something that is not calculated.
pub fn what_if(
    bytes: Vec<u8>,
    inputs: &[Expected],
    outputs: &[String],
    world: World,
) -> Result<(Vec<WhatIf>, Vec<String>)> {
    let mut book = Book::open(bytes)?;
    book.world = world;
    let mut session = Session::new(&book);
    // What differs must come from the inputs, not from a later date or other random numbers than those in the file.
    let mut old_values = if session.has_new() || session.depends_on_world() {
        Some(Session::of_now(&book))
    } else {
        None
    };
    let mut warnings = Vec::new();
    let (mut seeds, mut fixed) = (Vec::new(), Vec::new());
    for input in inputs {
        let (sheet, at) = book.cell_place(&input.at)?;
        let value = match &input.value {
            Input::Text(text) if text.starts_with('=') => {
                return invalid(format!("{}: an input is a value, not a formula", input.at));
            }
            value => content::scalar(&book, value)?,
        };
        session.set(&book, sheet, at, value);
        fixed.push((sheet, at));
        seeds.push(Seed {
            sheet,
            area: refs::Area::cell(at.row, at.column),
            includes_itself: false,
        });
    }
    session.run(&book, &seeds, &fixed, false);
    let mut results = Vec::new();
    for output in outputs {
        let (sheet, rest) = book.place(output)?;
        let Some(area) = refs::area(rest).filter(|it| it.size() <= 1_000) else {
            return invalid(format!(
                "expected a cell or a range of at most 1000 cells, got `{output}`"
            ));
        };
        for row in area.first.row..=area.last.row {
            for column in area.first.column..=area.last.column {
                let at = At { row, column };
                let old = book.cell(sheet, at)?;
                let new = CellView {
                    value: session.value(&book, sheet, at),
                    formula: None,
                    ..old.clone()
                };
                let mut old = CellView { formula: None, ..old };
                let name = refs::quoted_sheet(&book.sheets[sheet].name);
                if let Some(values) = &mut old_values {
                    let stored = std::mem::replace(&mut old.value, values.value(&book, sheet, at));
                    if stored != Scalar::Empty
                        && !stored.is_close(&old.value)
                        && warnings.len() < MAX_PROBLEMS
                    {
                        let stored = CellView { value: stored, ..old.clone() };
                        warnings.push(format!(
                            "{name}!{at} is {} in the file; it depends on the date or on random numbers, so `before` is its value of now",
                            shown(&book, &stored)
                        ));
                    }
                }
                results.push(WhatIf {
                    at: format!("{name}!{at}"),
                    before: shown(&book, &old),
                    after: shown(&book, &new),
                });
            }
        }
    }
    warnings.extend(finish::cautions(&session).into_iter().map(str::to_owned));
    if session.is_full() {
        warnings.push(format!(
            "the workbook has more than {} formulas, too many to calculate; the results are the old ones",
            crate::calc::MAX_FORMULAS
        ));
    }
    for failure in session.failures.iter().take(20) {
        warnings.push(finish::reason(&book, failure));
    }
    Ok((results, warnings))
}
