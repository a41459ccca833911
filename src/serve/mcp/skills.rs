//! The skills extension: each `SKILL.md` and the files beside it, as resources with digests.

use std::path::Path;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    self, DIRECTORY_MIME_TYPE, JsonObject, Resource, SKILL_MD, SkillFrontmatter, SkillResource,
    SkillResources,
};
use serde_json::{Value, json};

use super::uri;
use mitt::skill::author::folder_files;
use mitt::skill::{Skill, SkillSource};
use mitt_base::limits::MIB;
use mitt_base::plain_file;

/// Most files of one skill that are served.
const MAX_FILES: usize = 256;
/// Most bytes of them together. They stay in memory, so that a client reads what was listed.
const MAX_BYTES: u64 = 8 * MIB;
/// Files that are for the host and not for readers of instructions.
const OF_THE_HOST: [&str; 4] = ["skill.yaml", "build.json", "Cargo.toml", "Cargo.lock"];

/// A skill as clients see it.
pub(super) struct OfferedSkill {
    pub(super) skill: Arc<Skill>,
    /// The entry of `skills/list`.
    pub(super) entry: model::Skill,
    /// The front matter.
    pub(super) front: JsonObject,
    /// The instructions: everything below the front matter.
    pub(super) body: String,
    /// Sorted by path, `SKILL.md` included.
    pub(super) files: Vec<OfferedFile>,
}

/// A file of a skill.
pub(super) struct OfferedFile {
    pub(super) uri: String,
    /// Below the skill's folder, with `/`.
    pub(super) path: String,
    pub(super) media_type: &'static str,
    pub(super) digest: String,
    pub(super) content: Vec<u8>,
}

impl OfferedSkill {
    /// Makes the entry of a skill. `None` if it has no instructions in the standard form.
    pub(super) fn new(skill: &Arc<Skill>) -> Option<OfferedSkill> {
        let name = &skill.manifest().name;
        let text = skill.instructions();
        let Some((front, body)) = split(text) else {
            tracing::debug!(skill = name, "no front matter; the skill is not offered as one");
            return None;
        };
        let front: JsonObject = match serde_saphyr::from_str::<Value>(front) {
            Ok(Value::Object(front)) => front,
            _ => {
                tracing::warn!(skill = name, "the front matter of SKILL.md is no YAML map");
                return None;
            }
        };
        let said = |key: &str| front.get(key).and_then(Value::as_str).map(str::to_owned);
        // The address must end with the name in the file itself.
        let name = said("name").filter(|said| !said.is_empty() && !said.contains('/'))?;
        let description = said("description").unwrap_or_default();
        let mut frontmatter = SkillFrontmatter::new(name.clone(), description);
        for (key, value) in
            front.iter().filter(|(key, _)| !["name", "description"].contains(&key.as_str()))
        {
            frontmatter = frontmatter.with_field(key.clone(), value.clone());
        }
        let body = body.trim().to_owned();
        let mut files = vec![OfferedFile::new(&name, SKILL_MD, text.as_bytes().to_vec())];
        if let SkillSource::Folder(folder) = skill.source() {
            files.extend(beside(&name, folder));
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let resources = files.iter().map(|file| {
            SkillResource::new(file.uri.clone(), file.digest.clone(), file.content.len() as u64)
        });
        let resources = SkillResources::Files(resources.collect());
        let entry = model::Skill::new(uri::skill_file(&name, SKILL_MD), frontmatter, resources);
        if let Err(error) = entry.validate() {
            tracing::warn!(skill = name, %error, "the skill is not offered as one");
            return None;
        }
        Some(OfferedSkill { skill: skill.clone(), entry, front, body, files })
    }

    /// Returns the name in its `SKILL.md`.
    pub(super) fn name(&self) -> &str {
        self.entry.name()
    }
}

impl OfferedFile {
    fn new(skill: &str, path: &str, content: Vec<u8>) -> OfferedFile {
        OfferedFile {
            uri: uri::skill_file(skill, path),
            path: path.to_owned(),
            media_type: media_type(path),
            digest: model::sha256_digest(&content),
            content,
        }
    }

    /// Returns an entry for a list of resources, under a name that suits the list.
    pub(super) fn resource(&self, name: String) -> Resource {
        Resource::new(self.uri.clone(), name)
            .with_mime_type(self.media_type)
            .with_size(self.content.len() as u64)
    }
}

/// Splits a text into front matter and body.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix("---")?;
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))?;
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&text[..from], &text[from + line.len()..]));
        }
        from += line.len();
    }
    None
}

