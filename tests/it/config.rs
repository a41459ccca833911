//! Settings files as the program reads them: precedence, what an attacker's file cannot do, `mitt config`.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::models::Server;
use crate::support::{TestSkill, command, component, root, text};

/// A user's folder, and a project in which the user works.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(own: &str, project: &str) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.project()).unwrap();
        place.write("own.toml", own);
        place.write("project/mitt.toml", project);
        place
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = command(&self.project(), args);
        command.env("MITT_CONFIG", self.folder.path().join("own.toml")).stdin(Stdio::null());
        command.env_remove("OPENAI_API_KEY").env_remove("MITT_MODEL_KEY");
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
        let output = self.command(args).envs(variables.iter().copied()).output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    /// Returns an effective setting with its origin; the folder of the test is `~`.
    fn setting(&self, key: &str, more: &[&str], variables: &[(&str, &str)]) -> (Value, String) {
        let args = [&["config", "show", "--json"], more].concat();
        let (code, stdout, stderr) = self.run_with(&args, variables);
        assert_eq!(code, 0, "{stderr}");
        let json: Value = serde_json::from_str(&stdout).unwrap();
        let all = json["settings"].as_array().unwrap();
        let found = all.iter().find(|it| it["key"] == key).unwrap();
        let origin = found["origin"].as_str().map_or(found["origin"].to_string(), str::to_owned);
        let folder = self.folder.path().canonicalize().unwrap();
        let origin = origin.replace(folder.to_str().unwrap(), "~");
        (found["value"].clone(), origin.replace(self.folder.path().to_str().unwrap(), "~"))
    }
}

#[test]
fn each_place_goes_before_the_ones_below_it() {
    let place = Place::new(
        "model = 'ollama/own'\ntools = 'all'\nengine = 'python-lite'\n[limits]\nmax-time = '20s'\n",
        "model = 'ollama/project'\ntools = 'catalogue'\n[limits]\nmax-time = '10s'\n",
    );
    let variable = [("MITT_MODEL", "ollama/variable")];
    for (key, more, variables, value, origin) in [
        ("quiet", &[][..], &[][..], json!(false), "default"),
        ("engine", &[], &[], json!("python-lite"), "~/own.toml:3"),
        ("tools", &[], &[], json!("catalogue"), "~/project/mitt.toml:2"),
        ("model", &[], &[], json!("ollama/project"), "~/project/mitt.toml:1"),
        ("model", &[], &variable, json!("ollama/variable"), "environment MITT_MODEL"),
        ("limits.max-time", &[], &[], json!("10s"), "~/project/mitt.toml:4"),
        ("limits.max-time", &["--max-time", "30s"], &[], json!("30s"), "flag --max-time"),
        ("engine", &["--engine", "python"], &[], json!("python"), "flag --engine"),
        ("quiet", &["-q"], &[], json!(true), "flag --quiet"),
        ("clock", &[], &[("SOURCE_DATE_EPOCH", "5")], json!(5), "environment SOURCE_DATE_EPOCH"),
        ("limits.run.turns", &[], &[], json!(50), "default"),
    ] {
        let found = place.setting(key, more, variables);
        assert_eq!(found, (value, origin.to_owned()), "{key} {more:?}");
    }
    let (found, origin) = place.setting("cache-dir", &[], &[]);
    assert_eq!(origin, "environment MITT_CACHE_DIR", "{found}");
    // A folder below the project's, in a repository.
    fs::create_dir_all(place.project().join("a/b")).unwrap();
    fs::create_dir(place.project().join(".git")).unwrap();
    let mut below = place.command(&["config", "show"]);
    let output = below.current_dir(place.project().join("a/b")).output().unwrap();
    assert!(text(&output.stdout).contains("model = \"ollama/project\""));
}

