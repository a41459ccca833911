//! Files that are kept, and what is shown of them, with the readers of the host alone.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::preview::{Cell, OutlineKind, Rows};
use mitt_base::ErrorKind;

fn host() -> Host {
    Host::builder().no_cache().bundled_skills(false).build().unwrap()
}

fn previews(files: usize, bytes: u64) -> Previews {
    Previews::within(host(), Bounds { files, bytes, idle: Duration::from_secs(60) })
}

fn file(name: &str) -> PreviewFile<'_> {
    PreviewFile {
        tenant: "acme",
        name,
        media_type: "",
        sha256: "0123",
        size: 20,
        is_rendered: false,
    }
}

async fn open(previews: &Previews, name: &str, content: &[u8]) -> Preview {
    let content = content.to_vec();
    previews.open(file(name), || async move { Ok::<_, Error>(content) }).await.unwrap()
}

fn names(previews: &Previews) -> Vec<String> {
    let kept = lock(&previews.inner.kept);
    kept.files.values().map(|entry| entry.file.name.clone()).collect()
}

fn texts(rows: &Rows) -> Vec<String> {
    let text = |cell: &Option<Cell>| cell.as_ref().map_or("", Cell::text).to_owned();
    let row = |row: &Vec<Option<Cell>>| row.iter().map(text).collect::<Vec<_>>().join("|");
    rows.rows.iter().map(row).collect()
}

#[tokio::test]
async fn rows_of_a_table_come_with_their_header_and_from_anywhere() {
    let mut csv = "month,amount,paid\n".to_owned();
    (0..100_000).for_each(|row| csv.push_str(&format!("m{row},{row}.5,true\n")));
    csv.push_str("end,,\n");
    let preview = open(&previews(4, u64::MAX), "a.csv", csv.as_bytes()).await;
    let outline = preview.outline();
    let sheet = &outline.sheets[0];
    assert_eq!((outline.kind, outline.media_type.as_str()), (OutlineKind::Workbook, "text/csv"));
    assert_eq!((sheet.rows, sheet.columns, sheet.header), (100_002, 3, true));
    assert_eq!((outline.characters, outline.pages.len()), (None, 0));
    let rows = preview.rows(0, 0, 2).await.unwrap();
    assert_eq!(
        (rows.total, texts(&rows)),
        (100_002, vec!["month|amount|paid".into(), "m0|0.5|true".into()])
    );
    let begun = Instant::now();
    let rows = preview.rows(0, 99_999, 5_000).await.unwrap();
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    assert_eq!(
        (rows.from, texts(&rows)),
        (99_999, vec!["m99998|99998.5|true".into(), "m99999|99999.5|true".into(), "end".into()])
    );
    let json = serde_json::to_value(&rows.rows[0]).unwrap();
    assert_eq!(json[1], serde_json::json!({ "d": "99998.5", "v": 99_998.5, "k": "n" }));
    assert_eq!(json[2]["k"], "b");
    assert!(preview.rows(0, u64::MAX, u64::MAX).await.unwrap().rows.is_empty());
    assert_eq!(
        preview.rows(0, 0, u64::MAX).await.unwrap().rows.len() as u64,
        crate::preview::MAX_ROWS
    );
    let error = preview.rows(1, 0, 1).await.unwrap_err();
    assert_eq!(error.to_string(), "expected a sheet below 1, got 1");
    let error = preview.page(1, 900).await.unwrap_err().to_string();
    assert_eq!(error, "the file has no pages to show: it is shown as sheets");
}

#[tokio::test]
async fn a_text_is_shown_in_parts_and_a_picture_as_it_is() {
    let previews = previews(4, u64::MAX);
    let preview = open(&previews, "a.txt", "年报 text".as_bytes()).await;
    let outline = preview.outline();
    assert_eq!((outline.kind, outline.characters), (OutlineKind::Text, Some(7)));
    let never = || async { Err::<Vec<u8>, _>(Error::bug("loaded again")) };
    let part = preview.text(1, 3, never).await.unwrap();
    assert_eq!((part.text.as_str(), part.offset, part.total), ("报 t", 1, 7));
    assert_eq!(*preview.rows(0, 0, 1).await.unwrap_err().kind(), ErrorKind::Input);
    // The name says nothing against the content.
    let preview = open(&previews, "a.csv", b"\x89PNG\r\n\x1a\n...").await;
    let outline = preview.outline();
    assert_eq!((outline.kind, outline.media_type.as_str()), (OutlineKind::Picture, "image/png"));
}

