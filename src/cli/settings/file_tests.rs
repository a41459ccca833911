use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::*;
use crate::settings::JSON_SCHEMA;

/// Returns the settings of a file as `key value origin`, or its errors; `/p` is its folder.
fn read(whose: Whose, toml: &str) -> std::result::Result<Vec<String>, String> {
    let path = Path::new("/p/mitt.toml");
    let home = Some(Path::new("/home/me"));
    let found = File { path, whose, home }.parse(toml).map_err(|error| error.render())?;
    let line = |(key, found): (Key, SettingValue)| {
        format!("{} {} {}", key.name(), found.value, found.origin)
    };
    Ok(found.into_iter().map(line).collect())
}

fn own(toml: &str) -> Vec<String> {
    read(Whose::User, toml).unwrap()
}

fn refused(whose: Whose, toml: &str) -> String {
    read(whose, toml).unwrap_err()
}

#[test]
fn values_have_their_lines() {
    let toml = "# mine\nmodel = 'http://127.0.0.1:1/v1#m'\nskills = [\n  'a',\n  '/b',\n  '~/c',\n]\nout = '~/out'\n\
                [limits]\nrun.turns = 5\nmax-time = '1m30s'\nhost-memory = '2GiB'\n";
    insta::assert_snapshot!(own(toml).join("\n"), @r#"
    model "http://127.0.0.1:1/v1#m" /p/mitt.toml:2
    skills "/p/a" /p/mitt.toml:3
    skills "/b" /p/mitt.toml:3
    skills "/home/me/c" /p/mitt.toml:3
    out "/home/me/out" /p/mitt.toml:8
    limits.run.turns 5 /p/mitt.toml:10
    limits.max-time "90s" /p/mitt.toml:11
    limits.host-memory "2GiB" /p/mitt.toml:12
    "#);
    assert_eq!(own("limits = { run = { calls = 7 } }"), ["limits.run.calls 7 /p/mitt.toml:1"]);
    assert_eq!(own("out = 'results'\n"), ["out \"results\" /p/mitt.toml:1"]);
    assert!(own("").is_empty());
}

#[test]
fn all_that_is_wrong_is_told_with_its_line() {
    let toml = "modle = 'ollama/qwen3'\ntools = 'some'\nturns = 3\n\n[limits]\nmax_time = '5s'\nmax-fuel = -1\n\n[limits.run]\n\
                quiet = true\ntime = 5\n\n[limit]\n";
    insta::assert_snapshot!(refused(Whose::User, toml), @r#"
    8 problems with the settings
    /p/mitt.toml:1: modle: unknown setting
    /p/mitt.toml:2: tools: expected one of script, catalogue, all, got "some"
    /p/mitt.toml:3: turns: unknown setting
    /p/mitt.toml:6: limits.max_time: unknown setting
    /p/mitt.toml:7: limits.max-fuel: expected a whole number from 1, got -1
    /p/mitt.toml:10: limits.run.quiet: unknown setting
    /p/mitt.toml:11: limits.run.time: expected a duration such as "500ms", "15s" or "1m30s", got 5
    /p/mitt.toml:13: limit: unknown setting
    hint: did you mean `model`?
    hint: did you mean `limits.run.turns`?
    hint: did you mean `limits.max-time`?
    hint: `quiet` stands above the first table
    hint: did you mean `limits`?
    "#);
    for (toml, message) in [
        ("model = 'olama/qwen3'", "mitt.toml:1: model: unknown service `olama`"),
        ("\nlimits = 3", "mitt.toml:2: limits: expected a table, got integer"),
        ("model = ''", "expected the name of a model such as \"ollama/qwen3\""),
        ("quiet = 'yes'", "expected true or false, got \"yes\""),
        ("clock = -1", "expected a number of seconds"),
        ("limits.host-memory = '0'", "a size such as"),
        ("limits.run.time = '0s'", "a duration such as"),
        ("out = 'a/b'", "expected a name, of a folder wherever you work"),
        ("out = '..'", "expected a name, of a folder wherever you work"),
        ("model = ['ollama/qwen3']", "the name of a model such as"),
        ("[[skills]]", "expected a path in quotes, got array of tables"),
        (
            "no-cache = true\ncache-dir = '/c'",
            ":2: cache-dir: it does not go with `no-cache = true`",
        ),
        ("'limits.max-time' = '5s'", ":1: limits.max-time: unknown setting"),
        ("'limits.run' = { turns = 5 }", ":1: limits.run: unknown setting"),
        ("nonsense-of-mine = 1", "`mitt config show` lists all settings"),
    ] {
        let got = refused(Whose::User, toml);
        assert!(got.contains(message), "{toml}: {got}");
    }
}

/// The message that refuses a secret in the wrong place does not show it.
#[test]
fn keys_do_not_stand_in_files_and_are_not_shown() {
    insta::assert_snapshot!(refused(Whose::User, "\nkey = 'sk-4711'"), @r"
    /p/mitt.toml:2: key: no secret stands in a file of settings, which is easily shared
    hint: set the variable of the service, such as OPENAI_API_KEY (`mitt model list` names them), or name a file that holds the key: `key-file` in your own file of settings
    ");
    for toml in [
        "key = 'sk-4711'",
        "api_key = 'sk-4711'",
        "OPENAI_API_KEY = 'sk-4711'",
        "keys = { openai = 'sk-4711' }",
        "token = 'sk-4711'",
        "password = 'sk-4711'",
        "[keys]\nopenai = 'sk-4711'",
        // Text that is not TOML, and forms that no key has.
        "key = sk-4711",
        "key 'sk-4711'",
        "model = { key = 'sk-4711' }",
        "mode = 'sk-4711'",
    ] {
        for whose in [Whose::User, Whose::Project] {
            let got = refused(whose, toml);
            assert!(!got.contains("4711"), "{toml}: {got}");
            let is_reported = got.contains("OPENAI_API_KEY") && got.contains("`key-file`");
            assert!(
                is_reported || !toml.contains("= '") || toml.starts_with("mod"),
                "{toml}: {got}"
            );
        }
    }
    let alone = refused(Whose::User, "key-file = '~/k'");
    assert!(
        alone.contains("mitt.toml:1: key-file: expected a `model` in the same file"),
        "{alone}"
    );
    assert_eq!(own("model = 'openai/gpt-5'\nkey-file = '~/k'").len(), 2);
}

/// Everything that a project's file must not set.
#[test]
fn a_projects_file_loosens_nothing() {
    insta::assert_snapshot!(refused(Whose::Project, "quiet = true\ntrust-skills = true\n"), @r"
    2 problems with the settings
    /p/mitt.toml:1: quiet: a project's file cannot set it: it hides warnings
    /p/mitt.toml:2: trust-skills: a project's file cannot set it: it gives skills what you did not approve
    hint: set it in your own file of settings (`mitt config show` says where that is), or give `--quiet` yourself
    hint: set it in your own file of settings (`mitt config show` says where that is), or give `--trust-skills` yourself
    ");
    let refusals = [
        ("key-file = 'k'", "it says which secret is read"),
        ("trust-skills = true", "it gives skills"),
        ("mcp-config = 'mcp.json'", "it says which programs are started"),
        ("guardrail = 'off'", "started without a question"),
        ("guardrail-model = 'ollama/qwen3'", "started without a question"),
        ("replace-skill = 'excel-tool'", "take the place of a bundled one"),
        ("no-bundled-skills = true", "take the place of a bundled one"),
        ("cache-dir = 'c'", "native code is not sandboxed"),
        ("no-cache = true", "native code is not sandboxed"),
        ("precompiled-key = 'k'", "native code is not sandboxed"),
        ("trust-precompiled = 'n'", "native code is not sandboxed"),
        ("font = 'f.ttf'", "outside of the sandbox"),
        ("font-folder = 'f'", "outside of the sandbox"),
        ("worker = 'never'", "what can be ended"),
        ("ocr = 'auto'", "whether a program is started"),
        ("csv-formulas = 'keep'", "what files may calculate"),
        ("fetch-host = '*'", "what leaves this machine"),
        ("fetch-network = '10.0.0.0/8'", "what leaves this machine"),
        ("signing-key = 'office=k.p12'", "with which keys files are signed"),
        ("full-journal = true", "personal data"),
        ("quiet = true", "hides warnings"),
    ];
    for (toml, why) in refusals {
        let got = refused(Whose::Project, toml);
        assert!(got.contains(why) && got.contains("in your own file"), "{toml}: {got}");
        let own = format!("model = 'ollama/qwen3'\n{toml}");
        assert!(read(Whose::User, &own).is_ok(), "{toml}");
    }
    // The table of refusals is complete.
    let name = |toml: &str| toml.split(' ').next().unwrap().to_owned();
    let refused_names: BTreeSet<_> = refusals.iter().map(|(toml, _)| name(toml)).collect();
    let own = Key::ALL.into_iter().filter(|key| matches!(key.reach(), Reach::Own(_)));
    assert_eq!(refused_names, own.map(|key| key.name().to_owned()).collect());

    for address in [
        "http://127.0.0.1:1#m",
        "https://models.example.org/v1#m",
        "anthropic+http://x#m",
        "HTTP://x#m",
        "http://x",
    ] {
        let got = refused(Whose::Project, &format!("model = '{address}'"));
        assert!(got.contains("got an address") && got.contains("`--model`"), "{address}: {got}");
    }
    assert_eq!(
        read(Whose::Project, "model = 'ollama/qwen3'").unwrap(),
        ["model \"ollama/qwen3\" /p/mitt.toml:1"]
    );
}

#[test]
fn a_projects_file_names_places_below_its_folder() {
    for key in ["out", "skills", "component", "overlay"] {
        for place in ["/etc", "..", "../x", "a/../../x", "~/x", "~", ".", ""] {
            let got = refused(Whose::Project, &format!("{key} = '{place}'"));
            let is_reported = got.contains("expected a path below its folder") || place.is_empty();
            assert!(is_reported, "{key} {place}: {got}");
        }
        let found = read(Whose::Project, &format!("{key} = './a/./b'")).unwrap();
        assert_eq!(found, [format!("{key} \"/p/a/b\" /p/mitt.toml:1")]);
    }
    #[cfg(unix)]
    {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
        std::fs::create_dir(folder.path().join("real")).unwrap();
        for (place, is_fine) in [("link", false), ("link/x", false), ("real", true)] {
            let inside = inside(folder.path(), place);
            assert_eq!(inside.is_ok(), is_fine, "{place}: {inside:?}");
        }
    }
}

#[test]
fn files_are_bounded_plain_and_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mitt.toml");
    let read = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        let file = File { path: &path, whose: Whose::Project, home: None };
        file.read().map(|found| found.len()).map_err(|error| error.render())
    };
    let filled = |bytes: u64| {
        let mut content = b"tools = 'all'\n#".to_vec();
        content.resize(usize::try_from(bytes).unwrap(), b'x');
        content
    };
    assert_eq!(read(&filled(MAX_BYTES)), Ok(1));
    let long = read(&filled(MAX_BYTES + 1)).unwrap_err();
    assert!(long.contains("expected at most 65536 bytes"), "{long}");
    assert!(read(b"\xff").unwrap_err().contains("expected UTF-8"));
    let deep = read(format!("x = {}", "[".repeat(60_000)).as_bytes()).unwrap_err();
    assert!(deep.contains("mitt.toml:1: "), "{deep}");
    let deep = read(format!("{}x = 1", "a.".repeat(30_000)).as_bytes()).unwrap_err();
    assert!(deep.contains("mitt.toml:1: ") && deep.len() < 1_000, "{deep}");
    let many: String = (0..5_000).map(|n| format!("x{n} = 1\n")).collect();
    let many = read(many.as_bytes()).unwrap_err();
    assert!(many.starts_with("5000 problems") && many.contains("… and 4980 more"), "{many}");
    assert!(many.lines().count() < 50, "{many}");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let file = File { path: &path, whose: Whose::Project, home: None };
    assert!(file.read().unwrap_err().render().contains("cannot read the settings"));
}

/// Collects the properties of the schema by their full names.
fn properties<'a>(schema: &'a Json, prefix: &str, found: &mut Vec<(String, &'a Json)>) {
    assert_eq!(schema["additionalProperties"], false, "{prefix}");
    for (name, property) in schema["properties"].as_object().unwrap() {
        let full = format!("{prefix}{name}");
        match property.get("properties") {
            Some(_) => properties(property, &format!("{full}."), found),
            None => found.push((full, property)),
        }
    }
}

/// The schema has the keys of the reader, which accepts its examples; and both refuse the same values.
#[test]
fn the_schema_and_the_reader_are_in_step() {
    let schema: Json = serde_json::from_str(JSON_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut all = Vec::new();
    properties(&schema, "", &mut all);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, Key::ALL.map(Key::name), "and in the same order");
    let as_json = |name: &str, value: &Json| {
        let parts = name.rsplit('.');
        parts.fold(value.clone(), |inner, part| serde_json::json!({ part: inner }))
    };
    for (name, property) in all {
        let key = Key::from_name(&name).unwrap();
        let description = property["description"].as_str().unwrap();
        let is_own = matches!(key.reach(), Reach::Own(_));
        assert_eq!(description.ends_with("Your own file only."), is_own, "{name}");
        // JSON of a single value is also TOML. Keys that need a model get one.
        let toml = |value: &Json| match name.as_str() {
            "key-file" => format!("model = 'ollama/qwen3'\n{name} = {value}"),
            _ => format!("{name} = {value}"),
        };
        if let Form::Word(words) = key.form() {
            assert_eq!(property["enum"], serde_json::json!(words), "{name}");
        }
        let examples = property["examples"].as_array().unwrap();
        for example in examples {
            assert!(validator.is_valid(&as_json(&name, example)), "{name}: {example}");
            let read = read(Whose::User, &toml(example));
            assert!(read.is_ok(), "{name} = {example}: {read:?}");
        }
        assert_eq!(key.is_list(), examples.iter().any(Json::is_array), "{name}");
        for other in
            ["[true]", "1.5", "true", "-1", "0", "7", "\"\"", "\"8x\"", "\"1m\"", "\"0\"", "{}"]
        {
            let value: Json = serde_json::from_str(other).unwrap();
            // The schema does not know which models and keys exist.
            if matches!(key.form(), Form::Model | Form::PublicKey)
                && other.contains(['x', 'm', '0'])
            {
                continue;
            }
            let is_valid = validator.is_valid(&as_json(&name, &value));
            let read = read(Whose::User, &toml(&value));
            assert_eq!(is_valid, read.is_ok(), "{name} = {other}: {read:?}");
        }
    }
    for (index, key) in Key::ALL.into_iter().enumerate() {
        assert_eq!(key as usize, index, "{}", key.name());
    }
}
