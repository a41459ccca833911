//! Commands that write where the user says never replace a file that Mitt did not write or that was changed since.

use std::fs;
use std::path::Path;

use crate::support::{mitt, text};

fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stderr))
}

#[test]
fn a_pdf_replaces_neither_its_source_nor_what_is_no_pdf_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("only.md"), "# One\n").unwrap();
    fs::write(at("odd.pdf"), "# Markdown, in spite of its name\n").unwrap();
    fs::write(at("mine.pdf"), "precious").unwrap();
    for (target, told) in [
        ("only.md", "expected a name that ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`"),
        ("r.doc", "expected a name that ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`"),
        ("r", "expected a name that ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`"),
        ("mine.pdf", "mine.pdf is there already"),
    ] {
        let (code, stderr) = run(folder.path(), &["render", "only.md", "-o", target]);
        assert_eq!(code, 3, "{target}: {stderr}");
        assert!(stderr.contains(told), "{target}: {stderr}");
    }
    let (code, stderr) = run(folder.path(), &["render", "odd.pdf", "-o", "./odd.pdf", "--force"]);
    assert!(code == 3 && stderr.contains("is the source itself"), "{stderr}");
    assert_eq!(fs::read_to_string(at("only.md")).unwrap(), "# One\n");
    assert_eq!(fs::read_to_string(at("mine.pdf")).unwrap(), "precious");
    assert!(!at("r.doc").exists() && !at("r").exists());
    // A file that Mitt wrote is replaced as long as it is unchanged.
    for source in ["# One\n", "# Two\n"] {
        fs::write(at("only.md"), source).unwrap();
        let (code, stderr) = run(folder.path(), &["render", "only.md", "-o", "r.PDF"]);
        assert_eq!(code, 0, "{stderr}");
    }
    let mut changed = fs::read(at("r.PDF")).unwrap();
    changed.extend(b"\n% a note of mine\n");
    fs::write(at("r.PDF"), &changed).unwrap();
    let (code, stderr) = run(folder.path(), &["render", "only.md", "-o", "r.PDF"]);
    assert!(code == 3 && stderr.contains("replace it with `--force`"), "{stderr}");
    assert_eq!(fs::read(at("r.PDF")).unwrap(), changed);
    for target in ["r.PDF", "mine.pdf"] {
        let (code, stderr) = run(folder.path(), &["render", "only.md", "-o", target, "--force"]);
        assert_eq!(code, 0, "{stderr}");
        assert!(fs::read(at(target)).unwrap().starts_with(b"%PDF-"));
    }
}

#[test]
fn stubs_and_compiled_skills_replace_all_that_is_ours_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (args, taken, other) in [
        (&["exec", "--stubs=types", "-q"][..], "types/excel_tool.pyi", "types/__builtins__.pyi"),
        (
            &["compile", "table-tool", "-o", "native", "-q"],
            "native/table-tool/SKILL.md",
            "native/table-tool/skill.yaml",
        ),
    ] {
        let path = at(taken);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let (code, stderr) = run(folder.path(), args);
        assert!(code == 3 && stderr.contains(taken), "{args:?}: {stderr}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert!(!at(other).exists(), "{other} was written");
        // With `--force`, and then without it: now the file is ours.
        for args in [[args, &["--force"]].concat(), args.to_vec()] {
            let (code, stderr) = run(folder.path(), &args);
            assert_eq!(code, 0, "{stderr}");
        }
        assert_ne!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
