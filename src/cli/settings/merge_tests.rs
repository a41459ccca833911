use super::*;

/// Settings from a user's and a project's file, from variables, and from options.
struct Case {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, &'static str)>,
    options: Vec<(Key, Value)>,
}

impl Case {
    fn new(own: &str, project: &str) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(file), text).unwrap();
        };
        write("config/mitt/config.toml", own);
        write("project/mitt.toml", project);
        Case { folder, variables: Vec::new(), options: Vec::new() }
    }

    fn variable(mut self, name: &'static str, value: &'static str) -> Case {
        self.variables.push((name, value));
        self
    }

    fn option(mut self, key: Key, value: Value) -> Case {
        self.options.push((key, value));
        self
    }

    fn load(self) -> Settings {
        let places = Places {
            working: Some(self.folder.path().join("project")),
            home: Some(self.folder.path().to_owned()),
            config: Some(self.folder.path().join("config")),
            named: None,
        };
        let variable = |name: &str| {
            let found = self.variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Settings::of(&places, &variable, self.options).unwrap()
    }
}

/// Returns the origin of a value, without the folder of the test.
fn origin(settings: &Settings, key: Key) -> String {
    let origin = settings.get(key).map_or("none".to_owned(), |found| found.origin.to_string());
    origin.rsplit('/').next().unwrap().to_owned()
}

#[test]
fn later_ones_go_before_earlier_ones() {
    let own = "model = 'ollama/own'\ntools = 'all'\nengine = 'own'";
    let project = "model = 'ollama/project'\ntools = 'catalogue'";
    let settings = Case::new(own, project).load();
    let seen = [Key::Model, Key::Tools, Key::Engine].map(|key| origin(&settings, key));
    assert_eq!(seen, ["mitt.toml:1", "mitt.toml:2", "config.toml:3"]);
    assert_eq!(settings.text(Key::Model), Some("ollama/project"));
    assert!(settings.of_project(Key::Model).is_some());
    assert!(settings.of_project(Key::Engine).is_none());

    let settings = Case::new(own, project)
        .variable("MITT_MODEL", "ollama/variable")
        .option(Key::Engine, Value::Text("option".to_owned()))
        .load();
    assert_eq!(origin(&settings, Key::Model), "environment MITT_MODEL");
    assert_eq!(settings.text(Key::Model), Some("ollama/variable"));
    assert_eq!(origin(&settings, Key::Engine), "flag --engine");
    // An empty variable is ignored.
    let settings = Case::new(own, project).variable("MITT_MODEL", " ").load();
    assert_eq!(origin(&settings, Key::Model), "mitt.toml:1");
}

#[test]
fn items_of_lists_add_up_and_the_users_have_the_last_word() {
    let settings = Case::new("skills = ['/own']", "skills = ['project', 'more']")
        .option(Key::Skills, Value::Path("option".into()))
        .load();
    let names: Vec<_> = settings.all(Key::Skills).iter().map(|it| it.value.to_string()).collect();
    let ends = ["project/project\"", "project/more\"", "\"/own\"", "\"option\""];
    assert!(names.iter().zip(ends).all(|(name, end)| name.ends_with(end)), "{names:?}");
    assert_eq!(names.len(), 4);
}

#[test]
fn a_project_only_lowers_limits() {
    let project = "[limits]\nhost-memory = '8GiB'\nmax-time = '5s'\n[limits.run]\ncalls = 9\ntokens = 3_000_000\ntime = '1h'";
    let settings = Case::new("[limits.run]\ncalls = 7\ntime = '2h'", project).load();
    let limits = settings.agent_limits();
    // `max-time` has no built-in value; the user raised `time`, which the project lowers; the project would raise the rest.
    assert_eq!(settings.time(Key::MaxTime), Some(Duration::from_secs(5)));
    assert_eq!((limits.calls, limits.tokens), (7, AgentLimits::default().tokens));
    assert_eq!(limits.time, Duration::from_secs(3_600));
    assert_eq!(settings.number(Key::HostMemory), None);
    assert_eq!(settings.warnings().len(), 3);
    let warnings = settings.warnings().join("\n");
    assert!(
        warnings.contains("mitt.toml:2: limits.host-memory: \"4GiB\" (default) counts"),
        "{warnings}"
    );
    assert!(warnings.contains("mitt.toml:5: limits.run.calls: 7 ("), "{warnings}");
    // Equal and lower limits are accepted.
    let settings = Case::new("", "[limits.run]\ntokens = 2_000_000\nturns = 3").load();
    assert!(settings.warnings().is_empty(), "{:?}", settings.warnings());
    assert_eq!(settings.agent_limits().turns, Some(3));
    // The user may raise them, and an option may raise a limit of the project.
    let settings = Case::new("[limits.run]\ntokens = 3_000_000", "limits.max-time = '5s'")
        .option(Key::MaxTime, Value::Time(Duration::from_secs(9)))
        .load();
    assert_eq!(settings.agent_limits().tokens, 3_000_000);
    assert_eq!(settings.time(Key::MaxTime), Some(Duration::from_secs(9)));
}

