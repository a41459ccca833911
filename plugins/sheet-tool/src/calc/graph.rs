//! All formulas of a workbook, and which of them depend on which cells.

use crate::book::{Book, FormulaKind, cells};
use crate::formula::{Expr, Sheets, parse};
use crate::refs::{self, Area, At};
use crate::world::World;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most formulas of a workbook that is calculated; each needs about 400 bytes.
pub(crate) const MAX_FORMULAS: usize = if cfg!(test) { 30_000 } else { 600_000 };
/// Areas that span more columns are kept in a list of their own.
const MAX_COLUMNS: u32 = 64;
/// Most names that lead to each other.
const MAX_NAMES: u32 = 16;

/// A formula in its cell.
#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) sheet: usize,
    pub(crate) at: At,
    /// `None` if it cannot be read.
    pub(crate) tree: Option<Rc<Expr>>,
    /// How far it is from the cell where it was written.
    pub(crate) rows: i64,
    pub(crate) columns: i64,
    /// The cells that an array formula fills; `true` if it spills by itself.
    pub(crate) array: Option<(Area, bool)>,
    /// `true` if it depends on cells that are only known when it is calculated.
    pub(crate) is_volatile: bool,
    /// `true` if it depends on where cells and sheets are, as `ROW` does.
    pub(crate) is_positional: bool,
    /// `true` if it has another value in each world, as `NOW` does.
    pub(crate) depends_on_world: bool,
    /// `true` if it draws random numbers.
    pub(crate) is_random: bool,
    /// `true` if it has no stored value.
    pub(crate) is_new: bool,
    pub(crate) is_data_table: bool,
}

/// Cells that have changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub(crate) sheet: usize,
    pub(crate) area: Area,
    /// `true` if formulas in the area are to be calculated too.
    pub(crate) includes_itself: bool,
}

#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) formulas: Vec<Formula>,
    /// Sheet, row and column of each formula with its number, sorted.
    by_place: Vec<(u32, u32, u32, u32)>,
    readers: Vec<BTreeMap<u32, Readers>>,
    /// Areas of many columns.
    wide: Vec<Vec<(Area, u32)>>,
    names: BTreeMap<(Option<usize>, Rc<str>), Rc<Expr>>,
    /// Areas that dynamic arrays fill, by the sheet, row and column of their formula.
    spills: BTreeMap<(usize, u32, u32), Area>,
    world: World,
    /// `true` if volatile formulas are calculated although nothing has changed.
    pub(crate) refreshes: bool,
    /// `true` if there were more formulas than are kept; then there are none.
    pub(crate) is_full: bool,
}

/// Formulas that read cells of one column, by the first row that they read.
#[derive(Debug, Default)]
struct Readers {
    spans: Vec<(u32, u32, u32)>,
    /// Greatest last row of each part of the list, as a tree of halves.
    greatest: Vec<u32>,
    size: usize,
}

impl Readers {
    fn build(&mut self) {
        self.spans.sort_unstable();
        self.size = self.spans.len().next_power_of_two();
        self.greatest = vec![0; 2 * self.size];
        for (at, span) in self.spans.iter().enumerate() {
            self.greatest[self.size + at] = span.1;
        }
        for at in (1..self.size).rev() {
            self.greatest[at] = self.greatest[2 * at].max(self.greatest[2 * at + 1]);
        }
    }

    /// Takes out all formulas that read any of the rows.
    fn take(&mut self, first: u32, last: u32, found: &mut Vec<u32>) {
        let end = self.spans.partition_point(|span| span.0 <= last);
        while let Some(at) = self.first_reaching(1, 0, self.size, end, first) {
            found.push(self.spans[at].2);
            let mut node = self.size + at;
            self.greatest[node] = 0;
            while node > 1 {
                node /= 2;
                self.greatest[node] = self.greatest[2 * node].max(self.greatest[2 * node + 1]);
            }
        }
    }

    fn first_reaching(
        &self,
        node: usize,
        low: usize,
        high: usize,
        end: usize,
        row: u32,
    ) -> Option<usize> {
        if low >= end || self.greatest.get(node).is_none_or(|it| *it < row) {
            return None;
        }
        if high - low == 1 {
            return Some(low);
        }
        let middle = (low + high) / 2;
        self.first_reaching(2 * node, low, middle, end, row)
            .or_else(|| self.first_reaching(2 * node + 1, middle, high, end, row))
    }
}