#[tokio::test]
async fn a_file_that_cannot_be_read_says_why() {
    let previews = previews(4, 1_000_000);
    let preview = open(&previews, "a.bin", &[0; 20]).await;
    let outline = preview.outline();
    assert_eq!(outline.kind, OutlineKind::None);
    assert!(outline.warnings[0].contains("are not read"), "{:?}", outline.warnings);
    let most = previews.inner.host.session_limits().document_bytes;
    let large = PreviewFile { size: most + 1, ..file("large.csv") };
    let never = || async { Err::<Vec<u8>, _>(Error::bug("loaded a large file")) };
    let outline = previews.open(large, never).await.unwrap().outline();
    assert_eq!((outline.kind, outline.warnings.is_empty()), (OutlineKind::None, false));
    // What fails for another reason is tried again.
    let fails = || async { Err::<Vec<u8>, _>(Error::bug("the store failed")) };
    assert!(previews.open(file("b.csv"), fails).await.is_err());
    assert_eq!(open(&previews, "b.csv", b"a,b\n1,2\n").await.kind(), OutlineKind::Workbook);
}

#[tokio::test]
async fn all_who_open_a_file_at_once_wait_for_one_reading() {
    let previews = previews(4, u64::MAX);
    let loads = AtomicUsize::new(0);
    let load = || async {
        loads.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        Ok::<_, Error>(b"a,b\n1,2\n".to_vec())
    };
    let (first, second) =
        tokio::join!(previews.open(file("a.csv"), load), previews.open(file("a.csv"), load));
    assert!(first.is_ok() && second.is_ok());
    let document = first.unwrap().document(load).await.unwrap();
    assert_eq!((document.tables.len(), loads.load(Ordering::Relaxed)), (1, 1));
    // Another tenant has a file of its own.
    let other = PreviewFile { tenant: "other", ..file("a.csv") };
    previews.open(other, load).await.unwrap();
    assert_eq!((loads.load(Ordering::Relaxed), names(&previews).len()), (2, 2));
}

#[tokio::test]
async fn the_file_that_was_used_longest_ago_goes_first_and_one_in_use_stays() {
    let previews = previews(2, u64::MAX);
    let used = open(&previews, "a.txt", b"a").await;
    drop(open(&previews, "b.txt", b"b").await);
    drop(open(&previews, "c.txt", b"c").await);
    assert_eq!(names(&previews), ["a.txt", "c.txt"]);
    drop(used);
    drop(open(&previews, "a.txt", b"a").await);
    drop(open(&previews, "d.txt", b"d").await);
    assert_eq!(names(&previews), ["a.txt", "d.txt"]);
}

#[tokio::test]
async fn what_is_kept_is_charged_and_bounded() {
    let text = "words ".repeat(10_000);
    let previews = previews(16, 100_000);
    let host = previews.inner.host.clone();
    let before = host.memory().used;
    let first = open(&previews, "a.txt", text.as_bytes()).await;
    assert!(host.memory().used >= before + 60_000);
    let second = open(&previews, "b.txt", text.as_bytes()).await;
    assert_eq!(names(&previews).len(), 2, "both are in use");
    drop((first, second));
    previews.sweep();
    assert_eq!(names(&previews), ["b.txt"]);
    let later = Instant::now() + Duration::from_secs(60);
    drop(lock(&previews.inner.kept).trimmed(later));
    assert_eq!((names(&previews).len(), host.memory().used), (0, before));
}

#[tokio::test]
async fn files_that_nobody_uses_go_without_a_further_request() {
    let bounds = Bounds { files: 4, bytes: u64::MAX, idle: Duration::from_millis(50) };
    let previews = Previews::within(host(), bounds);
    let used = open(&previews, "a.txt", b"a").await;
    drop(open(&previews, "b.txt", b"b").await);
    let begun = Instant::now();
    while names(&previews) != ["a.txt"] {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", names(&previews));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(used);
    // The task ends with the last file, and begins again with the next one.
    for name in ["a.txt", "c.txt"] {
        while names(&previews).iter().any(|it| it == name) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(open(&previews, "c.txt", b"c").await);
    }
}

#[tokio::test]
async fn long_tables_are_read_on_another_thread() {
    let previews = previews(4, u64::MAX);
    let small = open(&previews, "a.csv", b"a,b\n1,2\n").await;
    assert!(small.has_small_rows(0, 0, 200) && small.has_small_rows(9, 0, 200));
    let mut csv = "month,amount\n".to_owned();
    (0..40_000).for_each(|row| csv.push_str(&format!("January {row},{row}.5\n")));
    assert!(!open(&previews, "b.csv", csv.as_bytes()).await.has_small_rows(0, 0, 10));
}