/// The output is a file with the same settings; an option can turn off a switch that a file turned on.
#[test]
fn what_is_shown_says_the_same_as_a_file() {
    let own = "model = 'http://127.0.0.1:9/v1#m'\nkey-file = '~/k'\nskills = ['s', '/t']\nquiet = true\ntrust-skills = true\n\
               replace-skill = 'x'\nworker = 'never'\nclock = 7\n[limits]\nhost-memory = '8GiB'\nmax-fuel = 9\n[limits.run]\ntime = '90s'\n";
    let place = Place::new(own, "");
    let values = || {
        let (code, stdout, stderr) = place.run(&["config", "show", "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let json: Value = serde_json::from_str(&stdout).unwrap();
        let all = json["settings"].as_array().unwrap().clone();
        all.into_iter().map(|it| (it["key"].clone(), it["value"].clone())).collect::<Vec<_>>()
    };
    let before = values();
    let (_, shown, _) = place.run(&["config", "show"]);
    assert!(shown.starts_with("# your file:      "), "{shown}");
    place.write("own.toml", &shown);
    assert_eq!(before, values());
    for option in ["--quiet=false", "--trust-skills=false"] {
        let key = option.trim_start_matches("--").trim_end_matches("=false");
        let (value, origin) = place.setting(key, &[option], &[]);
        assert_eq!((value, origin), (json!(false), format!("flag --{key}")));
    }
}

/// Addresses can hold a password; the variable is checked only before a model is called.
#[test]
fn no_secret_is_shown() {
    let place = Place::new("", "");
    for name in ["http://me:sk-4711@127.0.0.1#m", "http://127.0.0.1/?key=sk-4711#m"] {
        let (code, stdout, stderr) = place
            .run_with(&["config", "show"], &[("MITT_MODEL", name), ("OPENAI_API_KEY", "sk-4711")]);
        assert_eq!(code, 0, "{stderr}");
        assert!(!stdout.contains("4711") && stdout.contains("environment MITT_MODEL"), "{stdout}");
        place.write("own.toml", &format!("model = '{name}'"));
        let (code, stdout, stderr) = place.run(&["config", "show"]);
        assert_eq!(code, 3, "{stdout}");
        assert!(!stderr.contains("4711") && stderr.contains("own.toml:1: model: "), "{stderr}");
        place.write("own.toml", "");
    }
}

#[test]
fn a_wrong_file_stops_what_reads_it_and_nothing_else() {
    let place = Place::new("", "[limits]\nmax-tiem = '5s'\n");
    for args in [&["tools"][..], &["config", "show"], &["mcp"], &["serve"], &["model", "list"]] {
        let (code, _, stderr) = place.run(args);
        assert_eq!(code, 3, "{args:?}: {stderr}");
        let told = "project/mitt.toml:2: limits.max-tiem: unknown setting\nhint: did you mean `limits.max-time`?";
        assert!(stderr.contains(told), "{args:?}: {stderr}");
    }
    for args in [
        &["limits"][..],
        &["completions", "bash"],
        &["config", "schema"],
        &["run", "--schema"],
        &["token", "me"],
        // The worker process, which gets nothing to do here.
        &["worker"],
    ] {
        let (code, _, stderr) = place.run(args);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        assert!(!stderr.contains("mitt.toml"), "{args:?}: {stderr}");
    }
    let (code, _, stderr) = place.run_with(&["tools"], &[("MITT_CONFIG", "/no/such.toml")]);
    assert_eq!(
        (code, stderr.contains("MITT_CONFIG: no settings /no/such.toml")),
        (3, true),
        "{stderr}"
    );
}

const CALL: [&str; 4] =
    ["call", "excel_tool__create_excel", "--json", r#"{"data": [{"n": 1}], "filename": "r.xlsx"}"#];

#[test]
fn settings_do_what_options_do() {
    let place = Place::new("", "out = 'results/here'\n");
    let (code, _, stderr) = place.run(&CALL);
    assert_eq!(code, 0, "{stderr}");
    assert!(place.project().join("results/here/r.xlsx").is_file());
    let (code, ..) = place.run(&[&CALL[..], &["-o", "typed"]].concat());
    assert!(code == 0 && place.project().join("typed/r.xlsx").is_file());

    place.write("project/mitt.toml", "limits.max-fuel = 1000\n");
    let (code, _, stderr) = place.run(&CALL);
    assert_eq!(code, 6, "{stderr}");
    let (code, _, stderr) =
        place.run(&[&CALL[..], &["--max-fuel", "1000000000", "-o", "more"]].concat());
    assert_eq!(code, 0, "{stderr}");

    place.write("own.toml", "no-bundled-skills = true\nout = 'mine'\n");
    place.write("project/mitt.toml", "");
    assert_eq!(place.run(&["tools", "--json"]).1.trim(), "[]");
    let (code, _, stderr) = place.run(&[&CALL[..], &["--no-bundled-skills=false"]].concat());
    assert!(code == 0 && place.project().join("mine/r.xlsx").is_file(), "{stderr}");
}

/// The folder may come with a repository that another person filled.
#[cfg(unix)]
#[test]
fn no_link_leads_output_out_of_the_project() {
    for (own, project, name) in [
        ("", "out = 'results'", "results"),
        ("out = 'results'", "", "results"),
        ("", "out = 'results/a'", "results"),
    ] {
        let place = Place::new(own, project);
        let outside = place.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, place.project().join(name)).unwrap();
        let (code, _, stderr) = place.run(&CALL);
        assert_ne!(code, 0, "{own}{project}: {stderr}");
        assert!(stderr.contains("link"), "{own}{project}: {stderr}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{own}{project}");
    }
}

/// Skills of a project are there, but unapproved, whatever the user's file approves for the user's own.
#[test]
fn skills_of_a_project_wait_for_an_approval() {
    let skill = TestSkill::from_bytes("granted", &component(1), "grants: [workspace]");
    let place = Place::new("trust-skills = true\n", "skills = 'skills'\n");
    fs::create_dir(place.project().join("skills")).unwrap();
    fs::rename(skill.path().join("granted"), place.project().join("skills/granted")).unwrap();
    let call = ["call", "granted__run"];
    let (code, _, stderr) = place.run(&call);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("own.toml:1: trust-skills does not count here"), "{stderr}");
    assert!(stderr.contains("mitt skill trust granted"), "{stderr}");
    let (code, stdout, stderr) = place.run(&[&call[..], &["--trust-skills"]].concat());
    assert_eq!((code, stdout.trim()), (0, "1"), "{stderr}");
    // In the user's own file, both belong to the user.
    let folder = place.project().join("skills");
    place.write("own.toml", &format!("trust-skills = true\nskills = '{}'\n", folder.display()));
    place.write("project/mitt.toml", "");
    assert_eq!(place.run(&call).0, 0);
}

#[test]
fn overlays_of_a_project_only_narrow() {
    let place = Place::new("", "overlay = 'overlay.yaml'\n");
    place.write("project/overlay.yaml", "schema: 1\ndisable: [excel-tool]\n");
    let tools = |more: &[&str]| place.run(&[&["tools"], more].concat());
    let (code, stdout, stderr) = tools(&[]);
    assert_eq!((code, stdout.contains("excel_tool__")), (0, false), "{stderr}");
    // The user has the last word.
    place.write("own.yaml", "schema: 1\nenable: [excel-tool]\n");
    place.write("own.toml", "overlay = 'own.yaml'\n");
    assert!(tools(&[]).1.contains("excel_tool__"));
    for wrong in ["replace: [excel-tool]", "enable: [python]"] {
        place.write("project/overlay.yaml", &format!("schema: 1\n{wrong}\n"));
        let (code, _, stderr) = tools(&[]);
        assert_eq!(code, 8, "{wrong}: {stderr}");
        assert!(stderr.contains("an overlay of a project's file cannot say it"), "{stderr}");
        let (code, _, stderr) = tools(&["--overlay", "overlay.yaml"]);
        assert_eq!(code, 8, "also where it is named twice: {stderr}");
    }
    place.write("project/overlay.yaml", &format!("schema: 1\n#{}", "x".repeat(1 << 20)));
    let (code, _, stderr) = tools(&[]);
    assert_eq!((code, stderr.contains("at most 1048576 bytes")), (8, true), "{stderr}");
}

#[test]
fn a_model_of_the_settings_is_asked_within_their_limits() {
    let turns = || vec![json!({ "text": "Revenue." })];
    let server = Server::start(turns());
    let place = Place::new(&format!("model = '{}'\n", server.model()), "tools = 'all'\n");
    let (code, stdout, stderr) = place.run(&["run", "What grew most?"]);
    assert_eq!((code, stdout.as_str()), (0, "Revenue.\n"), "{stderr}");
    assert!(server.body(0)["tools"].as_array().unwrap().len() > 5, "{stderr}");

    // The option precedes the file, and a limit of the project ends the run.
    let call = json!({ "calls": [{ "id": "1", "name": "document_tool__list_documents", "arguments": {} }] });
    let server = Server::start(vec![call.clone(), call]);
    place.write("project/mitt.toml", "limits.run.turns = 1\n");
    let (code, _, stderr) =
        place.run(&["run", "-m", &server.model(), "--tools", "catalogue", "What grew most?"]);
    assert_eq!(code, 6, "{stderr}");
    assert!(server.body(0)["tools"].to_string().contains("open_skill"));
    assert_eq!(server.asked.lock().unwrap().len(), 1);

    // The user is warned about a model from a project's file before it is called.
    let server = Server::start(turns());
    let place = Place::new("", "model = 'vllm/m'\n");
    let variables = [("VLLM_BASE_URL", server.url.as_str())];
    let (code, _, stderr) = place.run_with(&["run", "What grew most?"], &variables);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("the model is vllm/m, as ") && stderr.contains("mitt.toml:1 says"),
        "{stderr}"
    );
}

