//! Scripts of a session that is not a sandbox's own.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::code::outcome;
use crate::code::{GivenDocument, GuestDone, GuestScripts};
use crate::files::Files;
use mitt::{Session, SessionOptions};

struct Guest {
    session: Session,
    scripts: GuestScripts,
    is_quiet: Arc<AtomicBool>,
}

impl Guest {
    fn new(fixture: &Fixture) -> Guest {
        let options = SessionOptions { tenant: Some(T.to_owned()), ..SessionOptions::default() };
        let (session, is_quiet) = (host().session(options).unwrap(), Arc::default());
        let scripts = GuestScripts::new(fixture.sandboxes.clone(), &session, Arc::clone(&is_quiet));
        Guest { session, scripts, is_quiet }
    }

    async fn run(
        &self,
        sandbox: &str,
        documents: &[GivenDocument],
        code: &str,
    ) -> (ScriptResult, GuestDone) {
        let arguments = json!({ "code": code }).to_string();
        let turn = self.scripts.begin(sandbox, documents, &arguments).await.unwrap();
        assert!(!self.is_quiet.load(Ordering::Relaxed));
        let report = self.session.call("python__run", &turn.arguments).await;
        let result = outcome::result(report.result.as_ref().unwrap(), &self.session);
        assert_eq!(result.failure, None, "{code}: {}", result.stderr);
        (result, turn.end(&report).await.unwrap())
    }
}

async fn names(fixture: &Fixture, sandbox: &str) -> Vec<String> {
    let files = fixture.sandboxes.get(T, sandbox).await.unwrap().files;
    files.into_iter().map(|it| it.name).collect()
}

#[tokio::test]
async fn scripts_of_another_session_find_and_leave_files() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("sales.csv", "day,sum\nmon,1\n")]).await;
    let guest = Guest::new(&fixture);
    let files = Files::new(fixture.store.clone());
    let stored = files.add(T, "b.csv", "text/csv", b"n\n5\n", 0).await.unwrap();
    let document = GivenDocument { name: "b.csv".into(), sha256: stored.sha256, size: stored.size };
    let documents = [document];
    let code = "import os\nos.makedirs('/mnt/data/out', exist_ok=True)\n\
        open('/mnt/data/out/sum.txt', 'w').write('1')\nx = 20\n\
        print(open('/mnt/data/sales.csv').read().count('\\n'), open('b.csv').read())";
    let (result, done) = guest.run(&id, &documents, code).await;
    assert_eq!(result.stdout, "2 n\n5\n\n");
    let written: Vec<&str> = done.written.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((written, done.notes), (vec!["out/sum.txt"], Vec::new()));
    assert_eq!(names(&fixture, &id).await, ["sales.csv", "b.csv", "out/sum.txt"]);
    // Variables stay, and files that the client adds are there.
    fixture.add(&id, "late.txt", b"late").await.unwrap();
    let code = "x + 22, open('out/sum.txt').read(), open('/mnt/data/late.txt').read()";
    let (result, done) = guest.run(&id, &documents, code).await;
    assert_eq!(result.result.as_deref(), Some("[42,\"1\",\"late\"]"));
    assert!(done.written.is_empty() && done.notes.is_empty(), "{done:?}");
    // A document that a script removes does not come back.
    guest.run(&id, &documents, "os.remove('b.csv')").await;
    let (result, _) = guest.run(&id, &documents, "os.path.exists('b.csv')").await;
    assert_eq!(result.result.as_deref(), Some("false"));
    assert_eq!(names(&fixture, &id).await, ["sales.csv", "out/sum.txt", "late.txt"]);
    // The tool reports what it delivers, and the sandbox has the file all the same.
    let code = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='t.xlsx').name";
    let (_, done) = guest.run(&id, &documents, code).await;
    assert!(done.written.is_empty(), "{done:?}");
    let (result, _) = guest.run(&id, &documents, "open('t.xlsx', 'rb').read(2) == b'PK'").await;
    assert_eq!(result.result.as_deref(), Some("true"));
    // The sandbox's own scripts find them, too.
    let result = fixture.run(&id, script("import os\nsorted(os.listdir('/mnt/data'))")).await;
    let listed = r#"["late.txt","out","sales.csv","t.xlsx"]"#;
    assert_eq!(result.result.as_deref(), Some(listed));
    // Another sandbox in the same session.
    let other = fixture.sandbox(&[("other.txt", "o")]).await;
    let code = "os.path.exists('sales.csv'), open('other.txt').read()";
    let (result, done) = guest.run(&other, &[], code).await;
    assert_eq!(result.result.as_deref(), Some("[false,\"o\"]"));
    assert!(done.written.is_empty(), "{done:?}");
}

#[tokio::test]
async fn a_guest_needs_a_sandbox_of_its_tenant() {
    let fixture = Fixture::new();
    let guest = Guest::new(&fixture);
    let theirs = fixture.sandboxes.create("other", new()).await.unwrap().id;
    for sandbox in ["cntr_none", &theirs] {
        let begun = guest.scripts.begin(sandbox, &[], "{}").await;
        assert_eq!(begun.err().unwrap().status, 404, "{sandbox}");
    }
    // What is no JSON is left to the tool, which refuses it.
    let id = fixture.sandbox(&[]).await;
    let turn = guest.scripts.begin(&id, &[], "{\"code\": ").await.unwrap();
    assert_eq!(turn.arguments, "{\"code\": ");
}

#[tokio::test]
async fn the_same_file_that_is_added_again_keeps_its_identifier() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[]).await;
    let first = fixture.add(&id, "a.txt", b"1").await.unwrap();
    let again = fixture.add(&id, "a.txt", b"1").await.unwrap();
    assert_eq!(first, again);
    assert_eq!(fixture.text(&first).await, "1");
    let other = fixture.add(&id, "a.txt", b"2").await.unwrap();
    assert_ne!(other.id, first.id);
    assert_eq!(names(&fixture, &id).await, ["a.txt"]);
}
