//! Skills with Extism plugins: contracts, manifests of several modules, new skills, messages.

use std::fs;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mitt::{
    ErrorKind, ExtismFunction, Fetch, FetchRequest, Fetched, Host, HttpBounds, HttpRequest,
    HttpResponse, SessionOptions,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{TestSkill, call, mitt, text};

/// Returns its input, followed by a variable that counts earlier calls if `count` is called.
const ECHO: &str = r#"(module
    (import "extism:host/env" "input_offset" (func $offset (result i64)))
    (import "extism:host/env" "input_length" (func $length (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "load_u8" (func $load (param i64) (result i32)))
    (import "extism:host/env" "var_get" (func $get (param i64) (result i64)))
    (import "extism:host/env" "var_set" (func $set (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (func (export "echo") (result i32)
        (call $output (call $offset) (call $length))
        (i32.const 0))
    (func $key (result i64) (local $key i64)
        (local.set $key (call $alloc (i64.const 1)))
        (call $store (local.get $key) (i32.const 110))
        (local.get $key))
    (func (export "countCalls") (result i32) (local $count i64) (local $next i64)
        (local.set $count (call $get (call $key)))
        (local.set $next (call $alloc (i64.const 1)))
        (call $store (local.get $next)
            (i32.add (i32.const 1) (if (result i32) (i64.eqz (local.get $count))
                (then (i32.const 48)) (else (call $load (local.get $count))))))
        (call $output (local.get $next) (i64.const 1))
        (call $set (call $key) (local.get $next))
        (i32.const 0))
    (func (export "fail") (result i32)
        (call $error (call $offset))
        (i32.const 1))
    (func (export "crash") (unreachable)))"#;

async fn called(host: &Host, tool: &str, arguments: Value) -> Result<Value, String> {
    let session = host.session(SessionOptions::default()).unwrap();
    let report = session.call(tool, &arguments.to_string()).await;
    report.result.map(Into::into).map_err(|error| format!("{:?}: {}", error.kind(), error.render()))
}

#[tokio::test]
async fn a_contract_says_what_bytes_mean_and_is_checked_before_and_after() {
    let skill = TestSkill::new(
        "echo",
        ECHO,
        r#"
tools:
  - name: echo
    description: Gives it back.
    input: json
    inputSchema:
      type: object
      properties: { name: { type: string }, size: { type: integer, minimum: 1 }, more: { type: string } }
      required: [name, size]
    outputSchema:
      type: object
      properties: { name: { type: string, maxLength: 4 }, size: { type: integer } }
      required: [name]
"#,
    );
    let host = skill.host();
    let given = json!({ "name": "张三", "size": 3 });
    assert_eq!(called(&host, "echo__echo", given.clone()).await, Ok(given));
    for (arguments, problem) in [
        (json!({ "name": "a" }), "/size: missing"),
        (json!({ "name": "a", "size": 0 }), "/size"),
        (json!({ "name": "a", "size": 1, "nme": 1 }), "/nme: unknown"),
    ] {
        let error = called(&host, "echo__echo", arguments).await.unwrap_err();
        assert!(error.starts_with("Arguments") && error.contains(problem), "{error}");
    }
    // The output is checked too, with its place in the error.
    let error = called(&host, "echo__echo", json!({ "name": "abcde", "size": 1 })).await;
    let error = error.unwrap_err();
    assert!(error.starts_with("Plugin: the function `echo` of the plug-in promises"), "{error}");
    assert!(error.contains("/result/name"), "{error}");
    let error = called(&host, "echo__echo", json!({ "name": "a", "size": 1, "more": "m" })).await;
    assert!(error.unwrap_err().contains("more"), "what no schema names");
    // Functions without a description take and return text; their names are tool names.
    let given = called(&host, "echo__count_calls", json!({ "input": "" })).await;
    assert_eq!(given, Ok(json!("1")));
    let error = called(&host, "echo__fail", json!({ "input": "坏了" })).await.unwrap_err();
    assert_eq!(error, "Plugin: 坏了");
    let error = called(&host, "echo__crash", json!({ "input": "" })).await.unwrap_err();
    assert!(error.starts_with("Trap: the plugin crashed"), "{error}");
}

#[tokio::test]
async fn variables_live_for_a_call_or_for_the_session() {
    for (manifest, wanted) in [("", ["1", "1", "1"]), ("state: session", ["1", "2", "3"])] {
        let skill = TestSkill::new("echo", ECHO, manifest);
        let session = skill.session();
        for wanted in wanted {
            let report = session.call("echo__count_calls", r#"{"input":"x"}"#).await;
            assert_eq!(Value::from(report.result.unwrap()), json!(wanted), "{manifest}");
        }
        // Another session has its own instance, and an instance that crashed is gone.
        let other = session.host().session(SessionOptions::default()).unwrap();
        let report = other.call("echo__count_calls", r#"{"input":"x"}"#).await;
        assert_eq!(Value::from(report.result.unwrap()), json!("1"));
        let report = session.call("echo__crash", r#"{"input":""}"#).await;
        assert_eq!(*report.result.unwrap_err().kind(), ErrorKind::Trap);
        let report = session.call("echo__count_calls", r#"{"input":"x"}"#).await;
        assert_eq!(Value::from(report.result.unwrap()), json!("1"), "{manifest}");
    }
}

#[tokio::test]
async fn what_a_manifest_says_of_a_plug_in_must_fit_it() {
    let component = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    for (wat, manifest, problem) in [
        (ECHO, "tools: [{name: ecko, input: text}]", "the plugin exports no function `ecko`"),
        (ECHO, "tools: [{name: ecko, input: text}]", "did you mean `echo`?"),
        (
            ECHO,
            "tools: [{name: echo, input: bytes, inputSchema: {}}]",
            "tools: echo: inputSchema: nothing to describe",
        ),
        (
            ECHO,
            "tools: [{name: echo, input: text, inputSchema: {type: integer}}]",
            "expected a schema of a string",
        ),
        (
            ECHO,
            "tools: [{name: echo, output: text, outputSchema: {}}]",
            "outputSchema: only of what is JSON",
        ),
        (
            component,
            "tools: [{name: run, input: text}]",
            "are said of functions of an Extism plug-in",
        ),
        (component, "state: session", "state: only of an Extism plug-in"),
    ] {
        let skill = TestSkill::new("echo", wat, manifest);
        let report = call(&skill.session(), "echo__echo").await;
        let error = report.result.unwrap_err().render();
        assert!(error.contains(problem), "{problem}: {error}");
    }
}

#[tokio::test]
async fn an_xtp_schema_beside_a_plug_in_is_its_contract() {
    let skill = TestSkill::new("echo", ECHO, "tools: [{name: fail, description: Fails.}]");
    let schema = r##"
version: v1-draft
exports:
  echo:
    description: Gives a person back.
    input: { $ref: "#/components/schemas/Person", contentType: application/json }
    output: { $ref: "#/components/schemas/Person", contentType: application/json }
  fail: { input: { type: string, contentType: application/json } }
components:
  schemas:
    Person:
      properties:
        name: { type: string, description: How to call them. }
        age: { type: integer, format: int32, nullable: true }
        friends: { type: array, items: { $ref: "#/components/schemas/Person" }, nullable: true }
"##;
    fs::write(skill.path().join("echo/schema.yaml"), schema).unwrap();
    let host = skill.host();
    let given = json!({ "name": "李四", "friends": [{ "name": "王五", "age": 3 }] });
    assert_eq!(called(&host, "echo__echo", given.clone()).await, Ok(given));
    let error = called(&host, "echo__echo", json!({ "age": 3 })).await.unwrap_err();
    assert!(error.contains("/name: missing"), "{error}");
    let output = mitt(skill.path(), &["tools", "--no-bundled-skills", "--skills", ".", "--json"]);
    let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
    let described: Vec<&str> =
        tools.as_array().unwrap().iter().filter_map(|tool| tool["description"].as_str()).collect();
    assert!(described.contains(&"Gives a person back."), "{described:?}");
    // `skill.yaml` takes precedence.
    assert!(described.contains(&"Fails."), "{described:?}");
    fs::write(
        skill.path().join("echo/schema.yaml"),
        schema.replace("type: string, desc", "type: strin, desc"),
    )
    .unwrap();
    let output = mitt(skill.path(), &["tools", "--no-bundled-skills", "--skills", "."]);
    let told = text(&output.stderr);
    assert!(
        told.contains("exports: echo: input: Person: name: type: there is no `strin`"),
        "{told}"
    );
}

/// A manifest with two modules: the plugin calls the other one, which has its own memory, and reads the configuration.
#[tokio::test]
async fn the_modules_of_a_manifest_are_linked_and_checked() {
    let library = wat::parse_str(
        r#"(module (memory 1) (data (i32.const 0) "\07")
            (func (export "seven") (result i32) (i32.load8_u (i32.const 0))))"#,
    )
    .unwrap();
    let plug_in = wat::parse_str(
        r#"(module
        (import "numbers" "seven" (func $seven (result i32)))
        (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
        (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
        (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
        (import "extism:host/env" "length" (func $length (param i64) (result i64)))
        (import "extism:host/env" "output_set" (func $output (param i64 i64)))
        (func (export "number") (result i32) (local $block i64)
            (local.set $block (call $alloc (i64.const 1)))
            (call $store (local.get $block) (i32.add (i32.const 48) (call $seven)))
            (call $output (local.get $block) (i64.const 1))
            (i32.const 0))
        (func (export "setting") (result i32) (local $key i64) (local $value i64)
            (local.set $key (call $alloc (i64.const 1)))
            (call $store (local.get $key) (i32.const 107))
            (local.set $value (call $config (local.get $key)))
            (call $output (local.get $value) (call $length (local.get $value)))
            (i32.const 0)))"#,
    )
    .unwrap();
    let sum = |bytes: &[u8]| {
        Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect::<String>()
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("numbers.wasm"), &library).unwrap();
    fs::write(folder.path().join("plug-in.wasm"), &plug_in).unwrap();
    let manifest = json!({
        "wasm": [
            { "path": "plug-in.wasm", "name": "main", "hash": sum(&plug_in) },
            { "path": "numbers.wasm", "name": "numbers", "hash": sum(&library) },
        ],
        "config": { "other": "x", "k": "值" },
        "memory": { "max_pages": 4 },
        "timeout_ms": 500,
        "allowed_paths": { "/etc": "/etc" },
    });
    let file = folder.path().join("both.json");
    fs::write(&file, manifest.to_string()).unwrap();
    let host = Host::builder().no_cache().bundled_skills(false).component(&file).build().unwrap();
    assert_eq!(called(&host, "both__number", json!({ "input": "" })).await, Ok(json!("7")));
    assert_eq!(called(&host, "both__setting", json!({ "input": "" })).await, Ok(json!("值")));
    let output = mitt(
        folder.path(),
        &["call", "both__setting", "--component", "both.json", "--json", r#"{"input": ""}"#],
    );
    assert_eq!(text(&output.stdout), "\"值\"\n", "{}", text(&output.stderr));

    // Compiled ahead of time it needs no modules, and keeps its limits and configuration.
    let skills = folder.path().join("skills/both");
    fs::create_dir_all(&skills).unwrap();
    for file in ["numbers.wasm", "plug-in.wasm", "both.json"] {
        fs::copy(folder.path().join(file), skills.join(file)).unwrap();
    }
    let yaml = "schema: 1\nname: both\nversion: 0.1.0\ndescription: a test\ncomponent: both.json\n";
    fs::write(skills.join("skill.yaml"), yaml).unwrap();
    fs::write(skills.join("SKILL.md"), "---\nname: both\ndescription: a test\n---\n").unwrap();
    let output = mitt(
        folder.path(),
        &["compile", "both", "--skills", "skills", "--no-bundled-skills", "-o", "native"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut left: Vec<_> = fs::read_dir(folder.path().join("native/both"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["SKILL.md", "both.cwasm", "both.cwasm.json", "both.json", "skill.yaml"]);
    let output = mitt(
        folder.path(),
        &["call", "both__setting", "--skills", "native", "--json", r#"{"input": ""}"#],
    );
    assert_eq!(text(&output.stdout), "\"值\"\n", "{}", text(&output.stderr));

    for (changed, problem) in [
        (
            json!({ "wasm": [{ "path": "numbers.wasm", "hash": sum(&plug_in) }] }),
            "hash: the module has the SHA-256",
        ),
        (
            json!({ "wasm": [{ "path": "../x.wasm" }] }),
            "path: expected a file below the manifest's folder",
        ),
        (
            json!({ "wasm": [{ "path": "/etc/passwd" }] }),
            "path: expected a file below the manifest's folder",
        ),
        (json!({ "wasm": [{ "url": "https://example.com/x.wasm" }] }), "url: nothing is fetched"),
        (json!({ "wasm": [{ "path": "none.wasm" }] }), "cannot read the module `none.wasm`"),
        (json!({ "wasm": [] }), "expected 1 to 15 modules, got 0"),
        (
            json!({ "wasm": [{ "path": "plug-in.wasm" }] }),
            "imports `seven` of `numbers`, which nothing here offers",
        ),
        (
            json!({ "wasm": [{ "path": "numbers.wasm", "name": "a" }, { "path": "numbers.wasm", "name": "a" }] }),
            "two modules are named `a`",
        ),
        (json!({ "modules": [] }), "expected the manifest of an Extism plug-in"),
    ] {
        fs::write(&file, changed.to_string()).unwrap();
        let told = match Host::builder().no_cache().bundled_skills(false).component(&file).build() {
            Ok(host) => called(&host, "both__number", json!({ "input": "" })).await.unwrap_err(),
            Err(error) => error.render(),
        };
        assert!(told.contains(problem), "{problem}: {told}");
    }
}

/// A manifest can name any path, so links are not followed, and no message quotes a file.
#[cfg(unix)]
#[tokio::test]
async fn a_manifest_reads_nothing_outside_of_its_folder() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.wasm");
    fs::write(&secret, "hunter2 is the password").unwrap();
    fs::write(outside.path().join("secret.json"), r#"{"wasm": "hunter2"}"#).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    symlink(&secret, inside("link.wasm")).unwrap();
    symlink(outside.path(), inside("folder")).unwrap();
    symlink(inside("none"), inside("dead.wasm")).unwrap();
    symlink(outside.path().join("secret.json"), inside("link.json")).unwrap();
    fs::write(inside("text.wasm"), "hunter2 is the password").unwrap();
    let told = async |manifest: &str, text: Option<Value>| {
        let file = inside(manifest);
        if let Some(text) = text {
            fs::write(&file, text.to_string()).unwrap();
        }
        match Host::builder().no_cache().bundled_skills(false).component(&file).build() {
            Ok(host) => called(&host, "m__number", json!({ "input": "" })).await.unwrap_err(),
            Err(error) => error.render(),
        }
    };
    for (path, problem) in [
        ("link.wasm", "cannot read the module `link.wasm`"),
        ("folder/secret.wasm", "cannot read the module `folder/secret.wasm`"),
        ("./folder/secret.wasm", "cannot read the module `./folder/secret.wasm`"),
        ("dead.wasm", "cannot read the module `dead.wasm`"),
        // It may have been put there through a hidden link.
        ("text.wasm", "is not a WebAssembly module"),
    ] {
        let told = told("m.json", Some(json!({ "wasm": [{ "path": path }] }))).await;
        assert!(told.contains(problem), "{path}: {told}");
        assert!(!told.contains("hunt") && !told.contains("68 75 6e 74"), "{path}: {told}");
        assert!(!told.contains("[104") && !told.contains("0x68"), "{path}: {told}");
    }
    for (manifest, text) in [
        ("link.json", None),
        ("m.json", Some(json!({ "wasm": [{ "path": "a.wasm", "hash": ["hunter2"] }] }))),
    ] {
        let told = told(manifest, text).await;
        assert!(told.contains(manifest) && !told.contains("hunter2"), "{told}");
    }
}

/// Answers every request, and records them.
#[derive(Debug, Default)]
struct Web(Mutex<Vec<(HttpRequest, Vec<String>)>>);

#[async_trait]
impl Fetch for Web {
    async fn fetch(&self, _: &FetchRequest<'_>) -> mitt::Result<Fetched> {
        unreachable!("nothing here asks for documents")
    }

    async fn exchange(
        &self,
        asked: &HttpRequest,
        bounds: &HttpBounds<'_>,
    ) -> mitt::Result<HttpResponse> {
        self.0.lock().unwrap().push((asked.clone(), bounds.hosts.to_vec()));
        let headers = vec![("x-from".to_owned(), "web".to_owned())];
        Ok(HttpResponse { status: 201, headers, body: "好".into() })
    }

    fn hosts(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Sends its input as the request and as its content, and returns the answer.
pub(crate) const ASKS: &str = r#"(module
    (import "extism:host/env" "input_offset" (func $offset (result i64)))
    (import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))
    (import "extism:host/env" "http_status_code" (func $status (result i32)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (func (export "ask") (result i32) (local $answer i64)
        (local.set $answer (call $request (call $offset) (i64.const 0)))
        (call $output (local.get $answer) (call $length (local.get $answer)))
        (i32.sub (call $status) (i32.const 201))))"#;

#[tokio::test]
async fn requests_need_the_grant_and_go_by_its_hosts() {
    let request = json!({ "url": "https://api.example.com/x?key=secret", "method": "post", "headers": { "a": "b" } });
    let arguments = json!({ "input": request.to_string() });
    let refused = TestSkill::new("asks", ASKS, "");
    let web = Arc::<Web>::default();
    let host = |skill: &TestSkill| {
        let skills = Host::builder().no_cache().bundled_skills(false).skills(skill.path());
        skills.fetch(web.clone()).build().unwrap()
    };
    let error = called(&host(&refused), "asks__ask", arguments.clone()).await.unwrap_err();
    assert!(
        error.starts_with("Denied: the plug-in asks for `https://api.example.com/x`"),
        "{error}"
    );
    assert!(error.contains("does not grant `fetch`") && !error.contains("secret"), "{error}");
    let granted = TestSkill::new("asks", ASKS, "grants: [{fetch: {hosts: [api.example.com]}}]");
    assert_eq!(called(&host(&granted), "asks__ask", arguments.clone()).await, Ok(json!("好")));
    let asked = web.0.lock().unwrap().clone();
    let (asked, hosts) = &asked[0];
    assert_eq!(
        (asked.method.as_str(), hosts.as_slice()),
        ("POST", &["api.example.com".to_owned()][..])
    );
    assert_eq!(asked.headers, [("a".to_owned(), "b".to_owned())]);
    // Without a sender of requests.
    let error = called(&granted.host(), "asks__ask", arguments).await.unwrap_err();
    assert!(error.contains("requests are not sent here"), "{error}");
    let error = called(&host(&granted), "asks__ask", json!({ "input": "x" })).await.unwrap_err();
    assert!(
        error.starts_with("Trap: the plug-in passed an invalid request to `http_request`"),
        "{error}"
    );
    for grants in
        ["grants: [fetch]", "grants: [{fetch: {hosts: []}}]", "grants: [{fetch: {hosts: ['']}}]"]
    {
        let skill = TestSkill::new("asks", ASKS, grants);
        let error = Host::builder()
            .no_cache()
            .bundled_skills(false)
            .skills(skill.path())
            .build()
            .unwrap_err();
        assert!(error.render().contains("`fetch` needs the hosts that may be asked"), "{grants}");
    }
}

#[tokio::test]
async fn functions_of_an_embedder_are_a_capability_of_their_own() {
    let wat = r#"(module
        (import "extism:host/user" "join" (func $join (param i64 i64) (result i64)))
        (import "extism:host/env" "input_offset" (func $offset (result i64)))
        (import "extism:host/env" "length" (func $length (param i64) (result i64)))
        (import "extism:host/env" "output_set" (func $output (param i64 i64)))
        (func (export "twice") (result i32) (local $joined i64)
            (local.set $joined (call $join (call $offset) (call $offset)))
            (call $output (local.get $joined) (call $length (local.get $joined)))
            (i32.const 0)))"#;
    let join = || {
        ExtismFunction::new("join", |context, blocks: Vec<Vec<u8>>| {
            let tenant = context.tenant().as_bytes().to_vec();
            async move { Ok(Some([blocks.concat(), tenant].concat())) }
        })
    };
    let skill = TestSkill::new("twice", wat, "grants: [texts]");
    let builder = || Host::builder().no_cache().bundled_skills(false).skills(skill.path());
    let host = builder().extism_functions("texts", [join()]).build().unwrap();
    let given = called(&host, "twice__twice", json!({ "input": "a" })).await.unwrap();
    assert_eq!(given, json!("aalocal"));
    let error = builder().build().unwrap_err();
    assert!(error.render().contains("got `texts`"), "{}", error.render());
    let ungranted = TestSkill::new("twice", wat, "");
    let host = Host::builder().no_cache().bundled_skills(false).skills(ungranted.path());
    let host = host.extism_functions("texts", [join()]).build().unwrap();
    let error = called(&host, "twice__twice", json!({ "input": "a" })).await.unwrap_err();
    assert!(error.contains("its skill does not grant `texts`"), "{error}");
}

/// The sources of the golden plugins. If this test fails, compile them again, with paths mapped away.
const SOURCES: [(&str, &str, &str); 3] = [
    ("rust", "src/lib.rs", "3fd11e9a4b2777b9c7977fffda780198e2b050ee5dbe47a6d6252c6fa30c1ea4"),
    ("rust", "Cargo.toml", "d424fa82b55c1e23ae82fe0a669e7adc4fcc0ca5a4b2abbbb034dff054e966e8"),
    (
        "assemblyscript",
        "src/index.ts",
        "1cc6e29e2a1d4d7df9beaebe5f09568d98e79e222e6b374e8937fde9fcb84aa8",
    ),
];

#[test]
fn new_plug_ins_pass_their_check_and_can_be_called() {
    let rust = include_bytes!("../golden/word-count.extism-rust.wasm");
    let assemblyscript = include_bytes!("../golden/word-count.extism-assemblyscript.wasm");
    for (language, module) in [("rust", &rust[..]), ("assemblyscript", &assemblyscript[..])] {
        let folder = tempfile::tempdir().unwrap();
        let output = mitt(folder.path(), &["skill", "new", "word-count", "--extism", language]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        for (_, file, wanted) in SOURCES.iter().filter(|(of, ..)| *of == language) {
            let content = fs::read(folder.path().join("plugins/word-count").join(file)).unwrap();
            let digest: String =
                Sha256::digest(content).iter().map(|it| format!("{it:02x}")).collect();
            assert_eq!(
                digest, *wanted,
                "{file}: compile tests/golden/word-count.extism-{language}.wasm again"
            );
        }
        fs::write(folder.path().join("skills/word-count/word-count.wasm"), module).unwrap();
        let output = mitt(folder.path(), &["skill", "check", "skills/word-count"]);
        assert_eq!(text(&output.stdout), "skills/word-count: ok\n");
        let run = |tool: &str, arguments: &str| {
            mitt(folder.path(), &["call", tool, "--skills", "skills", "--json", arguments])
        };
        let output = run("word_count__count", r#"{"text": "one two\n三 四 five\n"}"#);
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result, json!({ "characters": 17, "words": 5, "lines": 2 }), "{language}");
        let output = run("word_count__count", r#"{"text": ""}"#);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("text: at least one character expected, got none"));
        let output = run("word_count__cuont", r#"{"text": "a"}"#);
        assert!(text(&output.stderr).contains("did you mean `word_count__count`?"));
        // It is a function for scripts, and is packed and installed like any skill.
        let script = "from word_count import count\ncount(text='a b')";
        fs::write(folder.path().join("s.py"), script).unwrap();
        let output = mitt(folder.path(), &["exec", "s.py", "--skills", "skills"]);
        assert!(
            text(&output.stdout).contains("\"words\":2"),
            "{}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        let output = mitt(folder.path(), &["skill", "pack", "skills/word-count"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn an_inspection_shows_functions_imports_and_what_is_refused() {
    let skill = TestSkill::new("asks", ASKS, "tools: [{name: ask, description: Asks.}]");
    let output = mitt(skill.path(), &["inspect", "asks"]);
    let shown = text(&output.stdout);
    for part in [
        "asks: Extism plug-in of",
        "ask: func(input: string) -> string",
        "tool: asks__ask",
        "Asks.",
        "mitt:extism/host: for plug-ins of Extism, without a grant",
        "refused-requests: it imports `http_request`",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The error for another file names its type.
    for (wat, told) in [
        ("(module)", "got a core module that is neither: it imports nothing"),
        (
            r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))))"#,
            "wasm-tools component new",
        ),
        (
            r#"(module (import "extism:host/env" "fly" (func)))"#,
            "imports `fly` of `extism:host/env`, which is not there",
        ),
        (r#"(module (import "extism:host/env" "alloc" (func)))"#, "with another type than it has"),
        (
            r#"(module (import "extism:host/env" "free" (func (param i64))) (import "env" "x" (func)))"#,
            "imports `x` of `env`, which nothing here offers",
        ),
        (
            r#"(module (import "extism:host/env" "free" (func (param i64))) (import "extism:host/user" "x" (func (param f32))))"#,
            "imports `x` of `extism:host/user` with a type",
        ),
    ] {
        fs::write(skill.path().join("x.wasm"), wat::parse_str(wat).unwrap()).unwrap();
        let output = mitt(skill.path(), &["call", "x__y", "--component", "x.wasm"]);
        let stderr = text(&output.stderr);
        assert!(stderr.contains(told), "{told}: {stderr}");
        let output = mitt(skill.path(), &["inspect", "x.wasm"]);
        assert!(text(&output.stderr).contains(told), "{told}: {}", text(&output.stderr));
    }
}

#[test]
fn damaged_plug_ins_are_refused_and_harm_nobody() {
    let golden = include_bytes!("../golden/word-count.extism-assemblyscript.wasm");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed >> 16).unwrap()
    };
    let (mut sound, mut refused) = (0, 0);
    for module in [
        golden.to_vec(),
        wat::parse_str(crate::preview1::PRINTS).unwrap(),
        wat::parse_str(ECHO).unwrap(),
    ] {
        for round in 0..150 {
            let mut bytes = module.clone();
            // Imports and exports are at the beginning.
            let most = if round % 2 == 0 { bytes.len() } else { bytes.len().min(700) };
            for _ in 0..=round % 3 {
                let at = 8 + random() % (most - 8);
                bytes[at] ^= 1 << (random() % 8);
            }
            if round % 10 == 9 {
                bytes.truncate(8 + random() % (bytes.len() - 8));
            }
            match mitt::skill::inspect::Inspection::of_file(&bytes, "x.wasm") {
                Ok(_) => sound += 1,
                Err(error) => {
                    assert_eq!(*error.kind(), ErrorKind::Load, "{}", error.render());
                    refused += 1;
                }
            }
        }
    }
    assert!(sound > 20 && refused > 20, "{sound} {refused}");
}