/// The user's key is not sent to another service that a project's file, a variable or an option names.
#[test]
fn a_key_goes_to_the_service_beside_which_it_is_named() {
    const KEY: &str = "sk-never-to-be-seen-4711";
    let own = "model = 'vllm/own'\nkey-file = 'key.txt'\n";
    for (project, option, is_sent) in [
        ("", None, true),
        ("model = 'vllm/other'\n", None, true),
        ("model = 'llamacpp/m'\n", None, false),
        ("", Some("llamacpp/m"), false),
        ("", Some("vllm/third"), true),
    ] {
        let server = Server::start(vec![json!({ "text": "Revenue." })]);
        let place = Place::new(own, project);
        place.write("key.txt", KEY);
        // Two services at one address would count as one.
        let other = server.url.replace("127.0.0.1", "localhost");
        let variables = [("VLLM_BASE_URL", server.url.as_str()), ("LLAMACPP_BASE_URL", &other)];
        let more = option.map_or(Vec::new(), |name| vec!["-m", name]);
        let args = [&["run", "What grew most?"][..], &more].concat();
        let (code, stdout, stderr) = place.run_with(&args, &variables);
        assert_eq!(code, 0, "{project} {option:?}: {stderr}");
        let asked = server.asked.lock().unwrap()[0].clone();
        assert_eq!(asked.contains(KEY), is_sent, "{project} {option:?}");
        assert!(!(stdout + &stderr).contains(KEY));
    }
}

