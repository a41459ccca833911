//! Scripts as foreign clients write them, in the bundled Python.

mod guest;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;

use super::sandboxes::{SandboxOptions, Sandboxes};
use super::state::{NewSandbox, SandboxFile, Script, ScriptResult};
use crate::problem::Problem;
use crate::store::{FolderStore, Store};
use mitt::{CacheDir, CallOptions, Host};

const T: &str = "tenant";

struct Fixture {
    sandboxes: Sandboxes,
    store: Arc<dyn Store>,
    folder: tempfile::TempDir,
}

fn host() -> Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mitt-cache");
    HOST.get_or_init(|| Host::builder().cache(CacheDir::new(cache)).build().unwrap()).clone()
}

fn store(folder: &tempfile::TempDir) -> Arc<dyn Store> {
    let clock = Arc::new(|| host().environment().now());
    Arc::new(FolderStore::open(folder.path(), clock).unwrap())
}

fn options(store: Arc<dyn Store>) -> SandboxOptions {
    SandboxOptions {
        store,
        host: host(),
        sessions: 4,
        idle: Duration::from_mins(1),
        most_files: 5,
        most_bytes: 1_000_000,
        metrics: Arc::default(),
    }
}

fn new() -> NewSandbox {
    NewSandbox { name: "test".into(), prefix: "", life: Duration::from_hours(1) }
}

fn script(code: &str) -> Script {
    Script { language: "py".into(), code: code.into(), ..Script::default() }
}

fn kept(code: &str) -> Script {
    Script { keeps_variables: true, ..script(code) }
}

impl Fixture {
    fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        Fixture { sandboxes: Sandboxes::new(options(store.clone())), store, folder }
    }

    async fn sandbox(&self, files: &[(&str, &str)]) -> String {
        let id = self.sandboxes.create(T, new()).await.unwrap().id;
        for (name, content) in files {
            self.add(&id, name, content.as_bytes()).await.unwrap();
        }
        id
    }

    async fn add(&self, sandbox: &str, name: &str, content: &[u8]) -> Result<SandboxFile, Problem> {
        let id = Sandboxes::new_file_id().unwrap();
        let mut writer = self.store.blob_writer(T).await.unwrap();
        writer.write(content).await.unwrap();
        let blob = writer.finish(&id).await.unwrap();
        self.sandboxes.add_file(T, sandbox, id, name, "", blob).await
    }

    async fn run(&self, sandbox: &str, script: Script) -> ScriptResult {
        self.sandboxes.run(T, sandbox, script).await.unwrap()
    }

    /// Runs a script in a sandbox of its own.
    async fn alone(&self, files: &[(&str, &str)], code: &str) -> ScriptResult {
        let id = self.sandbox(files).await;
        self.run(&id, script(code)).await
    }

    async fn text(&self, file: &SandboxFile) -> String {
        let blob = self.store.blob(T, &file.sha256).await.unwrap();
        let bytes = blob.read(0, 1_000_000).await.unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[tokio::test]
async fn scripts_read_files_as_in_other_interpreters() {
    let fixture = Fixture::new();
    let files = [("sales.csv", "day,sum\nmon,1\ntue,2\n"), ("sub/notes.txt", "hello")];
    for code in [
        "print(open('/mnt/data/sales.csv').read().count('\\n'))",
        "print(open('sales.csv').read().count('\\n'))",
        "import csv\nprint(1 + len(list(csv.DictReader(open('./sales.csv')))))",
        "from pathlib import Path\nprint(len(Path('/mnt/data/sales.csv').read_text().splitlines()))",
        "with open('/mnt/data/sales.csv', 'rb') as file:\n    print(file.read().count(b'\\n'))",
        "import os\nos.chdir('/mnt/data')\nprint(len(os.listdir('.')) + os.path.isfile('/mnt/data/sales.csv'))",
        "import os\nprint(len(list(os.walk('/mnt/data'))) + len(os.listdir('/mnt/data/sub')))",
        "import glob\nprint(len(glob.glob('/mnt/data/*.csv')) + 2)",
        "print(1 + len(documents['sales.csv'].tables[0]))",
        "import os\nprint(3 if os.path.abspath('sales.csv') == '/mnt/data/sales.csv' else 0)",
    ] {
        let result = fixture.alone(&files, code).await;
        assert_eq!(
            (result.stdout.as_str(), &result.failure),
            ("3\n", &None),
            "{code}: {}",
            result.stderr
        );
    }
    let result = fixture.alone(&files, "open('/mnt/data/sub/notes.txt').read()").await;
    assert_eq!(result.result.as_deref(), Some("\"hello\""));
    // Other paths do not exist, and the error names files.
    let result = fixture.alone(&files, "open('/etc/passwd')").await;
    assert_eq!(result.failure.as_deref(), Some("error"));
    let result = fixture.alone(&files, "open('/mnt/data/missing.csv')").await;
    assert!(
        result.stderr.contains("FileNotFoundError") && result.stderr.contains("sales.csv"),
        "{}",
        result.stderr
    );
}

#[tokio::test]
async fn written_files_of_any_type_are_kept_and_found_by_later_scripts() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("in.csv", "a\n1\n")]).await;
    let code = "import os, pickle\nos.makedirs('/mnt/data/out', exist_ok=True)\n\
        open('/mnt/data/out/a.csv', 'w').write('x,y\\n')\n\
        pickle.dump([1, 2], open('/mnt/data/state.pkl', 'wb'))\n\
        open('/tmp/scratch.txt', 'w').write('s')\nopen('helper.py', 'w').write('def f():\\n    return 7\\n')\n\
        print(open('/tmp/scratch.txt').read(), os.path.exists('/mnt/data/out/a.csv'))";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!((result.stdout.as_str(), &result.failure), ("s True\n", &None), "{}", result.stderr);
    let names: Vec<&str> = result.files.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["helper.py", "out/a.csv", "state.pkl"]);
    assert!(result.left_out.is_empty() && result.deleted.is_empty());
    assert!(result.files.iter().all(|it| it.is_written && it.id.len() == 21));
    assert_eq!(fixture.text(&result.files[1]).await, "x,y\n");
    let code = "import pickle, helper, os\nprint(pickle.load(open('state.pkl', 'rb')), helper.f(), os.listdir('/mnt/data/out'))";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!(result.stdout, "[1, 2] 7 ['a.csv']\n", "{}", result.stderr);
    assert!(result.files.is_empty(), "nothing was written: {:?}", result.files);
    // A changed file replaces the old one, a removed one is gone.
    let code =
        "import os\nopen('/mnt/data/in.csv', 'a').write('2\\n')\nos.remove('/mnt/data/state.pkl')";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!(result.deleted, ["state.pkl"]);
    assert_eq!(fixture.text(&result.files[0]).await, "a\n1\n2\n");
    let files = fixture.sandboxes.get(T, &id).await.unwrap().files;
    assert_eq!(
        files.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        ["helper.py", "out/a.csv", "in.csv"]
    );
}

