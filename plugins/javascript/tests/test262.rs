//! The conformance tests of ECMAScript, test262, in the interpreter with Mitt's patches.
//!
//! Skips without the variable `TEST262`, the folder of a copy of <https://github.com/tc39/test262>. `TEST262_TABLE` names a
//! file for the table of results, as it stands in `test262.md`.
//!
//! Scripts are evaluated as they are, without the flag of Mitt's scripts: these may declare a name twice, which some tests refuse.
//! Modules are left out, because a script of Mitt is none.

use rquickjs::context::EvalOptions;
use rquickjs::function::Func;
use rquickjs::{Context, Ctx, Function, Object, Runtime, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The least share of passed tests, in thousandths.
const FLOOR: usize = 995;

/// Bytes of stack after which a recursion is a `RangeError`, as in the engine.
const STACK_BYTES: usize = 1 << 20;

/// Features of tests that the engine leaves out on purpose, or that need another host.
const LEFT_OUT: [(&str, &str); 18] = [
    ("Temporal", "not in QuickJS-ng"),
    ("ShadowRealm", "not in QuickJS-ng"),
    ("decorators", "not in QuickJS-ng"),
    ("explicit-resource-management", "not in QuickJS-ng"),
    ("source-phase-imports", "scripts are no modules"),
    ("import-defer", "scripts are no modules"),
    ("import-text", "scripts are no modules"),
    ("import-bytes", "scripts are no modules"),
    ("json-modules", "scripts are no modules"),
    ("import-attributes", "scripts are no modules"),
    ("dynamic-import", "scripts are no modules"),
    ("tail-call-optimization", "not in QuickJS-ng"),
    ("cross-realm", "a session has one realm"),
    ("IsHTMLDDA", "for browsers"),
    ("SharedArrayBuffer", "a session has one thread"),
    ("Atomics", "a session has one thread"),
    ("host-gc-required", "needs a host that collects garbage on demand"),
    ("caller", "deprecated"),
];

/// Why tests of a folder fail.
const REASONS: [(&str, &str); 11] = [
    ("built-ins/ArrayBuffer", "immutable buffers are a proposal"),
    (
        "built-ins/AsyncFromSyncIteratorPrototype",
        "a rejected value does not close the iterator (ES2025)",
    ),
    (
        "built-ins/Function",
        "a source with carriage returns only, whose head this runner does not read",
    ),
    ("built-ins/Promise", "`allKeyed` and `allSettledKeyed` are a proposal"),
    ("built-ins/RegExp", "a source with a NUL character is refused"),
    ("built-ins/TypedArrayConstructors", "needs a second realm"),
    ("language/destructuring", "the order in which targets are evaluated"),
    (
        "language/expressions",
        "the order in which targets of assignments are evaluated, also with `with` and a changed scope; a NUL character",
    ),
    ("language/identifier-resolution", "a global that its own assignment makes"),
    ("language/literals", "a source with a NUL character is refused"),
    ("language/statements", "`with`, and fields named `get` and `set` before a generator"),
];

/// What the head of a test says.
#[derive(Default)]
struct Head {
    flags: Vec<String>,
    includes: Vec<String>,
    features: Vec<String>,
    /// Phase and class of the expected error.
    negative: Option<(String, String)>,
}

impl Head {
    fn read(source: &str) -> Self {
        let text = source.split_once("/*---").and_then(|(_, rest)| rest.split_once("---*/"));
        let (mut head, mut list) = (Self::default(), String::new());
        let mut negative = (String::new(), String::new());
        for line in text.map_or("", |(text, _)| text).lines() {
            let item = line.trim_start().strip_prefix("- ").map(str::trim);
            match (line.trim().split_once(':'), item) {
                (_, Some(item)) => head.push(&list, item),
                (Some((key, rest)), None) => {
                    list = key.to_owned();
                    let rest = rest.trim();
                    match key {
                        "phase" => negative.0 = rest.to_owned(),
                        "type" => negative.1 = rest.to_owned(),
                        _ => {
                            let items = rest.trim_matches(['[', ']']).split(',').map(str::trim);
                            items
                                .filter(|item| !item.is_empty())
                                .for_each(|item| head.push(key, item));
                        }
                    }
                }
                _ => {}
            }
        }
        head.negative = (!negative.1.is_empty()).then_some(negative);
        head
    }

    fn push(&mut self, list: &str, item: &str) {
        let list = match list {
            "flags" => &mut self.flags,
            "includes" => &mut self.includes,
            "features" => &mut self.features,
            _ => return,
        };
        list.push(item.to_owned());
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }

    /// Returns why a test does not run.
    fn left_out(&self) -> Option<&'static str> {
        if self.has("module") {
            return Some("scripts are no modules");
        }
        if self.has("CanBlockIsTrue") {
            return Some("a session has one thread");
        }
        LEFT_OUT
            .iter()
            .find(|(name, _)| self.features.iter().any(|known| known == name))
            .map(|(_, why)| *why)
    }
}

