//! `mitt sql`: runs a query over the tables of files.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::ingest::{check_formulas, note_formulas, write_csv, write_out};
use super::read_text;
use super::work::Work;
use crate::args::{Global, Sql};
use crate::interrupt::unless_interrupted;
use crate::output::{Output, note};
use mitt::value::Json;
use mitt::{CallOptions, CellRef, Table, TableResults};
use mitt_base::Result;
use mitt_base::rows::Rows;

/// The tool that runs queries.
const TOOL: &str = "sql_tool__query";

/// Most rows for display.
const SHOWN: usize = 100;

/// Widest displayed column, in terminal columns.
const WIDEST: usize = 48;

/// Runs a query over the tables of files.
pub(crate) async fn sql(global: &Global, command: Sql, output: &Output) -> Result<ExitCode> {
    let query = match (command.query.as_str(), command.query.strip_prefix('@')) {
        ("-", _) => read_text(Path::new("-"))?,
        (_, Some(file)) => read_text(Path::new(file))?,
        (query, None) => query.to_owned(),
    };
    let work = Work::open(global, None, output).await?.with_password(&command.password)?;
    work.add_files(&command.files).await?;
    work.add_files(&command.docs).await?;
    work.progress.call_it("asking the tables".to_owned());
    let tables = if output.is_json() { TableResults::Whole } else { TableResults::MODEL };
    let number = work.session.next_table();
    let arguments = json!({ "sql": query }).to_string();
    let call = work.session.call_with(TOOL, &arguments, CallOptions::new().tables(tables));
    let ended = unless_interrupted(call).await;
    work.progress.finish();
    let result = ended?.result?;
    if output.is_json() {
        output.value(&Value::from(result))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(Json::Array(warnings)) = result.get("warnings") {
        for warning in warnings.iter().filter_map(Json::as_str) {
            note(&format!("warning: {warning}"));
        }
    }
    let table = work.session.table(&format!("t:{number}"))?;
    if command.csv {
        let formulas = command.formulas.into();
        check_formulas(&table, formulas)?;
        let write =
            |out: &mut dyn std::io::Write| write_csv(&table, out, &Rows::default(), formulas);
        note_formulas(write_out(&work, output, write)?);
    } else {
        output.data(&text(&table))?;
        if table.rows() > SHOWN {
            let more = table.rows() - SHOWN;
            note(&format!("{more} more rows; `--csv` prints all of them"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the first rows in columns of fixed width.
fn text(table: &Table) -> String {
    let shown = |text: &str| {
        let line: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        console::truncate_str(&line, WIDEST, "…").into_owned()
    };
    let mut rows: Vec<Vec<(String, bool)>> =
        vec![table.names().map(|name| (shown(name), false)).collect()];
    let mut written = String::new();
    for row in 0..table.rows().min(SHOWN) {
        let mut cells = Vec::with_capacity(table.width());
        for column in 0..table.width() {
            let cell = table.cell(row, column, &mut written);
            let is_number = matches!(cell, CellRef::Number(_));
            cells.push((shown(cell.as_str()), is_number));
        }
        rows.push(cells);
    }
    let width = |column: usize| {
        let widths = rows.iter().map(|row| console::measure_text_width(&row[column].0));
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.width()).map(width).collect();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells =
            row.iter().zip(&widths).enumerate().map(|(column, ((cell, is_number), width))| {
                // The name of a column is aligned like its numbers.
                let is_above = at == 0 && rows.get(1).is_some_and(|first| first[column].1);
                let alignment = if *is_number || is_above {
                    console::Alignment::Right
                } else {
                    console::Alignment::Left
                };
                console::pad_str(cell, *width, alignment, None).into_owned()
            });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
        if at == 0 {
            let lines: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            text.push_str(&lines.join("  "));
            text.push('\n');
        }
    }
    text
}
