//! What a set of skills offers to clients: tools, prompts, skills. It is made once for each set, and shared by all sessions
//! that see this set.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{self, MetaObject, ToolAnnotations};

use super::options::Schemas;
use super::prompts::OfferedPrompt;
use super::schemas;
use super::skills::OfferedSkill;
use super::tool_lists::{ADD_DOCUMENT, ToolLists};

use mitt::offer::ToolMode;
use mitt::skill::{Registry, Skill, Tool};

/// What the skills of a registry offer.
pub(super) struct Catalogue {
    // Keeps the skills alive, so that their addresses are not reused.
    skills_seen: Vec<Arc<Skill>>,
    tools: Vec<model::Tool>,
    /// The lists of tools that clients get.
    tool_lists: ToolLists,
    pub(super) prompts: Vec<OfferedPrompt>,
    pub(super) skills: Vec<OfferedSkill>,
    tools_digest: blake3::Hash,
    prompts_digest: blake3::Hash,
    skills_digest: blake3::Hash,
}

impl Catalogue {
    pub(super) async fn new(registry: Registry, mode: ToolMode, schemas: Schemas) -> Catalogue {
        let (found, failures) = registry.listing().await;
        for failure in failures {
            tracing::warn!(error = %failure.render(), "a skill does not load");
        }
        let mut tools: Vec<model::Tool> = found.iter().map(|it| tool(it, schemas)).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        let tool_lists = ToolLists::new(&registry, mode, schemas, &found, &tools);
        let skills_seen: Vec<Arc<Skill>> = registry.skills().cloned().collect();
        let offered = skills_seen.iter().filter(|skill| registry.offers(skill));
        let skills: Vec<OfferedSkill> = offered.filter_map(OfferedSkill::new).collect();
        let prompts: Vec<OfferedPrompt> = skills
            .iter()
            .filter_map(|skill| OfferedPrompt::new(&registry, skill, &found, tool_lists.mode()))
            .collect();
        let listed_prompts: Vec<_> = prompts.iter().map(|it| (&it.prompt, it.body())).collect();
        let listed_skills: Vec<_> = skills.iter().map(|it| &it.entry).collect();
        Catalogue {
            tools_digest: digest(&tools),
            prompts_digest: digest(&listed_prompts),
            skills_digest: digest(&listed_skills),
            skills_seen,
            tools,
            tool_lists,
            prompts,
            skills,
        }
    }

    /// Returns `true` if these are exactly the skills of `registry`.
    pub(super) fn is_of(&self, registry: &Registry) -> bool {
        let mut others = registry.skills();
        self.skills_seen.iter().all(|one| others.next().is_some_and(|it| Arc::ptr_eq(one, it)))
            && others.next().is_none()
    }

    /// Returns the tool with this name.
    pub(super) fn tool(&self, name: &str) -> Option<&model::Tool> {
        let index = self.tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?;
        self.tools.get(index)
    }

    /// Returns the tools that are listed for a client that activated these skills.
    pub(super) fn listed(&self, active: &[String]) -> Cow<'_, [model::Tool]> {
        self.tool_lists.list(&self.tools, active)
    }

    /// Returns `true` if the list of tools for such a client differs, in names or in definitions.
    pub(super) fn has_other_tools(&self, other: &Catalogue, active: &[String]) -> bool {
        match (self.tool_lists.mode(), other.tool_lists.mode()) {
            (ToolMode::All, ToolMode::All) => self.tools_digest != other.tools_digest,
            _ => digest(&self.listed(active)) != digest(&other.listed(active)),
        }
    }

    pub(super) fn has_other_prompts(&self, other: &Catalogue) -> bool {
        self.prompts_digest != other.prompts_digest
    }

    pub(super) fn has_other_skills(&self, other: &Catalogue) -> bool {
        self.skills_digest != other.skills_digest
    }

    /// Returns `true` if `resources/list` describes the skills differently.
    pub(super) fn has_other_list(&self, other: &Catalogue) -> bool {
        let listed = |catalogue: &Catalogue| -> Vec<(String, String, usize)> {
            let main = |skill: &OfferedSkill| {
                let description = skill.entry.frontmatter.description.clone();
                let file = skill.files.iter().find(|file| file.uri == skill.entry.uri);
                let size = file.map_or(0, |file| file.content.len());
                (skill.entry.uri.clone(), description, size)
            };
            catalogue.skills.iter().map(main).collect()
        };
        listed(self) != listed(other)
    }

    /// Returns the files of skills that are different or missing in `other`.
    pub(super) fn changed_files(&self, other: &Catalogue) -> Vec<String> {
        let files = |catalogue: &Catalogue| -> Vec<(String, String)> {
            let files = catalogue.skills.iter().flat_map(|skill| &skill.files);
            files.map(|file| (file.uri.clone(), file.digest.clone())).collect()
        };
        let (new, old) = (files(self), files(other));
        let mut changed: Vec<String> =
            old.iter().filter(|file| !new.contains(file)).map(|(uri, _)| uri.clone()).collect();
        changed.extend(new.iter().filter(|file| !old.contains(file)).map(|(uri, _)| uri.clone()));
        changed.sort();
        changed.dedup();
        changed
    }
}

/// Returns a digest of `value`, used only to detect changes.
fn digest(value: &impl serde::Serialize) -> blake3::Hash {
    // Only our own types come here, and all of them can be serialised.
    blake3::hash(&serde_json::to_vec(value).unwrap_or_default())
}

fn tool(tool: &Tool, schemas: Schemas) -> model::Tool {
    let policy = tool.policy();
    let title = policy.title.clone().unwrap_or_else(|| title(tool.name.function()));
    let mut offered = model::Tool::new_with_raw(
        tool.name.to_string(),
        Some(description(tool).into()),
        schemas::arguments(&tool.function, schemas),
    )
    .with_title(title)
    .with_annotations(annotations(tool));
    if let Some(schema) = schemas::result(&tool.function, schemas, tool.can_change()) {
        offered = offered.with_raw_output_schema(schema);
    }
    if is_always_loaded(tool) {
        let mut meta = MetaObject::new();
        meta.insert("anthropic/alwaysLoad".to_owned(), true.into());
        offered = offered.with_meta(meta);
    }
    offered
}

/// Returns `true` for a tool whose schema Claude Code shows from the beginning: it lists the others only by name, and a model that
/// has not seen these starts without documents.
fn is_always_loaded(tool: &Tool) -> bool {
    tool.name.as_str() == ADD_DOCUMENT || tool.language().is_some()
}

fn description(tool: &Tool) -> String {
    match tool.function.docs.trim() {
        "" => tool.skill().map_or_else(String::new, |skill| skill.manifest().description.clone()),
        docs => docs.to_owned(),
    }
}

/// Returns `create_excel` in a form for people.
fn title(name: &str) -> String {
    let words = name.replace("__", ": ").replace('_', " ");
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => words,
    }
}

/// Returns the annotations from the manifest and the grants: a plugin without a capability that changes something can only
/// read. No tool ever reaches the outside world.
fn annotations(tool: &Tool) -> ToolAnnotations {
    let policy = tool.policy();
    let reads_only = policy.read_only || !tool.can_change();
    ToolAnnotations::new()
        .read_only(reads_only)
        .destructive(policy.destructive && !reads_only)
        .idempotent(policy.idempotent || reads_only)
        .open_world(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        assert_eq!(title("create_excel"), "Create excel");
        assert_eq!(title("reader__next_row"), "Reader: next row");
    }
}