fn options() -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options
}

/// Makes `$262` and `print`.
fn host<'js>(ctx: &Ctx<'js>, printed: &Rc<RefCell<String>>) -> rquickjs::Result<()> {
    let (globals, printed) = (ctx.globals(), Rc::clone(printed));
    let print = Function::new(ctx.clone(), move |text: rquickjs::Coerced<String>| {
        printed.borrow_mut().push_str(&text.0);
    })?;
    globals.set("print", print)?;
    let object = Object::new(ctx.clone())?;
    object.set("global", globals.clone())?;
    object.set("gc", Func::from(|| ()))?;
    let script =
        |ctx: Ctx<'js>, code: String| ctx.eval_with_options::<Value<'js>, _>(code, options());
    object.set("evalScript", Func::from(script))?;
    let detach: Function<'js> = ctx.eval("(buffer) => { buffer.transfer() }")?;
    object.set("detachArrayBuffer", detach)?;
    globals.set("$262", object)
}

fn name_of(thrown: &Value<'_>) -> (String, String) {
    let Some(error) = thrown.as_object() else {
        return (format!("{thrown:?}"), String::new());
    };
    let class = error.get::<_, Object<'_>>("constructor").and_then(|class| class.get("name"));
    (class.unwrap_or_default(), error.get("message").unwrap_or_default())
}

/// Runs a test once. Returns what went wrong.
fn run(source: &str, head: &Head, harness: &[String], is_strict: bool) -> Result<(), String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_max_stack_size(STACK_BYTES);
    runtime.set_memory_limit(512 << 20);
    let began = Instant::now();
    runtime
        .set_interrupt_handler(Some(Box::new(move || began.elapsed() > Duration::from_secs(20))));
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    let printed = Rc::new(RefCell::new(String::new()));
    let ended = context.with(|ctx| {
        host(&ctx, &printed).map_err(|error| error.to_string())?;
        for part in harness {
            ctx.eval_with_options::<Value<'_>, _>(part.as_str(), options()).map_err(|_| {
                let (class, message) = name_of(&ctx.catch());
                format!("harness: {class}: {message}")
            })?;
        }
        let code = if is_strict { format!("\"use strict\";\n{source}") } else { source.to_owned() };
        let result = ctx.eval_with_options::<Value<'_>, _>(code, options()).map(|_| ());
        let thrown = result.is_err().then(|| name_of(&ctx.catch()));
        while ctx.execute_pending_job() {}
        ctx.catch();
        match (&head.negative, thrown) {
            (Some((_, expected)), Some((class, _))) if *expected == class => Ok(()),
            (Some((_, expected)), other) => Err(format!("expected {expected}, got {other:?}")),
            (None, Some((class, message))) => Err(format!("{class}: {message}")),
            (None, None) => Ok(()),
        }
    });
    ended?;
    let printed = printed.borrow();
    if head.has("async") && !printed.contains("Test262:AsyncTestComplete") {
        return Err(format!("not completed: {printed}"));
    }
    Ok(())
}

#[derive(Default)]
struct Folder {
    passed: usize,
    failed: Vec<(String, String)>,
}

