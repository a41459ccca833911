//! `mitt skill check`: reports all problems of a skill folder at once, before it is published.

use std::path::{Path, PathBuf};

use super::component;
use super::files::{self, SkillFile};
use crate::finding::capped;
use crate::plain;
use crate::scripts::{Helpers, IGNORED};
use crate::skill_md::{self, approximate_tokens, folder_name, read_bounded};
use crate::{CompilingSink, Finding, Manifest, Reading, SkillMd};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_engine::Engine;

/// Most lines of a `SKILL.md` that the standard recommends.
const MAX_LINES: usize = 500;

/// Most tokens of instructions that the standard recommends.
const MAX_TOKENS: usize = 5_000;

/// Fewest characters of a description that can say what the skill does and when to use it.
const SHORT_DESCRIPTION: usize = 20;

const MANIFEST: &str = "skill.yaml";

/// Result of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The folder, as the caller named it.
    pub folder: PathBuf,
    /// Name of the skill, if it could be read.
    pub name: Option<String>,
    /// Version in its `skill.yaml`, if it has one.
    pub version: Option<String>,
    /// Errors and warnings, sorted by file and line.
    pub findings: Vec<Finding>,
}

/// A skill that passed its check.
pub(super) struct Passed {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) warnings: Vec<Finding>,
}

impl Checked {
    /// Returns `true` if there are no errors. There may be warnings.
    pub fn passed(&self) -> bool {
        !self.findings.iter().any(Finding::is_error)
    }

    /// Returns the skill if it passed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it did not pass; the details list the errors.
    pub(super) fn into_result(self) -> Result<Passed> {
        if self.passed()
            && let Some(name) = self.name
        {
            return Ok(Passed { name, version: self.version, warnings: self.findings });
        }
        let errors = self.findings.iter().filter(|finding| finding.is_error());
        let message = format!("{}: the skill does not pass its check", folder_name(&self.folder));
        let error = Error::new(ErrorKind::Load, message).remedy(Remedy::CheckSkill);
        Err(errors.fold(error, |error, finding| error.detail(finding.to_string())))
    }
}

/// Checks the skill in `folder`: `SKILL.md` by the standard, `skill.yaml`, component, names, sizes and files.
///
/// A folder with only a `SKILL.md` is a skill. Compiles the component if the engine's cache does not have it, which can take
/// seconds: do not call this on an executor's thread.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the folder is missing or unreadable. Problems of the skill are findings, not errors.
pub fn check(engine: &Engine, folder: &Path) -> Result<Checked> {
    check_with_progress(engine, folder, &|_| ())
}

/// Does what [`check`] does, and calls `on_compiling` if the component must be compiled, on a thread of its own.
///
/// # Errors
///
/// Those of [`check`].
pub fn check_with_progress(
    engine: &Engine,
    folder: &Path,
    on_compiling: CompilingSink<'_>,
) -> Result<Checked> {
    let (files, findings) = files::files(folder)?;
    let mut checked = Checked { folder: folder.to_owned(), name: None, version: None, findings };
    let skill = checked.skill_md(folder, &files);
    let has_manifest = files.iter().any(|file| file.path == MANIFEST);
    let manifest = if has_manifest { checked.manifest(folder) } else { None };
    if let Some(manifest) = &manifest {
        checked.names(manifest, skill.as_ref(), folder);
        checked.findings.extend(component::check(engine, manifest, folder, on_compiling));
    }
    checked.helpers(folder);
    checked.name = match (&manifest, &skill) {
        (Some(manifest), _) => Some(manifest.name.clone()),
        (None, Some(skill)) => Some(skill.name.clone()),
        (None, None) => None,
    };
    checked.version = manifest.as_ref().map(|manifest| manifest.version.clone());
    if !has_manifest || manifest.is_some() {
        checked.unused(manifest.as_ref(), &files);
    }
    checked.findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    checked.findings = capped(checked.findings);
    Ok(checked)
}

impl Checked {
    fn skill_md(&mut self, folder: &Path, files: &[SkillFile]) -> Option<SkillMd> {
        let Some(path) = skill_md::find(folder) else {
            let finding = Finding::error(skill_md::FILE, "the file is not there");
            self.findings.push(
                finding.hint("write one: `---`, `name: …`, `description: …`, `---`, instructions"),
            );
            return None;
        };
        if !files.iter().any(|file| file.path == skill_md::FILE) {
            let finding =
                Finding::warning(folder_name(&path), format!("expected `{}`", skill_md::FILE));
            self.findings.push(finding.hint("rename it; many hosts look for the one spelling"));
        }
        let content = match read_bounded(&path) {
            Ok(content) => content,
            Err(error) => {
                self.findings.push(Finding::error(skill_md::FILE, error.to_string()));
                return None;
            }
        };
        let (skill, findings) = SkillMd::read(&content, &folder_name(folder), Reading::Strict);
        self.findings.extend(findings);
        let text = String::from_utf8_lossy(&content);
        if let Err(problem) = plain::check_yaml(plain::front_matter(&text)) {
            self.findings.push(Finding::error(skill_md::FILE, problem));
        } else if let Err(problem) = plain::check_text(text.trim_start_matches('\u{feff}')) {
            self.findings.push(Finding::warning(skill_md::FILE, problem));
        }
        let skill = skill?;
        let warnings = lints(&skill, String::from_utf8_lossy(&content).lines().count(), folder);
        self.findings.extend(warnings);
        Some(skill)
    }

