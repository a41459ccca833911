//! Folders that an attacker filled: links, pipes and names where files are written and read.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use mitt::{ErrorKind, Session, SessionOptions};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{command, host, mitt, text};

const DELIVER: [&str; 4] =
    ["call", "report__deliver", "-j", r##"{"markdown": "# x", "filename": "x.md"}"##];

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Opens a session in this folder, or returns why it is refused.
fn open(folder: &Path) -> mitt::Result<Session> {
    host().session(SessionOptions { folder: Some(folder.to_owned()), ..SessionOptions::default() })
}

/// Everything that a repository can put in place of the journal.
#[test]
fn a_journal_goes_into_a_plain_file_of_our_own_only() {
    type Put = fn(&Path, &Path);
    let traps: [(&str, Put); 8] = [
        ("a link", |out, target| symlink(target, out.join("journal.jsonl")).unwrap()),
        ("a relative link", |out, _| symlink("../bashrc", out.join("journal.jsonl")).unwrap()),
        ("a link that leads nowhere", |out, target| {
            symlink(target.with_file_name("new"), out.join("journal.jsonl")).unwrap();
        }),
        ("a hard link", |out, target| fs::hard_link(target, out.join("journal.jsonl")).unwrap()),
        ("a pipe", |out, _| pipe(&out.join("journal.jsonl"))),
        ("a device", |out, _| symlink("/dev/null", out.join("journal.jsonl")).unwrap()),
        ("a folder", |out, _| fs::create_dir(out.join("journal.jsonl")).unwrap()),
        ("another text", |out, _| fs::write(out.join("journal.jsonl"), "alias ls=x\n").unwrap()),
    ];
    for (trap, put) in traps {
        let folder = tempfile::tempdir().unwrap();
        let (out, target) = (folder.path().join("out"), folder.path().join("bashrc"));
        fs::create_dir(&out).unwrap();
        fs::write(&target, "mine\n").unwrap();
        put(&out, &target);
        let Err(error) = open(&out) else { panic!("{trap}: opened") };
        assert_eq!(*error.kind(), ErrorKind::Host, "{trap}");
        let told = error.render();
        assert!(
            told.contains("cannot write the journal") && told.contains("hint: "),
            "{trap}: {told}"
        );
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine\n", "{trap}");
        assert!(!folder.path().join("new").exists(), "{trap}");
    }
}

/// The whole attack, from the user's side.
#[test]
fn a_document_s_name_reaches_no_shell() {
    let folder = tempfile::tempdir().unwrap();
    let rc = folder.path().join("bashrc");
    fs::write(&rc, "mine\n").unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    symlink(&rc, folder.path().join("out/journal.jsonl")).unwrap();
    let names = [
        "$(touch pwned).csv",
        "`touch pwned`.csv",
        "!touch pwned.csv",
        "';touch pwned;'.csv",
        "$(touch${IFS}pwned).txt",
    ];
    let mut args: Vec<&str> = DELIVER.to_vec();
    for name in names {
        fs::write(folder.path().join(name), "a,b\n1,2\n").unwrap();
        args.extend(["--doc", name]);
    }
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 70, "{stderr}");
    assert_eq!(fs::read_to_string(&rc).unwrap(), "mine\n");

    // A journal that became a script is refused.
    fs::remove_file(folder.path().join("out/journal.jsonl")).unwrap();
    let (code, _, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    let journal = fs::read_to_string(folder.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains(['$', '`', '!']), "{journal}");
    for shell in ["sh", "bash"] {
        let _ = Command::new(shell).current_dir(folder.path()).arg("out/journal.jsonl").output();
    }
    assert!(!folder.path().join("pwned").exists(), "{journal}");
    let read: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = read
        .iter()
        .filter(|it| it["kind"] == "document")
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(told, names, "the same names for whoever reads JSON");
}

/// The default folder may come with the working folder; a folder that the user names is the user's.
#[test]
fn the_folder_itself_is_no_link_unless_the_user_names_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink("elsewhere", folder.path().join("out")).unwrap();
    let elsewhere = || fs::read_dir(folder.path().join("elsewhere")).unwrap().count();
    let (code, _, stderr) = run(folder.path(), &DELIVER);
    assert_eq!((code, elsewhere()), (70, 0), "{stderr}");
    assert!(
        stderr.contains("it is a link") && stderr.contains("name the folder that it leads to"),
        "{stderr}"
    );
    for named in ["out", "out/", "./out/."] {
        let (code, _, stderr) = run(folder.path(), &[&DELIVER[..], &["--out", named]].concat());
        assert_eq!(code, 0, "{named}: {stderr}");
    }
    assert_eq!(elsewhere(), 2);
    // A session of a library or of an agent's configuration may not use a link.
    assert!(open(&folder.path().join("out")).is_err());
    assert!(open(&folder.path().join("out/")).is_err());
}

