//! Inserts blocks at marks: texts in Markdown, tables and charts of values. The blocks of all marks are written together when the
//! part is filled, and merged once: a placeholder keeps each place until then.

use super::filler::Filler;
use super::insertion::{self, INSERTED, Inserted, Insertion};
use super::scope::Binding;
use super::tree::{Element, Node};
use crate::model::doc::{Alignment, Block, Doc, Inline, Table};
use crate::{ChartDescription, ChartSeries, ChartShape, ChartStack, ChartValue, FillValue};
use mitt_base::{Result, text};

/// Most marks that insert blocks, each counted once for each item.
const MAX_INSERTED: usize = 2_000;

/// Most columns of a table in Word.
pub(super) const MAX_COLUMNS: usize = 63;

/// Most columns that a warning names.
const MAX_LISTED: usize = 10;

/// A table of values.
struct Rows<'v> {
    columns: Vec<String>,
    rows: Vec<Vec<Option<&'v FillValue>>>,
}

impl<'v> Filler<'v, '_> {
    /// Puts a placeholder for the blocks of a mark that is alone in its paragraph.
    pub(super) fn insert_block(
        &mut self,
        mark: &str,
        paragraph: &Element,
        filled: &mut Vec<Node>,
    ) -> Result<()> {
        let Some((name, parsed)) = insertion::of(mark) else { return Ok(()) };
        let insertion = match parsed {
            Ok(insertion) => insertion,
            Err(what) => {
                self.problem(mark, &what);
                return Ok(());
            }
        };
        if self.part != "text" {
            self.problem(mark, "stands in a header, a footer or a note: put it into the text");
            return Ok(());
        }
        let Some(binding) = self.scope.find(name) else {
            self.scope.is_missing(name, self.part);
            return Ok(());
        };
        if let Binding::One(value) = &binding
            && is_empty(value)
        {
            // A cell needs its paragraph, which is added there.
            return Ok(());
        }
        let made = match insertion {
            Insertion::Markdown => match self.markdown(binding)? {
                Ok(doc) => Ok((doc, false)),
                Err(what) => Err(what),
            },
            Insertion::Document => {
                return self.document(mark, binding, paragraph, filled);
            }
            Insertion::Table(columns) => self.rows_of(binding, &columns).and_then(|rows| {
                let count = rows.columns.len();
                if count > MAX_COLUMNS {
                    Err(format!("expected at most {MAX_COLUMNS} columns, got {count}"))
                } else {
                    Ok((of_block(Block::Table(table(&rows))), true))
                }
            }),
            Insertion::Chart(shape, stack) => {
                let chart = self.rows_of(binding, &[]).and_then(|rows| chart(&rows, shape, stack));
                chart.map(|(chart, left_out)| {
                    if !left_out.is_empty() {
                        let shown = text::one_line(mark);
                        self.warnings.push(format!(
                            "`{{{{{shown}}}}}`: columns that are no numbers are left out of the chart: {}",
                            left_out.join(", ")
                        ));
                    }
                    (of_block(Block::Chart(Box::new(chart))), false)
                })
            }
            Insertion::Picture(..) => return Ok(()),
        };
        let inserted = match made {
            Ok((doc, is_table)) => Inserted { doc, is_table, ..Inserted::default() },
            Err(what) => {
                self.problem(mark, &what);
                return Ok(());
            }
        };
        self.place(mark, inserted, paragraph, filled)
    }

    /// Puts a placeholder for blocks.
    fn place(
        &mut self,
        mark: &str,
        mut inserted: Inserted,
        paragraph: &Element,
        filled: &mut Vec<Node>,
    ) -> Result<()> {
        if self.inserted.len() >= MAX_INSERTED {
            self.problem(mark, &format!("expected at most {MAX_INSERTED} inserted texts, tables, charts and documents, there are more"));
            return Ok(());
        }
        self.take(paragraph.count())?;
        inserted.paragraph = paragraph.find("w:pPr").cloned();
        let mut run = None;
        paragraph.visit(&mut |it| {
            if it.is("w:r") && run.is_none() {
                run = Some(it.find("w:rPr").cloned());
            }
        });
        inserted.run = run.flatten();
        inserted.room = self.room;
        let mut element = Element::new(INSERTED, "");
        element.set("n", Some(&self.inserted.len().to_string()));
        filled.push(Node::Element(element));
        self.inserted.push(inserted);
        Ok(())
    }

    /// Reads a text in Markdown.
    fn markdown(&mut self, binding: Binding<'v>) -> Result<Made<Doc>> {
        let source = match binding {
            Binding::One(value) => value.as_text().ok_or_else(|| value.kind()),
            _ => Err("a row"),
        };
        let source = match source {
            Ok(source) => source,
            Err(kind) => return Ok(Err(format!("expected a text in Markdown, got {kind}"))),
        };
        self.take_text(source.len())?;
        let doc = crate::markdown(source)?;
        self.note_pictures(&doc);
        Ok(Ok(doc))
    }

    /// Puts a placeholder for the text of another Word file.
    fn document(
        &mut self,
        mark: &str,
        binding: Binding<'v>,
        paragraph: &Element,
        filled: &mut Vec<Node>,
    ) -> Result<()> {
        let Binding::One(FillValue::Text(file)) = binding else {
            self.problem(mark, "expected the name of a Word file");
            return Ok(());
        };
        let file = Some(file.clone());
        self.place(mark, Inserted { file, ..Inserted::default() }, paragraph, filled)
    }

    /// Returns a list or table of values as rows under columns: those that are named, or all.
    fn rows_of(&mut self, binding: Binding<'v>, wanted: &[&str]) -> Made<Rows<'v>> {
        let mut rows = match binding {
            Binding::One(FillValue::Table(table)) => Rows {
                columns: table.columns.clone(),
                rows: table
                    .rows
                    .iter()
                    .map(|row| (0..table.columns.len()).map(|at| row.get(at)).collect())
                    .collect(),
            },
            Binding::One(FillValue::List(items)) => of_list(items)?,
            Binding::One(value) => {
                return Err(format!("expected a list of records or a table, got {}", value.kind()));
            }
            _ => return Err("expected a list of records or a table, got a row".to_owned()),
        };
        if wanted.is_empty() {
            return Ok(rows);
        }
        let mut chosen = Vec::with_capacity(wanted.len());
        for name in wanted {
            let at = rows.columns.iter().position(|it| it == name).ok_or_else(|| {
                let near = text::nearest(name, rows.columns.iter().map(String::as_str));
                let near =
                    near.first().map(|it| format!("; did you mean `{}`?", text::one_line(it)));
                let name = text::one_line(name);
                format!("there is no column `{name}`{}", near.unwrap_or_default())
            })?;
            chosen.push(at);
        }
        rows.columns = wanted.iter().map(|it| (*it).to_owned()).collect();
        for row in &mut rows.rows {
            *row = chosen.iter().map(|at| row.get(*at).copied().flatten()).collect();
        }
        Ok(rows)
    }
}