/// Returns the files beside a `SKILL.md` that its instructions may refer to.
fn beside(skill: &str, folder: &Path) -> Vec<OfferedFile> {
    let mut files = Vec::new();
    let mut left = MAX_BYTES;
    let found = folder_files(folder).unwrap_or_default();
    for (path, source) in found {
        let is_of_host = OF_THE_HOST.contains(&path.as_str())
            || [".wasm", ".wasm.zst", ".cwasm", ".cwasm.json"].iter().any(|it| path.ends_with(it))
            || path.eq_ignore_ascii_case(SKILL_MD);
        if is_of_host {
            continue;
        }
        let Ok(content) = plain_file::read(&source, left) else { continue };
        if content.len() as u64 > left || files.len() + 1 >= MAX_FILES {
            tracing::warn!(skill, file = path, "too large, or too many files: not served");
            continue;
        }
        left -= content.len() as u64;
        files.push(OfferedFile::new(skill, &path, content));
    }
    files
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "md" => "text/markdown",
        "txt" => "text/plain",
        "py" => "text/x-python",
        "csv" => "text/csv",
        "html" => "text/html",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// Returns the direct children of a folder of a skill, or of `skill://` itself.
pub(super) fn children(skills: &[OfferedSkill], folder: &str) -> Result<Vec<Resource>, ErrorData> {
    let directory = |uri: String, name: &str| {
        Resource::new(uri, name.to_owned()).with_mime_type(DIRECTORY_MIME_TYPE)
    };
    let inside = folder.trim_end_matches('/');
    if inside == uri::SKILL.trim_end_matches('/') {
        let root = |skill: &OfferedSkill| {
            let uri = skill.entry.uri.trim_end_matches(SKILL_MD).trim_end_matches('/');
            directory(uri.to_owned(), skill.name())
                .with_description(skill.entry.frontmatter.description.clone())
        };
        return Ok(skills.iter().map(root).collect());
    }
    let prefix = format!("{inside}/");
    let mut children: Vec<Resource> = Vec::new();
    for file in skills.iter().flat_map(|skill| &skill.files) {
        let Some(rest) = file.uri.strip_prefix(&prefix) else { continue };
        let child = match rest.split_once('/') {
            None => file.resource(rest.to_owned()),
            Some((name, _)) => directory(format!("{prefix}{name}"), name),
        };
        if children.iter().all(|known| known.uri != child.uri) {
            children.push(child);
        }
    }
    if children.is_empty() {
        return Err(ErrorData::invalid_params(
            format!("`{folder}` is no folder of a skill"),
            Some(json!({ "uri": folder })),
        ));
    }
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that are served belong to the version whose tools are called, even if files change meanwhile.
    #[tokio::test]
    async fn what_is_served_is_what_was_read() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("house-style");
        std::fs::create_dir(&folder).unwrap();
        let text = |body: &str| {
            format!("---\nname: house-style\ndescription: d\nlicense: MIT\n---\n{body}\n")
        };
        std::fs::write(folder.join("SKILL.md"), text("Old.")).unwrap();
        let host = mitt::Host::builder()
            .no_cache()
            .bundled_skills(false)
            .skills(root.path())
            .build()
            .unwrap();
        std::fs::write(folder.join("SKILL.md"), text("New.")).unwrap();
        let served = |host: &mitt::Host| {
            let skill = OfferedSkill::new(&host.registry().skill("house-style").unwrap()).unwrap();
            assert_eq!(skill.front["license"], "MIT");
            let file = skill.files.iter().find(|file| file.path == SKILL_MD).unwrap();
            (skill.body.clone(), String::from_utf8(file.content.clone()).unwrap())
        };
        assert_eq!(served(&host), ("Old.".to_owned(), text("Old.")));
        host.reload().await;
        assert_eq!(served(&host), ("New.".to_owned(), text("New.")));
    }

    #[test]
    fn front_matter_and_body() {
        assert_eq!(split("---\nname: a\n---\n\n# A\n"), Some(("name: a\n", "\n# A\n")));
        assert_eq!(split("---\r\nname: a\r\n---\r\nx"), Some(("name: a\r\n", "x")));
        assert_eq!(split("---\nname: a\n---"), Some(("name: a\n", "")));
        for text in ["", "# A", "---", "---\nname: a\n", "--- \nname: a\n---\n"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
