//! Components that were not written for Mitt: called unchanged, with WASI in its smallest form and nothing else.

use mitt::{ErrorKind, Host, HostBuilder, Session, SessionOptions};

use crate::support::{TestSkill, call, importing, kind, mitt, text};

/// Returns a component of one core module without imports, and its exports.
fn component(body: &str, exports: &str) -> Vec<u8> {
    let wat = format!(
        "(component (core module $m {body}) (core instance $i (instantiate $m)) {exports})"
    );
    wat::parse_str(wat).unwrap()
}

fn adder() -> Vec<u8> {
    component(
        r#"(func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))"#,
        r#"(func (export "add") (param "a" s32) (param "b" s32) (result s32)
            (canon lift (core func $i "add")))"#,
    )
}

fn builder() -> HostBuilder {
    Host::builder().no_cache().bundled_skills(false)
}

fn open(host: &Host) -> Session {
    host.session(SessionOptions::default()).unwrap()
}

/// Opens a session with one component in memory.
fn session(name: &str, bytes: impl Into<Vec<u8>>) -> Session {
    open(&builder().component_bytes(name.to_owned(), bytes.into()).build().unwrap())
}

async fn names(session: &Session) -> Vec<String> {
    let tools = session.host().registry().tools().await;
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

/// Returns why the component cannot be called.
async fn refused(wat: &str) -> mitt::Error {
    let session = session("foreign", wat::parse_str(wat).unwrap());
    call(&session, "foreign__run").await.result.unwrap_err()
}

#[tokio::test]
async fn a_component_alone_is_a_skill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("My_Adder.v2.wasm");
    std::fs::write(&path, adder()).unwrap();
    let session = open(&builder().component(&path).build().unwrap());
    assert_eq!(names(&session).await, ["my_adder_v2__add"]);
    let report = session.call("my_adder_v2__add", r#"{"a": 1, "b": 2}"#).await;
    assert_eq!(report.result.unwrap().to_string(), "3");
    let report = session.call("my_adder_v2__add", r#"{"a": 1, "b": "2"}"#).await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    let skill = session.host().registry().skill("my-adder-v2").unwrap();
    assert!(skill.manifest().grants.is_empty() && skill.instructions().is_empty());
    assert_eq!(skill.manifest().limits, mitt::CallLimits::default());
}

#[tokio::test]
async fn a_component_hides_a_skill_of_its_name() {
    let folder = TestSkill::new("adder", "(component)", "");
    let host = builder().skills(folder.path()).component_bytes("adder", adder()).build().unwrap();
    assert_eq!(names(&open(&host)).await, ["adder__add"]);
}

#[test]
fn components_that_cannot_be_skills_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, adder()).unwrap();
        path
    };
    let refused = |builder: HostBuilder| {
        let error = builder.build().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Load);
        error.render().replace(folder.path().to_str().unwrap(), "…")
    };
    insta::assert_snapshot!(refused(builder().component(folder.path().join("missing.wasm"))), @r"
    cannot read the component …/missing.wasm
      cause: No such file or directory (os error 2)
    hint: name an existing file that you may read
    ");
    insta::assert_snapshot!(
        refused(builder().component(file("adder.wat"))),
        @"expected a component `.wasm` or `.wasm.zst`, or the `.json` manifest of an Extism plug-in, got …/adder.wat"
    );
    insta::assert_snapshot!(refused(builder().component(file("2fa.wasm"))), @r"
    …/2fa.wasm: expected a skill name of at most 64 lower-case letters, digits and `-` that begins with a letter, got `2fa`
    hint: rename the file: the skill is named after it
    ");
    insta::assert_snapshot!(
        refused(builder().component(file("a_b.wasm")).component(file("a-b.wasm"))), @r"
    two skills are named `a-b`: …/a_b.wasm and …/a-b.wasm
    hint: rename one of them: a skill is named after its file
    ");
    assert!(refused(builder().component_bytes("A b", adder())).contains("got `A b`"));
}

#[tokio::test]
async fn names_of_every_place_make_tools() {
    let bytes = component(
        r#"(func (export "one") (result i32) (i32.const 1)) (func (export "two") (result i32) (i32.const 2))"#,
        r#"(func $one (result u32) (canon lift (core func $i "one")))
           (func $two (result u32) (canon lift (core func $i "two")))
           (instance $a (export "get" (func $one)) (export "only-here" (func $one)))
           (instance $b (export "get" (func $two)))
           (instance $c (export "parse-JSON" (func $two)))
           (export "acme:x/first@1.0.0" (instance $a))
           (export "acme:x/second@1.0.0" (instance $b))
           (export "plain" (instance $c))
           (export "wasi:cli/run@0.2.0" (instance $b))
           (export "URL" (func $one))
           (export "a-very-long-name-of-a-function-that-no-model-provider-would-accept" (func $one))"#,
    );
    let session = session("foreign", bytes.clone());
    assert_eq!(
        names(&session).await,
        [
            "foreign__URL",
            "foreign__first__get",
            "foreign__only_here",
            "foreign__parse_JSON",
            "foreign__second__get",
        ]
    );
    for (tool, result) in
        [("foreign__URL", "1"), ("foreign__first__get", "1"), ("foreign__second__get", "2")]
    {
        assert_eq!(call(&session, tool).await.result.unwrap().to_string(), result);
    }
    let skill = session.host().registry().skill("foreign").unwrap();
    let skipped = skill.skipped().await.unwrap();
    let lines: Vec<_> = skipped.iter().map(|it| format!("{}: {}", it.name, it.reason)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    get: WASI exports are called by language runtimes, not by models
    a-very-long-name-of-a-function-that-no-model-provider-would-accept: a tool name of at most 64 characters is needed, and `foreign` with the function's name is longer
    ");
    // The author of a skill sees it instead.
    let skill = TestSkill::from_bytes("foreign", &bytes, "");
    assert_eq!(kind(&call(&skill.session(), "foreign__URL").await), ErrorKind::Load);
}

/// Imports an interface that only names types, like every world whose interfaces share some.
#[tokio::test]
async fn types_need_no_grant() {
    let wat = r#"(component
        (import "acme:x/types@1.0.0" (instance $types
            (type $record (record (field "n" u32)))
            (export "point" (type (eq $record)))))
        (alias export $types "point" (type $point))
        (core module $m (func (export "run") (param i32) (result i32) (local.get 0)))
        (core instance $i (instantiate $m))
        (func $run (param "x" $point) (result $point) (canon lift (core func $i "run")))
        (export "run" (func $run)))"#;
    let session = session("foreign", wat::parse_str(wat).unwrap());
    let report = session.call("foreign__run", r#"{"x": {"n": 5}}"#).await;
    assert_eq!(report.result.unwrap().to_string(), r#"{"n":5}"#);
}

/// Counts environment variables, arguments and folders, and reads standard input.
const SURROUNDINGS: &str = r#"(component
    (import "wasi:cli/environment@0.2.3" (instance $env
        (export "get-environment" (func (result (list (tuple string string)))))
        (export "get-arguments" (func (result (list string))))
        (export "initial-cwd" (func (result (option string))))))
    (import "wasi:io/error@0.2.3" (instance $error (export "error" (type (sub resource)))))
    (alias export $error "error" (type $err))
    (import "wasi:io/streams@0.2.3" (instance $streams
        (export "input-stream" (type $is (sub resource)))
        (alias outer 1 $err (type $outer-err))
        (export "error" (type $e (eq $outer-err)))
        (type $variant (variant (case "last-operation-failed" (own $e)) (case "closed")))
        (export "stream-error" (type $se (eq $variant)))
        (export "[method]input-stream.blocking-read"
            (func (param "self" (borrow $is)) (param "len" u64) (result (result (list u8) (error $se)))))))
    (alias export $streams "input-stream" (type $stream))
    (import "wasi:cli/stdin@0.2.3" (instance $stdin
        (alias outer 1 $stream (type $outer-stream))
        (export "input-stream" (type $s (eq $outer-stream)))
        (export "get-stdin" (func (result (own $s))))))
    (import "wasi:filesystem/types@0.2.3" (instance $files (export "descriptor" (type (sub resource)))))
    (alias export $files "descriptor" (type $descriptor))
    (import "wasi:filesystem/preopens@0.2.3" (instance $preopens
        (alias outer 1 $descriptor (type $outer-descriptor))
        (export "descriptor" (type $d (eq $outer-descriptor)))
        (export "get-directories" (func (result (list (tuple (own $d) string)))))))
    (core module $memory
        (memory (export "memory") 1)
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096)))
    (core instance $memory (instantiate $memory))
    (alias core export $memory "memory" (core memory $mem))
    (alias core export $memory "realloc" (core func $realloc))
    (core func $environment (canon lower (func $env "get-environment") (memory $mem) (realloc $realloc)))
    (core func $arguments (canon lower (func $env "get-arguments") (memory $mem) (realloc $realloc)))
    (core func $cwd (canon lower (func $env "initial-cwd") (memory $mem) (realloc $realloc)))
    (core func $folders (canon lower (func $preopens "get-directories") (memory $mem) (realloc $realloc)))
    (core func $stdin-stream (canon lower (func $stdin "get-stdin")))
    (core func $read (canon lower (func $streams "[method]input-stream.blocking-read") (memory $mem) (realloc $realloc)))
    (core module $m
        (import "" "memory" (memory 1))
        (import "" "environment" (func $environment (param i32)))
        (import "" "arguments" (func $arguments (param i32)))
        (import "" "cwd" (func $cwd (param i32)))
        (import "" "folders" (func $folders (param i32)))
        (import "" "stdin" (func $stdin (result i32)))
        (import "" "read" (func $read (param i32 i64 i32)))
        (func (export "run") (result i32)
            (call $environment (i32.const 64))
            (i32.store (i32.const 0) (i32.load (i32.const 68)))
            (call $arguments (i32.const 64))
            (i32.store (i32.const 4) (i32.load (i32.const 68)))
            (call $folders (i32.const 64))
            (i32.store (i32.const 8) (i32.load (i32.const 68)))
            (call $cwd (i32.const 64))
            (i32.store (i32.const 12) (i32.load8_u (i32.const 64)))
            (call $read (call $stdin) (i64.const 10) (i32.const 64))
            ;; Whether it failed, and with which case: 1 is `closed`.
            (i32.store (i32.const 16) (i32.load8_u (i32.const 64)))
            (i32.store (i32.const 20) (i32.load8_u (i32.const 68)))
            (i32.const 0)))
    (core instance $i (instantiate $m (with "" (instance
        (export "memory" (memory $mem)) (export "environment" (func $environment))
        (export "arguments" (func $arguments)) (export "cwd" (func $cwd)) (export "folders" (func $folders))
        (export "stdin" (func $stdin-stream)) (export "read" (func $read))))))
    (func (export "run") (result (tuple u32 u32 u32 u32 u32 u32))
        (canon lift (core func $i "run") (memory $mem))))"#;

#[tokio::test]
async fn wasi_is_there_in_its_smallest_form() {
    let session = session("foreign", wat::parse_str(SURROUNDINGS).unwrap());
    let report = call(&session, "foreign__run").await;
    assert_eq!(report.result.unwrap().to_string(), "[0,0,0,0,1,1]");
}

#[tokio::test]
async fn what_a_runtime_imports_of_wasi_is_linked() {
    let importing = |interface: &str, name: &str, ty: &str| {
        format!(
            r#"(component
                (import "{interface}@0.2.4" (instance (export "{name}" (func {ty}))))
                (core module $m (func (export "run")))
                (core instance $i (instantiate $m))
                (func (export "run") (canon lift (core func $i "run"))))"#
        )
    };
    for (interface, name, ty) in [
        ("wasi:cli/environment", "initial-cwd", "(result (option string))"),
        ("wasi:cli/exit", "exit", r#"(param "status" (result))"#),
        ("wasi:clocks/monotonic-clock", "now", "(result u64)"),
        ("wasi:random/random", "get-random-bytes", r#"(param "len" u64) (result (list u8))"#),
        ("wasi:random/insecure", "get-insecure-random-u64", "(result u64)"),
        ("wasi:random/insecure-seed", "insecure-seed", "(result (tuple u64 u64))"),
    ] {
        let bytes = wat::parse_str(importing(interface, name, ty)).unwrap();
        let report = call(&session("foreign", bytes), "foreign__run").await;
        assert!(report.result.is_ok(), "{interface}: {report:?}");
    }
}

#[tokio::test]
async fn other_imports_are_refused_with_the_way_out() {
    let mut lines = Vec::new();
    for interface in [
        "wasi:http/outgoing-handler@0.2.0",
        "wasi:keyvalue/store@0.2.0",
        "wasi:cli/stdin@0.3.0",
        "wasi:sockets/types@0.3.0",
        "wasi:clocks/timezone@0.2.0",
        "acme:corp/anything@1.0.0",
        "plain",
    ] {
        let error = refused(&importing(interface)).await;
        assert_eq!(*error.kind(), ErrorKind::Load);
        lines.push(error.render());
    }
    let function = r#"(component
        (import "outside" (func))
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    lines.push(refused(function).await.render());
    insta::assert_snapshot!(lines.join("\n"), @r"
    skill `foreign`: the plugin imports `wasi:http/outgoing-handler@0.2.0`, which this host does not have
    hint: nothing here reaches a network: give it what it needs as arguments, or as documents of the session
    skill `foreign`: the plugin imports `wasi:keyvalue/store@0.2.0`, which this host does not have
    hint: of WASI 0.2 there are `wasi:cli`, `wasi:clocks`, `wasi:filesystem`, `wasi:io` and `wasi:random`, in their smallest form
    skill `foreign`: the plugin imports `wasi:cli/stdin@0.3.0`, which this host does not have
    hint: build the component for WASI 0.2, such as Rust's target `wasm32-wasip2`
    skill `foreign`: the plugin imports `wasi:sockets/types@0.3.0`, which this host does not have
    hint: build the component for WASI 0.2, such as Rust's target `wasm32-wasip2`
    skill `foreign`: the plugin imports `wasi:clocks/timezone@0.2.0`, which this host does not have
    hint: of WASI 0.2 there are `wasi:cli`, `wasi:clocks`, `wasi:filesystem`, `wasi:io` and `wasi:random`, in their smallest form
    skill `foreign`: the plugin imports `acme:corp/anything@1.0.0`, which this host does not have
    hint: a skill can be granted `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace` of `mitt:host`
    hint: a program that embeds mitt can offer it as a capability of its own: `HostBuilder::capability`
    skill `foreign`: the plugin imports `plain`, which this host does not have
    hint: a skill can be granted `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace` of `mitt:host`
    skill `foreign`: the plugin imports `outside`, which this host does not have
    hint: a skill can be granted `catalog`, `documents`, `files`, `log`, `render`, `signing`, `tables`, `tools`, `workspace` of `mitt:host`
    ");
}

#[tokio::test]
async fn what_the_engine_does_not_have_is_named() {
    let wat = r#"(component
        (core module $m (func (export "f") (param i32)) (func (export "run")))
        (core instance $i (instantiate $m))
        (type $s (stream u8))
        (func (export "f") (param "x" $s) (canon lift (core func $i "f")))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    insta::assert_snapshot!(refused(wat).await.render(), @r"
    skill `foreign`: the component uses the WebAssembly proposal `component-model-async`, which this host does not have
      cause: `stream` requires the component model async feature (at offset 0x4b)
    hint: build it without streams, futures, error contexts and async functions, which this host does not have
    ");
}

#[tokio::test]
async fn a_component_has_no_grants() {
    let error = refused(&importing("mitt:host/render@0.1.0")).await;
    assert_eq!(*error.kind(), ErrorKind::Denied);
    assert!(error.to_string().contains("does not grant `render`"), "{error}");
}

#[test]
fn the_program_takes_components() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("adder.wasm"), adder()).unwrap();
    let run = |args: &[&str]| {
        let output = mitt(folder.path(), args);
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) =
        run(&["tools", "--no-bundled-skills", "--component", "adder.wasm"]);
    assert_eq!((code, &*stdout), (0, "adder__add(a: s32, b: s32) -> s32\n\n"), "{stderr}");
    let (code, stdout, stderr) =
        run(&["call", "--component", "adder.wasm", "adder__add", "--json", r#"{"a":1,"b":2}"#]);
    assert_eq!((code, &*stdout), (0, "3\n"), "{stderr}");
    std::fs::write(folder.path().join("s.py"), "import adder\nprint(adder.add(a=2, b=3))\n")
        .unwrap();
    let (code, stdout, stderr) = run(&["exec", "s.py", "--component", "adder.wasm"]);
    assert_eq!((code, &*stdout), (0, "5\n"), "{stderr}");
    let (code, _, stderr) = run(&["tools", "--component", "missing.wasm"]);
    assert_eq!(code, 8, "{stderr}");
    assert!(stderr.contains("cannot read the component missing.wasm"), "{stderr}");
}

#[test]
fn the_program_tells_what_it_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = component(
        r#"(func (export "f"))"#,
        r#"(func $f (canon lift (core func $i "f"))) (instance $run (export "run" (func $f)))
           (export "f" (func $f)) (export "wasi:cli/run@0.2.0" (instance $run))"#,
    );
    std::fs::write(folder.path().join("both.wasm"), bytes).unwrap();
    let args = ["tools", "--no-bundled-skills", "--component", "both.wasm"];
    let output = mitt(folder.path(), &args);
    insta::assert_snapshot!(
        text(&output.stderr),
        @"skipped `run` of both: WASI exports are called by language runtimes, not by models"
    );
    assert_eq!(text(&output.stdout), "both__f()\n\n");
}