#[tokio::test]
async fn files_of_tools_are_files_of_the_sandbox() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[]).await;
    let code = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='a.xlsx').name";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!(result.result.as_deref(), Some("\"a.xlsx\""), "{}", result.stderr);
    assert!(result.files[0].media_type.contains("spreadsheetml"));
    let code =
        "print(open('/mnt/data/a.xlsx', 'rb').read(2), documents['a.xlsx'].tables[0].to_dicts())";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!(result.stdout, "b'PK' [{'a': 1}]\n", "{}", result.stderr);
    // The same through a call of the tool.
    let arguments = json!({ "data": [{ "b": 2 }], "filename": "b.xlsx" }).to_string();
    let options = CallOptions::new();
    let called = fixture
        .sandboxes
        .call(T, &id, "excel_tool__create_excel", &arguments, options)
        .await
        .unwrap();
    assert!(called.report.result.is_ok());
    assert_eq!(called.files[0].name, "b.xlsx");
    assert_eq!(fixture.sandboxes.get(T, &id).await.unwrap().files.len(), 2);
}

#[tokio::test]
async fn tracebacks_have_the_lines_of_the_client() {
    let fixture = Fixture::new();
    for (before, after) in [("", ""), ("import os\n", ""), ("", "\nawait f()")] {
        let code = format!("{before}def f():\n    return 1 / 0\n\nf(){after}");
        let result = fixture.alone(&[], &code).await;
        let line = 4 + before.lines().count();
        assert!(
            result.stderr.contains(&format!("File \"script.py\", line {line}")),
            "{}",
            result.stderr
        );
        assert!(result.stderr.contains("return 1 / 0"), "{}", result.stderr);
        assert_eq!(result.error_kind.as_deref(), Some("ZeroDivisionError"));
        assert_eq!(result.failure.as_deref(), Some("error"));
        assert!(!result.stderr.contains("_mitt"), "{}", result.stderr);
    }
}

