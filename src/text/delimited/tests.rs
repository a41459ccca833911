use super::*;
use crate::table::{Cell, Chunk, Values};

/// A table whose cells are strings: numbers as they are, texts in quotes.
#[derive(Default)]
pub(super) struct CollectedTable {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    begin_count: usize,
}

impl Sink for CollectedTable {
    type Error = std::convert::Infallible;

    fn begin(&mut self, header: &[String]) -> Result<(), Self::Error> {
        (self.header, self.rows) = (header.to_vec(), Vec::new());
        self.begin_count += 1;
        Ok(())
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Self::Error> {
        let rows = chunks.first().map_or(0, |chunk| cells(chunk).len());
        let columns: Vec<_> = chunks.iter().map(cells).collect();
        assert!(columns.iter().all(|column| column.len() == rows));
        self.rows.extend((0..rows).map(|row| columns.iter().map(|it| it[row].clone()).collect()));
        Ok(())
    }

    fn end(&mut self, _: String) -> Result<(), Self::Error> {
        Ok(())
    }
}

fn cells(chunk: &Chunk) -> Vec<String> {
    let decimal = |units: i128, scale: u8| match scale {
        0 => units.to_string(),
        scale => format!("{units}e-{scale}"),
    };
    let mut all: Vec<String> = match &chunk.values {
        Values::Empty(count) => vec![String::new(); *count],
        Values::Booleans(bits, count) => {
            (0..*count).map(|at| (bits[at / 8] >> (at % 8) & 1 == 1).to_string()).collect()
        }
        Values::Integers(values) => values.iter().map(i64::to_string).collect(),
        Values::Decimals(scale, units) => {
            units.iter().map(|it| decimal((*it).into(), *scale)).collect()
        }
        Values::WideDecimals(scale, units) => units.iter().map(|it| decimal(*it, *scale)).collect(),
        Values::Texts(texts) => (0..texts.len()).map(|at| quoted(texts.get(at))).collect(),
        Values::Dictionary(keys, texts) => {
            keys.iter().map(|at| quoted(texts.get(*at as usize))).collect()
        }
        Values::Dates(days) => days.iter().map(|it| format!("day {it}")).collect(),
        Values::Times(all) | Values::DateTimes(all) => {
            all.iter().map(|it| format!("us {it}")).collect()
        }
        Values::Mixed(cells) => cells
            .iter()
            .map(|cell| match cell {
                Cell::Null => String::new(),
                Cell::Boolean(value) => value.to_string(),
                Cell::Number(text) => text.clone(),
                Cell::Text(text) => quoted(text.as_bytes()),
            })
            .collect(),
    };
    if let Some(validity) = &chunk.validity {
        for (at, cell) in all.iter_mut().enumerate() {
            if validity[at / 8] >> (at % 8) & 1 == 0 {
                cell.clear();
            }
        }
    }
    all
}

fn quoted(text: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(text))
}

fn read(text: &str) -> (CollectedTable, Summary) {
    let mut table = CollectedTable::default();
    let summary = super::read(text, &mut table).unwrap();
    (table, summary)
}

fn rows(text: &str) -> Vec<String> {
    read(text).0.rows.iter().map(|row| row.join("|")).collect()
}

fn header(text: &str) -> Vec<String> {
    read(text).0.header
}

#[test]
fn delimiters_quotes_and_ragged_rows() {
    for text in ["a,b\n1,x\n", "a;b\n1;x\n", "a\tb\n1\tx\n", "a|b\n1|x\n", "\n\"a\",b\r\n1,\"x\"\n"]
    {
        assert_eq!(header(text), ["a", "b"], "{text:?}");
        assert_eq!(rows(text), ["1|'x'"], "{text:?}");
    }
    assert_eq!(rows("a,b\n\"1,234\",\"two\nlines\"\n"), ["'1,234'|'two\nlines'"]);
    let (table, summary) = read("a,b\n1\n1,2,3\n");
    assert_eq!(table.header, ["a", "b", ""]);
    assert_eq!(table.rows, [["1", "", ""], ["1", "2", "3"]]);
    assert_eq!(summary.warnings.len(), 1);
    assert!(summary.warnings[0].ends_with("empty ones: 2, the first in line 2"), "{summary:?}");
    assert_eq!(read("").0.begin_count, 0);
}