#[derive(Default)]
struct Results {
    folders: BTreeMap<String, Folder>,
    left_out: BTreeMap<&'static str, usize>,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            files(&path, found);
        } else if name.ends_with(".js") && !name.contains("_FIXTURE") {
            found.push(path);
        }
    }
}

/// Runs a test in its modes, and notes the result.
fn test(root: &Path, path: &Path, results: &Mutex<Results>) {
    let source = std::fs::read_to_string(path).unwrap();
    let head = Head::read(&source);
    if let Some(why) = head.left_out() {
        *results.lock().unwrap().left_out.entry(why).or_default() += 1;
        return;
    }
    let read = |name: &str| std::fs::read_to_string(root.join("harness").join(name)).unwrap();
    let mut harness = Vec::new();
    if !head.has("raw") {
        harness.extend(["assert.js", "sta.js"].map(read));
        harness.extend(head.has("async").then(|| read("doneprintHandle.js")));
        harness.extend(head.includes.iter().map(|name| read(name)));
    }
    let modes: &[bool] = match () {
        () if head.has("onlyStrict") => &[true],
        () if head.has("noStrict") || head.has("raw") => &[false],
        () => &[false, true],
    };
    let ended = modes.iter().try_for_each(|is_strict| run(&source, &head, &harness, *is_strict));
    let below = path.strip_prefix(root.join("test")).unwrap();
    let folder: Vec<_> =
        below.components().take(2).map(|part| part.as_os_str().to_string_lossy()).collect();
    let mut results = results.lock().unwrap();
    let folder = results.folders.entry(folder.join("/")).or_default();
    match ended {
        Ok(()) => folder.passed += 1,
        Err(why) => folder.failed.push((below.to_string_lossy().into_owned(), why)),
    }
}

fn reason(folder: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == folder).map(|(_, why)| *why)
}

fn table(results: &Results) -> (String, usize, usize) {
    let (mut passed, mut all) = (0, 0);
    let mut text = "| folder | passed | of | | why some fail |\n|---|---|---|---|---|\n".to_owned();
    for (name, folder) in &results.folders {
        let of = folder.passed + folder.failed.len();
        (passed, all) = (passed + folder.passed, all + of);
        let _ = writeln!(
            text,
            "| {name} | {} | {of} | {:.1} % | {} |",
            folder.passed,
            100.0 * folder.passed as f64 / of as f64,
            if folder.failed.is_empty() { "" } else { reason(name).unwrap_or("?") }
        );
    }
    let _ = writeln!(
        text,
        "| all | {passed} | {all} | {:.1} % | |",
        100.0 * passed as f64 / all as f64
    );
    text.push_str("\n| left out | tests |\n|---|---|\n");
    for (why, count) in &results.left_out {
        let _ = writeln!(text, "| {why} | {count} |");
    }
    (text, passed, all)
}

#[test]
fn conformance() {
    let Some(root) = std::env::var_os("TEST262").map(PathBuf::from) else {
        println!("skipped: TEST262 names no copy of test262");
        return;
    };
    let mut paths = Vec::new();
    for folder in ["test/language", "test/built-ins"] {
        files(&root.join(folder), &mut paths);
    }
    let (results, next) = (Mutex::new(Results::default()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let worker = std::thread::Builder::new().stack_size(16 << 20);
            let work = || {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    test(&root, path, &results);
                }
            };
            worker.spawn_scoped(scope, work).unwrap();
        }
    });
    let results = results.into_inner().unwrap();
    let (table, passed, all) = table(&results);
    println!("{table}");
    for (path, why) in results.folders.values().flat_map(|folder| &folder.failed) {
        println!("failed: {path}: {}", why.lines().next().unwrap_or_default());
    }
    if let Some(file) = std::env::var_os("TEST262_TABLE") {
        std::fs::write(file, &table).unwrap();
    }
    for (name, folder) in &results.folders {
        assert!(
            folder.failed.is_empty() || reason(name).is_some(),
            "{name} fails without a known reason"
        );
    }
    assert!(passed * 1_000 >= all * FLOOR, "{passed} of {all} passed");
}
