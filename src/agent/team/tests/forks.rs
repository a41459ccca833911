//! Skills that run as agents.

use super::*;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("year-check");
    std::fs::create_dir(&skill).unwrap();
    let text = "---\nname: year-check\ndescription: Checks years.\ncontext: fork\nagent: reader\n---\nCheck every year twice.\n";
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    folder
}

#[tokio::test]
async fn a_skill_that_forks_runs_as_an_agent() {
    let folder = folder();
    for (mode, call) in [
        (ToolMode::Catalogue, ("open_skill", json!({ "skill": "year-check" }))),
        (ToolMode::All, task("year-check", "Check the years")),
    ] {
        let main = script([calls(&[call]), says("Checked.")]);
        let mut stage = Stage::new(main).agent(
            "reader",
            "read-only: true\n",
            script([calls(&[excel("a.xlsx")]), says("All years are right.")]),
        );
        let host = crate::memory_log::host().skills(folder.path()).build().unwrap();
        stage.session = host.session(SessionOptions::default()).unwrap();
        stage.mode = mode;
        let report = stage.run("Check the years").await.unwrap();
        assert_eq!(report.text, "Checked.");
        let asked = stage.asked("reader", 0);
        assert!(
            asked[0].contains("You are the reader.\n\nCheck every year twice."),
            "{}",
            asked[0]
        );
        assert!(!asked[0].contains("context: fork"), "{}", asked[0]);
        assert_eq!(asked[1], "user: Check the years");
        let output = result(&stage.results("main", 1)[0]);
        assert_eq!(
            (&output["agent"], &output["summary"]),
            (&json!("year-check"), &json!("All years are right."))
        );
        // It has the rights of its agent.
        assert!(
            stage.results("reader", 1)[0].contains("Unknown tool") || mode == ToolMode::Catalogue
        );
        assert!(stage.session.artifacts().is_empty());
    }
}

#[tokio::test]
async fn without_its_agent_a_skill_says_so() {
    let folder = folder();
    let main = script([calls(&[task("year-check", "Check")]), says("No.")]);
    let mut stage = Stage::new(main).agent("other", "", script([says("-")]));
    let host = crate::memory_log::host().skills(folder.path()).build().unwrap();
    stage.session = host.session(SessionOptions::default()).unwrap();
    stage.run("Check").await.unwrap();
    let output = &stage.results("main", 1)[0];
    assert!(
        output.contains("skill `year-check`: its `agent` is `reader`, which is not there"),
        "{output}"
    );
}

#[test]
fn rosters_tell_what_is_wrong_and_what_takes_whose_place() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("explorer.md", "---\nname: explorer\ndescription: Mine.\n---\nLook.\n");
    write("a.md", "---\nname: twin\ndescription: One.\n---\nOne.\n");
    write("b.md", "---\nname: twin\ndescription: Two.\n---\nTwo.\n");
    write("wrong.md", "no front matter");
    write("main.md", "---\nname: main\ndescription: Me.\n---\nMe.\n");
    write("lost.md", "---\nname: lost\ndescription: L.\nmodel: gone/x\n---\nL.\n");
    write("near.md", "---\nname: near\ndescription: N.\nmodel: sonnet\n---\nN.\n");
    write("README.md", "Agents of the house");
    let mut roster = Roster::built_in();
    assert_eq!((roster.problems().len(), roster.notes().len()), (0, 0));
    roster.add_folder(folder.path()).unwrap();
    assert!(!roster.get("explorer").unwrap().read_only);
    let has = |lines: &[String], text: &str| {
        assert!(lines.iter().any(|line| line.contains(text)), "{text}: {lines:?}");
    };
    has(roster.notes(), "takes the place of that of built in");
    has(roster.problems(), "wrong.md:1: expected front matter");
    has(roster.problems(), "another file of the folder describes `twin` too");
    let team = Team::new(roster, |name| Err(Error::model(format!("no {name}"))));
    let names: Vec<&str> = team.agents().map(|listed| &*listed.agent.name).collect();
    assert_eq!(names, ["explorer", "general-purpose", "near", "twin"]);
    has(team.problems(), "left out: the model `gone/x` is not available: no gone/x");
    has(team.problems(), "agent `main`");
    has(
        team.notes(),
        "the model `sonnet` is not available; the agent uses the model of the one that delegates to it",
    );
    let error = Roster::new().add_folder(&folder.path().join("none")).unwrap_err();
    assert!(error.to_string().contains("cannot read the folder of agents"), "{error}");
}