#[test]
fn delimiters_are_found_where_others_stand_in_the_values() {
    assert_eq!(header("a;b\n1,5;2,5\n3,5;4,5\n"), ["a", "b"]);
    assert_eq!(header("name,note\nx,\"a;b;c\nd;e\"\ny,z\n"), ["name", "note"]);
    assert_eq!(header("sep=;\na;b\n1;2\n"), ["a", "b"]);
    assert_eq!(rows("only\n1\n2\n").len(), 2);
    assert_eq!(shape("a,b\n1,2\n3,4\n"), Some(b','));
    assert_eq!(shape("One, two.\nThree.\nFour, five, six.\n"), None);
}

#[test]
fn odd_signs_in_a_list_are_no_delimiters() {
    let late = |sign: &str| {
        let lines: String = (0..60).map(|n| format!("value {n}\n")).collect();
        format!("comment\n{lines}a{sign}b\nc{sign}d{sign}e\n")
    };
    for text in [late(","), late(";"), late("|"), late(", "), late("\t")] {
        assert_eq!((header(&text).len(), rows(&text).len()), (1, 62), "{text}");
    }
    assert_eq!(rows("c0\nv0\na;b\n"), ["'v0'", "'a;b'"]);
    assert_eq!(rows("name\nAnna\nBert\nClara\nDora\nEmil; Otto\n").len(), 5);
    assert_eq!(rows("note\n\"first, with comma\"\nplain\nx|y|z\nlast; one\n").len(), 4);
    let prose: String = (0..40).map(|n| format!("Anna, Bert and {n}\n")).collect();
    assert_eq!(rows(&format!("comment\n{prose}")).len(), 40);
    // Another delimiter in one late row is part of its value.
    let table: String = (0..60).map(|n| format!("{n},n{n}\n")).collect();
    assert_eq!(rows(&format!("id,name\n{table}60;x;y\n")).len(), 61);
}

#[test]
fn titles_and_empty_columns_are_no_part_of_the_table() {
    let (table, summary) = read("2024年销售,,\n\n地区,金额,\n东,1,\n");
    assert_eq!(summary.captions, ["2024年销售"]);
    assert_eq!(table.header, ["地区", "金额"]);
    assert_eq!(header(",amount\neast,5\n"), ["", "amount"]);
    assert_eq!(header("title\n,only\na,b\n"), ["", "only"]);
    let (table, summary) = read("Report\nDate 1\nUser 2\n\na,b\n1,2\n");
    assert_eq!((table.header, summary.captions.len()), (vec!["a".into(), "b".into()], 3));
    assert_eq!(summary.warnings.len(), 1);
}

#[test]
fn one_wide_row_does_not_widen_a_million() {
    let text = format!("a{}\n{}", ",".repeat(50_000), "1\n".repeat(1000));
    assert_eq!(header(&text).len(), 1);
    let text = format!("{}b\n{}", "a,".repeat(50_000), "1\n".repeat(5000));
    let problem = super::read(&text, &mut CollectedTable::default()).unwrap_err();
    assert!(matches!(problem, Problem::TooMuch(text) if text.contains("line 1 ")));
}