#[tokio::test]
async fn asyncio_and_await_work_without_threads() {
    let fixture = Fixture::new();
    for (code, stdout) in [
        (
            "import asyncio\nasync def f(x):\n    await asyncio.sleep(5)\n    return x\nprint(await asyncio.gather(f(1), f(2)))",
            "[1, 2]\n",
        ),
        (
            "import asyncio\nasync def main():\n    print('in')\nif __name__ == '__main__':\n    asyncio.run(main())",
            "in\n",
        ),
        (
            "import asyncio\nasync def f():\n    await asyncio.sleep(9)\ntry:\n    await asyncio.wait_for(f(), 1)\nexcept TimeoutError:\n    print('late')",
            "late\n",
        ),
        (
            "import asyncio\nq = asyncio.Queue()\nasync def p():\n    for i in range(3):\n        await q.put(i)\nasync with asyncio.TaskGroup() as g:\n    g.create_task(p())\n    g.create_task(p())\nprint(q.qsize())",
            "6\n",
        ),
        (
            "import asyncio\ns = asyncio.Semaphore(1)\nlog = []\nasync def f(i):\n    async with s:\n        log.append(i)\n        await asyncio.sleep(1)\n        log.append(-i)\nawait asyncio.gather(*[f(i) for i in (1, 2)])\nprint(log)",
            "[1, -1, 2, -2]\n",
        ),
        (
            "import asyncio\nasync def bad():\n    raise ValueError('x')\nprint(await asyncio.gather(bad(), asyncio.sleep(1, 'ok'), return_exceptions=True))",
            "[ValueError('x'), 'ok']\n",
        ),
        (
            "import asyncio\nloop = asyncio.get_event_loop()\nprint(loop.run_until_complete(asyncio.sleep(1, 'done')))",
            "done\n",
        ),
        (
            "import asyncio\nasync def f():\n    try:\n        await asyncio.sleep(100)\n    except asyncio.CancelledError:\n        print('cancelled')\n        raise\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)\nt.cancel()\ntry:\n    await t\nexcept asyncio.CancelledError:\n    print('seen')",
            "cancelled\nseen\n",
        ),
        (
            "import asyncio\nfor done in asyncio.as_completed([asyncio.sleep(2, 'b'), asyncio.sleep(1, 'a')]):\n    print(await done)",
            "a\nb\n",
        ),
        ("import asyncio\nasync with asyncio.timeout(5):\n    print('in time')", "in time\n"),
    ] {
        let result = fixture.alone(&[], code).await;
        assert_eq!(
            (result.stdout.as_str(), &result.failure),
            (stdout, &None),
            "{code}\n{}",
            result.stderr
        );
    }
    let code = "import asyncio\nawait asyncio.sleep(1, 41) + 1";
    let value = fixture.alone(&[], code).await;
    assert_eq!(value.result.as_deref(), Some("42"), "{}", value.stderr);
    let stuck = fixture.alone(&[], "import asyncio\nawait asyncio.Event().wait()").await;
    assert!(stuck.stderr.contains("never happens"), "{}", stuck.stderr);
    let absent = fixture.alone(&[], "import asyncio\nasyncio.open_connection").await;
    assert!(absent.stderr.contains("no network"), "{}", absent.stderr);
}

