//! Documents written to use up the memory and the time of the host: tables, footnotes, charts, formulas.
//!
//! What passes the bounds is rendered in a process of its own (this test program, called for one case), of which the memory
//! is measured; what is refused must be refused before it grows.

use std::process::Command;
use std::time::{Duration, Instant};

use mitt::ErrorKind;
use mitt::render::{
    Cancel, Chart, Doc, Formula, Link, PdfBackend as _, PdfOptions, Sheet, SheetCell, SheetColumn,
    SheetRow, TypstBackend, Workbook, XlsxOptions, markdown, markdown_unless, xlsx,
};

use crate::support::measured;

const MIB: u64 = 1 << 20;

/// Says to the process of a case what to do.
const CASE: &str = "MITT_TEST_RENDERING_CASE";

/// Run a case in a process of its own. Its last line of output, its time, and the most memory that it had.
fn case(name: &str) -> (String, Duration, u64) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "adversarial::rendering::the_process_of_a_case", "--nocapture"])
        .env(CASE, name);
    let started = Instant::now();
    let (output, peak) = measured(command);
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.split_once("case: ")).map(|(_, line)| line);
    let line = line.unwrap_or_else(|| panic!("{name}: {text}"));
    (line.to_owned(), started.elapsed(), peak)
}

/// Not a test of its own: what [`case`] starts.
#[test]
fn the_process_of_a_case() {
    let Ok(name) = std::env::var(CASE) else { return };
    let result = match name.split_once(' ') {
        Some(("xlsx", name)) => xlsx(&workbook(name), &XlsxOptions::default()).map(|bytes| bytes.len()),
        Some(("markdown", name)) => markdown(&text(name)).map(|doc| doc.blocks.len()),
        Some(("pdf", name)) => pdf(&text(name)),
        _ => panic!("{name}"),
    };
    match result {
        Ok(size) => println!("case: ok {size}"),
        Err(error) => println!("case: {}", error.to_string().replace('\n', " / ")),
    }
}

fn pdf(text: &str) -> mitt::Result<usize> {
    let pdf = TypstBackend.render(&markdown(text)?, &PdfOptions::default())?;
    Ok(pdf.bytes.len())
}

fn column(index: usize) -> SheetColumn {
    SheetColumn { header: format!("c{index}"), width: 10.0, ..SheetColumn::default() }
}

fn sheet(columns: usize, rows: usize, cell: &dyn Fn(usize) -> SheetCell) -> Sheet {
    Sheet {
        name: "data".into(),
        columns: (0..columns).map(column).collect(),
        rows: (0..rows)
            .map(|row| SheetRow {
                cells: (0..columns).map(|column| cell(row * columns + column)).collect(),
                ..SheetRow::default()
            })
            .collect(),
        ..Sheet::default()
    }
}

fn book(sheets: Vec<Sheet>) -> Workbook {
    Workbook { title: None, sheets }
}

fn words(text: &str, numbers: &[usize]) -> Vec<usize> {
    let found: Vec<usize> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    if found.is_empty() { numbers.to_vec() } else { found }
}

/// A workbook by its name: a kind of cell, and numbers of columns, rows and more.
fn workbook(name: &str) -> Workbook {
    let (kind, rest) = name.split_once('-').unwrap();
    let n = words(rest, &[1, 1]);
    let text = |size: usize| move |index: usize| SheetCell::Text(format!("{index:0>size$}"));
    let plain = |index: usize| SheetCell::Number(index.to_string());
    match kind {
        "numbers" => book(vec![sheet(n[0], n[1], &plain)]),
        "empty" => book(vec![sheet(n[0], n[1], &|_| SheetCell::Empty)]),
        "texts" => book(vec![sheet(n[0], n[1], &text(n[2]))]),
        "ampersands" => {
            book(vec![sheet(n[0], n[1], &|index| {
                SheetCell::Text(format!("{index}{}", "&".repeat(n[2])))
            })])
        }
        "links" => book(
            (0..n[2])
                .map(|number| {
                    let mut sheet = sheet(n[0], n[1], &|index| {
                        SheetCell::Link(Link {
                            url: format!("https://example.org/{number}/{index}"),
                            text: format!("{number} {index}"),
                        })
                    });
                    sheet.name = format!("s{number}");
                    sheet
                })
                .collect(),
        ),
        "formulas" => book(vec![sheet(n[0], n[1], &|index| {
            SheetCell::Formula(Formula {
                expression: format!("=SUM(A1:A{})", index + 1),
                value: index.to_string(),
            })
        })]),
        // Columns, rows, charts, series of each.
        "charts" | "textcharts" => {
            let cell: &dyn Fn(usize) -> SheetCell =
                if kind == "charts" { &plain } else { &text(1_000) };
            let mut sheet = sheet(n[0], n[1], cell);
            let chart = Chart {
                value_columns: (0..n[3]).map(|series| (series % n[0]) as u32).collect(),
                row_count: n[1] as u32,
                title: Some("chart".into()),
                ..Chart::default()
            };
            sheet.charts = vec![chart; n[2]];
            book(vec![sheet])
        }
        // Columns, sheets.
        "columns" => book(
            (0..n[1])
                .map(|number| {
                    let mut sheet = sheet(n[0], 1, &|_| SheetCell::Empty);
                    sheet.name = format!("s{number}");
                    sheet
                })
                .collect(),
        ),
        _ => panic!("{name}"),
    }
}

