//! Skills as modules of scripts, and the Python files in skills.

use std::fs;
use std::path::Path;

use mitt::{CacheDir, Host, Session, SessionOptions};
use serde_json::{Value, json};

use crate::support::{TestSkill, cache, engines, outcome, script, session};

/// A tool that does nothing.
const NOTHING: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "do-nothing") (canon lift (core func $i "run"))))"#;

fn host(folder: &Path) -> Host {
    Host::builder().cache(CacheDir::new(cache())).skills(folder).build().unwrap()
}

fn open(host: &Host) -> Session {
    host.session(SessionOptions::default()).unwrap()
}

/// Returns a skill `my-rows` with one tool and these files in `scripts`.
fn skill(files: &[(&str, &str)]) -> TestSkill {
    let skill = TestSkill::new("my-rows", NOTHING, "");
    for (path, text) in files {
        write(&skill, path, text);
    }
    skill
}

fn write(skill: &TestSkill, path: &str, text: &str) {
    let path = skill.path().join("my-rows/scripts").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn kinds(session: &Session, kind: &str) -> Vec<Value> {
    session.journal().into_iter().filter(|entry| entry["kind"] == kind).collect()
}

#[tokio::test]
async fn tools_are_functions_of_modules_and_documents_are_there() {
    for engine in engines() {
        let session = session();
        session.add_document_bytes("a.csv", "年,收入\n2024,10\n2025,12.5\n".into()).await.unwrap();
        let done = outcome(
            &session,
            &engine,
            "import table_tool, report\n\
             t = documents['a.csv'].tables[0]\n\
             g = table_tool.growth(t, columns=['收入'])\n\
             report.deliver(markdown='# x', filename='x.md')\n\
             g.data.records()[1]['收入_growth']",
        )
        .await;
        assert_eq!(done["result"].to_string(), "0.25", "{engine}: {done}");
        assert_eq!(session.artifacts()[0].name, "x.md");
        let tools: Vec<_> =
            kinds(&session, "call").iter().map(|entry| entry["tool"].clone()).collect();
        assert_eq!(tools, ["table_tool__growth", "report__deliver", "python__run"]);
    }
}

/// The sample's instructions say `import excel_tool`, and put its files where that does not find them.
#[tokio::test]
async fn the_import_that_the_instructions_name_works() {
    for engine in engines() {
        let session = session();
        let code =
            "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='analysis.xlsx').name";
        assert_eq!(outcome(&session, &engine, code).await["result"], "analysis.xlsx", "{engine}");
        // The instructions of an engine of another language are about that one.
        let registry = session.registry();
        let for_python = registry.skills().filter(|skill| {
            skill.manifest().script().is_none_or(|script| script.language == "python")
        });
        for skill in for_python {
            for line in skill.instructions().lines().filter(|line| line.starts_with("import ")) {
                let done = outcome(&session, &engine, line).await;
                assert_eq!(done["status"], "success", "{}: {line}: {done}", skill.manifest().name);
            }
        }
    }
}

#[tokio::test]
async fn a_skill_ships_python_files_that_scripts_import() {
    let skill = skill(&[
        ("__init__.py", "ANSWER = 42\n"),
        ("numbers.py", "def double(x):\n    return 2 * x\n"),
        ("dates/iso.py", "def year(text):\n    return int(text[:4])\n"),
        ("notes.txt", "ignored"),
    ]);
    let host = host(skill.path());
    let found = host.registry().found("my-rows").unwrap();
    assert!(
        found.warnings().iter().any(|it| it.starts_with("scripts/notes.txt: ignored")),
        "{:?}",
        found.warnings()
    );
    for engine in engines() {
        let session = open(&host);
        let code = "import my_rows\nfrom my_rows import numbers\nfrom my_rows.dates import iso\n\
            my_rows.do_nothing()\n[my_rows.ANSWER, numbers.double(4), iso.year('2025-01-01')]";
        for _ in 0..2 {
            let done = outcome(&session, &engine, code).await;
            assert_eq!(done["result"], json!([42, 8, 2025]), "{engine}: {done}");
        }
        // Once for each session, engine, skill and content.
        let noted = kinds(&session, "helpers");
        assert_eq!(noted.len(), 1, "{noted:?}");
        assert_eq!((&noted[0]["skill"], &noted[0]["files"]), (&json!("my-rows"), &json!(3)));
        // Another session records its own use.
        let other = open(&host);
        outcome(&other, &engine, "import my_rows").await;
        assert_eq!(kinds(&other, "helpers").len(), 1);
    }
}

/// As in any Python package. python-lite supports only absolute imports.
#[tokio::test]
async fn helpers_import_each_other() {
    let skill = skill(&[
        ("__init__.py", "from . import numbers\nANSWER = numbers.double(21)\n"),
        ("numbers.py", "def double(x):\n    return 2 * x\n"),
        ("dates/__init__.py", ""),
        ("dates/iso.py", "from ..numbers import double\ndef years(x):\n    return double(x)\n"),
    ]);
    let code = "import my_rows\nfrom my_rows.dates import iso\n[my_rows.ANSWER, iso.years(4)]";
    let done = outcome(&open(&host(skill.path())), "python", code).await;
    assert_eq!(done["result"], json!([42, 8]), "{done}");
}

#[tokio::test]
async fn a_skill_that_is_needed_later_is_there_and_so_is_its_new_version() {
    let skill = skill(&[("value.py", "VALUE = 1\n")]);
    let host = host(skill.path());
    for engine in engines() {
        write(&skill, "value.py", "VALUE = 1\n");
        host.reload().await;
        let session = open(&host);
        // The first script does not need it.
        outcome(&session, &engine, "import table_tool").await;
        let code = json!({ "code": "from my_rows import value\nvalue.VALUE", "language": engine, "state": "session" });
        let run = async || -> Value {
            session.call("python__run", &code.to_string()).await.result.unwrap().into()
        };
        assert_eq!(run().await["result"], 1, "{engine}");
        write(&skill, "value.py", "VALUE = 22\n");
        assert!(host.reload().await.is_some());
        // Also in an instance that has imported the old one.
        assert_eq!(run().await["result"], 22, "{engine}");
        assert_eq!(kinds(&session, "helpers").len(), 2);
    }
}

#[tokio::test]
async fn a_broken_python_file_leaves_the_last_good_version() {
    let skill = skill(&[("value.py", "VALUE = 1\n"), ("other.py", "")]);
    let host = host(skill.path());
    write(&skill, "value.py", "VALUE = 2\n");
    fs::write(skill.path().join("my-rows/scripts/other.py"), b"\xff").unwrap();
    host.reload().await;
    let registry = host.registry();
    let problems: Vec<_> = registry.problems().collect();
    assert!(problems[0].1.contains("other.py: expected UTF-8"), "{problems:?}");
    for engine in engines() {
        let done = outcome(&open(&host), &engine, "from my_rows import value\nvalue.VALUE").await;
        assert_eq!(done["result"], 1, "{engine}");
    }
    // From the start it is an error that names the file.
    let error = Host::builder().no_cache().skills(skill.path()).build().unwrap_err().to_string();
    assert!(error.contains("other.py"), "{error}");
}

#[tokio::test]
async fn a_helper_with_a_mistake_is_named_in_the_traceback() {
    let skill = skill(&[("good.py", "X = 1\n"), ("bad.py", "def f(:\n")]);
    let host = host(skill.path());
    for engine in engines() {
        let done = outcome(&open(&host), &engine, "import my_rows.bad").await;
        assert_eq!(done["status"], "error", "{engine}: {done}");
        assert!(done["error_message"].as_str().unwrap().contains("bad.py"), "{engine}: {done}");
    }
}

#[tokio::test]
async fn a_skill_without_a_component_can_be_a_module_of_python() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("just-python");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: just-python\ndescription: a test\n---\n")
        .unwrap();
    fs::write(skill.join("scripts/tax.py"), "def net(x):\n    return x - x // 5\n").unwrap();
    let host = host(folder.path());
    for engine in engines() {
        let done =
            outcome(&open(&host), &engine, "from just_python import tax\ntax.net(100)").await;
        assert_eq!(done["result"], 80, "{engine}: {done}");
    }
}