#[tokio::test]
async fn artifacts_stay_in_the_folder_that_was_opened() {
    let root = tempfile::tempdir().unwrap();
    let (out, trap) = (root.path().join("out"), root.path().join("trap"));
    fs::create_dir(&trap).unwrap();
    let session = open(&out).unwrap();
    // A link replaces the folder while the session is open.
    fs::rename(&out, root.path().join("moved")).unwrap();
    symlink(&trap, &out).unwrap();
    let arguments = json!({ "markdown": "# x", "filename": "x.md" }).to_string();
    session.call("report__deliver", &arguments).await.result.unwrap();
    assert_eq!(fs::read_dir(&trap).unwrap().count(), 0);
    assert!(root.path().join("moved/x.md").is_file());
    assert_eq!(session.artifact_content("x.md").unwrap(), b"# x");
    // An artifact that became a link is not read, written through or replaced: it belongs to another user.
    let secret = root.path().join("secret");
    fs::write(&secret, "s").unwrap();
    fs::remove_file(root.path().join("moved/x.md")).unwrap();
    symlink(&secret, root.path().join("moved/x.md")).unwrap();
    assert!(session.artifact_content("x.md").is_err());
    session.call("report__deliver", &arguments).await.result.unwrap_err();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "s");
}

/// Only the owner can read journal and variables; delivered files follow the user's umask.
#[test]
fn files_are_as_readable_as_they_should_be() {
    for (umask, wanted) in [("022", 0o644), ("027", 0o640), ("077", 0o600)] {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("umask {umask}; exec \"$0\" \"$@\"");
        let within = |args: &[&str]| {
            let mut shell = Command::new("sh");
            shell
                .current_dir(folder.path())
                .args(["-c", &line, env!("CARGO_BIN_EXE_mitt")])
                .args(args);
            let base = command(folder.path(), &[]);
            shell.envs(base.get_envs().filter_map(|(key, value)| Some((key, value?))));
            let output = shell.output().unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
        };
        within(&DELIVER);
        fs::write(folder.path().join("s.py"), "x = 1\n").unwrap();
        within(&["exec", "s.py", "--engine", "python-lite", "--state", "kept"]);
        fs::write(folder.path().join("r.md"), "# r\n").unwrap();
        within(&["render", "r.md", "-o", "r.pdf"]);
        let at = |name: &str| mode(&folder.path().join(name));
        assert_eq!((at("out/x.md"), at("r.pdf")), (wanted, wanted), "{umask}");
        assert_eq!((at("out/journal.jsonl"), at("kept")), (0o600, 0o600), "{umask}");
    }
}

