//! Pictures in documents: from the folder of a Markdown file, from a session, through the worker, and from nowhere else.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};

use mitt::{CacheDir, Event, Host, Session, SessionOptions, WorkerOptions};
use serde_json::json;

use crate::support::{cache, command, text};

/// Returns a picture of this size in pixels.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let shade = |x: u32, y: u32| image::Rgb([(x * 7) as u8, (y * 5) as u8, 90]);
    image::RgbImage::from_fn(width, height, shade)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

fn images(pdf: &[u8]) -> usize {
    String::from_utf8_lossy(pdf).matches("/Subtype/Image").count()
}

/// Renders `r.md` in a folder; returns the file and the messages.
fn render(folder: &Path, name: &str, more: &[&str]) -> (Vec<u8>, String) {
    let args = [&["render", "r.md", "-o", name, "--force", "--clock", "0"][..], more].concat();
    let output = command(folder, &args).output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    (std::fs::read(folder.join(name)).unwrap(), told)
}

#[test]
fn a_file_shows_the_pictures_beside_it_in_every_format() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("docs");
    std::fs::create_dir_all(folder.join("图")).unwrap();
    std::fs::write(folder.join("a.png"), picture(60, 40)).unwrap();
    std::fs::write(folder.join("图/山 景.png"), picture(61, 40)).unwrap();
    std::fs::write(root.path().join("secret.png"), picture(62, 40)).unwrap();
    let source = "# 报告\n\n![one](a.png \"caption\")\n\n![two](<图/山 景.png>) and ![two](图/山%20景.png)\n\n![out](../secret.png) ![web](https://a.test/x.png) ![none](none.png)\n";
    std::fs::write(folder.join("r.md"), source).unwrap();
    let (here, told) = render(&folder, "a.pdf", &["--worker", "never"]);
    assert_eq!(images(&here), 2);
    for reason in [
        "`../secret.png`: it leads out of the document's folder",
        "`https://a.test/x.png`: pictures of the web are not fetched",
        "`none.png`: there is no such file in the document's folder",
    ] {
        assert!(told.contains(reason), "{told}");
    }
    // The worker gets them with the text, and makes the same file.
    let (there, told_there) = render(&folder, "a.pdf", &["--worker", "always"]);
    assert!(here == there && told == told_there, "{told_there}");
    let (word, _) = render(&folder, "a.docx", &[]);
    let names = String::from_utf8_lossy(&word).matches("word/media/image").count();
    // In the archive and in its directory.
    assert_eq!(names, 4);
    let (page, _) = render(&folder, "a.html", &[]);
    assert_eq!(text(&page).matches("src=\"data:image/png;base64,").count(), 3);
    for name in ["b.pdf", "b.docx", "b.html"] {
        let (file, told) = render(&folder, name, &["--no-images"]);
        assert!(told.contains("switched off by `--no-images`"), "{told}");
        let shown = String::from_utf8_lossy(&file).matches("data:image").count();
        assert_eq!(images(&file) + shown, 0, "{name}");
    }
}

/// The largest pictures that a document may have: each request to the worker carries them, and the worker can read the next
/// request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_shows_its_own_pictures_through_the_worker() {
    let options = WorkerOptions {
        program: Some(env!("CARGO_BIN_EXE_mitt").into()),
        required: true,
        ..WorkerOptions::default()
    };
    let host = Host::builder().cache(CacheDir::new(cache())).worker(options).build().unwrap();
    let (options, heard) = listening();
    let session = host.session(options).unwrap();
    session.add_picture("图.png", &picture(50, 50)).unwrap();
    // Bytes after the end of a picture cost only bytes.
    let mut large = picture(51, 50);
    large.resize(20 * 1024 * 1024, 0);
    for name in ["1.png", "2.png", "3.png"] {
        if let Some(last) = large.last_mut() {
            *last += 1;
        }
        session.add_picture(name, &large).unwrap();
    }
    let source = "# T\n\n![a](图.png \"标题\")\n\n![b](1.png) ![c](2.png) ![d](3.png) ![e](http://a.test/x.png) ![f](/etc/hostname) ![g](none.png)\n";
    let (pdf, told) = deliver(&session, &heard, source).await;
    assert_eq!(images(&pdf), 4, "{told}");
    for reason in [
        "`http://a.test/x.png`: pictures of the web are not fetched",
        "`/etc/hostname`: expected a name of this session",
        "`none.png`: this session has no file of this name",
    ] {
        assert!(told.contains(reason), "{told}");
    }
    assert!(!told.contains("图.png"), "{told}");
    // They do not affect the next document, and other sessions do not have them.
    let (pdf, told) = deliver(&session, &heard, "# T\n\n![a](图.png)\n").await;
    assert!(images(&pdf) == 1 && told.is_empty(), "{told}");
    let (options, heard) = listening();
    let other = host.session(options).unwrap();
    let (pdf, told) = deliver(&other, &heard, "# T\n\n![a](图.png)\n").await;
    assert!(images(&pdf) == 0 && told.contains("this session has no file"), "{told}");
}

type Heard = Arc<Mutex<Vec<String>>>;

/// Returns options for a session whose file warnings are recorded.
fn listening() -> (SessionOptions, Heard) {
    let heard = Heard::default();
    let into = heard.clone();
    let events: mitt::EventSink = Arc::new(move |event: &Event| {
        if let Event::Delivered { warnings, .. } = event {
            into.lock().unwrap().extend(warnings.iter().cloned());
        }
    });
    (SessionOptions { events: Some(events), ..SessionOptions::default() }, heard)
}

/// Returns the file and its warnings.
async fn deliver(session: &Session, heard: &Heard, markdown: &str) -> (Vec<u8>, String) {
    let used = session.memory().used;
    let name = format!("r{}.pdf", session.artifacts().len());
    let arguments = json!({ "markdown": markdown, "filename": name }).to_string();
    session.call("report__deliver", &arguments).await.result.unwrap();
    let file = session.artifact_content(&name).unwrap();
    // The charges of the rendering are given back; the file and its journal entry remain.
    let after = session.memory().used;
    assert!(after < used + file.len() as u64 + 64 * 1024, "{used} {after}");
    let told = std::mem::take(&mut *heard.lock().unwrap()).join("\n");
    (file, told)
}