#[tokio::test]
async fn only_enabled_skills_can_be_imported_and_others_are_named() {
    let overlay = mitt::skill::Overlay::parse("{schema: 1, disable: [report]}", "o").unwrap();
    let host = Host::builder()
        .cache(CacheDir::new(cache()))
        .overlay(mitt::skill::Layer::Project, overlay)
        .build()
        .unwrap();
    for engine in engines() {
        let session = open(&host);
        for name in ["report", "python", "reader_sheet", "no_such_skill"] {
            let report = script(&session, &engine, &format!("import {name}")).await;
            let done = Value::from(report.result.unwrap());
            assert!(
                ["ModuleNotFoundError", "ImportError"]
                    .contains(&done["error_kind"].as_str().unwrap()),
                "{engine}: {name}: {done}"
            );
        }
    }
}

/// Compiling a plugin takes seconds; the time limit of a script does not include it.
#[tokio::test]
async fn loading_a_plugin_is_not_counted_as_the_scripts_time() {
    let fresh = tempfile::tempdir().unwrap();
    // Only the engines are compiled already.
    for entry in fs::read_dir(cache()).unwrap() {
        let path = entry.unwrap().path();
        let is_large = path.metadata().unwrap().len() > 40_000_000;
        let of_large = path.extension().is_some_and(|it| it == "json")
            && path.with_extension("cwasm").metadata().is_ok_and(|it| it.len() > 40_000_000);
        if is_large || of_large || path.ends_with("secret") {
            fs::copy(&path, fresh.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(fresh.path(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(fresh.path().join("secret"), fs::Permissions::from_mode(0o600))
            .unwrap();
    }
    let host = Host::builder().cache(CacheDir::new(fresh.path())).build().unwrap();
    let session = open(&host);
    let start = std::time::Instant::now();
    let arguments =
        json!({ "code": "import excel_tool, table_tool, report\n1", "timeout_seconds": 1 });
    let report = session.call("python__run", &arguments.to_string()).await;
    let done = Value::from(report.result.unwrap());
    assert_eq!(done["result"], 1, "{done}");
    let counted = done["execution_time_ms"].as_f64().unwrap();
    assert!(counted < 1_000.0 && counted < start.elapsed().as_secs_f64() * 1_000.0, "{counted}");
}
