//! Tests tables whose rules do not divide their cells, and the places of tables in text. The pages are written by hand.

use mitt_reader_kit::{Content, cell_as_str};

/// Reads a document of one page with these operators.
fn read(page: &str) -> Content {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[4 0 R]/Count 1>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>".to_owned(),
        format!("<</Length {}>>stream\n{page}\nendstream", page.len()),
    ];
    let mut out = String::from("%PDF-1.4\n");
    for (index, object) in objects.iter().enumerate() {
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    out.push_str("trailer\n<</Size 6/Root 1 0 R>>\n%%EOF\n");
    reader_pdf::read(out.as_bytes(), "pdf", None).unwrap()
}

/// Returns the width of a text in Helvetica.
fn width(text: &str, size: f32) -> f32 {
    let letter = |letter: char| match letter {
        ' ' | '.' | ',' | 'i' | 'l' | 'I' | 't' | 'f' => 0.278,
        '(' | ')' | '-' | 'r' => 0.333,
        'A'..='Z' => 0.69,
        '%' => 0.889,
        _ => 0.556,
    };
    text.chars().map(letter).sum::<f32>() * size
}

fn left(x: f32, y: f32, size: f32, text: &str) -> String {
    let text = text.replace('(', "\\(").replace(')', "\\)");
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

fn right(x: f32, y: f32, size: f32, text: &str) -> String {
    left(x - width(text, size), y, size, text)
}

fn line(from: (f32, f32), to: (f32, f32)) -> String {
    format!("{} {} m {} {} l S\n", from.0, from.1, to.0, to.1)
}

/// Returns the tables with their headers.
fn tables(content: &Content) -> Vec<Vec<Vec<String>>> {
    let rows = |table: &mitt_reader_kit::NamedTable| {
        let body = table
            .data
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| cell_as_str(cell).to_owned()).collect());
        std::iter::once(table.data.columns.clone()).chain(body).collect()
    };
    content.tables.iter().map(rows).collect()
}

const HEADING: &str = "Annual figures of the company and its parts";

/// Returns operators for a text of several lines.
fn prose(mut y: f32) -> String {
    let mut out = String::new();
    for text in [
        "The company had a good year in spite of the weather, which in 2024 was worse than in",
        "any of the 12 years before. Sales in the north were better than those in the south, as the",
        "board had foreseen in its letter of 3 March, and costs stayed where they had been.",
        "All of this is told in more detail in the pages that follow, for the parts one by one.",
    ] {
        out += &left(72.0, y, 10.0, text);
        y -= 13.0;
    }
    out
}

/// Returns operators for rows of a name and values, from a height downwards. The values are aligned right.
fn rows(y: f32, pitch: f32, size: f32, step: f32, rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        let y = y - pitch * index as f32;
        for (column, text) in row.iter().enumerate() {
            out += &match column {
                0 => left(72.0, y, size, text),
                _ => right(170.0 + step * column as f32, y, size, text),
            };
        }
    }
    out
}

/// Returns rows of numbers, as reports have them.
fn figures(columns: usize) -> Vec<Vec<String>> {
    let head = (0..columns)
        .map(|column| if column == 0 { "Item".into() } else { (2010 + column).to_string() });
    let mut all = vec![head.collect::<Vec<_>>()];
    for (row, name) in
        ["Sales", "Cost of goods", "Staff", "Rent", "Interest", "Profit"].iter().enumerate()
    {
        let cell = |column: usize| match (column, (row * 7 + column * 3) % 5) {
            (0, _) => (*name).to_owned(),
            (_, 0) => format!("({}.{})", 11 + row * 7 + column, column % 10),
            (_, 1) => format!("{}", 100 + row * 31 + column * 17),
            (_, 2) => format!("{},{:03}", 1 + column, 7 * row + column),
            _ => format!("{}.{}", 20 + row * 3 + column, row),
        };
        all.push((0..columns).map(cell).collect());
    }
    all
}

#[test]
fn numbers_beside_each_other_are_cells_of_their_own() {
    for columns in [3, 5, 8, 12] {
        for (step, size) in [(32.0, 8.0), (30.0, 7.0)] {
            for is_ruled in [false, true] {
                let wanted = figures(columns);
                let mut page = left(72.0, 760.0, 16.0, HEADING) + &prose(730.0);
                page += &rows(640.0, 13.0, size, step, &wanted);
                if is_ruled {
                    for y in [650.0, 637.0, 558.0] {
                        page += &line((70.0, y), (176.0 + step * columns as f32, y));
                    }
                }
                page += &prose(500.0);
                let content = read(&page);
                let told = format!(
                    "{columns} columns, {step} apart, rules: {is_ruled}\n{}",
                    content.markdown
                );
                assert_eq!(tables(&content), [wanted], "{told}");
            }
        }
    }
}