/// A text by its name.
fn text(name: &str) -> String {
    let (kind, rest) = name.split_once('-').unwrap_or((name, ""));
    let n = words(rest, &[2_000_000]);
    let size = n[0];
    match kind {
        "word" => "x".repeat(size),
        "paragraph" => "word ".repeat(size / 5),
        "chinese" => "年报收入，".repeat(size / 15),
        "mixed" => "年a".repeat(size / 4),
        "code" => format!("```\n{}\n```", "let x = 1; ".repeat(size / 11)),
        "codeword" => format!("```\n{}\n```", "x".repeat(size)),
        "inlinecode" => format!("`{}`", "x y ".repeat(size / 4)),
        "emphasis" => format!("*{}*", "年a".repeat(size / 4)),
        "heading" => format!("# {}\n\n## {}\n\ntext", "word ".repeat(size / 10), "word ".repeat(size / 10)),
        "title" => format!("# {}\n\n{}", "word ".repeat(size / 10), "word word word\n\n".repeat(20_000)),
        "headings" => (0..9_000).map(|n| format!("## Heading {n}\n\n")).collect(),
        "signs" => "✅".repeat(size / 3),
        "flags" => "🇩🇪".repeat(size / 8),
        "list" => "- a\n".repeat(n[0].min(29_000)),
        "nested" => "1. - 1. - 1. - a\n".repeat(n[0].min(8_000)),
        "quotes" => "> > > > > > a\n\n".repeat(n[0].min(8_000)),
        "links" => "[a](http://x) ".repeat(n[0].min(19_000)),
        "lines" => format!("```\n{}```", "x\n".repeat(n[0].min(59_000))),
        // Columns, rows.
        "table" => table(n[0], n[1], "|1"),
        "short" => table(n[0], n[1], "x"),
        "emptytable" => table(n[0], n[1], "| "),
        "cell" => format!("|a|b|\n|-|-|\n|{}|x|\n", "word ".repeat(size / 5)),
        "footnotes" => (0..n[0].min(9_000)).map(|n| format!("a[^{n}]\n\n[^{n}]: note\n\n")).collect(),
        "again" => format!("{}\n\n[^a]: note", "a[^a] ".repeat(n[0].min(19_000))),
        // Bytes of the note, references to it in another.
        "nestednote" => format!(
            "x[^b]\n\n[^b]: {}\n\n[^a]: {}\n",
            "[^a] ".repeat(n[1]),
            "word ".repeat(n[0] / 5)
        ),
        _ => panic!("{name}"),
    }
}

fn table(columns: usize, rows: usize, cell: &str) -> String {
    let row = if cell == "x" { "x".to_owned() } else { cell.repeat(columns) + "|" };
    format!(
        "{}|\n{}|\n{}",
        "|a".repeat(columns),
        "|-".repeat(columns),
        format!("{row}\n").repeat(rows)
    )
}

#[test]
fn explore() {
    let Ok(list) = std::env::var("MITT_EXPLORE") else { return };
    for name in list.split(',') {
        let (line, time, peak) = case(name);
        println!("{name}: {line} {time:?} {} MiB", peak / MIB);
    }
}
