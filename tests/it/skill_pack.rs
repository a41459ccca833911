//! Skills as one file: a package is installed byte for byte, and nothing else ever is.

use std::fs;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tar::{EntryType, Header};

use crate::support::{command, mitt, root, text};

const SKILL_MD: &str = "---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n";

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, &[&["skill"], arguments].concat());
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Returns a folder with the skill `pdf`.
fn skill() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("pdf");
    fs::create_dir_all(skill.join("references")).unwrap();
    fs::write(skill.join("SKILL.md"), SKILL_MD).unwrap();
    fs::write(skill.join("references/年.md"), "年".repeat(1_000)).unwrap();
    folder
}

fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns relative paths and contents below a folder.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

fn pack(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, &[&["pack"], arguments].concat());
    assert_eq!(code, 0, "{stderr}");
    stdout
}

#[test]
fn a_packed_skill_is_installed_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let from = root().join("skills/table-tool");
    let stdout = pack(place.path(), &[from.to_str().unwrap()]);
    let [file, digest] = stdout.lines().collect::<Vec<_>>()[..] else { panic!("{stdout}") };
    assert_eq!(file, "table-tool-0.1.0.skill.tar.zst");
    assert_eq!(digest, format!("sha256:{}", sha256(&fs::read(place.path().join(file)).unwrap())));
    let (code, stdout, stderr) =
        run(place.path(), &["install", file, "--to", "mine", "--digest", digest]);
    assert_eq!((code, stdout.as_str()), (0, "mine/table-tool\n"), "{stderr}");
    assert_eq!(tree(&place.path().join("mine/table-tool")), tree(&from));
    assert_eq!(fs::read_dir(place.path().join("mine")).unwrap().count(), 1);
    let output = mitt(place.path(), &["tools", "--no-bundled-skills", "--skills", "mine"]);
    assert!(text(&output.stdout).contains("table_tool__compare("), "{}", text(&output.stderr));
}

#[test]
fn the_same_folder_makes_the_same_bytes() {
    let (one, two) = (skill(), skill());
    // Other times, another order of creation, and files that are left out.
    fs::write(two.path().join("pdf/.hidden"), "x").unwrap();
    fs::remove_file(two.path().join("pdf/SKILL.md")).unwrap();
    fs::write(two.path().join("pdf/SKILL.md"), SKILL_MD).unwrap();
    fs::create_dir(two.path().join("pdf/empty")).unwrap();
    let digest =
        |folder: &Path| pack(folder, &["pdf", "-o", "x.zst"]).lines().nth(1).unwrap().to_owned();
    assert_eq!(digest(one.path()), digest(two.path()));
    assert_eq!(digest(one.path()), digest(one.path()), "an archive may be written again");
    fs::write(two.path().join("pdf/references/年.md"), "other").unwrap();
    assert_ne!(digest(one.path()), digest(two.path()));
}

#[test]
fn machines_get_json() {
    let folder = skill();
    let packed: Value = serde_json::from_str(&pack(folder.path(), &["pdf", "--json"])).unwrap();
    assert_eq!(
        (&packed["path"], &packed["files"], &packed["version"]),
        (&json!("pdf.skill.tar.zst"), &json!(2), &json!(null))
    );
    let (_, stdout, _) =
        run(folder.path(), &["install", "pdf.skill.tar.zst", "--to", "mine", "--json"]);
    let installed: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(installed["digest"], packed["digest"]);
    assert_eq!((&installed["name"], &installed["replaced"]), (&json!("pdf"), &json!(false)));
}

