//! Processes presentations for tests outside of the sandbox. Not part of the component.
//!
//! Reads lines of tab-separated fields from standard input: a command, a file, and for `edit` and `redact` the file to write and
//! the edits or words. An edit has fields divided by `|`, such as `text|s256/2|New title`; `\n`, `\t` and `\v` stand for those
//! characters. Prints a line for each.

use deck_tool::{
    ChartKind, Content, Deck, Edit, Error, Filling, Finding, Grid, NewChart, ReadOptions, Value,
    edit, read, redact,
};
use std::io::{BufRead as _, Write as _};

#[expect(clippy::disallowed_methods, reason = "a test program, which no user runs")]
fn main() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split('\t').collect();
        let result = std::panic::catch_unwind(|| run(&fields));
        let result = match result {
            Ok(Ok(text)) => format!("ok\t{}", plain(&text)),
            Ok(Err(error)) => format!("error\t{}", plain(&error.to_string())),
            Err(_) => "panic\t".to_owned(),
        };
        writeln!(out, "{}\t{result}", fields[..fields.len().min(2)].join("\t")).unwrap();
    }
}

fn plain(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t").replace('\u{b}', "\\v")
}

fn unplain(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\v", "\u{b}")
}

fn file(name: &str) -> Result<Vec<u8>, Error> {
    std::fs::read(name).map_err(|_| Error::NotFound(format!("no document `{name}`")))
}

fn run(fields: &[&str]) -> Result<String, Error> {
    let bytes = file(fields[1])?;
    let all = ReadOptions { from: 1, limit: usize::MAX, has_layouts: true };
    match fields[0] {
        "identity" => {
            let deck = Deck::open(bytes.clone())?;
            let info = read(&deck, &all)?;
            Ok(format!("{}\t{}", deck.save()? == bytes, info.total))
        }
        "read" => {
            let info = read(&Deck::open(bytes)?, &all)?;
            let mut out =
                format!("{:?} {} {:?} {:?}\n", info.size, info.total, info.colors, info.fonts);
            for slide in &info.slides {
                out.push_str(&format!(
                    "{} {} layout={} hidden={} notes={:?}\n",
                    slide.number, slide.anchor, slide.layout, slide.is_hidden, slide.notes
                ));
                for it in &slide.shapes {
                    out.push_str(&format!(
                        "  {} {} {:?} ph={:?} {:?} {:?} {:?} {:?}\n",
                        it.anchor,
                        it.kind,
                        it.name,
                        it.placeholder,
                        it.place,
                        it.text,
                        it.rows,
                        it.chart
                    ));
                }
            }
            for layout in &info.layouts {
                out.push_str(&format!("{layout:?}\n"));
            }
            Ok(out)
        }
        "edit" => {
            let edits: Vec<Edit> = fields[3..].iter().map(|it| parse(it)).collect();
            let done = edit(bytes, &edits, &file)?;
            std::fs::write(fields[2], &done.bytes).unwrap();
            Ok(format!("{:?} {:?} {:?}", done.changes, done.overflows, done.warnings))
        }
        "redact" => {
            let words: Vec<String> = fields[3..].iter().map(|it| (*it).to_owned()).collect();
            let done = redact(bytes, &words, &[])?;
            std::fs::write(fields[2], &done.bytes).unwrap();
            Ok(format!("{} {:?} {:?}", done.hits, done.places, done.warnings))
        }
        other => panic!("unknown command {other}"),
    }
}

fn rows(text: &str) -> Vec<Vec<String>> {
    text.split(';').map(|row| row.split(',').map(str::to_owned).collect()).collect()
}

fn grid(text: &str) -> Grid {
    let mut rows = rows(text).into_iter();
    let columns = rows.next().unwrap_or_default();
    let value = |it: String| match it.parse::<f64>() {
        Ok(_) => Value::Number(it),
        Err(_) if it.is_empty() => Value::Empty,
        Err(_) => Value::Text(it),
    };
    Grid { columns, rows: rows.map(|row| row.into_iter().map(value).collect()).collect() }
}

fn content(kind: &str, value: &str) -> Content {
    let chart = |kind: ChartKind| {
        let (title, data) = value.split_once('=').unwrap_or(("", value));
        Content::Chart(NewChart { kind, title: title.to_owned(), data: grid(data) })
    };
    match kind {
        "table" => Content::Table(rows(value)),
        "picture" => Content::Picture(value.to_owned()),
        "bar" => chart(ChartKind::Bar),
        "column" => chart(ChartKind::Column),
        "line" => chart(ChartKind::Line),
        "pie" => chart(ChartKind::Pie),
        "area" => chart(ChartKind::Area),
        "scatter" => chart(ChartKind::Scatter),
        _ => Content::Text(value.to_owned()),
    }
}

fn parse(text: &str) -> Edit {
    let it: Vec<String> = text.split('|').map(unplain).collect();
    let get = |at: usize| it.get(at).cloned().unwrap_or_default();
    let number = |at: usize| get(at).parse().unwrap_or(0);
    let option = |at: usize| it.get(at).cloned();
    match &*it[0] {
        "text" => Edit::SetText { shape: get(1), text: get(2), expected: option(3) },
        "replace" => {
            let is = |flag: char| get(3).contains(flag);
            let finding = Finding { is_whole_word: is('w'), ignores_case: is('i') };
            Edit::ReplaceText { find: get(1), replacement: get(2), finding }
        }
        "cell" => Edit::SetCell {
            shape: get(1),
            row: number(2),
            column: number(3),
            text: get(4),
            expected: option(5),
        },
        "rows" => Edit::InsertRows { shape: get(1), after: number(2), rows: rows(&get(3)) },
        "columns" => {
            Edit::InsertColumns { shape: get(1), after: number(2), columns: rows(&get(3)) }
        }
        "nocolumns" => Edit::DeleteColumns { shape: get(1), column: number(2), count: number(3) },
        "norows" => Edit::DeleteRows { shape: get(1), row: number(2), count: number(3) },
        "chart" => Edit::SetChartData { shape: get(1), data: grid(&get(2)) },
        "picture" => Edit::ReplacePicture { shape: get(1), picture: get(2), alt: option(3) },
        "notes" => Edit::SetNotes { slide: get(1), text: get(2), expected: option(3) },
        "title" => Edit::SetTitle { slide: get(1), text: get(2), expected: option(3) },
        "duplicate" => {
            Edit::DuplicateSlide { slide: get(1), position: option(2).map(|_| number(2)) }
        }
        "move" => Edit::MoveSlide { slide: get(1), position: number(2) },
        "delete" => Edit::DeleteSlide { slide: get(1), expected: option(2) },
        "hide" => Edit::HideSlide { slide: get(1), is_hidden: number(2) == 1 },
        "property" => Edit::SetProperty { name: get(1), value: get(2) },
        "add" => Edit::AddContent {
            slide: get(1),
            place: get(2).split(',').map(|it| it.parse().unwrap()).collect(),
            content: content(&get(3), &get(4)),
        },
        "new" => {
            let fillings = it[3..].iter().map(|it| {
                let mut parts = it.splitn(3, '=');
                let placeholder = parts.next().unwrap().to_owned();
                let kind = parts.next().unwrap();
                let value = parts.next().unwrap();
                Filling { placeholder, content: content(kind, value) }
            });
            let position = option(2).filter(|it| !it.is_empty()).map(|_| number(2));
            Edit::NewSlide { layout: get(1), position, fillings: fillings.collect(), notes: None }
        }
        other => panic!("unknown edit {other}"),
    }
}
