use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::*;
use crate::Host;
use mitt_base::Result;
use mitt_skill::{HostCall, HostFunction, HostTool, Registry, Tool, ToolPolicy};
use mitt_wit::value::{EnumType, Field, Json, Label, RecordType, Type};

/// Tool that does nothing.
struct Described(HostFunction);

#[async_trait]
impl HostTool for Described {
    fn function(&self) -> HostFunction {
        self.0.clone()
    }

    async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
        Ok(Json::Null)
    }
}

async fn tools(functions: impl IntoIterator<Item = HostFunction>) -> Vec<Tool> {
    let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
    let host = functions
        .into_iter()
        .fold(host, |host, function| host.with_tool(Described(function)).unwrap());
    host.registry().tools().await
}

fn function(module: &str, name: &str, docs: &str) -> HostFunction {
    HostFunction::new(module, name, docs).unwrap()
}

fn field(name: &str, ty: Type, docs: &str) -> Field {
    Field::new(name, ty, (!docs.is_empty()).then(|| docs.to_owned()))
}

#[tokio::test]
async fn a_function_is_outlined_by_its_parameters_and_first_sentence() {
    let optional = Type::Option(Arc::new(Type::U32));
    let with_default = function("b", "go", "Goes.  Far\naway. And back.\n\nMore.")
        .param(field("the-way", Type::String, ""))
        .param(field("times", Type::U32, ""))
        .param(field("most", optional, ""))
        .narrowed(&json!({ "properties": { "times": { "default": 1 } } }))
        .unwrap();
    let tools = tools([with_default, function("a", "hidden", "").for_models_only()]).await;
    assert_eq!(outlines(&tools), "b:\n- go(the_way, times?, most?): Goes\n");
}

#[tokio::test]
async fn functions_that_are_brief_are_only_named() {
    let brief = |module: &str, name: &str| {
        let policy = ToolPolicy { brief: true, ..ToolPolicy::default() };
        function(module, name, "Seldom needed.").policy(policy)
    };
    let listed = [
        function("a", "go", "Goes."),
        brief("a", "convert"),
        brief("a", "verify-all"),
        brief("b", "only"),
        function("c", "go", "Goes."),
    ];
    assert_eq!(
        outlines(&tools(listed).await),
        "a:\n- go(): Goes\n- also convert, verify_all\nb:\n- only\nc:\n- go(): Goes\n"
    );
}

#[tokio::test]
async fn lists_of_functions_are_bounded() {
    let many = |count: usize, docs: &str| {
        let docs = docs.to_owned();
        (0..count).map(move |n| function(&format!("module-{}", n / 10), &format!("do-{n}"), &docs))
    };
    let said = "Does something that takes a long sentence to tell, ".repeat(3);
    let functions = |lines: &str| lines.lines().filter(|line| line.starts_with("- ")).count();
    let whole = outlines(&tools(many(90, &said)).await);
    assert_eq!(functions(&whole), 90);
    assert!(whole.len() <= LIST_BYTES && whole.contains("long sentence to tell…"), "{whole}");
    // Shorter descriptions, then names only.
    let less = outlines(&tools(many(130, &said)).await);
    assert_eq!(functions(&less), 130);
    assert!(less.len() <= LIST_BYTES && !less.contains("long sentence"), "{less}");
    let names = outlines(&tools(many(300, &said)).await);
    assert!(names.len() <= LIST_BYTES, "{}", names.len());
    assert_eq!(names.lines().next().unwrap().split(", ").count(), 10, "{names}");
    assert!(names.contains("- module_7: do_70, do_71, "), "{names}");
    let long = format!("a-{}", "name-".repeat(8));
    let many = (0..300).map(|n| function(&format!("{long}{n}"), "go", ""));
    let modules = outlines(&tools(many).await);
    assert!(modules.len() <= LIST_BYTES + 100 && modules.starts_with("a_name_"), "{modules}");
    assert!(modules.ends_with(" more; `help` of one lists its functions\n"), "{modules}");
}