#[test]
fn packing_refuses_what_cannot_be_installed() {
    let folder = skill();
    fs::write(folder.path().join("pdf/SKILL.md"), "---\nname: other\n---\n").unwrap();
    let (code, stdout, stderr) = run(folder.path(), &["pack", "pdf"]);
    assert_eq!((code, stdout.as_str()), (8, ""));
    insta::assert_snapshot!(stderr, @r"
    error: pdf: the skill does not pass its check
    SKILL.md:1: description: expected a text, got nothing; say what the skill does and when to use it, in one or two sentences
    SKILL.md:2: name: expected the folder's name `pdf`, got `other`; rename the folder or the skill
    hint: `mitt skill check` shows warnings too
    ");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn packing_replaces_no_other_file() {
    let folder = skill();
    fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    let (code, _, stderr) = run(folder.path(), &["pack", "pdf", "-o", "mine.txt"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("mine.txt is there already"), "{stderr}");
    assert_eq!(fs::read_to_string(folder.path().join("mine.txt")).unwrap(), "mine");
}

#[test]
fn another_digest_is_refused() {
    let folder = skill();
    pack(folder.path(), &["pdf", "-o", "x.zst"]);
    let zeros = format!("sha256:{}", "0".repeat(64));
    for (digest, wanted) in
        [(zeros.as_str(), "`, got `sha256:"), ("abc", "64 hexadecimal digits, got")]
    {
        let (code, _, stderr) =
            run(folder.path(), &["install", "x.zst", "--to", "mine", "--digest", digest]);
        assert_eq!(code, 3);
        assert!(stderr.contains(wanted), "{stderr}");
        assert!(!folder.path().join("mine").exists());
    }
}

#[test]
fn an_installed_skill_is_replaced_only_with_force_and_stays_on_failure() {
    let folder = skill();
    pack(folder.path(), &["pdf", "-o", "one.zst"]);
    let install = |arguments: &[&str]| {
        run(folder.path(), &[&["install", "--to", "mine"], arguments].concat())
    };
    assert_eq!(install(&["one.zst"]).0, 0);
    let installed = folder.path().join("mine/pdf");
    let before = tree(&installed);

    let (code, _, stderr) = install(&["one.zst"]);
    assert_eq!(code, 3);
    insta::assert_snapshot!(stderr, @r"
    error: one.zst: a skill `pdf` is installed in mine
    hint: replace it with `--force`
    ");

    fs::write(folder.path().join("pdf/SKILL.md"), SKILL_MD.replace("Do it.", "Do it well."))
        .unwrap();
    fs::remove_file(folder.path().join("pdf/references/年.md")).unwrap();
    pack(folder.path(), &["pdf", "-o", "two.zst"]);
    let mut cut = fs::read(folder.path().join("two.zst")).unwrap();
    cut.truncate(cut.len() - 20);
    fs::write(folder.path().join("cut.zst"), cut).unwrap();
    assert_eq!(install(&["cut.zst", "--force"]).0, 3);
    assert_eq!(tree(&installed), before);

    let (code, _, stderr) = install(&["two.zst", "--force"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("replaced pdf"), "{stderr}");
    assert_eq!(tree(&installed), tree(&folder.path().join("pdf")));
    assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 1);
}

#[test]
fn the_user_s_folder_is_the_default_and_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let from = root().join("skills/report");
    pack(folder.path(), &[from.to_str().unwrap(), "-o", "report.zst"]);
    let mine = folder.path().join("deep/mine");
    let here = |arguments: &[&str]| {
        let output =
            command(folder.path(), arguments).env("MITT_SKILLS_DIR", &mine).output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout))
    };
    assert_eq!(here(&["tools", "--no-bundled-skills"]), (0, String::new()));
    assert_eq!(here(&["skill", "install", "report.zst"]).0, 0);
    assert!(mine.join("report/skill.yaml").is_file());
    let tools = || here(&["tools", "--no-bundled-skills"]).1;
    assert_eq!(tools(), "", "its grants are not approved");
    let (code, text) = here(&["skill", "trust", "report", "--replace"]);
    assert!(code == 0 && text.contains("report: approved for documents, render"), "{text}");
    assert!(tools().contains("report__deliver("));
    let (_, text) = here(&["skill", "show", "report"]);
    assert!(text.contains("tool        report__deliver"), "{text}");
    assert!(here(&["skill", "list"]).1.contains("deep/mine/report"));
    assert_eq!(here(&["skill", "trust", "report", "--revoke"]).0, 0);
    assert_eq!(tools(), "");
    assert_eq!(here(&["skill", "trust", "report", "--revoke"]).0, 8);
}

