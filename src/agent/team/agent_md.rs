//! Files of agents, `agents/<name>.md`: front matter as in Claude Code, followed by instructions.
//!
//! All problems are reported at once, by line, as are keys without effect and problems that were worked around. Does not know
//! which agents, tools and models exist.

use mitt::skill::{Finding, Severity, ToolFilter};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_skill::front_matter::{self, Field, MAX_DESCRIPTION, NO_TEXT, Unsplit, Value};

/// Largest file, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Longest name, in characters.
const MAX_NAME: usize = 64;

/// Most turns that a file may set.
const MAX_TURNS: u64 = 1_000;

/// Most names in a list.
const MAX_NAMES: usize = 200;

/// Keys that have an effect, and their alternative spellings.
const KEYS: [&str; 13] = [
    "name",
    "description",
    "tools",
    "disallowedTools",
    "disallowed-tools",
    "model",
    "maxTurns",
    "max-turns",
    "skills",
    "mcpServers",
    "mcp-servers",
    "read-only",
    "readOnly",
];

/// Claude Code's own keys that have no effect here, and advice.
const OTHERS: [(&str, &str); 9] = [
    ("permissionMode", "for an agent that changes nothing write `read-only: true`"),
    ("isolation", "every tool runs in a sandbox of its own as it is"),
    ("hooks", "leave it out"),
    ("memory", "leave it out"),
    ("background", "leave it out"),
    ("effort", "leave it out"),
    ("color", "leave it out"),
    ("initialPrompt", "write it below the front matter"),
    ("version", "leave it out"),
];

/// Agent as described by its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMd {
    /// Name: letters from `a` to `z`, digits and `-`, at most 64 characters.
    pub name: String,
    /// When to use the agent, at most 1 024 characters, for the model that delegates work.
    pub description: String,
    /// Tools that it has, or skills, for all of their tools; `None` for all of the session.
    pub tools: Option<Vec<String>>,
    /// Tools and skills that it does not have.
    pub disallowed: Vec<String>,
    /// Names of the MCP servers whose tools it has; `None` for all that are not reserved for other agents.
    pub servers: Option<Vec<String>>,
    /// `true` if it has no tools and grants that change something. Default: `false`.
    pub read_only: bool,
    /// Model of the agent; `None` for the model of the agent that delegates to it.
    pub model: Option<String>,
    /// Most turns of its model for one task, 1 to 1 000; `None` for as many as are left.
    pub max_turns: Option<u64>,
    /// Skills whose instructions it has from the beginning.
    pub skills: Vec<String>,
    /// Instructions of the agent.
    pub instructions: String,
    /// Keys without effect, and problems that were worked around.
    pub warnings: Vec<Finding>,
}

impl AgentMd {
    /// Parses the bytes of a file. `file` is its name, which findings begin with and which replaces a missing name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the file is invalid; all problems are in the error's details, by line.
    pub fn parse(content: &[u8], file: &str) -> Result<AgentMd> {
        let (agent, findings) = AgentMd::read(content, file);
        if let Some(agent) = agent {
            return Ok(agent);
        }
        let errors: Vec<_> =
            findings.iter().filter(|finding| finding.is_error()).map(Finding::to_string).collect();
        match &errors[..] {
            [error] => Err(Error::new(ErrorKind::Load, error)),
            _ => {
                let message = format!("{file}: {} problems", errors.len());
                Err(errors.into_iter().fold(Error::new(ErrorKind::Load, message), Error::detail))
            }
        }
    }

    /// Like [`AgentMd::parse`], with all findings. The agent is `None` if one of them is an error.
    pub fn read(content: &[u8], file: &str) -> (Option<AgentMd>, Vec<Finding>) {
        let mut reader = Reader { file, findings: Vec::new() };
        let agent = reader.agent(content);
        reader.findings.sort_by_key(|finding| finding.line);
        let findings = front_matter::capped(reader.findings);
        let is_wrong = findings.iter().any(Finding::is_error);
        let agent = agent.filter(|_| !is_wrong);
        (agent.map(|agent| AgentMd { warnings: findings.clone(), ..agent }), findings)
    }

    /// Returns the restriction of the session's tools for the agent.
    pub fn tool_filter(&self) -> ToolFilter {
        let mut filter = ToolFilter::new().agent(self.name.as_str());
        filter = filter.without(self.disallowed.iter().cloned());
        let servers = self.servers.iter().flatten();
        if let Some(tools) = &self.tools {
            // Naming a server allows its tools.
            let of_servers = servers.map(|server| format!("mcp-{server}"));
            filter = filter.only(tools.iter().cloned().chain(of_servers));
        }
        if let Some(servers) = &self.servers {
            filter = filter.servers(servers.iter().cloned());
        }
        if self.read_only { filter.read_only() } else { filter }
    }
}

