//! Tests views of workbooks: those of another writer, and those of other projects, if they are beside this one.

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use mitt_reader_kit::Error;
use others::{corpora, files};
use rust_xlsxwriter::{
    Chart, ChartType, Color, ExcelDateTime, Format, FormatAlign, Formula, Workbook,
};
use std::panic::catch_unwind;

/// Checks that a text is one JSON value. Returns how many objects have each of the names `d`, `v`, `k`.
fn check(text: &str) -> [usize; 3] {
    let bytes = text.as_bytes();
    let mut names = [0; 3];
    let end = value(bytes, 0, &mut names);
    assert_eq!(end, Some(bytes.len()), "{text:.300}");
    names
}

/// Returns the end of the value that begins at `at`.
fn value(bytes: &[u8], at: usize, names: &mut [usize; 3]) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => string(bytes, at),
        open @ (b'[' | b'{') => {
            let close = if *open == b'[' { b']' } else { b'}' };
            let mut at = at + 1;
            if bytes.get(at) == Some(&close) {
                return Some(at + 1);
            }
            loop {
                if *open == b'{' {
                    let end = string(bytes, at)?;
                    for (name, count) in [b"\"d\"", b"\"v\"", b"\"k\""].iter().zip(&mut *names) {
                        *count += usize::from(&bytes[at..end] == *name);
                    }
                    at = end + 1;
                    assert_eq!(bytes.get(end), Some(&b':'));
                }
                at = value(bytes, at, names)?;
                match bytes.get(at)? {
                    b',' => at += 1,
                    byte if *byte == close => return Some(at + 1),
                    _ => return None,
                }
            }
        }
        _ => {
            let rest = &bytes[at..];
            let length = rest.iter().position(|byte| b",]}".contains(byte)).unwrap_or(rest.len());
            let word = std::str::from_utf8(&rest[..length]).ok()?;
            let is_number = word.parse::<f64>().is_ok_and(f64::is_finite)
                && word.trim_start_matches('-').starts_with(|first: char| first.is_ascii_digit());
            (matches!(word, "null" | "true" | "false") || is_number).then_some(at + length)
        }
    }
}

fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

#[test]
fn the_view_of_another_writer() {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("It's 1").unwrap();
    let head = Format::new()
        .set_bold()
        .set_background_color(Color::RGB(0xFFEEAA))
        .set_align(FormatAlign::Center);
    let money = Format::new().set_num_format("#,##0.00 [$€-407]");
    let date = Format::new().set_num_format("d mmm yyyy");
    sheet.write_with_format(0, 0, "Item", &head).unwrap();
    sheet.write_with_format(0, 1, "Cost", &head).unwrap();
    sheet.write(1, 0, "Rent").unwrap();
    sheet.write_with_format(1, 1, 1234.5, &money).unwrap();
    sheet.write(2, 0, "Power").unwrap();
    sheet
        .write_formula_with_format(2, 1, Formula::new("B2/2").set_result("617.25"), &money)
        .unwrap();
    let day = ExcelDateTime::from_ymd(2024, 12, 31).unwrap();
    sheet.write_datetime_with_format(3, 1, &day, &date).unwrap();
    sheet.set_column_width(0, 30).unwrap();
    sheet.set_freeze_panes(1, 0).unwrap();
    let mut chart = Chart::new(ChartType::Bar);
    chart.title().set_name("Costs");
    chart
        .add_series()
        .set_name("Cost")
        .set_categories(("It's 1", 1, 0, 2, 0))
        .set_values(("It's 1", 1, 1, 2, 1));
    sheet.insert_chart(5, 3, &chart).unwrap();
    let bytes = workbook.save_to_buffer().unwrap();
    let content = reader_sheet::read(&bytes, "xlsx.view").unwrap();
    check(&content.markdown);
    assert_eq!(content.parts.len(), 1);
    let rows = std::str::from_utf8(&content.parts[0].bytes).unwrap();
    assert_eq!(
        rows,
        "[[{\"d\":\"Item\",\"k\":\"t\",\"s\":1},{\"d\":\"Cost\",\"k\":\"t\",\"s\":1}],\
         [\"Rent\",{\"d\":\"1,234.50 €\",\"v\":1234.5,\"k\":\"n\"}],\
         [\"Power\",{\"d\":\"617.25 €\",\"v\":617.25,\"k\":\"n\",\"f\":\"=B2/2\"}],\
         [null,{\"d\":\"31 Dec 2024\",\"v\":\"2024-12-31\",\"k\":\"d\"}]]"
    );
    for expected in [
        "\"name\":\"It's 1\",\"rows\":4,\"columns\":2,\"hidden\":false,\"frozen_rows\":1",
        "\"charts\":[{\"kind\":\"bar\",\"title\":\"Costs\",\"row\":5,\"column\":3,\"categories\":[\"Rent\",\"Power\"],\
         \"series\":[{\"name\":\"Cost\",\"values\":[1234.5,617.25]}]}]",
        "\"1\":{\"bold\":true,\"color\":\"#000000\",\"fill\":\"#ffeeaa\",\"align\":\"center\"}",
    ] {
        assert!(content.markdown.contains(expected), "{expected}\n{}", content.markdown);
    }
}

#[test]
fn workbooks_of_other_projects_have_views_wherever_they_are_read() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut shown, mut refused) = (0, 0);
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !["xlsx", "xlsm"].iter().any(|end| name.to_lowercase().ends_with(end)) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let read = |extension: &'static str| catch_unwind(|| reader_sheet::read(&bytes, extension));
        let content = match read("xlsx.view") {
            Ok(Ok(content)) => content,
            Ok(Err(Error::Unsupported(_))) => continue,
            Ok(Err(error)) => {
                println!("{name}: {error:?}");
                // What has no view has no tables either.
                assert!(
                    !matches!(read("xlsx"), Ok(Ok(content)) if !content.tables.is_empty()),
                    "{name}"
                );
                refused += 1;
                continue;
            }
            Err(_) => panic!("{name}: the view panicked"),
        };
        shown += 1;
        check(&content.markdown);
        for part in &content.parts {
            let [shown, values, kinds] = check(std::str::from_utf8(&part.bytes).unwrap());
            assert!(shown == kinds && values <= kinds, "{name}");
        }
    }
    println!("{shown} shown, {refused} refused");
    assert!(shown > 100 && refused * 10 < shown, "{shown} shown, {refused} refused");
}
