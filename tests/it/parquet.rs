//! Parquet and Arrow files: read inside the sandbox, written by `mitt ingest`. The conversion of each type is tested in
//! `plugins/reader-table`, to which these files belong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use mitt_base::ErrorKind;

use crate::support::{command, mitt, on_terminal, root, session, text};

fn file(name: &str) -> PathBuf {
    root().join("plugins/reader-table/tests/files").join(name)
}

fn write_parquet(folder: &Path, from: &str, to: &str) -> String {
    let output = mitt(folder, &["ingest", "-q", from, "--parquet"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::write(folder.join(to), &output.stdout).unwrap();
    text(&output.stderr)
}

fn csv(folder: &Path, name: &str) -> String {
    let output = mitt(folder, &["ingest", "-q", name, "--csv"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[tokio::test]
async fn files_of_columns_are_documents_with_a_table() {
    let session = session();
    for (name, media_type, rows) in [
        ("polars.parquet", "application/vnd.apache.parquet", 1_000),
        ("polars.arrow", "application/vnd.apache.arrow.file", 1_000),
        ("types.arrows", "application/vnd.apache.arrow.file", 3),
    ] {
        let document =
            session.add_document_bytes(name, fs::read(file(name)).unwrap()).await.unwrap();
        assert_eq!(
            (document.media_type.as_str(), document.tables[0].data.rows()),
            (media_type, rows)
        );
        assert!(document.text.starts_with("| "), "{name}: {}", document.text);
        assert_eq!(document.characters, document.text.chars().count() as u64);
    }
    let query = r#"{"sql": "SELECT region, sum(amount) AS s FROM polars GROUP BY 1 ORDER BY 2"}"#;
    let result = session.call("sql_tool__query", query).await.result.unwrap().to_string();
    let rows = r#""rows":[["华南",1661.69],["华北",1665],["华东",1668.31]]"#;
    assert!(result.contains(rows), "{result}");
}

#[tokio::test]
async fn files_that_are_no_table_are_refused_with_a_way_out() {
    let session = session();
    let whole = fs::read(file("polars.parquet")).unwrap();
    for (name, bytes, problem) in [
        ("locked.parquet", fs::read(file("encrypted.parquet")).unwrap(), "save it without one"),
        ("cut.parquet", whole[..whole.len() - 20].to_vec(), "the file is damaged"),
        ("old.feather", fs::read(file("old.feather")).unwrap(), "save it as version 2"),
    ] {
        let error = session.add_document_bytes(name, bytes).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Input, "{name}");
        assert!(error.render().contains(problem), "{name}: {}", error.render());
    }
    assert!(session.documents().is_empty());
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(file("types.feather"), folder.join("types.feather")).unwrap();
    let told = write_parquet(folder, "types.feather", "types.parquet");
    let warning = "warning: column `huge` has cells of several types; they are written as text\n";
    assert!(told.ends_with(warning), "{told}");
    assert_eq!(csv(folder, "types.parquet"), csv(folder, "types.feather"));
    // More than one row group; columns in every form that a CSV file has.
    let rows = (0..140_000).map(|n| {
        let day = n % 28 + 1;
        let wide = if n == 7 { "12345678901234567890.25" } else { "" };
        format!(
            "{n},text {n},{},{}.{:02},2024-01-{day:02},{wide},{}\n",
            n % 5,
            n / 3,
            n % 100,
            n % 2 == 0
        )
    });
    let table = format!("n,text,few,amount,day,wide,even\n{}", rows.collect::<String>());
    fs::write(folder.join("long.csv"), &table).unwrap();
    assert_eq!(write_parquet(folder, "long.csv", "long.parquet"), "");
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    assert!(size("long.parquet") < size("long.csv"));
    assert!(csv(folder, "long.parquet") == csv(folder, "long.csv"));
}

#[test]
fn one_table_goes_to_a_file_or_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.csv"), format!("a,b\n{}", "1,2\n".repeat(300_000))).unwrap();
    fs::write(folder.join("b.md"), "# no table\n").unwrap();
    for (args, problem) in [
        (&["a.csv", "a.csv", "--parquet"][..], "one table of one file is written alone, not of 2"),
        (&["a.csv", "a.csv", "--csv"], "one table of one file is written alone, not of 2"),
        (&["b.md", "--parquet"], "b.md has no table"),
        (&["a.csv", "--table", "1"], "--parquet"),
        (&["a.csv", "--parquet", "--json"], "cannot be used with"),
    ] {
        let output = mitt(folder, &[&["ingest"], args].concat());
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains(problem), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
    let mut program = command(folder, &["ingest", "a.csv", "-q", "--parquet"]);
    let mut program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(program.stdout.take());
    let output = program.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    if let Some(shown) = on_terminal(folder, "ingest a.csv --parquet") {
        assert!(shown.contains("standard output is a terminal"), "{shown}");
        assert!(!shown.contains("PAR1"), "{shown}");
    }
}
