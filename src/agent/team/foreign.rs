//! Tools of other programs in files of agents: those of Claude Code. Similar tools replace them, so that such agents can be used
//! as they are.

use super::agent_md::AgentMd;

/// Tools of Claude Code, and the skill that does the same with documents; `None` if there is no such skill.
const FOREIGN: [(&str, Option<&str>); 26] = [
    ("Read", Some("document-tool")),
    ("Glob", Some("document-tool")),
    ("Grep", Some("document-tool")),
    ("LS", Some("document-tool")),
    ("NotebookRead", Some("document-tool")),
    ("Bash", Some("python")),
    ("PowerShell", Some("python")),
    ("Write", Some("report")),
    ("Edit", Some("report")),
    ("MultiEdit", Some("report")),
    ("BashOutput", None),
    ("KillBash", None),
    ("KillShell", None),
    ("NotebookEdit", None),
    ("WebFetch", None),
    ("WebSearch", None),
    ("Task", None),
    ("Agent", None),
    ("TaskCreate", None),
    ("TaskUpdate", None),
    ("TodoRead", None),
    ("TodoWrite", None),
    ("Skill", None),
    ("SlashCommand", None),
    ("ExitPlanMode", None),
    ("AskUserQuestion", None),
];

/// Result of mapping an agent's tools.
pub(super) enum Mapped {
    /// All are tools of Mitt; nothing changed.
    Own,
    /// Some were tools of another program; the text says what replaces them.
    Note(String),
    /// All were tools of another program without a replacement, so the agent is left out; the text says why.
    Nothing(String),
}

/// Replaces the foreign tools of an agent with skills.
pub(super) fn map(agent: &mut AgentMd) -> Mapped {
    agent.disallowed = agent.disallowed.iter().filter_map(|it| own(it, &mut None)).collect();
    let Some(tools) = &mut agent.tools else { return Mapped::Own };
    let mut taken: Option<Vec<String>> = None;
    let mut mapped: Vec<String> = Vec::new();
    for tool in &*tools {
        if let Some(name) = own(tool, &mut taken)
            && !mapped.contains(&name)
        {
            mapped.push(name);
        }
    }
    let Some(taken) = taken else { return Mapped::Own };
    if mapped.is_empty() {
        let names: Vec<_> = tools.iter().map(|it| format!("`{it}`")).collect();
        return Mapped::Nothing(format!(
            "it has only tools of another program: {}",
            names.join(", ")
        ));
    }
    *tools = mapped;
    Mapped::Note(format!("tools of another program: {}", taken.join(", ")))
}

/// Returns the tool or skill that `tool` refers to. The replacement of a foreign tool is added to `taken`.
fn own(tool: &str, taken: &mut Option<Vec<String>>) -> Option<String> {
    // `Bash(git add:*)` restricts what `Bash` may do.
    let name = tool.split('(').next().unwrap_or(tool).trim();
    let Some((_, skill)) = FOREIGN.iter().find(|(foreign, _)| *foreign == name) else {
        return Some(tool.to_owned());
    };
    let note = match skill {
        Some(skill) => format!("`{skill}` takes the place of `{tool}`"),
        None => format!("`{tool}` is left out"),
    };
    taken.get_or_insert_default().push(note);
    skill.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(tools: &str) -> (Option<Vec<String>>, String) {
        let text = format!("---\nname: a\ndescription: Does it.\n{tools}---\nDo it.\n");
        let mut agent = AgentMd::parse(text.as_bytes(), "a.md").unwrap();
        let said = match map(&mut agent) {
            Mapped::Own => String::new(),
            Mapped::Note(text) | Mapped::Nothing(text) => text,
        };
        (agent.tools, said)
    }

    #[test]
    fn tools_of_claude_code_are_skills() {
        let (tools, said) = mapped("tools: Read, Grep, Bash(git add:*), WebSearch\n");
        assert_eq!(tools.unwrap(), ["document-tool", "python"]);
        assert!(said.contains("`python` takes the place of `Bash(git add:*)`"), "{said}");
        assert!(said.contains("`WebSearch` is left out"), "{said}");
        let (tools, said) = mapped("tools: WebFetch, WebSearch\n");
        assert_eq!(tools.unwrap(), ["WebFetch", "WebSearch"]);
        assert!(said.starts_with("it has only tools of another program"), "{said}");
        assert_eq!(mapped("tools: table-tool, sql_tool__query\n").1, "");
        assert_eq!(mapped("").0, None);
    }
}
