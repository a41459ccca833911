//! `mitt sql`, `mitt fill --each` and `mitt demo`, as a user types them.

use serde_json::Value;

use crate::support::mitt;

fn run(folder: &std::path::Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn tables_of_files_are_asked_in_sql() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("orders.csv", "city,sales\n上海,1.5\n北京,2\n上海,3\n");
    write("prices.csv", "city,price\n上海,10\n");
    write("q.sql", "select count(*) as n from orders");
    let sum = "select city, sum(sales) as sales from orders group by city order by city";
    let (code, stdout, stderr) = run(folder.path(), &["sql", sum, "orders.csv"]);
    assert_eq!(code, 0, "{stderr}");
    insta::assert_snapshot!(stdout, @r"
    city  sales
    ────  ─────
    上海    4.5
    北京      2
    ");
    let join = "select o.city, price from orders o join prices using (city)";
    let args = ["sql", join, "--doc", "orders.csv", "--doc", "prices.csv", "--csv"];
    let (code, stdout, _) = run(folder.path(), &args);
    assert_eq!((code, stdout.as_str()), (0, "city,price\n上海,10\n上海,10\n"));
    let (code, stdout, _) = run(folder.path(), &["sql", "@q.sql", "orders.csv", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["data"]["rows"][0][0]), (0, &Value::from(3)), "{json}");
    let (code, _, stderr) = run(folder.path(), &["sql", "select x from nothing", "orders.csv"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("nothing"), "{stderr}");
}

#[test]
fn a_template_is_filled_once_for_each_row() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.csv", "number,name\n1,甲\n2,乙\n");
    write("b.csv", "number,name\n1,甲\n1,乙\n");
    write("t.md", "{{name}} has {{number}}\n");
    // A Word file of ours is a template like any other.
    let (code, _, stderr) = run(folder.path(), &["render", "t.md", "-o", "t.docx"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) =
        run(folder.path(), &["fill", "t.docx", "--each", "a.csv", "-o", "out/{number}.docx"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "out/1.docx\nout/2.docx\n");
    let (_, text, _) = run(folder.path(), &["ingest", "out/2.docx"]);
    assert!(text.contains("乙 has 2"), "{text}");
    std::fs::remove_dir_all(&out).unwrap();
    let (code, _, stderr) =
        run(folder.path(), &["fill", "t.docx", "--each", "b.csv", "-o", "out/{number}.docx"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("rows 1 and 2 would both be") && !out.exists(), "{stderr}");
}

#[test]
fn the_demo_needs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["demo"]);
    assert_eq!(code, 0, "{stderr}");
    for name in ["2024-2025年经营对比.xlsx", "2024-2025年经营总结.pdf"] {
        assert!(folder.path().join("mitt-demo/out").join(name).is_file(), "{stdout}");
    }
    // A file that the user has changed belongs to the user.
    std::fs::write(folder.path().join("mitt-demo/task.yaml"), "mine").unwrap();
    assert_eq!(run(folder.path(), &["demo"]).0, 3);
}