    fn manifest(&mut self, folder: &Path) -> Option<Manifest> {
        let read = read_bounded(&folder.join(MANIFEST));
        let parsed = read.and_then(|content| {
            let yaml = String::from_utf8(content).map_err(|_| {
                Error::new(ErrorKind::Load, format!("{MANIFEST}: expected UTF-8, got other bytes"))
            })?;
            Manifest::parse(&yaml, MANIFEST)
        });
        match parsed {
            Ok(manifest) => Some(manifest),
            Err(error) => {
                let message = error.message();
                let message = message.strip_prefix("skill.yaml: ").unwrap_or(message);
                let mut finding = Finding::error(MANIFEST, text::one_line(message));
                for detail in error.details() {
                    finding.message.push_str("; ");
                    finding.message.push_str(&text::one_line(detail));
                }
                let hints = error.hints().join("; ");
                self.findings.push(if hints.is_empty() { finding } else { finding.hint(hints) });
                None
            }
        }
    }

    fn names(&mut self, manifest: &Manifest, skill: Option<&SkillMd>, folder: &Path) {
        let name = &manifest.name;
        let mut wrong = |expected: &str, whose: &str| {
            let message =
                format!("name: expected {whose} `{}`, got `{name}`", text::one_line(expected));
            self.findings.push(
                Finding::error(MANIFEST, message)
                    .hint("give folder, SKILL.md and skill.yaml one name"),
            );
        };
        match skill {
            Some(skill) if skill.name != *name => wrong(&skill.name, "the name in SKILL.md"),
            // The check of SKILL.md reports a name that differs from the folder's.
            Some(_) => {}
            None if folder_name(folder) != *name => {
                wrong(&folder_name(folder), "the folder's name")
            }
            None => {}
        }
        if !manifest.enabled {
            let finding = Finding::warning(MANIFEST, "enabled: the skill is switched off");
            self.findings
                .push(finding.hint("leave the key out, unless its users should switch it on"));
        }
    }

    /// Checks the files for scripts.
    fn helpers(&mut self, folder: &Path) {
        match Helpers::read(folder) {
            Ok(helpers) => {
                for path in helpers.ignored() {
                    let finding = Finding::warning(format!("scripts/{path}"), IGNORED);
                    self.findings.push(finding.hint("remove it, or move it out of `scripts`"));
                }
            }
            Err(error) => {
                // Errors of the host name files by their full paths.
                let text = error.to_string();
                let root = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
                let message = text.replace(&root, "");
                self.findings.push(Finding::error("scripts", text::one_line(&message)));
            }
        }
    }

    /// Reports components that nothing refers to.
    fn unused(&mut self, manifest: Option<&Manifest>, files: &[SkillFile]) {
        let component = manifest.and_then(component::file_of);
        for file in files {
            let is_component = file.path.ends_with(".wasm") || file.path.ends_with(".wasm.zst");
            if is_component && component != Some(&file.path) {
                let hint = match component {
                    Some(component) => format!("remove it; the component is `{component}`"),
                    None => "name it in a `skill.yaml`: `component: …`".into(),
                };
                let finding =
                    Finding::warning(file.path.as_str(), "a component that no `skill.yaml` names");
                self.findings.push(finding.hint(hint));
            }
        }
    }
}

/// Returns warnings about things that make a skill worse without being wrong.
fn lints(skill: &SkillMd, lines: usize, folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut warn = |message: String, hint: &str| {
        findings.push(Finding::warning(skill_md::FILE, message).hint(hint));
    };
    const SPLIT: &str = "move details to files beside it, such as `references/details.md`; they are read when needed";
    if lines > MAX_LINES {
        warn(format!("at most {MAX_LINES} lines recommended, got {lines}"), SPLIT);
    }
    let tokens = approximate_tokens(&skill.body);
    if tokens > MAX_TOKENS {
        warn(
            format!("instructions of at most {MAX_TOKENS} tokens recommended, got about {tokens}"),
            SPLIT,
        );
    }
    let characters = skill.description.chars().count();
    if characters < SHORT_DESCRIPTION {
        warn(
            format!("description: {characters} characters are too few to choose the skill by"),
            "say what it does and when to use it",
        );
    }
    for link in links(&skill.body) {
        let path = link.split(['#', '?']).next().unwrap_or_default();
        if path.is_empty() || path.contains(':') || path.starts_with('/') {
            continue;
        }
        let shown = text::one_line(text::cut_bytes(path, 80));
        if path.split('/').any(|part| part == "..") {
            warn(
                format!("link `{shown}` leads out of the skill"),
                "bring the file into the skill's folder",
            );
        } else if !folder.join(path.replace("%20", " ")).exists() {
            warn(format!("link `{shown}` leads nowhere"), "write the path from the skill's folder");
        }
    }
    findings
}

/// Returns the destinations of links and images in Markdown text, each once.
fn links(body: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Parser, Tag};

    let mut seen = std::collections::HashSet::new();
    let destination = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    };
    Parser::new(body).filter_map(destination).filter(|link| seen.insert(link.clone())).collect()
}