impl Graph {
    /// Reads all formulas.
    pub(crate) fn read(book: &Book) -> Self {
        let mut graph = Self {
            formulas: Vec::new(),
            by_place: Vec::new(),
            readers: book.sheets.iter().map(|_| BTreeMap::new()).collect(),
            wide: book.sheets.iter().map(|_| Vec::new()).collect(),
            names: BTreeMap::new(),
            spills: BTreeMap::new(),
            world: book.world,
            refreshes: false,
            is_full: false,
        };
        for name in &book.names {
            // Excel keeps other things under these names too.
            if let Ok(tree) = parse(&name.formula, book) {
                graph.names.insert((name.scope, Rc::from(name.name.to_lowercase())), Rc::new(tree));
            }
        }
        for sheet in 0..book.sheets.len() {
            graph.read_sheet(book, sheet);
            if graph.formulas.len() > MAX_FORMULAS {
                (graph.formulas, graph.by_place) = (Vec::new(), Vec::new());
                graph.is_full = true;
                return graph;
            }
        }
        // They nearly always are in order; then this costs one look at each.
        graph.by_place.sort_unstable();
        for index in 0..graph.formulas.len() {
            for (sheet, area) in graph.precedents(index) {
                graph.note(sheet, area, index as u32);
            }
        }
        for readers in graph.readers.iter_mut().flat_map(BTreeMap::values_mut) {
            readers.build();
        }
        graph
    }

    fn read_sheet(&mut self, book: &Book, sheet: usize) {
        let Some(text) = book.sheets.get(sheet).and_then(|it| it.text.as_ref()) else { return };
        if memchr::memmem::find(text.data.as_bytes(), b"f>").is_none()
            && memchr::memmem::find(text.data.as_bytes(), b"<f").is_none()
        {
            return;
        }
        let mut groups: BTreeMap<u32, (At, Option<Rc<Expr>>)> = BTreeMap::new();
        for row in &text.rows {
            let source = text.row_text(row);
            if memchr::memmem::find(source.as_bytes(), b"<f").is_none() && !source.contains(":f") {
                continue;
            }
            for cell in cells(source) {
                let Some(formula) = cell.formula() else { continue };
                let at = At { row: row.number, column: cell.column };
                let mut new = Formula {
                    sheet,
                    at,
                    tree: None,
                    rows: 0,
                    columns: 0,
                    array: None,
                    is_volatile: false,
                    is_positional: false,
                    depends_on_world: false,
                    is_random: false,
                    is_new: cell.lacks_value(),
                    is_data_table: formula.kind == FormulaKind::DataTable,
                };
                match &formula.kind {
                    FormulaKind::Shared(group) if formula.text.is_empty() => {
                        if let Some((first, tree)) = groups.get(group) {
                            new.rows = i64::from(at.row) - i64::from(first.row);
                            new.columns = i64::from(at.column) - i64::from(first.column);
                            new.tree = tree.clone();
                        }
                    }
                    FormulaKind::Shared(group) => {
                        new.tree = tree(&formula.text, book);
                        groups.insert(*group, (at, new.tree.clone()));
                    }
                    FormulaKind::Array(area, spills) => {
                        new.tree = tree(&formula.text, book);
                        let area = refs::area(area).unwrap_or(Area::cell(at.row, at.column));
                        new.array = Some((area, *spills));
                        if *spills {
                            self.spills.insert((sheet, at.row, at.column), area);
                        }
                    }
                    FormulaKind::Normal => new.tree = tree(&formula.text, book),
                    FormulaKind::DataTable => {}
                }
                // Nobody knows on what it depends, so it is never right in silence.
                new.is_volatile = new.tree.is_none();
                let number = self.formulas.len() as u32;
                self.by_place.push((sheet as u32, at.row, at.column, number));
                self.formulas.push(new);
                if self.formulas.len() > MAX_FORMULAS {
                    return;
                }
            }
        }
    }

    pub(crate) fn names(&self) -> &BTreeMap<(Option<usize>, Rc<str>), Rc<Expr>> {
        &self.names
    }