/// A result, or what is wrong with a value.
type Made<T> = std::result::Result<T, String>;

fn of_block(block: Block) -> Doc {
    Doc { blocks: vec![block], ..Doc::default() }
}

/// Returns `true` for a value that leaves its place empty.
pub(super) fn is_empty(value: &FillValue) -> bool {
    match value {
        FillValue::Empty | FillValue::Bool(false) => true,
        FillValue::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Returns rows of records, whose columns are in the order in which they appear first, or of lists, whose first has the names.
fn of_list(items: &[FillValue]) -> Made<Rows<'_>> {
    let mut columns: Vec<String> = Vec::new();
    if let Some(FillValue::List(head)) = items.first() {
        let name = |value: &FillValue| value.as_text().unwrap_or_default().to_owned();
        columns = head.iter().map(name).collect();
        let mut rows = Vec::new();
        for item in items.iter().skip(1) {
            let FillValue::List(cells) = item else {
                return Err(format!("expected a list in each row, got {}", item.kind()));
            };
            rows.push((0..columns.len()).map(|at| cells.get(at)).collect());
        }
        return Ok(Rows { columns, rows });
    }
    for item in items {
        let FillValue::Record(entries) = item else {
            return Err(format!("expected a list of records, got {} in it", item.kind()));
        };
        for (name, _) in entries {
            if columns.len() <= MAX_COLUMNS && !columns.contains(name) {
                columns.push(name.clone());
            }
        }
    }
    let cells = |item| columns.iter().map(|name| named(item, name)).collect();
    let rows = items.iter().map(cells).collect();
    Ok(Rows { columns, rows })
}

fn named<'v>(item: &'v FillValue, name: &str) -> Option<&'v FillValue> {
    match item {
        FillValue::Record(entries) => entries.iter().find(|(it, _)| it == name).map(|(_, it)| it),
        _ => None,
    }
}

/// Returns a table as blocks have it. Numbers are right-aligned by the writer.
fn table(rows: &Rows<'_>) -> Table {
    let cell = |text: &str| match text {
        "" => Vec::new(),
        text => vec![Inline::Text { text: text.to_owned() }],
    };
    let value = |value: &Option<&FillValue>| {
        let shown = value.map(|it| it.as_text().unwrap_or("…")).unwrap_or_default();
        cell(shown)
    };
    Table {
        columns: vec![Alignment::Auto; rows.columns.len()],
        head: rows.columns.iter().map(|name| cell(name)).collect(),
        rows: rows.rows.iter().map(|row| row.iter().map(value).collect()).collect(),
    }
}

/// Returns a chart: the first column names the categories, and each further one of numbers is a series. Returns the names of
/// other columns too.
fn chart(
    rows: &Rows<'_>,
    kind: ChartShape,
    stack: ChartStack,
) -> Made<(ChartDescription, Vec<String>)> {
    let shown = |value: &Option<&FillValue>| {
        value.and_then(FillValue::as_text).unwrap_or_default().to_owned()
    };
    let first = |row: &Vec<Option<&FillValue>>| row.first().map(shown).unwrap_or_default();
    let mut chart = ChartDescription {
        kind,
        stack,
        categories: rows.rows.iter().map(first).collect(),
        category_title: rows.columns.first().cloned(),
        ..ChartDescription::default()
    };
    let mut left_out = Vec::new();
    for (at, name) in rows.columns.iter().enumerate().skip(1) {
        let mut values = Vec::with_capacity(rows.rows.len());
        let mut is_numeric = true;
        for row in &rows.rows {
            values.push(match row.get(at).copied().flatten() {
                None => None,
                Some(value) if is_empty(value) => None,
                Some(FillValue::Number(lexeme)) => lexeme.parse().ok().and_then(ChartValue::new),
                Some(_) => {
                    is_numeric = false;
                    break;
                }
            });
        }
        match is_numeric {
            true => chart.series.push(ChartSeries {
                name: name.clone(),
                values,
                ..ChartSeries::default()
            }),
            false if left_out.len() < MAX_LISTED => {
                left_out.push(format!("`{}`", text::one_line(name)));
            }
            false => {}
        }
    }
    if chart.series.is_empty() {
        return Err(
            "expected a column of numbers behind the first one, which names the categories"
                .to_owned(),
        );
    }
    chart.check().map_err(|error| error.to_string())?;
    Ok((chart, left_out))
}