/// A user's approval of all their skills does not cover those of another author.
#[test]
fn skills_of_a_project_are_not_approved_by_the_users_file() {
    let own =
        "trust-skills = true\nno-bundled-skills = true\nreplace-skill = 'excel-tool'\nquiet = true";
    let keys = [Key::TrustSkills, Key::NoBundledSkills];
    for (project, holds) in
        [("tools = 'all'", true), ("skills = 's'", false), ("component = 'c.wasm'", false)]
    {
        let settings = Case::new(own, project).load();
        assert_eq!(keys.map(|key| settings.is_on(key)), [holds; 2], "{project}");
        assert_eq!(settings.all(Key::ReplaceSkill).len(), usize::from(holds), "{project}");
        assert_eq!(settings.warnings().len(), if holds { 0 } else { 3 }, "{project}");
        assert!(settings.is_on(Key::Quiet));
    }
    // Typing it on the command line covers them.
    let settings =
        Case::new(own, "skills = 's'").option(Key::TrustSkills, Value::Switch(true)).load();
    assert!(settings.is_on(Key::TrustSkills));
}

#[test]
fn a_file_with_a_key_belongs_to_the_model_beside_it() {
    let own = "model = 'openai/gpt-5'\nkey-file = '/k'";
    let settings = Case::new(own, "model = 'deepseek/chat'").load();
    assert_eq!(settings.text(Key::Model), Some("deepseek/chat"));
    assert_eq!(settings.key_file(), Some((Path::new("/k"), "openai/gpt-5")));
}

#[test]
fn of_a_cache_and_none_the_later_word_counts() {
    let cache =
        |settings: &Settings| (settings.is_on(Key::NoCache), origin(settings, Key::CacheDir));
    let settings = Case::new("no-cache = true", "").load();
    assert_eq!(cache(&settings), (true, "none".to_owned()));
    let settings = Case::new("no-cache = true", "").variable("MITT_CACHE_DIR", "/c").load();
    assert_eq!(cache(&settings), (false, "environment MITT_CACHE_DIR".to_owned()));
    let settings = Case::new("cache-dir = '/own'", "").variable("MITT_CACHE_DIR", "/c");
    let settings = settings.option(Key::NoCache, Value::Switch(true)).load();
    assert!(settings.is_on(Key::NoCache));
    let settings = Case::new("no-cache = true", "").option(Key::CacheDir, Value::Path("x".into()));
    assert_eq!(cache(&settings.load()), (false, "flag --cache-dir".to_owned()));
}

#[test]
fn words_of_a_variable_are_added_to_those_of_files() {
    let words = |settings: &Settings| -> Vec<String> {
        let all = settings.all(Key::Words).iter();
        all.map(|it| format!("{} ({})", it.value, it.origin)).collect()
    };
    let settings = Case::new("words = ['/own']", "").variable("MITT_WORDS", "/client").load();
    let [own, client] = &words(&settings)[..] else { panic!("{:?}", words(&settings)) };
    assert!(own.starts_with("\"/own\" ("), "{own}");
    assert_eq!(client, "\"/client\" (environment MITT_WORDS)");
    let settings = Case::new("", "").variable("MITT_WORDS", "").load();
    assert!(words(&settings).is_empty(), "an empty variable is none");
}

#[test]
fn the_variable_of_reproducible_builds_goes_before_files() {
    let settings = Case::new("", "clock = 5").variable("SOURCE_DATE_EPOCH", "7").load();
    assert_eq!(settings.number(Key::Clock), Some(7));
    // The reader of the clock refuses it.
    let settings = Case::new("", "clock = 5").variable("SOURCE_DATE_EPOCH", "x").load();
    assert_eq!(settings.number(Key::Clock), None);
}

/// A user who trusts a project's file names it as their own.
#[test]
fn a_file_that_is_both_is_the_users() {
    let case = Case::new("", "trust-skills = true");
    let project = case.folder.path().join("project");
    let places = Places {
        working: Some(project.clone()),
        home: None,
        config: None,
        named: Some(project.join("./mitt.toml").into()),
    };
    let settings = Settings::of(&places, &|_| None, Vec::new()).unwrap();
    assert!(settings.is_on(Key::TrustSkills));
    assert_eq!(settings.searched_files().len(), 1);
    let places = Places { named: None, ..places };
    assert!(Settings::of(&places, &|_| None, Vec::new()).is_err());
}

#[test]
fn folders_of_output_are_named_as_the_user_would() {
    let settings = Case::new("", "out = 'results/here'").load();
    assert_eq!(settings.path(Key::Out), Some(Path::new("results/here")));
}