#[test]
fn kept_variables_go_into_a_plain_file_of_our_own_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("s.py"), "x = 1\n").unwrap();
    fs::write(at("mine"), "").unwrap();
    symlink("mine", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    fs::hard_link(at("mine"), at("hard")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    pipe(&at("pipe"));
    for trap in ["link", "dangling", "hard", "pipe", "folder"] {
        let (code, _, stderr) =
            run(folder.path(), &["exec", "s.py", "--engine", "python-lite", "--state", trap]);
        assert_eq!(code, 70, "{trap}: {stderr}");
        assert!(stderr.contains(&format!("cannot open {trap}")), "{stderr}");
    }
    assert!(!at("nowhere").exists());
    assert_eq!(fs::metadata(at("mine")).unwrap().len(), 0);
}

/// Everything else that is written by name replaces a link and never follows it.
#[test]
fn nothing_is_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("mine"), "mine").unwrap();
    fs::create_dir(at("stubs")).unwrap();
    for name in ["stubs/table_tool.pyi", "r.pdf", "packed.zst"] {
        symlink(at("mine"), at(name)).unwrap();
    }
    fs::write(at("r.md"), "# r\n").unwrap();
    for args in [&["exec", "--stubs=stubs"][..], &["render", "r.md", "-o", "r.pdf"]] {
        let (code, _, stderr) = run(folder.path(), args);
        assert!(code == 3 && stderr.contains("--force"), "{args:?}: {stderr}");
        let (code, _, stderr) = run(folder.path(), &[args, &["--force"]].concat());
        assert_eq!(code, 0, "{args:?}: {stderr}");
    }
    let report = crate::support::root().join("skills/report");
    let (code, _, stderr) =
        run(folder.path(), &["skill", "pack", report.to_str().unwrap(), "-o", "packed.zst"]);
    assert_eq!(code, 3, "a link to what is no archive: {stderr}");
    assert_eq!(fs::read_to_string(at("mine")).unwrap(), "mine");
    assert!(!at("r.pdf").is_symlink() && fs::read(at("r.pdf")).unwrap().starts_with(b"%PDF"));
    assert!(!at("stubs/table_tool.pyi").is_symlink());

    fs::create_dir(at("elsewhere")).unwrap();
    symlink("elsewhere", at("skills")).unwrap();
    let (code, _, stderr) = run(folder.path(), &["skill", "new", "word-count"]);
    assert!(code == 3 && stderr.contains("skills is a link"), "{stderr}");
    fs::create_dir(at("native")).unwrap();
    symlink("../elsewhere", at("native/document-tool")).unwrap();
    let (code, _, stderr) = run(folder.path(), &["compile", "document-tool", "-o", "native"]);
    assert!(code == 70 && stderr.contains("it is a link"), "{stderr}");
    assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0);
    // A pipe in the place of an archive does not block.
    pipe(&at("pipe.zst"));
    let packed = ["skill", "pack", report.to_str().unwrap(), "-o", "pipe.zst"];
    assert_eq!(run(folder.path(), &packed).0, 3);
}

/// A task from a repository can name files of its own folder, and none of its user's.
#[test]
fn a_task_reads_its_own_folder_only() {
    let root = tempfile::tempdir().unwrap();
    let task = root.path().join("task");
    fs::create_dir_all(task.join("data")).unwrap();
    fs::write(root.path().join("secret.txt"), "the secret\n").unwrap();
    fs::write(task.join("data/a.txt"), "a\n").unwrap();
    let turn = "{\"format\": \"mitt-replay/1\", \"model\": \"x\"}\n{\"text\": \"done\"}\n";
    let example =
        fs::read_to_string(crate::support::root().join("examples/yoy/model.jsonl")).unwrap();
    let header = example.lines().next().unwrap();
    let recording = turn.replacen(turn.lines().next().unwrap(), header, 1);
    fs::write(task.join("model.jsonl"), &recording).unwrap();
    fs::write(root.path().join("model.jsonl"), &recording).unwrap();
    symlink(root.path().join("secret.txt"), task.join("link.txt")).unwrap();
    symlink(root.path(), task.join("up")).unwrap();
    pipe(&task.join("pipe.txt"));
    let run_with = |documents: &str, replay: &str, more: &[&str]| {
        let yaml = format!(
            "schema: 1\ninstruction: x\ndocuments: [{documents}]\nmodel: {{ replay: {replay} }}\n"
        );
        fs::write(task.join("task.yaml"), yaml).unwrap();
        run(root.path(), &[&["run", "task"][..], more].concat())
    };
    let absolute = root.path().join("secret.txt").display().to_string();
    for document in [
        absolute.as_str(),
        "../secret.txt",
        "data/../../secret.txt",
        "link.txt",
        "up/secret.txt",
        "pipe.txt",
        "data",
        "missing",
    ] {
        let (code, _, stderr) = run_with(&format!("\"{document}\""), "model.jsonl", &[]);
        assert_eq!(code, 3, "{document}: {stderr}");
        assert!(
            stderr.contains("expected a file in the task's folder") && stderr.contains("--doc"),
            "{document}: {stderr}"
        );
        assert!(!stderr.contains("the secret"), "{stderr}");
    }
    for replay in ["../model.jsonl", "up/model.jsonl", "/etc/hostname"] {
        let (code, _, stderr) = run_with("", replay, &[]);
        assert_eq!(code, 3, "{replay}: {stderr}");
    }
    let (code, _, stderr) = run_with("data/a.txt", "model.jsonl", &["--doc", "secret.txt"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("ingest  a.txt") && stderr.contains("ingest  secret.txt"), "{stderr}");
    // A task that is a pipe does not block.
    fs::remove_file(task.join("task.yaml")).unwrap();
    pipe(&task.join("task.yaml"));
    assert_eq!(run(root.path(), &["run", "task"]).0, 3);
}

/// In a folder that others write to, their files stay, and ours stay ours.
#[tokio::test]
async fn a_folder_that_everybody_may_write_to() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::set_permissions(&out, fs::Permissions::from_mode(0o1777)).unwrap();
    let session = open(&out).unwrap();
    let deliver = async |name: &str| {
        let arguments = json!({ "markdown": "# x", "filename": name }).to_string();
        session.call("report__deliver", &arguments).await.result
    };
    deliver("x.md").await.unwrap();
    assert_eq!(fs::metadata(out.join("journal.jsonl")).unwrap().nlink(), 1);
    for (name, content) in [("y.md", "theirs")] {
        fs::write(out.join(name), content).unwrap();
        deliver(name).await.unwrap_err();
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), content);
    }
    symlink(root.path().join("nowhere"), out.join("z.md")).unwrap();
    deliver("z.md").await.unwrap_err();
    assert!(!root.path().join("nowhere").exists());
    for name in
        ["../x.md", "sub/x.md", "..", "journal.jsonl", "JOURNAL.JSONL", ".mitt-0000000000000000"]
    {
        deliver(name).await.unwrap_err();
    }
}