    pub(crate) fn spills(&self) -> &BTreeMap<(usize, u32, u32), Area> {
        &self.spills
    }

    pub(crate) fn find(&self, sheet: usize, at: At) -> Option<usize> {
        let place = (sheet as u32, at.row, at.column);
        let found = self.by_place.binary_search_by_key(&place, |it| (it.0, it.1, it.2)).ok()?;
        self.by_place.get(found).map(|it| it.3 as usize)
    }

    fn note(&mut self, sheet: usize, area: Area, formula: u32) {
        if area.columns() > MAX_COLUMNS {
            if let Some(wide) = self.wide.get_mut(sheet) {
                wide.push((area, formula));
            }
            return;
        }
        let Some(columns) = self.readers.get_mut(sheet) else { return };
        for column in area.first.column..=area.last.column {
            columns.entry(column).or_default().spans.push((area.first.row, area.last.row, formula));
        }
    }

    /// Returns the cells that a formula names, and notes if it depends on more.
    pub(crate) fn precedents(&mut self, index: usize) -> Vec<(usize, Area)> {
        let Some(formula) = self.formulas.get(index) else { return Vec::new() };
        let Some(tree) = formula.tree.clone() else { return Vec::new() };
        let (mut found, mut marks) = (Vec::new(), Marks::default());
        let reading = Reading {
            names: &self.names,
            spills: &self.spills,
            world: self.world,
            sheet: formula.sheet,
            at: formula.at,
            rows: formula.rows,
            columns: formula.columns,
        };
        reading.collect(&tree, 0, &mut found, &mut marks);
        self.formulas[index].is_volatile = marks.is_volatile;
        self.formulas[index].is_positional = marks.is_positional;
        self.formulas[index].depends_on_world = marks.depends_on_world;
        self.formulas[index].is_random = marks.is_random;
        found
    }

    /// Returns all formulas that are to be calculated after some cells have changed, in the order of their cells. The graph
    /// is used up.
    pub(crate) fn dirty(&mut self, seeds: &[Seed], has_moved: bool) -> Vec<usize> {
        let mut found = Vec::new();
        let has_new = self.formulas.iter().any(|it| it.is_new);
        let refreshes = self.refreshes || has_new || has_moved || !seeds.is_empty();
        for (index, formula) in self.formulas.iter().enumerate() {
            let is_seed = seeds.iter().any(|seed| {
                seed.includes_itself
                    && seed.sheet == formula.sheet
                    && seed.area.contains(formula.at)
            });
            if is_seed
                || formula.is_new
                || formula.is_volatile && refreshes
                || formula.is_positional && has_moved
            {
                found.push(index as u32);
            }
        }
        self.reached(seeds, found)
    }

    /// Returns the formulas that depend on some cells or are among `found`, in the order of their cells. The graph is used up.
    pub(crate) fn reached(&mut self, seeds: &[Seed], mut found: Vec<u32>) -> Vec<usize> {
        let mut is_dirty = vec![false; self.formulas.len()];
        let mut open: Vec<(usize, Area)> = seeds.iter().map(|it| (it.sheet, it.area)).collect();
        loop {
            for index in found.drain(..) {
                let index = index as usize;
                if !is_dirty[index] {
                    is_dirty[index] = true;
                    let formula = &self.formulas[index];
                    let area = formula
                        .array
                        .map_or(Area::cell(formula.at.row, formula.at.column), |it| it.0);
                    open.push((formula.sheet, area));
                }
            }
            let Some((sheet, area)) = open.pop() else { break };
            if let Some(columns) = self.readers.get_mut(sheet) {
                for (_, readers) in columns.range_mut(area.first.column..=area.last.column) {
                    readers.take(area.first.row, area.last.row, &mut found);
                }
            }
            if let Some(wide) = self.wide.get(sheet) {
                found.extend(
                    wide.iter()
                        .filter(|it| it.0.meet(&area).is_some() && !is_dirty[it.1 as usize])
                        .map(|it| it.1),
                );
            }
        }
        (0..is_dirty.len()).filter(|it| is_dirty[*it]).collect()
    }
}

fn tree(text: &str, book: &Book) -> Option<Rc<Expr>> {
    parse(text, book).ok().map(Rc::new)
}

