//! `SKILL.md` as defined by the Agent Skills standard: YAML front matter for the catalogue, Markdown for the model.
//!
//! Strict reading is for publishing: all problems are reported at once, each with line and advice. Lenient reading is for skills
//! from elsewhere: problems are worked around if possible, with a warning. Knows nothing of `skill.yaml`, plugins or the
//! registry; a folder with only a `SKILL.md` is a complete skill here.

mod forked;
pub(crate) mod front;
mod invoked;
pub(crate) mod rules;
pub(crate) mod salvage;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::Finding;
use super::finding::capped;
pub(crate) use forked::forked_agent;
use front::{Field, NO_TEXT, Unsplit, Value};
pub use invoked::Invocation;
use mitt_base::limits::KIB;
use mitt_base::{Error, ErrorKind, Result, text};
pub(crate) use rules::{approximate_tokens, folded};

/// Name of the file.
pub(crate) const FILE: &str = "SKILL.md";

/// Alternative spelling, which the reference implementation reads, too.
const OTHER_FILE: &str = "skill.md";

/// Largest file, in bytes.
const MAX_BYTES: u64 = 256 * KIB;

/// Largest front matter, in bytes.
const MAX_FRONT_BYTES: usize = 64 * 1024;

/// Keys of the standard.
const KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// How a `SKILL.md` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Any violation of the standard is an error. For publishing.
    Strict,
    /// Violations are worked around if possible, with a warning. For skills from elsewhere.
    Lenient,
}

/// Parsed `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillMd {
    /// Name: lower-case letters, digits and single hyphens, at most 64 characters.
    pub name: String,
    /// Purpose of the skill and when to use it, at most 1 024 characters. A catalogue needs only this and the name.
    pub description: String,
    /// License, or the name of a file with it.
    pub license: Option<String>,
    /// Requirements on the environment, at most 500 characters.
    pub compatibility: Option<String>,
    /// Further keys and values of its author, in order.
    pub metadata: Vec<(String, String)>,
    /// Tools that the author asks to allow, such as `Bash(git:*)`. A wish, never a grant.
    pub allowed_tools: Vec<String>,
    /// Instructions: everything after the front matter, with `\n` line ends, without blank lines at start and end.
    pub body: String,
    /// Possible improvements, and with [`Reading::Lenient`] the problems that were worked around.
    pub warnings: Vec<Finding>,
}

impl SkillMd {
    /// Parses the bytes of a `SKILL.md` in a folder named `folder`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - with [`Reading::Strict`] any violation of the standard, all of them in the error's details; with
    /// [`Reading::Lenient`] only a file of more than 256 KiB, or one without name or description.
    pub fn parse(content: &[u8], folder: &str, reading: Reading) -> Result<SkillMd> {
        let (skill, findings) = SkillMd::read(content, folder, reading);
        if let Some(skill) = skill {
            return Ok(skill);
        }
        let errors: Vec<_> =
            findings.iter().filter(|finding| finding.is_error()).map(Finding::to_string).collect();
        if let [error] = &errors[..] {
            return Err(Error::new(ErrorKind::Load, error));
        }
        let message = format!("{FILE}: {} problems", errors.len());
        Err(errors.into_iter().fold(Error::new(ErrorKind::Load, message), Error::detail))
    }

    /// Reads the `SKILL.md` of a folder, which need not contain anything else. `skill.md` is read as well.
    ///
    /// # Errors
    ///
    /// Those of [`SkillMd::parse`], and [`ErrorKind::Load`] if there is no such file, it is a link, which could point anywhere,
    /// or it cannot be read.
    pub fn from_folder(folder: &Path, reading: Reading) -> Result<SkillMd> {
        Ok(SkillMd::with_text(folder, reading)?.0)
    }

    /// Like [`SkillMd::from_folder`], with the text of the file, including front matter.
    ///
    /// # Errors
    ///
    /// Those of [`SkillMd::from_folder`].
    pub(crate) fn with_text(folder: &Path, reading: Reading) -> Result<(SkillMd, String)> {
        let Some(path) = find(folder) else {
            return Err(Error::new(ErrorKind::Load, format!("no {FILE} in {}", folder.display()))
                .hint("a skill is a folder with a `SKILL.md`"));
        };
        if path.is_symlink() {
            let message = format!("{}: expected a file, got a link", path.display());
            return Err(
                Error::new(ErrorKind::Load, message).hint("put a copy of the file in its place")
            );
        }
        let content = read_bounded(&path)?;
        let read = SkillMd::parse(&content, &folder_name(folder), reading)
            .map_err(|error| error.at(folder.display()))?;
        Ok((read, String::from_utf8_lossy(&content).into_owned()))
    }

