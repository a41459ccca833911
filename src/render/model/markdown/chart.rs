//! Charts in Markdown: a fenced block `chart` with a small description in YAML or JSON, and a table in the block or beside
//! it. An invalid block stays text, with a warning that names its line.

mod data;
mod fence;
#[cfg(test)]
mod tests;

use self::data::columns_of;
use self::fence::Fence;
use crate::model::chart::{ChartColumn, ChartDescription, MAX_CHART_POINTS};
use crate::model::doc::{Block, Doc, Table, plain_text};
use mitt_base::text;

/// Language of the fence of a chart.
const LANGUAGE: &str = "chart";

/// Most charts of a document. A report of a hundred pages has fifty.
const MAX_CHARTS: usize = 200;

/// Most values of all charts of a document.
const MAX_POINTS: usize = 5 * MAX_CHART_POINTS;

/// Most problems of a chart in its warning.
const MAX_PROBLEMS: usize = 5;

/// Most characters of a title or a heading in a warning.
const MAX_SHOWN: u64 = 40;

/// Position of the table of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TablePosition {
    Above,
    Below,
    /// Above, or below if there is none.
    Either,
}

/// Replaces blocks that describe a chart by the chart. Returns warnings about invalid blocks, one sentence each.
pub(super) fn draw(doc: &mut Doc) -> Vec<String> {
    let mut charts = Charts::default();
    charts.blocks(&mut doc.blocks);
    charts.heading = "footnotes".into();
    doc.footnotes.iter_mut().for_each(|note| charts.blocks(note));
    charts.warnings
}

/// The charts of a document so far.
#[derive(Default)]
struct Charts {
    seen: usize,
    points: usize,
    heading: String,
    warnings: Vec<String>,
}

impl Charts {
    fn blocks(&mut self, blocks: &mut [Block]) {
        for index in 0..blocks.len() {
            match &mut blocks[index] {
                Block::Heading { content, .. } => {
                    self.heading =
                        text::cut_chars(plain_text(content).trim(), MAX_SHOWN).0.replace('`', " ");
                }
                Block::Quote { blocks, .. } => self.blocks(blocks),
                Block::List(list) => {
                    list.items.iter_mut().for_each(|item| self.blocks(&mut item.blocks))
                }
                Block::Code { language: Some(language), text }
                    if language.eq_ignore_ascii_case(LANGUAGE) =>
                {
                    let text = std::mem::take(text);
                    let block = match self.chart(&text, blocks, index) {
                        Some(chart) => Block::Chart(Box::new(chart)),
                        None => Block::Code { language: Some(LANGUAGE.into()), text },
                    };
                    blocks[index] = block;
                }
                _ => {}
            }
        }
    }

    /// Returns the chart that `source` describes at a position among blocks.
    fn chart(&mut self, source: &str, blocks: &[Block], index: usize) -> Option<ChartDescription> {
        self.seen += 1;
        let read = if self.seen > MAX_CHARTS {
            Err(vec![format!("a document has at most {MAX_CHARTS} charts")])
        } else {
            read(source, blocks, index)
        };
        let read = read.and_then(|chart| {
            let points = chart.series.iter().map(|series| series.values.len()).sum::<usize>();
            if self.points + points > MAX_POINTS {
                return Err(vec![format!(
                    "the charts of a document have at most {MAX_POINTS} values together"
                )]);
            }
            self.points += points;
            Ok(chart)
        });
        let problems = match read {
            Ok(chart) => return Some(chart),
            Err(problems) => problems,
        };
        // There are at most this many warnings, even if all charts have the same mistake.
        if self.warnings.len() < MAX_CHARTS {
            let place = match self.heading.as_str() {
                "" => String::new(),
                heading => format!(" under `{heading}`"),
            };
            let more = problems.len().saturating_sub(MAX_PROBLEMS);
            let mut problems =
                problems.into_iter().take(MAX_PROBLEMS).collect::<Vec<_>>().join("; ");
            if more > 0 {
                problems.push_str(&format!("; and {more} more"));
            }
            self.warnings
                .push(format!("chart {}{place} is shown as its text: {problems}", self.seen));
        }
        None
    }
}

/// Reads a description and its table.
fn read(source: &str, blocks: &[Block], index: usize) -> Result<ChartDescription, Vec<String>> {
    let fence = Fence::read(source)?;
    let columns = match fence.columns {
        Some(columns) => columns,
        None => {
            let table = adjacent_table(fence.table_position, blocks, index)
                .ok_or_else(|| vec![missing(fence.table_position)])?;
            of_table(table)
        }
    };
    fence.wanted.describe(&columns).map_err(|error| {
        let problems = match error.details() {
            [] => vec![error.to_string()],
            details => details.to_vec(),
        };
        let plain = |problem: String| match problem.split_once("chart: ") {
            Some((_, rest)) => rest.to_owned(),
            None => problem,
        };
        problems.into_iter().map(plain).map(|problem| with_line(source, problem)).collect()
    })
}

/// Returns the nearest table in the same list of blocks.
fn adjacent_table<'a>(
    table_position: TablePosition,
    blocks: &'a [Block],
    index: usize,
) -> Option<&'a Table> {
    let table = |block: &'a Block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    };
    let above = || blocks.get(..index)?.iter().rev().find_map(table);
    let below = || blocks.get(index + 1..)?.iter().find_map(table);
    match table_position {
        TablePosition::Above => above(),
        TablePosition::Below => below(),
        TablePosition::Either => above().or_else(below),
    }
}

fn missing(table_position: TablePosition) -> String {
    let place = match table_position {
        TablePosition::Above => "above",
        TablePosition::Below => "below",
        TablePosition::Either => "in it or beside it",
    };
    format!(
        "no table {place}; put one behind the description, or `table: above` where one stands above"
    )
}

fn of_table(table: &Table) -> Vec<ChartColumn> {
    let cells = |index: usize| {
        let cells = table
            .rows
            .iter()
            .map(move |row| row.get(index).map_or(String::new(), |cell| plain_text(cell)));
        cells.collect()
    };
    let column = |(index, head): (usize, &Vec<_>)| ChartColumn {
        name: plain_text(head),
        cells: cells(index),
    };
    table.head.iter().enumerate().map(column).collect()
}

/// Returns a problem with its line, if it quotes a name in that line.
fn with_line(source: &str, problem: String) -> String {
    // A key, or the last quoted text, or the quoted text before it.
    let key = problem
        .split_once(':')
        .map(|(key, _)| key)
        .filter(|key| key.chars().all(char::is_alphabetic));
    let by_key =
        key.and_then(|key| source.lines().position(|line| line.trim_start().starts_with(key)));
    let quoted: Vec<&str> =
        problem.split('`').skip(1).step_by(2).filter(|name| !name.is_empty()).collect();
    let by_name = || {
        quoted.iter().rev().find_map(|name| source.lines().position(|line| has_word(line, name)))
    };
    match by_key.or_else(by_name) {
        Some(line) => format!("line {}: {problem}", line + 1),
        None => problem,
    }
}

/// Returns `true` if a line contains a word, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        !is_letter(line[..at].chars().next_back())
            && !is_letter(line[at + word.len()..].chars().next())
    })
}

/// Returns the columns of a table within the block.
fn table_of(text: &str, first_line: usize) -> Result<Vec<ChartColumn>, String> {
    columns_of(text).map_err(|(line, problem)| format!("line {}: {problem}", first_line + line))
}