#[tokio::test]
async fn variables_stay_in_a_sandbox_and_files_outlive_the_process() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("a.csv", "n\n1\n")]).await;
    fixture.run(&id, kept("x = 20\nopen('/mnt/data/b.txt', 'w').write('kept')")).await;
    let result = fixture.run(&id, kept("import asyncio\nx + (await asyncio.sleep(1, 22))")).await;
    assert_eq!(result.result.as_deref(), Some("42"), "{}", result.stderr);
    // Scripts that keep nothing see no variables, and change none.
    let result = fixture.run(&id, script("x")).await;
    assert_eq!(result.error_kind.as_deref(), Some("NameError"));
    let result =
        fixture.run(&id, kept("x, open('b.txt').read(), len(documents['a.csv'].tables[0])")).await;
    assert_eq!(result.result.as_deref(), Some("[20,\"kept\",1]"), "{}", result.stderr);
    // A document that is replaced ends the session, because it would show the old one.
    fixture.add(&id, "a.csv", b"n\n1\n2\n").await.unwrap();
    let result = fixture.run(&id, kept("open('a.csv').read().count('\\n'), 'x' in dir()")).await;
    assert_eq!(result.result.as_deref(), Some("[3,true]"), "{}", result.stderr);
    let result = fixture.run(&id, kept("len(documents['a.csv'].tables[0]), 'x' in dir()")).await;
    assert_eq!(result.result.as_deref(), Some("[2,false]"), "{}", result.stderr);
    assert!(result.warnings[0].contains("variables"), "{:?}", result.warnings);
    // A file that the client removed is gone, and one that a tool delivered can be written over.
    let code = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='t.xlsx').name";
    fixture.run(&id, kept(code)).await;
    fixture.run(&id, kept("open('t.xlsx', 'w').write('mine')")).await;
    let result = fixture.run(&id, kept("open('t.xlsx').read()")).await;
    assert_eq!(result.result.as_deref(), Some("\"mine\""), "{}", result.stderr);
    let files = fixture.sandboxes.get(T, &id).await.unwrap().files;
    let table = files.iter().find(|it| it.name == "t.xlsx").unwrap();
    assert_eq!(fixture.text(table).await, "mine");
    fixture.sandboxes.delete_file(T, &id, &table.id).await.unwrap();
    let result = fixture.run(&id, kept("import os\nos.path.exists('t.xlsx')")).await;
    assert_eq!(result.result.as_deref(), Some("false"), "{}", result.stderr);
    // A script that is ended takes the interpreter with it; the next one is prepared again.
    let ended = fixture
        .run(&id, Script { time: Some(Duration::from_secs(1)), ..kept("while True: pass") })
        .await;
    assert_eq!(ended.failure.as_deref(), Some("timeout"));
    let result = fixture.run(&id, kept("open('/mnt/data/b.txt').read()")).await;
    assert_eq!(result.result.as_deref(), Some("\"kept\""), "{}", result.stderr);
    // Another process.
    let Fixture { sandboxes, store: old, folder } = fixture;
    drop((sandboxes, old));
    let again = Sandboxes::new(options(store(&folder)));
    let result = again.run(T, &id, kept("open('/mnt/data/b.txt').read()")).await.unwrap();
    assert_eq!(result.result.as_deref(), Some("\"kept\""), "{}", result.stderr);
}

#[tokio::test]
async fn what_is_missing_is_named_with_what_to_use_instead() {
    let fixture = Fixture::new();
    for (code, words) in [
        (
            "import pandas as pd\npd.read_csv('/mnt/data/a.csv')",
            &["table_tool", "documents", "sqlite3"][..],
        ),
        ("import matplotlib.pyplot as plt", &["chart_tool"]),
        ("import requests", &["no network"]),
        ("import os\nos.system('ls')", &["no shell"]),
        ("input('name?')", &["cannot ask"]),
    ] {
        let result = fixture.alone(&[], code).await;
        let hint = result.hint.clone().unwrap_or_else(|| panic!("{code}: {}", result.stderr));
        assert!(words.iter().all(|it| hint.contains(it)), "{code}: {hint}");
    }
    let id = fixture.sandbox(&[]).await;
    for language in ["bash", "r", "cpp", ""] {
        let script = Script { language: language.into(), ..script("1") };
        let problem = fixture.sandboxes.run(T, &id, script).await.unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (400, "unsupported_capability"));
    }
}

#[tokio::test]
async fn scripts_in_javascript_share_the_files_of_the_sandbox() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("a.csv", "n\n1\n2\n")]).await;
    let javascript =
        |language: &str, code: &str| Script { language: language.into(), ..script(code) };
    for language in ["js", "javascript", "ts", "TypeScript", "node"] {
        let code = "documents['a.csv'].tables[0].column('n').reduce((a, b) => a + b)";
        let result = fixture.run(&id, javascript(language, code)).await;
        assert_eq!(result.result.as_deref(), Some("3"), "{language}: {}", result.stderr);
    }
    let code = "await mitt.write('out.txt', (await mitt.read('a.csv')).toUpperCase()); await store('n', 7)";
    let result = fixture.run(&id, javascript("js", code)).await;
    assert!(result.failure.is_none(), "{}", result.stderr);
    let written = result.files.iter().find(|it| it.name == "out.txt").unwrap();
    assert_eq!(fixture.text(written).await, "N\n1\n2\n");
    let result = fixture.run(&id, javascript("js", "await load('n')")).await;
    assert_eq!(result.result.as_deref(), Some("7"), "{}", result.stderr);
    // A script in the other language finds the same files.
    let result = fixture.run(&id, script("open('/mnt/data/out.txt').read()")).await;
    assert_eq!(result.result.as_deref(), Some("\"N\\n1\\n2\\n\""), "{}", result.stderr);
    let kept = |code: &str| Script { keeps_variables: true, ..javascript("js", code) };
    fixture.run(&id, kept("let x = 41")).await;
    assert_eq!(fixture.run(&id, kept("x + 1")).await.result.as_deref(), Some("42"));
}