#[test]
fn columns_have_types() {
    let (table, _) = read(
        "n,price,day,at,ok,name,none\n1,1.50,2024-01-31,08:30:00,true,x,\n-2,,1970-01-02,,false,y,\n",
    );
    assert_eq!(table.rows[0][..6], ["1", "15e-1", "day 19753", "us 30600000000", "true", "'x'"]);
    assert_eq!(table.rows[1][..6], ["-2", "", "day 1", "", "false", "'y'"]);
    assert_eq!(rows("a\n1\nx\n2024-01-31\n"), ["1", "'x'", "'2024-01-31'"]);
    assert_eq!(rows("a\n9223372036854775807\n-9223372036854775808\n")[1], "-9223372036854775808");
    assert_eq!(rows("a\n9223372036854775808\n1\n"), ["9223372036854775808", "1"]);
    assert_eq!(rows("a\n12345678901234567890.5\n1\n"), ["123456789012345678905e-1", "10e-1"]);
    assert_eq!(rows(&format!("a\n{}\n1\n", "9".repeat(39))), ["9".repeat(39), "1".into()]);
    assert_eq!(rows("a\n007\n1\n"), ["'007'", "1"]);
}

#[test]
fn what_the_beginning_does_not_show_is_read_again() {
    let many: String = (0..6_000).map(|n| format!("{n},x\n")).collect();
    for (last, expected) in [("0.5,x", "5e-1|'x'"), ("N/A,7", "'N/A'|7"), (",", "5999|'x'")] {
        let text = format!("a,b\n{many}{last}\n");
        let all = rows(&text);
        let expected = if last == "," { "59990e-1|'x'".to_owned() } else { expected.to_owned() };
        match last {
            "," => assert_eq!(all.len(), 6_000),
            _ => assert_eq!(all.last().unwrap(), &expected, "{last}"),
        }
    }
    let wide = format!("a,b\n{many}1,2,3,4\n");
    assert_eq!((read(&wide).0.header.len(), read(&wide).0.begin_count), (4, 2));
    // The last row may decide what a point means.
    let points: String = (0..6_000).map(|_| "1.250;x\n".to_owned()).collect();
    assert_eq!(rows(&format!("a;b\n{points}0,05;x\n"))[0], "125000e-2|'x'");
}

#[test]
fn points_and_commas_are_judged_together() {
    let menge = "Artikel;Menge;Preis\nS;1.250;0,05\nM;12.500;0,04\nD;3.000;0,10\n";
    assert_eq!(rows(menge), ["'S'|1250|5e-2", "'M'|12500|4e-2", "'D'|3000|10e-2"]);
    assert!(read(menge).1.warnings[0].contains("`1.250` in line 2 is 1250"));
    for text in [
        menge.replace(';', "\t"),
        "a,b,c\n\"S\",\"1.250\",\"0,05\"\nM,\"12.500\",\"1,04\"\n".into(),
    ] {
        assert!(rows(&text)[1].contains("|12500|"), "{text}");
    }
    let konto = "D;E;B;M;K\n01.02.2026;L;-1.355,90;1.250;0,75\n02.02.2026;G;12.500,00;12.500;1,10\n13.02.2026;A;3,50;3.000;0,99\n";
    assert_eq!(rows(konto)[0], "'01.02.2026'|'L'|-13559e-1|1250|75e-2");
    assert_eq!(rows("A;Q;P\nA;1.250;0,05\nB;1.000.000;0,04\n")[1], "'B'|1000000|4e-2");
    // One clear decimal point decides for all columns.
    let us = "Item;Weight;Price\nA;1.250;0.05\nB;12.500;1.10\nC;3.5;0.99\n";
    assert_eq!(rows(us)[0], "'A'|125e-2|5e-2");
    assert!(read(us).1.warnings.is_empty());
    assert_eq!(
        rows("i,w,p\nA,1.250,\"1,200.50\"\nB,12.500,\"3,000.00\"\n")[0],
        "'A'|125e-2|'1,200.50'"
    );
    // Nothing decides what the point means.
    let (table, summary) = read("Ort;E\nA;1.250\nB;980\nC;12.500\n");
    assert_eq!(table.rows[0][1], "'1.250'");
    assert!(summary.warnings[0].contains("kept as text: E"), "{summary:?}");
    let (table, summary) = read("Ort,E\nA,1.250\nB,980\nC,12.500\n");
    assert_eq!(table.rows[0][1], "125e-2");
    assert_eq!(summary.warnings.len(), 1);
    // If other columns contradict each other, an ambiguous one stays text.
    assert_eq!(rows("a;b;c\n1.250;0,5;0.5\n2.250;1,5;1.5\n")[0].split('|').next(), Some("'1.250'"));
}