#[tokio::test]
async fn parameters_are_told_in_short() {
    let record = |name: &str, fields: Vec<Field>| {
        Type::Record(Arc::new(RecordType { name: name.into(), docs: None, fields }))
    };
    let label = |name: &str| Label { name: name.into(), docs: None };
    let order = Type::Enum(Arc::new(EnumType {
        name: "order".into(),
        docs: None,
        cases: vec![label("up"), label("down")],
    }));
    let list = |ty: Type| Type::List(Arc::new(ty));
    let option = |ty: Type| Type::Option(Arc::new(ty));
    let key = record(
        "key",
        vec![field("column", Type::String, "Its name."), field("order", option(order), "")],
    );
    let sort = function("my", "sort", "Sorts\nrows.\n\n- `data`: the rows.")
        .param(field("data", Type::Table, "The\nrows."))
        .param(field("keys", list(key.clone()), ""))
        .param(field("then-by", option(key), "If the keys are equal."))
        .param(field("top", Type::U32, ""))
        .param(field("share", option(Type::Cell), ""))
        .param(field("pair", Type::Tuple([Type::Bool, list(option(Type::F64))].into()), ""))
        .param(field("by-name", Type::Map(Arc::new((Type::String, Type::Bytes))), ""))
        .narrowed(&json!({ "properties": { "top": { "minimum": 1, "maximum": 9, "default": 3 } } }))
        .unwrap();
    let tools = tools([sort]).await;
    let tools: Vec<&Tool> = tools.iter().collect();
    let text = signatures(&tools, 10_000);
    let (_, text) = text.split_once("\n\n").unwrap();
    insta::assert_snapshot!(text, @r#"
    - my__sort: Sorts rows.
      - data: table // The rows.
      - keys: Array<key({column: string /* Its name. */, order?: "up" | "down"})>
      - then_by?: key // If the keys are equal.
      - top?: integer (>= 1, <= 9) = 3
      - share?: {tag: "some", val: cell} | null
      - pair: [boolean, Array<number | null>]
      - by_name: {[key]: base64}
    "#);
    // Tools without room are listed by name.
    let none = signatures(&tools, 100);
    assert!(none.starts_with("\nToo long to be told here: my__sort. "), "{none}");
    assert_eq!(signatures(&[], 100), "");
}

#[tokio::test]
async fn a_type_in_many_places_is_written_once() {
    // Each level contains the previous one twice: written in full, the text would be a million times as long.
    let deep = (0..20).fold(Type::Bool, |inner, level| {
        let fields = vec![field("a", inner.clone(), ""), field("b", inner, "")];
        let name = format!("level-{level}");
        Type::Record(Arc::new(RecordType { name, docs: None, fields }))
    });
    let tools = tools([function("a", "deep", "").param(field("it", deep, ""))]).await;
    let text = signatures(&[&tools[0]], 100_000);
    assert!(text.contains("level-18(") && text.contains("b: level-18}"), "{text}");
    assert!(text.len() < 3_000, "{}", text.len());
}

fn registry(skills: usize, description: &str) -> (tempfile::TempDir, Registry) {
    let root = tempfile::tempdir().unwrap();
    for number in 0..skills {
        let folder = root.path().join(format!("skill-{number:03}"));
        std::fs::create_dir(&folder).unwrap();
        let text =
            format!("---\nname: skill-{number:03}\ndescription: {description}\n---\nDo it.\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let host =
        Host::builder().no_cache().bundled_skills(false).skills(root.path()).build().unwrap();
    (root, host.registry())
}

#[tokio::test]
async fn the_catalogue_is_bounded() {
    let description = "What it is for, in many words. ".repeat(9);
    let description = description.trim();
    let (_root, few) = registry(10, description);
    assert_eq!(catalogue(&few).lines().next().unwrap(), format!("- skill-000: {description}"));
    let (_root, many) = registry(40, description);
    let lines = catalogue(&many);
    assert!(lines.len() <= LIST_BYTES && lines.contains("left out"), "{lines}");
    assert_eq!(lines.lines().count(), 40);
    let (_root, more) = registry(300, description);
    let names = catalogue(&more);
    assert!(names.starts_with("skill-000, skill-001, "), "{names}");
    assert!(names.contains("skill-299; activate one") && names.len() <= LIST_BYTES, "{names}");
}

#[test]
fn a_skill_is_activated_by_either_of_its_names() {
    let (_root, registry) = registry(2, "d");
    for name in ["skill-001", "skill_001"] {
        assert_eq!(activated(&registry, name).unwrap().manifest().name, "skill-001");
    }
    for (name, expected) in [
        (
            "skil-001",
            "arguments: no skill `skil-001`; there are: skill-000, skill-001\nhint: did you mean `skill-001`?",
        ),
        ("", "arguments: `skill`: expected a name; there are: skill-000, skill-001"),
        ("a\nb", "arguments: no skill `a\\nb`; there are: skill-000, skill-001"),
    ] {
        let error = activated(&registry, name).map(|_| ()).unwrap_err();
        assert_eq!(
            error.render().trim_start_matches("arguments: "),
            expected.trim_start_matches("arguments: ")
        );
    }
}

#[test]
fn modes_have_names() {
    for mode in ToolMode::ALL {
        assert_eq!(ToolMode::from_name(mode.name()), Some(mode));
    }
    assert_eq!(ToolMode::from_name("none"), None);
}

#[test]
fn tools_are_named_as_they_are_called() {
    let registry = Host::builder().no_cache().build().unwrap().registry();
    let listing = |mode| called(&registry, &["a_b__c", "a_b__d__e"], mode);
    assert_eq!(listing(ToolMode::All), "The tools of this skill: `a_b__c`, `a_b__d__e`.");
    #[cfg(feature = "bundled")]
    assert!(listing(ToolMode::Script).ends_with("`python__run`: `a_b.c`, `a_b.d__e`."));
    assert!(listing(ToolMode::Catalogue).ends_with("`open_skill` brings: `a_b__c`, `a_b__d__e`."));
    assert_eq!(called(&registry, &[], ToolMode::All), "");
}

#[cfg(feature = "bundled")]
#[tokio::test]
async fn a_language_on_request_is_offered_if_a_setting_names_its_engine() {
    let names = |engines: &[&str]| {
        let host = Host::builder().no_cache();
        let host = engines.iter().fold(host, |host, engine| host.script_engine(*engine));
        let registry = host.build().unwrap().registry();
        (script_tools(&registry), registry)
    };
    let (python, registry) = names(&[]);
    assert_eq!(python, "`python__run`");
    assert!(offered(&registry).all(|skill| skill.manifest().name != "javascript"));
    assert!(registry.tools().await.iter().all(|tool| tool.language() != Some("javascript")));
    // A script that runs in it is no question of the offer.
    assert!(registry.tool("javascript__run").await.is_ok());
    assert_eq!(names(&["python-lite"]).0, "`python__run`");

    let (javascript, registry) = names(&["javascript"]);
    assert_eq!(javascript, "`javascript__run`");
    assert!(offered(&registry).all(|skill| !skill.manifest().name.starts_with("python")));
    let lines = outlines(&registry.tools().await);
    assert!(lines.contains("table_tool:\n") && lines.contains("\n- sort({ data, keys"), "{lines}");
    assert!(!lines.contains("=None") && !lines.contains("run("), "{lines}");
    let usage = script_usage(&registry.script_tools());
    assert!(usage.contains("await tools.") && !usage.contains("import table_tool"), "{usage}");

    let (both, registry) = names(&["javascript", "python-lite"]);
    assert_eq!(both, "`javascript__run` or `python__run`");
    assert_eq!(registry.script("python").unwrap().manifest().name, "python-lite");
    let usage = script_usage(&registry.script_tools());
    assert_eq!(usage.lines().filter(|line| line.starts_with("A script of `")).count(), 2);
    assert!(ToolMode::Script.within(&registry) == ToolMode::Script);
}