    /// Returns the nearest name that the standard accepts; `None` if nothing of `name` is left.
    pub(crate) fn suggested_name(name: &str) -> Option<String> {
        rules::suggestion(name)
    }

    /// Like [`SkillMd::parse`], with all findings. The skill is `None` if one of them is an error.
    pub(crate) fn read(
        content: &[u8],
        folder: &str,
        reading: Reading,
    ) -> (Option<SkillMd>, Vec<Finding>) {
        let mut reader = Reader { reading, folder, findings: Vec::new() };
        let skill = reader.skill(content);
        let mut findings = reader.findings;
        findings.sort_by_key(|finding| finding.line);
        let mut findings = capped(findings);
        if findings.iter().any(Finding::is_error) {
            return (None, findings);
        }
        let skill = skill.map(|skill| SkillMd { warnings: findings.clone(), ..skill });
        if skill.is_none() {
            findings.push(Finding::error(FILE, "cannot be read"));
        }
        (skill, findings)
    }
}

/// Returns the path of a folder's `SKILL.md`.
pub(crate) fn find(folder: &Path) -> Option<PathBuf> {
    [FILE, OTHER_FILE].iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Returns the name of a folder, even for `.` and `skills/x/`.
pub(crate) fn folder_name(folder: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    name(folder)
        .or_else(|| name(&std::path::absolute(folder).ok()?))
        .or_else(|| name(&folder.canonicalize().ok()?))
        .unwrap_or_default()
}

/// Returns the content of a file, up to 256 KiB and one byte, by which a larger file is recognised.
pub(crate) fn read_bounded(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Load, format!("cannot read {}", path.display())).caused_by(error)
    };
    mitt_base::plain_file::read(path, MAX_BYTES).map_err(unreadable)
}