struct Reader<'a> {
    file: &'a str,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn error(&mut self, line: u64, message: impl Into<String>, hint: &str) {
        self.add(Severity::Error, line, message.into(), hint);
    }

    fn warning(&mut self, line: u64, message: impl Into<String>, hint: &str) {
        self.add(Severity::Warning, line, message.into(), hint);
    }

    fn add(&mut self, severity: Severity, line: u64, message: String, hint: &str) {
        let (file, hint) = (self.file.to_owned(), Some(hint.to_owned()));
        self.findings.push(Finding { severity, file, line: Some(line), message, hint });
    }

    fn agent(&mut self, content: &[u8]) -> Option<AgentMd> {
        if content.len() > MAX_BYTES {
            let message = format!("expected at most {MAX_BYTES} bytes, got {}", content.len());
            self.error(1, message, "move details to a skill");
            return None;
        }
        let Ok(text) = std::str::from_utf8(content) else {
            self.error(1, "expected UTF-8, got other bytes", "save the file as UTF-8");
            return None;
        };
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        let split = match front_matter::split(&text) {
            Ok(split) => split,
            Err(why) => {
                let message = match why {
                    Unsplit::NoFrontMatter => {
                        "expected front matter: `---` alone in the first line"
                    }
                    Unsplit::NotClosed => {
                        "front matter is not closed: expected a second line `---`"
                    }
                };
                const HINT: &str =
                    "begin with `---`, `name: …`, `description: …`, `---`, one line each";
                self.error(1, message, HINT);
                return None;
            }
        };
        let fields = match front_matter::parse(split.front) {
            Ok(read) => read.fields,
            Err(error) => {
                // Such files often have descriptions that contain `: `, which is invalid YAML.
                let why = text::one_line(text::cut_bytes(&error.message, 400));
                let message = format!("front matter is not YAML, and was read line by line: {why}");
                self.warning(error.line.unwrap_or(1), message, "quote what holds `: ` or ` #`");
                front_matter::salvage(split.front)
            }
        };
        Some(self.assemble(fields, split.body, split.body_line))
    }

    fn assemble(&mut self, fields: Vec<Field>, body: &str, body_line: u64) -> AgentMd {
        let mut agent = AgentMd {
            name: String::new(),
            description: String::new(),
            tools: None,
            disallowed: Vec::new(),
            servers: None,
            read_only: false,
            model: None,
            max_turns: None,
            skills: Vec::new(),
            instructions: body.trim().to_owned(),
            warnings: Vec::new(),
        };
        let mut name = None;
        let mut has_description = false;
        for field in &fields {
            match field.key.as_str() {
                "name" => name = self.one_text(field).map(|name| (field.line, name)),
                "description" => {
                    has_description = true;
                    agent.description = self.description(field);
                }
                "tools" => {
                    let tools = self.names(field);
                    agent.tools = tools.filter(|tools| tools.iter().all(|name| name != "*"));
                }
                "disallowedTools" | "disallowed-tools" => {
                    agent.disallowed = self.names(field).unwrap_or_default();
                }
                "mcpServers" | "mcp-servers" => agent.servers = self.servers(field),
                "model" => {
                    agent.model = self.one_text(field).filter(|model| model != "inherit");
                }
                "maxTurns" | "max-turns" => agent.max_turns = self.turns(field),
                "skills" => agent.skills = self.names(field).unwrap_or_default(),
                "read-only" | "readOnly" => agent.read_only = self.truth(field),
                _ => self.other(field),
            }
        }
        agent.name = self.name(name);
        if !has_description {
            self.error(1, "description: expected a text, got nothing", DESCRIBE);
        }
        if agent.instructions.is_empty() {
            const HINT: &str = "tell the agent below the front matter what it is and how it works";
            self.error(body_line, "no instructions", HINT);
        }
        agent
    }

    fn name(&mut self, given: Option<(u64, String)>) -> String {
        let stem = self.file.strip_suffix(".md").unwrap_or(self.file).to_owned();
        let (line, name) = given.unwrap_or_else(|| {
            self.warning(1, "no name: the name of the file is used", "add a `name`");
            (1, stem.clone())
        });
        let is_right = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let shown = front_matter::shown(&name);
        if name.is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(is_right) {
            let message = format!(
                "name: expected 1 to {MAX_NAME} of the characters `a` to `z`, `0` to `9` and `-`, got `{shown}`"
            );
            self.error(line, message, "write a name such as `code-reader`");
        } else if name != stem {
            let message = format!("name: `{shown}` is not that of the file");
            self.warning(line, message, "rename one of them, so that it is found by its name");
        }
        name
    }

    fn description(&mut self, field: &Field) -> String {
        let Some(description) = self.one_text(field) else {
            self.error(field.line, "description: expected a text, got nothing", DESCRIBE);
            return String::new();
        };
        let (cut, is_cut) = text::cut_chars(&description, MAX_DESCRIPTION as u64);
        if is_cut {
            let message = format!(
                "description: cut after {} characters, got {}",
                MAX_DESCRIPTION,
                description.chars().count()
            );
            self.warning(field.line, message, "move examples below the front matter");
        }
        cut.to_owned()
    }

    fn one_text(&mut self, field: &Field) -> Option<String> {
        field.one_text().unwrap_or_else(|message| {
            self.error(field.line, message, NO_TEXT);
            None
        })
    }

    /// Returns names on one line, separated by commas or blanks, or from a list.
    fn names(&mut self, field: &Field) -> Option<Vec<String>> {
        let names = match &field.value {
            Value::Text(text) => front_matter::names(text.trim_matches(['[', ']'])),
            Value::List(items) => {
                let name = |item: &Value| match item {
                    Value::Text(text) => Some(text.trim().to_owned()),
                    _ => None,
                };
                let names: Option<Vec<String>> = items.iter().map(name).collect();
                match names {
                    Some(names) => names,
                    None => {
                        let message = format!("{}: expected names, got something else", field.key);
                        self.error(field.line, message, "write one name in each line");
                        return None;
                    }
                }
            }
            Value::Empty => {
                let message = format!("{}: expected names, got nothing", field.key);
                self.error(field.line, message, "leave the key out, or write `[]` for none");
                return None;
            }
            Value::Map(_) => {
                let message = format!("{}: expected names, got a mapping", field.key);
                self.error(field.line, message, "write them behind the colon, separated by commas");
                return None;
            }
        };
        if names.len() > MAX_NAMES {
            let message =
                format!("{}: expected at most {MAX_NAMES} names, got {}", field.key, names.len());
            self.error(field.line, message, "name skills in place of their tools");
        }
        Some(names)
    }

    /// Returns names of servers. A server that the file itself defines is not one of the user's, and is left out.
    fn servers(&mut self, field: &Field) -> Option<Vec<String>> {
        let named = |item: &Value| matches!(item, Value::Text(_));
        let Value::List(items) = &field.value else { return self.names(field) };
        if items.iter().all(named) {
            return self.names(field);
        }
        let message = format!("{}: servers that are described here are left out", field.key);
        self.warning(field.line, message, &Remedy::DescribeSource.text());
        let names = items.iter().filter_map(|item| match item {
            Value::Text(text) => Some(text.trim().to_owned()),
            _ => None,
        });
        Some(names.take(MAX_NAMES).collect())
    }

    fn turns(&mut self, field: &Field) -> Option<u64> {
        let text = self.one_text(field).unwrap_or_default();
        let turns = text.parse().ok().filter(|turns| (1..=MAX_TURNS).contains(turns));
        if turns.is_none() {
            let shown = front_matter::shown(&text);
            let message =
                format!("{}: expected a number from 1 to {MAX_TURNS}, got `{shown}`", field.key);
            self.error(field.line, message, "leave it out for as many as there are");
        }
        turns
    }

    fn truth(&mut self, field: &Field) -> bool {
        let text = self.one_text(field).unwrap_or_default();
        match text.as_str() {
            "true" => true,
            "false" => false,
            other => {
                let shown = front_matter::shown(other);
                let message = format!("{}: expected `true` or `false`, got `{shown}`", field.key);
                self.error(field.line, message, "write `read-only: true`");
                true
            }
        }
    }

    fn other(&mut self, field: &Field) {
        let key = front_matter::shown(&field.key);
        if let Some((_, hint)) = OTHERS.iter().find(|(other, _)| *other == field.key) {
            return self.warning(field.line, format!("`{key}` has no effect here"), hint);
        }
        let message = format!("`{key}` is no key of an agent, and has no effect");
        match text::nearest(&field.key, KEYS).first() {
            Some(nearest) => {
                self.warning(field.line, message, &format!("did you mean `{nearest}`?"))
            }
            None => self.warning(field.line, message, "leave it out"),
        }
    }
}