#[tokio::test]
async fn limits_hold_and_say_which_they_are() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("a", "1"), ("b", "1"), ("c", "1")]).await;
    let large = vec![b'x'; 1_000_000];
    let problem = fixture.add(&id, "large", &large).await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (413, "too_large"));
    assert_eq!(fixture.add(&id, "../a", b"1").await.unwrap_err().code, "invalid_name");
    // A script's files: as many as there is room for.
    let code = "for i in range(4):\n    open(f'n{i}.txt', 'w').write('1')\nopen('z.bin', 'wb').write(b'x' * 999_999)";
    let result = fixture.run(&id, script(code)).await;
    assert_eq!((result.files.len(), result.left_out.len()), (2, 3), "{:?}", result.left_out);
    assert!(result.left_out.iter().all(|it| it.contains("at most")));
    let problem = fixture.add(&id, "d", b"1").await.unwrap_err();
    assert_eq!((problem.status, problem.code.as_str()), (422, "too_many_files"));
    // A file of the same name is replaced.
    assert!(fixture.add(&id, "a", b"2").await.is_ok());
    // What was refused owns nothing in the store.
    let refused = fixture.add(&id, "e", b"refused").await.unwrap_err();
    assert_eq!(refused.code, "too_many_files");
    fixture.store.sweep().await.unwrap();
    let long = Script { code: "#".repeat(600_000), ..script("") };
    let problem = fixture.sandboxes.run(T, &id, long).await.unwrap_err();
    assert_eq!(problem.code, "too_large");
    let result = fixture.alone(&[], "print('x' * 100_000)").await;
    assert!(result.stdout.len() < 40_000 && result.warnings[0].contains("stdout was cut"));
    assert_eq!(result.files.len(), 1, "the whole output is a file");
}

#[tokio::test]
async fn another_tenant_finds_nothing() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[("a", "1")]).await;
    let file = fixture.sandboxes.get(T, &id).await.unwrap().files[0].id.clone();
    let other = "other";
    let sandboxes = &fixture.sandboxes;
    let problems = [
        sandboxes.get(other, &id).await.unwrap_err(),
        sandboxes.file(other, &id, &file).await.unwrap_err(),
        sandboxes.delete_file(other, &id, &file).await.unwrap_err(),
        sandboxes.run(other, &id, script("1")).await.unwrap_err(),
        sandboxes.call(other, &id, "x", "{}", CallOptions::new()).await.map(|_| ()).unwrap_err(),
        sandboxes.delete(other, &id).await.unwrap_err(),
    ];
    assert!(problems.iter().all(|it| it.status == 404), "{problems:?}");
    assert!(sandboxes.list(other, None, 10).await.unwrap().is_empty());
    sandboxes.delete(T, &id).await.unwrap();
    assert_eq!(sandboxes.get(T, &id).await.unwrap_err().status, 404);
}

#[tokio::test]
async fn arguments_inputs_and_output() {
    let fixture = Fixture::new();
    let id = fixture.sandbox(&[]).await;
    let inputs = json!({ "n": 3 }).as_object().unwrap().clone();
    let arguments = vec!["a b".to_owned()];
    let code = "import sys\nprint(sys.argv[1:], n, file=sys.stderr)\nobject";
    let result = fixture.run(&id, Script { inputs, arguments, ..script(code) }).await;
    assert_eq!(result.stderr, "['a b'] 3\n");
    assert_eq!(
        result.result.as_deref(),
        Some("<class 'object'>"),
        "the repr of a value without JSON"
    );
    let result = fixture.run(&id, script("print(1)\nNone")).await;
    assert_eq!((result.stdout.as_str(), result.result), ("1\n", None));
}