/// A server logs ignored settings.
#[test]
fn servers_read_settings_too() {
    let place = Place::new("no-bundled-skills = true\n", "limits.host-memory = '900GiB'\n");
    let (code, stdout, stderr) = place.run(&["mcp"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "", "standard output is for the protocol");
    let mut entries = stderr.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    let told = entries.any(|entry| entry.to_string().contains("mitt.toml:1: limits.host-memory"));
    assert!(told, "{stderr}");
    let (_, _, stderr) = place.run(&["tools"]);
    assert!(stderr.contains("warning: ") && stderr.contains("can only lower a limit"), "{stderr}");
    assert_eq!(place.run(&["tools", "-q"]).2, "");
}

/// The examples in the docs are valid files, for the program and for editors.
#[test]
fn examples_of_the_pages_are_right() {
    let place = Place::new("", "");
    let (code, schema, _) = place.run(&["config", "schema"]);
    assert_eq!(code, 0);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["title"], "mitt.toml");
    for page in ["docs/config.md", "docs/config.zh-CN.md"] {
        let page = fs::read_to_string(root().join(page)).unwrap();
        let examples: Vec<_> =
            page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
        let [own, project] = examples[..] else { panic!("expected two examples") };
        assert!(own.contains("#:schema ") && project.contains("#:schema "));
        place.write("own.toml", own);
        place.write("project/mitt.toml", project);
        let (code, stdout, stderr) = place.run(&["config", "show"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        for (file, text) in [("own.toml", own), ("mitt.toml", project)] {
            assert!(stdout.contains(&format!("{file}:")), "{text}");
        }
        // Every setting has its row.
        for key in names(&schema["properties"], "") {
            assert!(page.contains(&format!("| `{key}` |")), "{key}");
        }
    }
}

fn names(properties: &Value, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (name, property) in properties.as_object().unwrap() {
        match property.get("properties") {
            Some(inner) => found.extend(names(inner, &format!("{prefix}{name}."))),
            None => found.push(format!("{prefix}{name}")),
        }
    }
    found
}

/// A system without folders for settings has none.
#[test]
fn a_user_without_a_home_has_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path(), &["config", "show"]);
    command.env_remove("MITT_CONFIG").env("XDG_CONFIG_HOME", folder.path().join("c"));
    let output = command.env("HOME", folder.path()).output().unwrap();
    let stdout = text(&output.stdout);
    assert!(stdout.contains("(not there)") && output.status.success(), "{stdout}");
    #[cfg(target_os = "linux")]
    {
        let own = Path::new("c/mitt/config.toml");
        assert!(stdout.contains(own.to_str().unwrap()), "{stdout}");
        fs::create_dir_all(folder.path().join(own).parent().unwrap()).unwrap();
        fs::write(folder.path().join(own), "tools = 'all'\n").unwrap();
        let stdout = text(&command.output().unwrap().stdout);
        assert!(stdout.contains("tools = \"all\""), "{stdout}");
    }
}