const DESCRIBE: &str = "say in one or two sentences when to give it work";

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str, file: &str) -> String {
        let findings = AgentMd::read(text.as_bytes(), file).1;
        findings.iter().map(|it| format!("{}: {it}\n", it.severity.name())).collect()
    }

    #[test]
    fn a_file_of_claude_code_is_read() {
        let text = "---\nname: code-reader\ndescription: Reads. Use it: always\ntools: Read, table-tool\n\
            disallowedTools: [sql-tool]\nmodel: inherit\nmaxTurns: 12\nskills:\n  - report\ncolor: red\n---\n\nYou read.\n";
        let agent = AgentMd::parse(text.as_bytes(), "code-reader.md").unwrap();
        assert_eq!(agent.description, "Reads. Use it: always");
        assert_eq!(agent.tools.as_deref().unwrap(), ["Read", "table-tool"]);
        assert_eq!(agent.disallowed, ["sql-tool"]);
        assert_eq!((agent.model.as_deref(), agent.max_turns), (None, Some(12)));
        assert_eq!((agent.skills.len(), agent.instructions.as_str()), (1, "You read."));
        assert!(!agent.read_only && !agent.tool_filter().reads_only());
        let text = findings(text, "code-reader.md");
        assert!(text.contains("warning: code-reader.md:10: `color` has no effect here"), "{text}");
        assert!(text.contains("not YAML, and was read line by line"), "{text}");
    }

    #[test]
    fn all_problems_are_told_at_once_by_line() {
        let text = "---\nname: My Agent\ntools:\nmaxTurns: 0\nread-only: perhaps\npermissionMode: plan\nmodle: x\n---\n";
        insta::assert_snapshot!(findings(text, "a.md"), @r"
        error: a.md:1: description: expected a text, got nothing; say in one or two sentences when to give it work
        error: a.md:2: name: expected 1 to 64 of the characters `a` to `z`, `0` to `9` and `-`, got `My Agent`; write a name such as `code-reader`
        error: a.md:3: tools: expected names, got nothing; leave the key out, or write `[]` for none
        error: a.md:4: maxTurns: expected a number from 1 to 1000, got `0`; leave it out for as many as there are
        error: a.md:5: read-only: expected `true` or `false`, got `perhaps`; write `read-only: true`
        warning: a.md:6: `permissionMode` has no effect here; for an agent that changes nothing write `read-only: true`
        warning: a.md:7: `modle` is no key of an agent, and has no effect; did you mean `model`?
        error: a.md:9: no instructions; tell the agent below the front matter what it is and how it works
        ");
        let error = AgentMd::parse(text.as_bytes(), "a.md").unwrap_err();
        assert!(error.to_string().contains("a.md: 6 problems"), "{error}");
    }

    #[test]
    fn lists_may_be_empty_or_everything() {
        let parse = |tools: &str| {
            let text = format!("---\nname: a\ndescription: b\ntools: {tools}\n---\nc\n");
            AgentMd::parse(text.as_bytes(), "a.md").unwrap().tools
        };
        assert_eq!(parse("[]"), Some(Vec::new()));
        assert_eq!(parse("\"*\""), None);
        assert_eq!(parse("a b, c"), Some(vec!["a".into(), "b".into(), "c".into()]));
    }

    #[test]
    fn what_is_no_file_of_an_agent_is_refused() {
        let long = format!("---\nname: a\ndescription: b\n---\n{}", "x".repeat(MAX_BYTES));
        let many = format!("---\nname: a\ndescription: b\ntools: {}\n---\nc", "x ".repeat(201));
        for (content, expected) in [
            ("# An agent\n".as_bytes(), "expected front matter"),
            (b"---\nname: a\n", "not closed"),
            (b"\xff\xfe", "expected UTF-8"),
            (long.as_bytes(), "expected at most 65536 bytes"),
            (many.as_bytes(), "expected at most 200 names, got 201"),
        ] {
            let error = AgentMd::parse(content, "a.md").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let text = format!("---\nname: a\ndescription: {}\n---\nc", "d".repeat(1_100));
        let agent = AgentMd::parse(text.as_bytes(), "a.md").unwrap();
        assert_eq!(agent.description.len(), 1_024);
        assert!(agent.warnings[0].message.contains("cut after 1024 characters, got 1100"));
    }
}