/// What a formula depends on besides cells.
#[derive(Debug, Default)]
struct Marks {
    is_volatile: bool,
    is_positional: bool,
    depends_on_world: bool,
    is_random: bool,
}

/// The place from which references count.
struct Reading<'a> {
    names: &'a BTreeMap<(Option<usize>, Rc<str>), Rc<Expr>>,
    spills: &'a BTreeMap<(usize, u32, u32), Area>,
    world: World,
    sheet: usize,
    at: At,
    rows: i64,
    columns: i64,
}

impl Reading<'_> {
    /// Notes the cells of `A1#`.
    fn collect_spill(&self, of: &[Expr], found: &mut Vec<(usize, Area)>, marks: &mut Marks) {
        let [Expr::Cells(cells)] = of else {
            marks.is_volatile = true;
            return;
        };
        let sheet = match cells.sheets {
            Sheets::Own => self.sheet,
            Sheets::One(sheet) => sheet,
            Sheets::Span(..) => return,
        };
        let Some(at) = cells.area(self.rows, self.columns).map(|it| it.first) else { return };
        if let Some(area) = self.spills.get(&(sheet, at.row, at.column)) {
            found.push((sheet, *area));
        }
    }

    fn collect(&self, tree: &Expr, depth: u32, found: &mut Vec<(usize, Area)>, marks: &mut Marks) {
        tree.walk(&mut |node| match node {
            Expr::Cells(cells) => {
                let Some(area) = cells.area(self.rows, self.columns) else { return };
                match cells.sheets {
                    Sheets::Own => found.push((self.sheet, area)),
                    Sheets::One(sheet) => found.push((sheet, area)),
                    Sheets::Span(first, last) => {
                        // Sheets may come and go between the two.
                        marks.is_positional = true;
                        found.extend((first..=last).map(|sheet| (sheet, area)))
                    }
                }
            }
            // Its cells have gone, also those of a name.
            Expr::Error(crate::value::ErrorCode::Ref) => marks.is_positional = true,
            Expr::Table(sheet, area) => found.push((*sheet, *area)),
            Expr::TableRow(sheet, area) => {
                let row = self.at.row;
                if (area.first.row..=area.last.row).contains(&row) {
                    found.push((*sheet, Area::new(row, area.first.column, row, area.last.column)));
                }
            }
            Expr::Name(name, scope) if depth < MAX_NAMES => {
                let scope = scope.unwrap_or(self.sheet);
                let tree = self
                    .names
                    .get(&(Some(scope), name.clone()))
                    .or_else(|| self.names.get(&(None, name.clone())));
                if let Some(tree) = tree {
                    let reading = Reading { rows: 0, columns: 0, ..*self };
                    reading.collect(tree, depth + 1, found, marks);
                }
            }
            Expr::Range(first, last) => match (&**first, &**last) {
                (Expr::Cells(a), Expr::Cells(b)) => {
                    if let (Some(a), Some(b), Sheets::Own) =
                        (a.area(self.rows, self.columns), b.area(self.rows, self.columns), a.sheets)
                    {
                        found.push((self.sheet, a.join(&b)));
                    } else {
                        marks.is_volatile = true;
                    }
                }
                _ => marks.is_volatile = true,
            },
            Expr::Call(name, arguments) => {
                let is_clock = matches!(&**name, "NOW" | "TODAY") && self.world.clock.is_some();
                let is_random = matches!(&**name, "RAND" | "RANDBETWEEN" | "RANDARRAY")
                    && self.world.seed.is_some();
                marks.is_random |= is_random;
                marks.depends_on_world |= is_clock || is_random;
                marks.is_volatile |= is_clock
                    || is_random
                    || matches!(&**name, "INDIRECT" | "OFFSET" | "CELL" | "INFO");
                if &**name == "ANCHORARRAY" {
                    self.collect_spill(arguments, found, marks);
                }
                marks.is_positional |= matches!(
                    &**name,
                    "ROW" | "COLUMN" | "ROWS" | "COLUMNS" | "SHEET" | "SHEETS" | "FORMULATEXT"
                );
                if let Some(tree) = self
                    .names
                    .get(&(None, Rc::from(name.to_lowercase())))
                    .filter(|_| depth < MAX_NAMES)
                {
                    self.collect(tree, depth + 1, found, marks);
                }
            }
            _ => {}
        });
    }
}