#[test]
fn codes_stay_as_written() {
    assert_eq!(
        rows("zip,sku\n\"02494\",\"7E2\"\n\"00501\",\"912\"\n"),
        ["'02494'|'7E2'", "'00501'|912"]
    );
    let (table, summary) = read("part,qty\n1E3,5\n2E5,7\n1001,9\n");
    assert_eq!(table.rows[0][0], "'1E3'");
    assert!(summary.warnings[0].contains("part (`1E3` in line 2)"), "{summary:?}");
    assert_eq!(rows("well,g\n1E02,x\n2E10,y\n"), ["'1E02'|'x'", "'2E10'|'y'"]);
    assert_eq!(rows("a,b\n1.5E+3,x\n1E3,y\n2,z\n"), ["1500|'x'", "1000|'y'", "2|'z'"]);
    let (table, summary) = read("a,b\n1.5E+400,x\n3,y\n");
    assert_eq!((table.rows[0][0].as_str(), summary.warnings.len()), ("'1.5E+400'", 1));
    assert_eq!(rows("part,qty\n1E400,5\n3,7\n")[0], "'1E400'|5");
}

#[test]
fn quotes_swallow_no_rows() {
    let open = "id,name,qty\n1,\"Tube, 5 m\",10\n2,\"Pipe 3 in,20\n3,Valve,30\n4,\"Joint\",40\n5,Elbow,50\n";
    let (table, summary) = read(open);
    assert_eq!(table.rows.len(), 5);
    assert_eq!(table.rows[1], ["2", "'\"Pipe 3 in'", "20"]);
    assert!(summary.warnings[0].ends_with(": 1, the first in line 3"), "{summary:?}");
    let smart = "id,text,n\n1,\"closed by a smart quote”,3\n2,\"x\",4\n3,\"y\",5\n";
    assert_eq!(rows(smart).len(), 3);
    let long: String = (0..400)
        .map(|n| format!("{n},\"Name {n}{},2\n", if n == 45 { "" } else { "\"" }))
        .collect();
    assert_eq!(rows(&format!("id,name,qty\n{long}")).len(), 400);
    // The next quote is at the end of a field.
    let early = "a,b,c\n1,\"x,2\n2,y,3\n3,\", z\",4\n5,w,6\n";
    assert_eq!(rows(early).len(), 4);
    let mid = "id,name,lat\n1,Main St,52.1\n2,B\"s,52.2\n3,\"Toys \"\"R\"\" Us\",52.3\n4,\"Bar\" Street,52.4\n5,5\" pipe,52.5\n";
    let (table, summary) = read(mid);
    assert_eq!(table.rows.len(), 5);
    assert_eq!(
        (table.rows[2][1].as_str(), table.rows[3][1].as_str()),
        ("'Toys \"R\" Us'", "'Bar Street'")
    );
    assert!(summary.warnings[0].ends_with("the first in line 5"), "{summary:?}");
    assert_eq!(rows("a,b\n\"Tube 5\" long\",10\n")[0], "'Tube 5\" long'|10");
    assert_eq!(rows("a,b\n\"a\",\"b\"\n\"c\",\"d\n"), ["'a'|'b'", "'c'|'\"d'"]);
    let multi = "id,text,n\n1,\"two\r\nlines, with \"\"quotes\"\" inside\",3\n2,\"x\",4\n";
    assert_eq!(rows(multi), ["1|'two\nlines, with \"quotes\" inside'|3", "2|'x'|4"]);
    assert!(read(multi).1.warnings.is_empty());
}