struct Reader<'a> {
    reading: Reading,
    folder: &'a str,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    /// Reports a violation of the standard: an error, or a warning when reading leniently.
    fn problem(&mut self, line: u64, message: impl Into<String>, hint: &str) {
        let finding = match self.reading {
            Reading::Strict => Finding::error(FILE, message),
            Reading::Lenient => Finding::warning(FILE, message),
        };
        self.findings.push(finding.line(line).hint(hint));
    }

    fn warning(&mut self, line: u64, message: impl Into<String>, hint: &str) {
        self.findings.push(Finding::warning(FILE, message).line(line).hint(hint));
    }

    fn fatal(&mut self, message: impl Into<String>, hint: &str) {
        self.findings.push(Finding::error(FILE, message).hint(hint));
    }

    fn skill(&mut self, content: &[u8]) -> Option<SkillMd> {
        if content.len() as u64 > MAX_BYTES {
            self.fatal(
                format!("expected at most {MAX_BYTES} bytes, got more"),
                "move details to files beside it, such as `references/details.md`",
            );
            return None;
        }
        let text = self.text(content);
        let (front, body, body_line) = self.split(&text)?;
        if front.len() > MAX_FRONT_BYTES {
            self.fatal(
                format!(
                    "expected front matter of at most {MAX_FRONT_BYTES} bytes, got {}",
                    front.len()
                ),
                "move what is for the model below the second `---`",
            );
            return None;
        }
        let fields = self.fields(front)?;
        self.assemble(fields, body, body_line)
    }

    /// Returns the text, with `\n` line ends and without a byte order mark.
    fn text(&mut self, content: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(content);
        if let Cow::Owned(_) = text {
            self.problem(1, "expected UTF-8, got other bytes", "save the file as UTF-8");
        }
        if let Some(rest) = text.strip_prefix('\u{feff}') {
            self.problem(
                1,
                "expected `---` at the very beginning, got a byte order mark",
                "save the file as UTF-8 without BOM",
            );
            text = Cow::Owned(rest.to_owned());
        }
        if text.contains('\r') {
            self.warning(1, "line ends in `\\r\\n` or `\\r`", "save the file with `\\n` line ends");
            return text.replace("\r\n", "\n").replace('\r', "\n");
        }
        text.into_owned()
    }

    fn split<'t>(&mut self, text: &'t str) -> Option<(&'t str, &'t str, u64)> {
        let lenient = self.reading == Reading::Lenient;
        // Only blank lines before the front matter are skipped, since line numbers begin at its first line.
        let start = if lenient { text.trim_start_matches(['\n', ' ', '\t']) } else { text };
        match front::split(start) {
            Ok(split) => {
                if start.len() < text.len() {
                    self.warning(
                        1,
                        "expected `---` in the first line, got blank space",
                        "remove it",
                    );
                }
                Some((split.front, split.body, split.body_line))
            }
            Err(Unsplit::NoFrontMatter) => {
                self.problem(
                    1,
                    "expected front matter: `---` alone in the first line",
                    "begin with `---`, `name: …`, `description: …`, `---`, one line each",
                );
                lenient.then_some(("", text, 1))
            }
            Err(Unsplit::NotClosed) => {
                self.problem(
                    1,
                    "front matter is not closed: expected a second line `---`",
                    "write `---` alone in the line below the last key",
                );
                // The first blank line is the best guess.
                let rest = start.split_once('\n').map_or("", |(_, rest)| rest);
                let (front, body) = rest.split_once("\n\n").unwrap_or((rest, ""));
                let line = front.lines().count() as u64 + 3;
                lenient.then_some((front, body, line))
            }
        }
    }

    fn fields(&mut self, front: &str) -> Option<Vec<Field>> {
        let fields = match front::parse(front) {
            Ok(read) => {
                for line in read.tabs {
                    const HINT: &str =
                        "write a blank; the reference of the standard does not read tabs here";
                    self.problem(line, "expected a blank, got a tab", HINT);
                }
                read.fields
            }
            Err(error) => {
                let hint = if error.message.contains("duplicate") {
                    "keep one of them"
                } else {
                    "quote a value that holds `: ` or ` #` or begins with a sign, and indent with spaces"
                };
                let message = format!(
                    "front matter is not YAML: {}",
                    text::one_line(text::cut_bytes(&error.message, 400))
                );
                self.problem(error.line.unwrap_or(1), message, hint);
                if self.reading == Reading::Strict {
                    return None;
                }
                salvage::fields(front)
            }
        };
        for field in &fields {
            let nested = match &field.value {
                Value::Map(inner) => &inner[..],
                _ => &[],
            };
            for field in std::iter::once(field).chain(nested) {
                if let (Some(style), Reading::Strict) = (field.style, self.reading) {
                    self.problem(
                        field.line,
                        format!("{}: expected plain YAML, got {style}", rules::shown(&field.key)),
                        "the reference of the standard does not read it; write plain text and indented lines",
                    );
                }
            }
        }
        Some(fields)
    }

    fn assemble(&mut self, fields: Vec<Field>, body: &str, body_line: u64) -> Option<SkillMd> {
        let mut skill = SkillMd {
            name: String::new(),
            description: String::new(),
            license: None,
            compatibility: None,
            metadata: Vec::new(),
            allowed_tools: Vec::new(),
            body: body.trim_matches(['\n', ' ', '\t']).to_owned(),
            warnings: Vec::new(),
        };
        let mut name = None;
        let mut description = None;
        for field in fields {
            match field.key.as_str() {
                "name" => name = Some((field.line, self.one_text(&field))),
                "description" => {
                    description = Some((characters(&field), field.line, self.one_text(&field)))
                }
                "license" => skill.license = self.one_text(&field),
                "compatibility" => skill.compatibility = self.compatibility(&field),
                "metadata" => skill.metadata = self.metadata(field),
                "allowed-tools" => skill.allowed_tools = self.allowed_tools(&field),
                "context" | "agent" => self.warning(
                    field.line,
                    format!(
                        "`{}` is no key of the standard, but Claude Code's and ours",
                        field.key
                    ),
                    "hosts that do not know it run the skill in the conversation itself",
                ),
                _ => self.unknown(&field),
            }
        }
        skill.name = self.name(name)?;
        skill.description = self.description(description, &skill.body)?;
        if skill.body.is_empty() {
            self.warning(
                body_line,
                "no instructions",
                "tell the model below the front matter what to do",
            );
        }
        Some(skill)
    }

    /// Returns the text of a field, without surrounding white space; `None` if it is empty or not a text.
    fn one_text(&mut self, field: &Field) -> Option<String> {
        field.one_text().unwrap_or_else(|message| {
            self.problem(field.line, message, NO_TEXT);
            None
        })
    }

    fn name(&mut self, field: Option<(u64, Option<String>)>) -> Option<String> {
        let line = field.as_ref().map_or(1, |field| field.0);
        let Some(name) = field.and_then(|field| field.1) else {
            let suggested = rules::suggestion(self.folder);
            let hint = match &suggested {
                Some(name) => format!("add `name: {name}`"),
                None => "add a `name`".into(),
            };
            self.problem(line, "name: expected a name, got nothing", &hint);
            if suggested.is_none() && self.reading == Reading::Lenient {
                self.fatal("name: none, and the folder's name cannot stand for it", &hint);
            }
            return suggested;
        };
        let problems = rules::name_problems(&name);
        let wrong = !problems.is_empty();
        for (message, hint) in problems {
            self.problem(line, message, &hint);
        }
        let name = if wrong && self.reading == Reading::Lenient {
            let Some(name) = rules::suggestion(&name).or_else(|| rules::suggestion(self.folder))
            else {
                self.fatal("name: nothing of it can be kept", "write a name such as `pdf-forms`");
                return None;
            };
            name
        } else {
            name
        };
        // A name that is only misspelled is reported once.
        let meant = rules::suggestion(&name).unwrap_or_default();
        if !(rules::same_name(&name, self.folder) || wrong && meant == self.folder) {
            let message = format!(
                "name: expected the folder's name `{}`, got `{}`",
                rules::shown(self.folder),
                rules::shown(&name)
            );
            self.problem(line, message, "rename the folder or the skill");
        }
        Some(name)
    }

    fn description(
        &mut self,
        field: Option<(usize, u64, Option<String>)>,
        body: &str,
    ) -> Option<String> {
        const HINT: &str = "say what the skill does and when to use it, in one or two sentences";
        let (characters, line, found) = field.unwrap_or((0, 1, None));
        let description = match found {
            Some(description) => description,
            None => {
                self.problem(line, "description: expected a text, got nothing", HINT);
                let Some(paragraph) = first_paragraph(body) else {
                    if self.reading == Reading::Lenient {
                        self.fatal(
                            "description: none, and no paragraph that can stand for it",
                            HINT,
                        );
                    }
                    return None;
                };
                paragraph
            }
        };
        if characters > rules::MAX_DESCRIPTION {
            let message = format!(
                "description: expected at most {} characters, got {characters}",
                rules::MAX_DESCRIPTION
            );
            self.problem(line, message, "move details below the front matter");
        }
        let (cut, _) = text::cut_chars(&description, rules::MAX_DESCRIPTION as u64);
        Some(cut.to_owned())
    }

    fn compatibility(&mut self, field: &Field) -> Option<String> {
        let Some(text) = self.one_text(field) else {
            if field.value == Value::Empty {
                self.warning(field.line, "compatibility: empty", "leave the key out");
            }
            return None;
        };
        let characters = characters(field);
        if characters > rules::MAX_COMPATIBILITY {
            let most = rules::MAX_COMPATIBILITY;
            let message =
                format!("compatibility: expected at most {most} characters, got {characters}");
            self.problem(field.line, message, "name only what the skill needs around it");
        }
        let (cut, _) = text::cut_chars(&text, rules::MAX_COMPATIBILITY as u64);
        Some(cut.to_owned())
    }

    fn metadata(&mut self, field: Field) -> Vec<(String, String)> {
        let entries = match field.value {
            Value::Map(entries) => entries,
            Value::Empty => return Vec::new(),
            other => {
                let message = format!("metadata: expected keys and values, got {}", other.what());
                self.problem(
                    field.line,
                    message,
                    "write one `key: value` in each line below, indented",
                );
                return Vec::new();
            }
        };
        let mut metadata = Vec::new();
        for entry in entries {
            match entry.value {
                Value::Text(text) => metadata.push((entry.key, text)),
                Value::Empty => metadata.push((entry.key, String::new())),
                other => {
                    let message = format!(
                        "metadata.{}: expected a text, got {}",
                        rules::shown(&entry.key),
                        other.what()
                    );
                    self.problem(entry.line, message, "write it as text behind the colon");
                }
            }
        }
        metadata
    }

    fn allowed_tools(&mut self, field: &Field) -> Vec<String> {
        if let Value::List(items) = &field.value {
            self.problem(
                field.line,
                "allowed-tools: expected tools in one line, got a list",
                "write them behind the colon, separated by spaces",
            );
            let text = |item: &Value| match item {
                Value::Text(text) => Some(text.trim().to_owned()),
                _ => None,
            };
            return items.iter().filter_map(text).collect();
        }
        self.one_text(field).map(|text| rules::tools(&text)).unwrap_or_default()
    }

    fn unknown(&mut self, field: &Field) {
        let key = rules::shown(&field.key);
        let message = format!("`{key}` is no key of the standard");
        match text::nearest(&field.key, KEYS).first() {
            Some(nearest) => {
                self.problem(field.line, message, &format!("did you mean `{nearest}`?"))
            }
            None => self.problem(field.line, message, "put it under `metadata`, or leave it out"),
        }
    }
}

/// Returns the length of a text including surrounding white space, as the reference implementation counts: a block text ends in a
/// line break.
fn characters(field: &Field) -> usize {
    match &field.value {
        Value::Text(text) => text.chars().count(),
        _ => 0,
    }
}

/// Returns the first paragraph of a Markdown text that is neither heading nor code, on one line.
fn first_paragraph(body: &str) -> Option<String> {
    let plain = |line: &&str| !line.starts_with(['#', '`', '~', '|', '<', '-', '*', '>']);
    let mut lines = body.lines().map(str::trim).skip_while(|line| line.is_empty() || !plain(line));
    let paragraph: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" "))
}
