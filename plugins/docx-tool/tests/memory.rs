//! Files that were made to need much memory or time: each ends with an error that names the place, or with a correct edit,
//! and never needs more than 512 MB. A program of its own, because it measures all memory that it has.

use docx_tool::{Document, Edit, EditOptions, FindMode, ReadOptions, View, edit, read};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Measured;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the allocator of the system; only sizes are counted.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Measured = Measured;

/// 512 MB, less what the test itself has.
const LIMIT: usize = 512_000_000;

const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

/// Makes a document with this main part, compressed.
fn docx(main: &str) -> Vec<u8> {
    let base = "http://schemas.openxmlformats.org";
    let office = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let types = format!(
        "<Types xmlns=\"{base}/package/2006/content-types\"><Override PartName=\"/word/document.xml\" ContentType=\"{office}.document.main+xml\"/></Types>"
    );
    let relations = format!(
        "<Relationships xmlns=\"{base}/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"{base}/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/></Relationships>"
    );
    let parts = [
        ("[Content_Types].xml".to_owned(), types.into_bytes()),
        ("_rels/.rels".to_owned(), relations.into_bytes()),
        ("word/document.xml".to_owned(), main.as_bytes().to_vec()),
    ];
    mitt_package::Zip::empty().rewrite(&parts, &[]).unwrap()
}

fn body(content: &str) -> Vec<u8> {
    docx(&format!("<w:document {W}><w:body>{content}</w:body></w:document>"))
}

fn options(is_tracked: bool) -> EditOptions {
    EditOptions::new(is_tracked, None, None).unwrap()
}

fn no_files(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("no document `{name}`"))
}

fn first(bytes: &[u8]) -> (String, String) {
    let options =
        ReadOptions { view: View::Accepted, is_outline: false, find: None, from: 0, limit: 1 };
    let found = read(&mut Document::open(bytes.to_vec()).unwrap(), &options).unwrap();
    (found.paragraphs[0].anchor.clone(), found.paragraphs[0].text.clone())
}

fn error(bytes: Vec<u8>) -> String {
    Document::open(bytes).unwrap_err().to_string()
}

fn replace(at: &str, find: &str, replacement: &str) -> Edit {
    Edit::ReplaceText {
        at: at.to_owned(),
        find: find.to_owned(),
        replacement: replacement.to_owned(),
        occurrence: Some(1),
    }
}

/// Does a case with what it needs, and checks its memory.
fn case(name: &str, input: Vec<u8>, check: impl FnOnce(Vec<u8>)) {
    let before = NOW.load(Ordering::Relaxed) - input.len();
    MOST.store(before, Ordering::Relaxed);
    check(input);
    let most = MOST.load(Ordering::Relaxed) - before;
    eprintln!("{name}: {} MB", most / 1_000_000);
    assert!(most < LIMIT, "{name} needs {most} bytes");
}

#[test]
fn hostile_files_end_within_512_megabytes() {
    let million = 1_000_000;
    let deep = format!(
        "<w:document {W}>{}{}</w:document>",
        "<w:x>".repeat(million),
        "</w:x>".repeat(million)
    );
    case("depth", docx(&deep), |bytes| {
        assert!(
            error(bytes)
                .contains("word/document.xml` cannot be read: its elements are nested deeper")
        );
    });
    drop(deep);
    let many = format!("<w:p/><w:p>{}</w:p>", "<w:r><w:t>a</w:t></w:r>".repeat(million));
    case("runs", body(&many), |bytes| {
        assert_eq!(error(bytes), "the paragraph p1 has more than 250000 runs");
    });
    drop(many);
    let nodes = "<w:p/>".repeat(6 * million);
    case("nodes", body(&nodes), |bytes| assert!(error(bytes).contains("more than 5000000 nodes")));
    drop(nodes);
    let large = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(200 << 20));
    case("bytes", body(&large), |bytes| assert!(error(bytes).contains("bytes")));
    drop(large);
    // As much as is allowed is edited.
    let large = format!(
        "<w:p><w:r><w:t>first</w:t></w:r></w:p>{}",
        format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(150)).repeat(480_000)
    );
    case("a large document", body(&large), |bytes| {
        let (at, _) = first(&bytes);
        let edited =
            edit(bytes, &[replace(&at, "first", "new")], &options(true), &no_files).unwrap();
        assert_eq!(first(&edited.bytes).1, "new");
    });
    drop(large);
    let runs = format!("<w:p>{}</w:p>", "<w:r><w:t>ab</w:t></w:r>".repeat(240_000));
    case("runs that are edited", body(&runs), |bytes| {
        let (at, text) = first(&bytes);
        let all = edit(bytes.clone(), &[replace(&at, &text, "new")], &options(true), &no_files);
        assert_eq!(first(&all.unwrap().bytes).1, "new");
        let everywhere = Edit::ReplaceEverywhere {
            find: "ab".to_owned(),
            replacement: "c".to_owned(),
            mode: FindMode::Exact,
            ignores_case: false,
        };
        let problem =
            edit(bytes, &[everywhere], &options(true), &no_files).unwrap_err().to_string();
        assert!(problem.contains(&format!("the paragraph {at} has")), "{problem}");
    });
    drop(runs);
    let changes: String = (0..100_000)
        .map(|it| {
            let mark = if it % 2 == 0 { "ins" } else { "moveTo" };
            format!("<w:{mark} w:id=\"{it}\" w:author=\"x\"><w:r><w:t>a</w:t></w:r></w:{mark}>")
        })
        .collect();
    case("changes", body(&format!("<w:p>{changes}</w:p>")), |bytes| {
        assert_eq!(Document::open(bytes.clone()).unwrap().changes().len(), 100_000);
        let accept = [Edit::AcceptChanges(Default::default())];
        let accepted = edit(bytes.clone(), &accept, &options(true), &no_files).unwrap();
        assert_eq!(first(&accepted.bytes).1.len(), 100_000);
        assert!(Document::open(accepted.bytes).unwrap().changes().is_empty());
        let reject = [Edit::RejectChanges(Default::default())];
        let rejected = edit(bytes, &reject, &options(true), &no_files).unwrap();
        assert_eq!(first(&rejected.bytes).1, "");
    });
    drop(changes);
    // Ranges and fields that begin and never end.
    let open: String = (0..50_000)
        .map(|it| {
            format!(
                "<w:moveFromRangeStart w:id=\"{it}\" w:name=\"m{it}\"/><w:commentRangeStart w:id=\"{it}\"/><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:moveFrom w:id=\"9{it}\" w:author=\"x\"><w:r><w:t>a</w:t></w:r></w:moveFrom><w:r><w:t>b</w:t></w:r>"
            )
        })
        .collect();
    case("open ranges", body(&format!("<w:p>{open}</w:p>")), |bytes| {
        let mut document = Document::open(bytes.clone()).unwrap();
        assert!(document.comments().unwrap().is_empty() && document.fields().is_empty());
        let accept = [Edit::AcceptChanges(Default::default())];
        let accepted = edit(bytes, &accept, &options(true), &no_files).unwrap();
        assert_eq!(first(&accepted.bytes).1.len(), 50_000);
    });
}