#[test]
fn backslashes_in_front_of_quotes() {
    let text = "id,text,n\n1,\"said \\\"no\\\", twice\",3\n2,\"plain\",4\n3,\"C:\\dir\\\",5\n";
    assert_eq!(rows(text), ["1|'said \"no\", twice'|3", "2|'plain'|4", "3|'C:\\dir\\'|5"]);
    assert_eq!(rows("a,b\n\"C:\\dir\\\",1\n\"x\",2\n")[0], "'C:\\dir\\'|1");
}

#[test]
fn blanks_and_controls_are_cleaned() {
    assert_eq!(rows("a,b\n  East ,\u{3000}1 \n\"x\u{7}\",e\u{301}\n"), ["'East'|1", "'x'|'é'"]);
    assert_eq!(header("\u{FEFF}a,b\n1,2\n"), ["a", "b"]);
    assert_eq!(rows("a,b\r1,2\r3,4\r").len(), 2);
}

#[test]
fn records_that_are_taken_apart_together_are_those_by_themselves() {
    // Rows of all kinds, enough for many batches and chunks.
    let kinds = [
        "1,2024-01-31,北京,12.50,true,plain",
        "-22,2023-12-01,\"Müller, A\",0.25,false,\"says \"\"hi\"\"\"",
        "333,,\u{3000}上海 ,,true,",
        "4444,2020-02-29,e\u{301}t\u{301}\u{e9},1234.00,false,a text of more than sixteen bytes",
        "55555,1999-09-09,\"li\nne\",7,true,\"\"",
        "6,2024-01-31",
    ];
    let mut state = 7_u64;
    let rows: Vec<&str> = (0..40_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            kinds[(state >> 33) as usize % kinds.len()]
        })
        .collect();
    let text = format!("n,day,city,price,ok,note\n{}\n", rows.join("\n"));
    let (table, summary) = read(&text);
    let expected: Vec<Vec<String>> = kinds
        .iter()
        .map(|kind| {
            // The other kinds give the columns the same types. The kind to compare is the last row.
            let all = format!("n,day,city,price,ok,note\n{}\n{kind}\n", kinds.join("\n"));
            read(&all).0.rows.pop().unwrap()
        })
        .collect();
    assert_eq!(table.rows.len(), rows.len());
    for (row, kind) in table.rows.iter().zip(&rows) {
        let at = kinds.iter().position(|it| it == kind).unwrap();
        assert_eq!(*row, expected[at]);
    }
    let short = rows.iter().filter(|row| **row == kinds[5]).count();
    assert!(
        summary.warnings[0].contains(&format!(": {short}, the first")),
        "{:?}",
        summary.warnings
    );
}

/// Counts the chunks, and the rows of each.
#[derive(Default)]
struct Sizes(Vec<usize>);

impl Sink for Sizes {
    type Error = std::convert::Infallible;