/// An archive entry as an attacker writes it.
struct Entry<'a> {
    path: &'a [u8],
    kind: EntryType,
    content: &'a [u8],
}

fn file<'a>(path: &'a str, content: &'a [u8]) -> Entry<'a> {
    Entry { path: path.as_bytes(), kind: EntryType::Regular, content }
}

fn tar(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..entry.path.len()].copy_from_slice(entry.path);
        header.set_entry_type(entry.kind);
        header.set_size(entry.content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, entry.content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn compressed(tar: &[u8]) -> Vec<u8> {
    compress_to_vec(tar, CompressionLevel::Fastest)
}

fn record(name: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let files: Vec<Value> = files
        .iter()
        .map(|(path, content)| json!({ "path": path, "size": content.len(), "sha256": sha256(content) }))
        .collect();
    json!({ "format": 1, "name": name, "version": null, "files": files }).to_string().into_bytes()
}

/// Returns an archive whose record and entries agree, with these files besides `SKILL.md`.
fn agreeing(files: &[(&str, &[u8])]) -> Vec<u8> {
    let all = [&[("SKILL.md", SKILL_MD.as_bytes())], files].concat();
    let record = record("pdf", &all);
    let paths: Vec<String> = all.iter().map(|(path, _)| format!("pdf/{path}")).collect();
    let mut entries = vec![file("mitt-skill.json", &record)];
    entries.extend(paths.iter().zip(&all).map(|(path, (_, content))| file(path, content)));
    compressed(&tar(&entries))
}

/// Installs an archive into an empty folder inside another one, and checks that it is refused with this text and nothing is
/// left.
#[track_caller]
fn refused(archive: &[u8], wanted: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.zst"), archive).unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    let (code, stdout, stderr) =
        run(folder.path(), &["install", "x.zst", "--to", "mine", "--force"]);
    assert!(stderr.contains(wanted), "expected `{wanted}`: {stderr}");
    assert!(code == 3 || code == 8, "{code}: {stderr}");
    assert_eq!(stdout, "");
    assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 0, "something is left");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "something is left beside it");
}

