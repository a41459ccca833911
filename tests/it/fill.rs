//! `mitt fill`: foreign templates, in the worker and without one. The content of cells is tested beside the code.

use std::fs;
use std::path::Path;

use calamine::{Data, Reader as _, Xlsx, open_workbook};

use crate::support::{mitt, root, text};

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn cell(path: &Path, sheet: &str, at: (u32, u32)) -> Data {
    let mut book: Xlsx<_> = open_workbook(path).unwrap();
    let range = book.worksheet_range(sheet).unwrap();
    range.get_value(at).cloned().unwrap_or_default()
}

const VALUES: &str = r#"{"number": "NO-1", "customer": {"name": "星河", "city": "上海"}, "date": "2026-11-24", "rate": "13%", "signer": "王"}"#;

#[test]
fn a_template_is_filled_from_json_options_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let template = root().join("tests/it/fill/invoice.xlsx");
    let template = template.to_str().unwrap();
    fs::write(at("v.json"), VALUES).unwrap();
    let (csv, _, _) =
        encoding_rs::GBK.encode("name,quantity,price,note\n笔,3,1.50,\n=1+1,2,10,x\n");
    fs::write(at("items.csv"), csv).unwrap();
    let mut made = Vec::new();
    for (worker, output) in [("always", "a.xlsx"), ("never", "b.xlsx")] {
        let args = [
            "fill",
            template,
            "--data",
            "v.json",
            "--set",
            "number=42",
            "--set",
            "extra=1",
            "--csv",
            "items=items.csv",
            "-o",
            output,
            "--worker",
            worker,
        ];
        let (code, stdout, stderr) = run(folder.path(), &args);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stdout.trim(), output);
        assert!(stderr.contains("were not used: `extra`"), "{stderr}");
        made.push(fs::read(at(output)).unwrap());
    }
    assert_eq!(made[0], made[1], "the same bytes wherever it is done");
    assert_eq!(cell(&at("a.xlsx"), "发票", (0, 0)), Data::String("销售发票 42".into()));
    assert_eq!(cell(&at("a.xlsx"), "发票", (6, 1)), Data::String("=1+1".into()));
    assert_eq!(cell(&at("a.xlsx"), "发票", (7, 4)), Data::Float(24.5));
    // Missing values are reported before anything is written, and an existing file is not replaced.
    let (code, _, stderr) =
        run(folder.path(), &["fill", template, "--data", "v.json", "-o", "c.xlsx"]);
    assert!(
        code == 4 && stderr.contains("`items.price` at 发票!D6") && !at("c.xlsx").exists(),
        "{stderr}"
    );
    fs::write(at("mine.xlsx"), "precious").unwrap();
    let (code, _, stderr) = run(folder.path(), &["fill", template, "-o", "mine.xlsx"]);
    assert!(code == 3 && stderr.contains("is there already"), "{stderr}");
    for (args, message) in [
        (&["fill", template, "-o", "x.pdf"][..], "expected a name that ends in `.xlsx`"),
        (&["fill", "no.xlsx", "-o", "x.xlsx"], "cannot read no.xlsx"),
        (&["fill", "mine.xlsx", "-o", "x.xlsx"], "mine.xlsx: the template is damaged"),
        (&["fill", template, "--set", "x", "-o", "x.xlsx"], "expected `name=value`"),
        (&["fill", template, "--csv", "items=mine.xlsx", "-o", "x.xlsx"], "holds no table"),
    ] {
        let (code, _, stderr) = run(folder.path(), args);
        assert!(code == 3 && stderr.contains(message), "{code} {stderr}");
    }
    fs::copy(template, at("t.xlsx")).unwrap();
    let (code, _, stderr) = run(folder.path(), &["fill", "t.xlsx", "-o", "./t.xlsx", "--force"]);
    assert!(code == 3 && stderr.contains("is the template itself"), "{stderr}");
}

#[test]
fn rows_are_appended_and_words_are_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let orders = root().join("tests/it/fill/orders.xlsx");
    let orders = orders.to_str().unwrap();
    fs::write(at("new.csv"), "Date,Amount\n2026-02-01,99.5\n").unwrap();
    let args =
        ["fill", orders, "--append", "new.csv", "--sheet", "orders", "-o", "o.xlsx", "--json"];
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains("\"path\": \"o.xlsx\"") || stdout.contains("\"path\":\"o.xlsx\""),
        "{stdout}"
    );
    assert_eq!(cell(&at("o.xlsx"), "Orders", (4, 2)), Data::Float(99.5));
    assert_eq!(cell(&at("o.xlsx"), "Orders", (7, 2)), Data::Float(162.5));
    fs::write(at("words.yaml"), "rules:\n  - word: 机密\n").unwrap();
    fs::write(at("bad.csv"), "Region\n机密\n").unwrap();
    let args = ["fill", orders, "--append", "bad.csv", "-o", "p.xlsx", "--words", "words.yaml"];
    let (code, _, stderr) = run(folder.path(), &args);
    assert!(code == 12 && !at("p.xlsx").exists(), "{code} {stderr}");
}