    fn begin(&mut self, _: &[String]) -> Result<(), Self::Error> {
        self.0.clear();
        Ok(())
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Self::Error> {
        self.0.push(cells(&chunks[0]).len());
        Ok(())
    }

    fn end(&mut self, _: String) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[test]
fn a_sink_gets_so_many_rows_cells_and_bytes_at_a_time() {
    let sizes = |text: &str| {
        let mut sizes = Sizes::default();
        super::read(text, &mut sizes).unwrap();
        sizes.0
    };
    assert_eq!(sizes("a,b\n"), []);
    assert_eq!(sizes("a,b\n1,2\n"), [1]);
    assert_eq!(sizes(&format!("a\n{}", "1\n".repeat(20_000))), [ROWS_AT_A_TIME, 20_000 - 16_384]);
    let wide = "1,".repeat(62) + "1\n";
    let header = "a,".repeat(62) + "a\n";
    let rows = CELLS_AT_A_TIME / 63;
    assert_eq!(sizes(&(header + &wide.repeat(rows + 100))), [rows, 100]);
    // Each text is another one, so that none is kept once for several.
    let long: String = (0..5_000).map(|row| format!("{row:0>1000}x\n")).collect();
    let sizes = sizes(&format!("a\n{long}"));
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    assert!((4_190..4_300).contains(&sizes[0]), "{sizes:?}");
}

#[test]
fn types_of_wide_tables_are_those_of_all_rows() {
    let row = "1,".repeat(39) + "2\n";
    let text = format!("{}b\n{}{}N/A\n", "a,".repeat(39), row.repeat(4_000), "1,".repeat(39));
    let (table, _) = read(&text);
    assert_eq!((table.rows.len(), table.begin_count), (4_001, 2));
    assert_eq!(table.rows[0][38..], ["1", "2"]);
    assert_eq!(table.rows[4_000][38..], ["1", "'N/A'"]);
    // The sample is more than one row.
    assert_eq!(read("a\n1\n0.5\n").0.begin_count, 1);
}

#[test]
fn a_column_without_a_heading_is_named_by_its_number() {
    let (table, summary) = read("Ort;;x\nA;1.250;1\nB;980;2\nC;12.500;3\n");
    assert_eq!(table.header, ["Ort", "", "x"]);
    assert!(summary.warnings[0].contains("kept as text: column_2"), "{summary:?}");
}

#[test]
fn one_caption_is_the_name_and_needs_no_warning() {
    let (_, summary) = read("Sales\n\na,b\n1,2\n");
    assert_eq!((summary.captions, summary.warnings), (vec!["Sales".to_owned()], vec![]));
}

/// Returns the warning about ragged rows, of which there is one.
fn ragged_line(text: &str) -> String {
    let (_, summary) = read(text);
    summary.warnings.iter().find(|it| it.contains("another number of values")).cloned().unwrap()
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    for (text, line) in [
        ("a,b\n1,2\n3\n", 3),
        ("a,b\r\n1,2\r\n3\r\n", 3),
        ("a,b\r1,2\r3\r", 3),
        ("a,b\n\n1,2\n\n\n3\n", 6),
        ("a,b\r\n\"1\",\"2\"\r\n3\r\n", 3),
        // Values of several lines, with each kind of line end.
        ("a,b\n1,\"x\ny\"\n3\n", 4),
        ("a,b\n1,\"x\r\ny\"\n3\n", 4),
        ("a,b\n1,\"x\ry\"\n3\n", 4),
        ("a,b\n1,\"x\r\r\ny\n\"\n3\n", 6),
        ("a,b\n1,\"x \"\"y\"\"\n\nz\"\n3\n", 5),
    ] {
        let warning = ragged_line(text);
        assert!(warning.ends_with(&format!(": 1, the first in line {line}")), "{text:?} {warning}");
    }
}

#[test]
fn blanks_at_either_end_are_no_part_of_a_value() {
    for blank in [" ", "\t ", "\u{A0}", "\u{3000}", "\u{2003}"] {
        for (left, right) in [(blank, ""), ("", blank), (blank, blank)] {
            let text = format!("a,b,c\n{left}1{right},{left}é{right},\"{left}2{right}\"\n");
            assert_eq!(rows(&text), ["1|'é'|2"], "{text:?}");
        }
    }
}

#[test]
fn quotes_of_all_kinds_leave_the_value() {
    for (field, value) in [
        (r#""""x"" y""#, r#""x" y"#),
        (r#""a """" b""#, r#"a "" b"#),
        (r#""a """"""#, r#"a """#),
        // A delimiter before the last quote.
        (r#""x""y,""#, r#"x"y,"#),
        (r#""a,"b"#, "a,b"),
        (r#""a"  "#, "a"),
    ] {
        assert_eq!(rows(&format!("x,y\n{field},1\n"))[0], format!("'{value}'|1"), "{field}");
    }
    // A row with fewer values than the header is as sure of its quotes.
    let (table, _) = read("a,b,c\n1,\"say \"\"x\"\", y\"\n2,3,4\n");
    assert_eq!(table.rows[0], ["1", "'say \"x\", y'", ""]);
    // A delimiter before the last quote of a value of several lines.
    let text = "a,b,c\n1,\"two,x\nlines,\",3\n4,5,6\n";
    assert_eq!(rows(text), ["1|'two,x\nlines,'|3", "4|5|6"]);
    // The quote of the next row does not close the one that is open.
    let (table, summary) = read("a,b,c\n1,\"x,2\n2,y\",3,4,5\n6,7,8\n");
    assert_eq!(table.rows.len(), 3, "{:?}", table.rows);
    assert_eq!(table.rows[0][..3], ["1", "'\"x'", "2"]);
    assert!(summary.warnings.iter().any(|it| it.contains("never closed")), "{summary:?}");
}

#[test]
fn backslashes_are_counted_before_a_quote() {
    // The first row shows that quotes have a backslash before them.
    let value = |field: &str| {
        let text = format!("id,text,n\n1,\"say \\\"no\\\" now\",3\n2,{field},4\n");
        let (table, _) = read(&text);
        assert_eq!((table.rows.len(), table.rows[1].len()), (2, 3), "{text}");
        assert_eq!(table.rows[1][2], "4", "{text}");
        table.rows[1][1].trim_matches('\'').to_owned()
    };
    for (field, expected) in [
        (r#""a\"b""#, r#"a"b"#),
        (r#""x\",y""#, r#"x",y"#),
        (r#""dir\\""#, r"dir\\"),
        (r#""dir\\\" x""#, r#"dir\" x"#),
        (r#""\"a\" C:\""#, r#""a" C:\"#),
        (r#""plain""#, "plain"),
    ] {
        assert_eq!(value(field), expected, "{field}");
    }
}

#[test]
fn a_late_row_with_more_values_widens_the_table() {
    let many: String = (0..6_000).map(|n| format!("{n},x\n")).collect();
    let (table, _) = read(&format!("a,b\n{many}1,x,3,4\n"));
    assert_eq!((table.header.len(), table.rows.len()), (4, 6_001));
    assert_eq!(table.rows[6_000], ["1", "'x'", "3", "4"]);
    // As many columns as a worksheet has, and no more.
    let most = scan::MAX_COLUMNS;
    let wide = |values: usize| {
        let header = "a,".repeat(2_999) + "a\n";
        format!("{header}{}{}1\n", ("1,".repeat(2_999) + "1\n").repeat(31), "1,".repeat(values - 1))
    };
    assert_eq!(header(&wide(most)).len(), most);
    let problem = super::read(&wide(most + 1), &mut CollectedTable::default()).unwrap_err();
    assert!(matches!(problem, Problem::TooMuch(text) if text.contains("line 33 ")));
}

#[test]
fn a_blank_stands_for_the_t_of_a_time() {
    assert_eq!(
        rows("d\n2024-01-01 10:00:00\n2024-01-02T10:00:01.5\n"),
        ["us 1704103200000000", "us 1704189601500000"]
    );
    assert_eq!(rows("d\n2024-01-01  10:00:00\n"), ["'2024-01-01  10:00:00'"]);
}

#[test]
fn numbers_with_a_comma_are_named() {
    for (text, expected) in [
        (
            "k,v\na,1\nb,\"1,234\"\nc,2\n",
            "numbers with a comma were kept as text: v (`1,234` in line 3)",
        ),
        (
            "k;v\na;1,250\nb;2,500\n",
            "numbers with a comma were kept as text: v (`1,250` in line 2)",
        ),
        ("k;v\na;1,5\nb;2.5\n", "numbers with a comma were kept as text: v (`1,5` in line 2)"),
        // Texts that look so by chance.
        ("k,v\na,x\nb,\"1,234\"\nc,y\n", ""),
        ("k;v\na;1,5\nb;2,25\n", "numbers are written with a comma before decimals"),
    ] {
        let warnings = read(text).1.warnings.join("\n");
        assert!(warnings.starts_with(expected), "{text}: {warnings}");
        assert_eq!(warnings.is_empty(), expected.is_empty(), "{text}: {warnings}");
    }
}