#[test]
fn values_stay_with_their_names() {
    let values = ["12.5 %", "1,204", "(33.1)", "7", "96.25", "1,000,000"];
    let names =
        ["Growth", "Customers", "Net result", "Branches", "Rate of use", "Shares that were issued"];
    for (count, pitch) in [(3, 14.0), (5, 12.0), (6, 20.0)] {
        let wanted: Vec<Vec<String>> =
            (0..count).map(|row| vec![names[row].to_owned(), values[row].to_owned()]).collect();
        let page = left(72.0, 760.0, 16.0, HEADING)
            + &prose(730.0)
            + &rows(640.0, pitch, 10.0, 150.0, &wanted)
            + &prose(470.0);
        let content = read(&page);
        assert_eq!(
            tables(&content),
            std::slice::from_ref(&wanted),
            "{count} rows\n{}",
            content.markdown
        );
        // Every word appears exactly once.
        for word in wanted.iter().flatten() {
            assert_eq!(
                content.markdown.matches(word.as_str()).count(),
                1,
                "{word}\n{}",
                content.markdown
            );
        }
        assert_eq!(content.markdown.matches("The company had a good year").count(), 2);
    }
}

#[test]
fn header_lines_stay_lines() {
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let mut wanted = vec![
        row(&["Part", "Sales", "Costs", "Staff"]),
        row(&["of the firm", "in EUR", "in EUR", "in all"]),
    ];
    for (name, number) in [("North", 11), ("South", 25), ("East", 37), ("West", 48)] {
        wanted.push(row(&[
            name,
            &format!("{number}.5"),
            &format!("{}", number * 9),
            &number.to_string(),
        ]));
    }
    let page = prose(730.0) + &rows(640.0, 13.0, 9.0, 60.0, &wanted) + &prose(500.0);
    let content = read(&page);
    assert_eq!(tables(&content), [wanted], "{}", content.markdown);
}

#[test]
fn text_is_no_table() {
    let contents: Vec<Vec<String>> =
        ["Introduction", "The firm", "The market", "Outlook", "Figures"]
            .iter()
            .enumerate()
            .map(|(at, name)| {
                vec![
                    format!("{name} ........................................"),
                    format!("{}", 3 + at * 7),
                ]
            })
            .collect();
    let list: String =
        ["1. Buy 12 screws", "2. Buy 40 nuts", "3. Build 2 tables", "4. Sell 2 tables"]
            .iter()
            .enumerate()
            .map(|(at, text)| left(72.0, 500.0 - 14.0 * at as f32, 10.0, text))
            .collect();
    for (name, page) in [
        ("prose", prose(730.0) + &prose(600.0)),
        ("contents", left(72.0, 760.0, 16.0, HEADING) + &rows(640.0, 14.0, 10.0, 300.0, &contents)),
        ("a list", prose(730.0) + &list),
    ] {
        let content = read(&page);
        assert_eq!(
            tables(&content),
            Vec::<Vec<Vec<String>>>::new(),
            "{name}\n{}",
            content.markdown
        );
    }
}

/// Returns operators for a table with all rules.
fn ruled(x: f32, y: f32, step: f32, rows: &[[&str; 3]]) -> String {
    let mut out = String::new();
    let (end, bottom) = (x + step * 3.0, y - 20.0 * rows.len() as f32);
    for row in 0..=rows.len() {
        let y = y - 20.0 * row as f32;
        out += &line((x, y), (end, y));
    }
    for column in 0..=3 {
        let x = x + step * column as f32;
        out += &line((x, y), (x, bottom));
    }
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            out += &left(x + 4.0 + step * column as f32, y - 14.0 - 20.0 * row as f32, 10.0, cell);
        }
    }
    out
}

#[test]
fn centred_tables_stand_before_the_headings_below_them() {
    let first = [["Month", "Users", "Share"], ["May", "17", "0.5"], ["June", "19", "0.7"]];
    let second = [["Town", "Shops", "Rank"], ["Bonn", "41", "2"], ["Ulm", "23", "9"]];
    for (x, step) in [(240.0, 40.0), (200.0, 65.0), (400.0, 50.0)] {
        let page = left(72.0, 770.0, 16.0, "One")
            + &ruled(x, 740.0, step, &first)
            + &left(72.0, 640.0, 16.0, "Two")
            + &ruled(x, 610.0, step, &second)
            + &left(72.0, 500.0, 16.0, "Three")
            + &prose(470.0);
        let markdown = read(&page).markdown;
        let at = |text: &str| markdown.find(text).unwrap_or_else(|| panic!("{text}\n{markdown}"));
        let order = ["One", "| May |", "Two", "| Bonn |", "Three", "The company"].map(at);
        assert!(order.is_sorted(), "{order:?} at {x}\n{markdown}");
    }
}

#[test]
fn lines_far_above_a_table_are_no_rows_of_it() {
    let rows = left(60.0, 700.0, 12.0, "Rent")
        + &left(300.0, 700.0, 12.0, "1,100")
        + &left(60.0, 680.0, 12.0, "Heating")
        + &left(300.0, 680.0, 12.0, "220");
    let heading = left(60.0, 780.0, 12.0, "Heading of section 11");
    let sentence = left(60.0, 750.0, 12.0, "Stroke and fill 2200");
    let content = read(&(heading + &sentence + &rows));
    let found = tables(&content);
    assert_eq!(found, [[["Rent", "1,100"], ["Heating", "220"]]], "{}", content.markdown);
    assert!(content.markdown.contains("Heading of section 11"), "{}", content.markdown);
    assert!(content.markdown.contains("Stroke and fill 2200"), "{}", content.markdown);
    // The name of a group is as near as the other rows.
    let near = read(&(left(60.0, 720.0, 12.0, "Costs") + &rows));
    assert!(
        tables(&near).iter().flatten().flatten().any(|cell| cell == "Rent"),
        "{}",
        near.markdown
    );
}
