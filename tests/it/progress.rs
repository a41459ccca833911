//! Progress of long tables.
//!
//! Only long work is reported, so the table of a test grows until it takes a while on this machine.

use std::sync::{Arc, Mutex};

use mitt::{CallId, CallOptions, Event, RowStep, Session, SessionOptions};
use mitt_base::rows::grouped;
use serde_json::json;

use crate::support::{host, mitt, text};

/// Returns row counts of ever longer tables.
fn sizes() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(150_000), |rows| Some(rows * 2)).take(5)
}

fn csv(rows: usize) -> String {
    format!("a,b,c,d,e,f,g,h\n{}", "1,x,2,y,3,z,4,w\n".repeat(rows))
}

#[derive(Clone, Debug, PartialEq)]
struct Rows {
    call: Option<CallId>,
    name: String,
    step: RowStep,
    rows: u64,
    of: Option<u64>,
}

type Told = Arc<Mutex<Vec<Rows>>>;

fn take(told: &Told) -> Vec<Rows> {
    std::mem::take(&mut *told.lock().unwrap())
}

fn listener() -> (Told, impl Fn(&Event) + Send + Sync + 'static) {
    let told = Told::default();
    let heard = told.clone();
    let sink = move |event: &Event| {
        if let Event::Rows { call, name, step, rows, of } = event {
            let (call, name, step, rows, of) = (*call, name.clone(), *step, *rows, *of);
            heard.lock().unwrap().push(Rows { call, name, step, rows, of });
        }
    };
    (told, sink)
}

fn session_with_listener() -> (Session, Told) {
    let (told, sink) = listener();
    let options = SessionOptions { events: Some(Arc::new(sink)), ..SessionOptions::default() };
    (host().session(options).unwrap(), told)
}

/// Checks that the reported rows of one operation increase, up to their number.
#[track_caller]
fn check(told: &[Rows], of_same: &Rows) {
    for one in told {
        assert_eq!(Rows { rows: of_same.rows, ..one.clone() }, *of_same);
        assert!((1..=of_same.rows).contains(&one.rows), "{told:?}");
    }
    assert!(told.is_sorted_by_key(|one| one.rows), "{told:?}");
}

#[tokio::test]
async fn programs_are_told_of_rows_that_the_host_reads() {
    for rows in sizes() {
        let (session, told) = session_with_listener();
        session.add_document_bytes("a.csv", csv(rows).into_bytes()).await.unwrap();
        let (told, name, step) = (take(&told), "a.csv".to_owned(), RowStep::Reading);
        check(&told, &Rows { call: None, name, step, rows: rows as u64, of: None });
        if !told.is_empty() {
            return;
        }
    }
    panic!("nothing is told");
}

#[tokio::test]
async fn programs_are_told_of_rows_that_are_written_and_that_a_plugin_reads() {
    // At most as many as a worksheet has.
    for rows in sizes().take(3) {
        let (session, told) = session_with_listener();
        session.add_document_bytes("a.csv", csv(rows).into_bytes()).await.unwrap();
        take(&told);
        let (own, sink) = listener();
        let arguments = json!({ "data": { "$ref": "a.csv" } }).to_string();
        let options = CallOptions::new().events(sink);
        let report = session.call_with("excel_tool__create_excel", &arguments, options).await;
        report.result.unwrap();
        let written = take(&told);
        assert_eq!(written, take(&own), "the call's own listener hears the same");
        let (name, step, all) = ("report.xlsx".to_owned(), RowStep::Writing, rows as u64 + 1);
        check(&written, &Rows { call: Some(report.call), name, step, rows: all, of: Some(all) });

        let book = session.artifact_content("report.xlsx").unwrap();
        session.add_document_bytes("b.xlsx", book).await.unwrap();
        let (read, name, step) = (take(&told), "b.xlsx".to_owned(), RowStep::Reading);
        check(&read, &Rows { call: None, name, step, rows: all, of: None });
        if !written.is_empty() && !read.is_empty() {
            return;
        }
    }
    panic!("nothing is told");
}

/// Reads a file and writes it as `format`.
#[cfg(target_os = "linux")]
fn check_terminal(format: &str) {
    let folder = tempfile::tempdir().unwrap();
    for rows in sizes() {
        std::fs::write(folder.path().join("a.csv"), csv(rows)).unwrap();
        let option = format.to_lowercase();
        let line = format!("ingest a.csv --{option}");
        let Some(shown) = crate::support::on_terminal(folder.path(), &format!("{line} > out"))
        else {
            return;
        };
        let written = std::fs::read_to_string(folder.path().join("out")).unwrap();
        assert!(written.lines().count() > rows && !written.contains('\u{1b}'));
        let end = format!(" of {} rows", grouped(rows as u64));
        let is_read = tells(&shown, "reading a.csv: ", " rows");
        if !is_read || !tells(&shown, &format!("writing {format}: "), &end) {
            continue;
        }
        // Nobody is there to see it, wants to see it, or needs it because the rows themselves are visible.
        let output = mitt(folder.path(), &["ingest", "a.csv", &format!("--{option}")]);
        let errors = text(&output.stderr);
        assert_eq!(text(&output.stdout), written);
        assert!(errors.starts_with("ingest  a.csv") && !errors.contains("ing a.csv: "), "{errors}");
        assert!(!errors.contains("writing") && !errors.contains(['\r', '\u{1b}']), "{errors}");
        let quiet = crate::support::on_terminal(folder.path(), &format!("{line} -q > out"));
        assert_eq!(quiet.as_deref(), Some(""));
        let rows_shown = crate::support::on_terminal(folder.path(), &line).unwrap();
        assert!(!rows_shown.contains("writing") && rows_shown.lines().count() > rows);
        return;
    }
    panic!("nothing is told");
}

/// Returns `true` if a number stands between the two texts.
#[cfg(target_os = "linux")]
fn tells(shown: &str, before: &str, after: &str) -> bool {
    shown.split(before).skip(1).any(|rest| {
        let number = rest.split(after).next().unwrap_or_default();
        number.len() < 12 && number.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_tells_rows() {
    check_terminal("CSV");
    check_terminal("JSON");
}