/// A repository brings a folder `out` with files of its user, and a journal that claims they are Mitt's.
#[tokio::test]
async fn a_journal_that_was_brought_makes_no_file_ours() {
    let digest = |content: &str| {
        let digits: Vec<_> = Sha256::digest(content).iter().map(|it| format!("{it:02x}")).collect();
        digits.concat()
    };
    let precious = "precious";
    for entry in [
        json!({ "kind": "artifact", "name": "p.md" }),
        json!({ "kind": "recovered", "name": "p.md" }),
        json!({ "kind": "artifact", "name": "p.md", "size": 8 }),
        json!({ "kind": "artifact", "name": "p.md", "size": 8, "sha256": "" }),
        json!({ "kind": "artifact", "name": "p.md", "size": 8, "sha256": digest("previous") }),
        json!({ "kind": "recovered", "name": "p.md", "size": 7, "sha256": digest(precious) }),
        json!({ "kind": "artifact", "name": "p.md", "size": u64::MAX, "sha256": digest(precious) }),
    ] {
        let root = tempfile::tempdir().unwrap();
        let out = root.path().join("out");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("p.md"), precious).unwrap();
        let journal =
            format!("{}\n{entry}\n", json!({ "time": "x", "kind": "session", "mitt": "0" }));
        fs::write(out.join("journal.jsonl"), journal).unwrap();
        let session = open(&out).unwrap();
        let arguments = json!({ "markdown": "# x", "filename": "p.md" }).to_string();
        let error = session.call("report__deliver", &arguments).await.result.unwrap_err();
        assert!(error.render().contains("was not made by mitt"), "{entry}: {error:?}");
        assert_eq!(fs::read_to_string(out.join("p.md")).unwrap(), precious, "{entry}");
    }
}

/// Our own file is replaced, in this session and the next; a file that its user has changed since is not.
#[tokio::test]
async fn a_file_that_its_user_changed_is_its_users() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    let deliver = async |session: &Session, text: &str| {
        let arguments = json!({ "markdown": text, "filename": "x.md" }).to_string();
        session.call("report__deliver", &arguments).await.result
    };
    let session = open(&out).unwrap();
    for text in ["one", "two", "two"] {
        deliver(&session, text).await.unwrap();
    }
    drop(session);
    let session = open(&out).unwrap();
    deliver(&session, "three").await.unwrap();
    let ours = fs::read_to_string(out.join("x.md")).unwrap();
    // Of the same length as ours, and longer.
    for theirs in ["eerht".to_owned(), format!("{ours}mine")] {
        fs::write(out.join("x.md"), &theirs).unwrap();
        deliver(&session, "four").await.unwrap_err();
        assert_eq!(fs::read_to_string(out.join("x.md")).unwrap(), theirs);
        deliver(&open(&out).unwrap(), "four").await.unwrap_err();
        assert_eq!(fs::read_to_string(out.join("x.md")).unwrap(), theirs);
    }
    fs::write(out.join("x.md"), &ours).unwrap();
    deliver(&session, "four").await.unwrap();
    // A removed file may be written again too.
    fs::remove_file(out.join("x.md")).unwrap();
    deliver(&session, "five").await.unwrap();
}