#[test]
fn the_archives_of_these_tests_are_otherwise_good() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.zst"), agreeing(&[("a/b.txt", b"x")])).unwrap();
    let (code, _, stderr) = run(folder.path(), &["install", "x.zst", "--to", "mine"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(fs::read(folder.path().join("mine/pdf/a/b.txt")).unwrap(), b"x");
}

#[test]
fn hostile_paths_are_refused() {
    for path in [
        "../escape",
        "a/../../escape",
        "/etc/passwd",
        "C:/x",
        "C:x",
        "a\\b",
        "..\\x",
        "./a",
        "a//b",
        "a/",
        "",
        ".bashrc",
        "a/.ssh/x",
        "CON",
        "aux.txt",
        "a/nul.md",
        "a.",
        "a ",
        "a\u{202e}b",
        "a\0b",
        "a:b",
    ] {
        refused(&agreeing(&[(path, b"x")]), "mitt-skill.json: path `");
    }
    refused(&agreeing(&[("a/b/c/d/e/f/g/h/i/j", b"x")]), "8 folders in one another");
    // Only the entry is wrong, while the record is harmless.
    let record = record("pdf", &[("SKILL.md", SKILL_MD.as_bytes())]);
    for path in ["../SKILL.md", "/pdf/SKILL.md", "pdf\\SKILL.md", "pdf/../SKILL.md"] {
        let archive = tar(&[file("mitt-skill.json", &record), file(path, SKILL_MD.as_bytes())]);
        refused(&compressed(&archive), "file name `");
    }
    let invalid = Entry { path: b"pdf/\xff", kind: EntryType::Regular, content: b"x" };
    refused(
        &compressed(&tar(&[file("mitt-skill.json", &record), invalid])),
        "expected a path in UTF-8",
    );
}

#[test]
fn hostile_names_are_refused() {
    for name in ["..", "../x", "/x", "a/b", "", ".x", "CON", "a\\b", "C:x"] {
        let record = record(name, &[("SKILL.md", SKILL_MD.as_bytes())]);
        let path = format!("{name}/SKILL.md");
        let archive = tar(&[file("mitt-skill.json", &record), file(&path, SKILL_MD.as_bytes())]);
        refused(&compressed(&archive), "mitt-skill.json: name: ");
    }
}

#[test]
fn colliding_files_are_refused() {
    refused(&agreeing(&[("a", b"x"), ("a", b"y")]), "`a` is there twice");
    refused(&agreeing(&[("skill.MD", b"x")]), "are the same to some file systems");
    refused(&agreeing(&[("A/x", b"x"), ("a/y", b"y")]), "are the same to some file systems");
    refused(&agreeing(&[("a", b"x"), ("a/b", b"y")]), "are the same to some file systems");
}

#[test]
fn links_and_devices_are_refused() {
    let record = record("pdf", &[("SKILL.md", SKILL_MD.as_bytes())]);
    for (kind, name) in [
        (EntryType::Symlink, "a symbolic link"),
        (EntryType::Link, "a hard link"),
        (EntryType::Char, "a device"),
        (EntryType::Block, "a device"),
        (EntryType::Fifo, "a named pipe"),
        (EntryType::Directory, "a folder"),
        (EntryType::GNUSparse, "a sparse file"),
        (EntryType::GNULongName, "a long name"),
        (EntryType::GNULongLink, "a long name"),
        (EntryType::XHeader, "an extended header"),
        (EntryType::XGlobalHeader, "an extended header"),
        (EntryType::Continuous, "something else"),
    ] {
        let hostile = Entry { path: b"pdf/SKILL.md", kind, content: b"" };
        let archive = tar(&[file("mitt-skill.json", &record), hostile]);
        refused(
            &compressed(&archive),
            &format!("`pdf/SKILL.md`: expected a plain file, got {name}"),
        );
    }
}

#[test]
fn records_that_lie_are_refused() {
    let good = SKILL_MD.as_bytes();
    let named = record("pdf", &[("SKILL.md", good)]);
    let archive = |record: &[u8], entries: Vec<Entry<'_>>| {
        let mut all = vec![file("mitt-skill.json", record)];
        all.extend(entries);
        compressed(&tar(&all))
    };
    refused(&archive(&named, vec![]), "`pdf/SKILL.md` is in the record, but not in the archive");
    refused(
        &archive(&named, vec![file("pdf/SKILL.md", good), file("pdf/more", b"x")]),
        "`pdf/more` is in the archive, but not in the record",
    );
    refused(
        &archive(&named, vec![file("pdf/other", good)]),
        "expected `pdf/SKILL.md` next, got `pdf/other`",
    );
    refused(&archive(&named, vec![file("pdf/SKILL.md", b"x")]), " bytes, got 1");
    let other = SKILL_MD.replace("Do it", "Do no");
    refused(
        &archive(&named, vec![file("pdf/SKILL.md", other.as_bytes())]),
        "`SKILL.md`: expected digest `",
    );
    refused(
        &compressed(&tar(&[file("pdf/SKILL.md", good)])),
        "not a packed skill: expected `mitt-skill.json` first",
    );
    for (record, wanted) in [
        (&b"{}"[..], "mitt-skill.json: missing field"),
        (b"[", "mitt-skill.json: EOF"),
        (br#"{"format":1,"name":"pdf","version":null,"files":[],"more":1}"#, "unknown field `more`"),
        (br#"{"format":2,"name":"pdf","version":null,"files":[]}"#, "format: expected 1, got 2"),
        (br#"{"format":1,"name":"pdf","version":null,"files":[{"path":"a","size":99999999999,"sha256":""}]}"#, "`a`: expected at most 67108864 bytes"),
    ] {
        refused(&archive(record, vec![]), wanted);
    }
    let versioned = br#"{"format":1,"name":"pdf","version":"9.9.9","files":["#.to_vec();
    let versioned = [
        versioned,
        format!(
            "{{\"path\":\"SKILL.md\",\"size\":{},\"sha256\":\"{}\"}}]}}",
            good.len(),
            sha256(good)
        )
        .into_bytes(),
    ]
    .concat();
    refused(
        &archive(&versioned, vec![file("pdf/SKILL.md", good)]),
        "names another skill or version",
    );
}

#[test]
fn bombs_are_refused() {
    // A few bytes that expand to many, whatever the headers say.
    let zeros = vec![0_u8; 64 << 20];
    refused(&compressed(&zeros), "bytes out for one");
    refused(
        &compressed(&[&tar(&[file("mitt-skill.json", &zeros[..3 << 20])])[..]].concat()),
        "at most",
    );
    let many: Vec<(String, Vec<u8>)> =
        (0..1_025).map(|index| (format!("f{index}"), Vec::new())).collect();
    let many: Vec<(&str, &[u8])> =
        many.iter().map(|(path, content)| (path.as_str(), &content[..])).collect();
    refused(&agreeing(&many), "expected at most 1024 files, got 1026");
    let total: Vec<Value> = (0..3)
        .map(|index| json!({ "path": format!("f{index}"), "size": 60 << 20, "sha256": "" }))
        .collect();
    let record = json!({ "format": 1, "name": "pdf", "version": null, "files": total }).to_string();
    refused(
        &compressed(&tar(&[file("mitt-skill.json", record.as_bytes())])),
        "134217728 bytes in all, got",
    );
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    refused(&compressed(&tar(&[file("mitt-skill.json", deep.as_bytes())])), "mitt-skill.json: ");
    // An archive that is too large itself, without reading all of it.
    let folder = tempfile::tempdir().unwrap();
    fs::File::create(folder.path().join("x.zst")).unwrap().set_len(1 << 40).unwrap();
    let (code, _, stderr) = run(folder.path(), &["install", "x.zst", "--to", "mine"]);
    assert!(code == 3 && stderr.contains("expected at most 67108864 bytes"), "{stderr}");
}

#[test]
fn damaged_archives_are_refused() {
    let good = agreeing(&[]);
    refused(b"", "not a zstd archive, or damaged");
    refused(b"PK\x03\x04 a zip file", "not a zstd archive, or damaged");
    for length in [5, 20, good.len() / 2, good.len() - 1] {
        refused(&good[..length], "x.zst: ");
    }
    refused(&[&good[..], b"more"].concat(), "something follows the compressed data");
    refused(&[&good[..], &good[..]].concat(), "something follows the compressed data");
    let record = record("pdf", &[("SKILL.md", SKILL_MD.as_bytes())]);
    let plain = tar(&[file("mitt-skill.json", &record), file("pdf/SKILL.md", SKILL_MD.as_bytes())]);
    refused(&compressed(&[&plain[..], &plain[..]].concat()), "something follows the last file");
    refused(&compressed(&plain[..1_024 + 512 + 100]), "the archive is cut off");
    refused(&compressed(&plain[..700]), "the archive is cut off");
    let mut flipped = plain.clone();
    flipped[5] ^= 1;
    refused(&compressed(&flipped), "an entry's checksum does not fit");
    let mut old = plain;
    old[257..265].fill(0);
    let mut header = Header::from_byte_slice(&old[..512]).clone();
    header.set_cksum();
    old[..512].copy_from_slice(header.as_bytes());
    refused(&compressed(&old), "expected a ustar header");
}

#[test]
fn a_skill_that_does_not_pass_is_not_installed() {
    let wrong = b"---\nname: other\ndescription: Reads PDF files for you.\n---\n";
    let record = record("pdf", &[("SKILL.md", wrong)]);
    let archive = tar(&[file("mitt-skill.json", &record), file("pdf/SKILL.md", wrong)]);
    refused(&compressed(&archive), "pdf: the skill does not pass its check");
    refused(&agreeing(&[("skill.yaml", b"schema: 1")]), "skill.yaml: ");
}
