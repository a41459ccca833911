//! What `tools/list` shows: all tools, the tool for scripts together with the tools that scripts cannot call, or a catalogue
//! of skills.
//!
//! A shorter list saves tokens of the model and is not a protection: tools that are not listed can be called by their names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{self, ToolAnnotations};

use super::options::Schemas;
use super::schemas;
use mitt::offer::{self, ACTIVATE, ToolMode};
use mitt::skill::{Registry, Tool};
use mitt::value::{EnumType, Field, Function, Label, Type};

/// The tool that calls one that is not listed.
pub(super) const CALL_TOOL: &str = "call_tool";

/// The tool with which clients hand over documents.
pub(super) const ADD_DOCUMENT: &str = "documents__add";

/// The tool that lists documents and the files of the server's folders.
pub(super) const LIST_DOCUMENTS: &str = "documents__list";

/// The lists of tools for a set of skills.
pub(super) struct ToolLists {
    mode: ToolMode,
    /// The initial list; empty if it has all tools.
    first: Vec<model::Tool>,
    /// Indexes of the tools of each skill.
    brought: BTreeMap<String, Vec<usize>>,
}

impl ToolLists {
    /// Makes the lists for the skills of `registry`. `found` are their tools and `tools`, in the same order, their protocol
    /// forms.
    pub(super) fn new(
        registry: &Registry,
        mode: ToolMode,
        schemas: Schemas,
        found: &[Tool],
        tools: &[model::Tool],
    ) -> ToolLists {
        let wanted = mode;
        let mode = wanted.within(registry);
        if mode != wanted {
            tracing::info!(
                wanted = wanted.name(),
                "no language for scripts: clients are shown all tools"
            );
        }
        let mut tool_lists = ToolLists { mode, first: Vec::new(), brought: BTreeMap::new() };
        if mode == ToolMode::All {
            return tool_lists;
        }
        if mode == ToolMode::Catalogue {
            tool_lists.first = vec![activate(registry, schemas), call(tools, schemas)];
            for skill in offer::offered(registry) {
                let name = skill.manifest().name.clone();
                let brought = offer::brought(registry, std::slice::from_ref(&name), found);
                let index = |tool: &&Tool| found.iter().position(|it| it.name == tool.name);
                let indexes = brought.iter().filter_map(index).collect();
                tool_lists.brought.insert(name, indexes);
            }
        }
        let first = found.iter().zip(tools).filter(|(tool, _)| mode.shows(tool));
        tool_lists.first.extend(first.map(|(tool, offered)| {
            let mut offered = short(offered);
            if mode == ToolMode::Script && tool.language().is_some() {
                offered.description = Some(with_functions(tool, found).into());
            }
            offered
        }));
        tool_lists
    }

    /// Returns the mode, which may differ from the configured one if something that it needs is missing.
    pub(super) fn mode(&self) -> ToolMode {
        self.mode
    }

    /// Returns those of `tools` that are listed for a client that activated these skills; earlier entries keep their places.
    pub(super) fn list<'t>(
        &'t self,
        tools: &'t [model::Tool],
        active: &[String],
    ) -> Cow<'t, [model::Tool]> {
        match self.mode {
            ToolMode::All => return Cow::Borrowed(tools),
            _ if active.is_empty() => return Cow::Borrowed(&self.first),
            _ => {}
        }
        let mut indexes: Vec<usize> = Vec::new();
        for index in active.iter().filter_map(|name| self.brought.get(name)).flatten() {
            if !indexes.contains(index) {
                indexes.push(*index);
            }
        }
        let brought = indexes.into_iter().filter_map(|index| tools.get(index)).map(short);
        Cow::Owned(self.first.iter().cloned().chain(brought).collect())
    }
}

/// Returns `tool` without the schema of its result, which few clients show to a model, and which is long.
fn short(tool: &model::Tool) -> model::Tool {
    let mut tool = tool.clone();
    tool.output_schema = None;
    tool
}

/// Returns the description of the tool for scripts, with the functions that scripts can call. Clients that cut descriptions
/// keep the beginning, which names the modules; many show no other text of a server.
fn with_functions(run: &Tool, found: &[Tool]) -> String {
    // With two languages, the functions are listed once.
    if let Some(first) = found.iter().find(|tool| tool.language().is_some())
        && first.name != run.name
    {
        return format!(
            "{}\n\nThe modules are those of `{}`; {}.",
            run.function.docs.trim(),
            first.name,
            offer::script_help(std::slice::from_ref(run))
        );
    }
    let has = |name: &str| found.iter().any(|tool| tool.name.skill() == name);
    // Clients that defer tools show only the first paragraph.
    let purpose = if has("excel_tool") && has("report") {
        "Read reports and tables, calculate exactly, and write Excel workbooks, charts, PDF, Word and PowerPoint files. "
    } else {
        ""
    };
    format!(
        "{purpose}{}\n\nModules: {}. {}:\n\n{}",
        run.function.docs.trim(),
        offer::modules(found),
        offer::script_help(std::slice::from_ref(run)),
        offer::outlines(found).trim_end()
    )
}

/// Returns the tool that activates a skill.
fn activate(registry: &Registry, how: Schemas) -> model::Tool {
    let label = |name: &str| Label { name: name.to_owned(), docs: None };
    let cases: Vec<Label> =
        offer::offered(registry).map(|skill| label(&skill.manifest().name)).collect();
    let skill = if cases.is_empty() {
        Type::String
    } else {
        Type::Enum(Arc::new(EnumType { name: "skill".into(), docs: None, cases }))
    };
    let docs = format!(
        "Get the tools of a skill, with their parameters, and instructions on how to use them. They can be called by their names \
         from then on; where the list of tools does not show them, with `{CALL_TOOL}`. Activate a skill before the first call of its \
         tools. There are:\n\n{}",
        offer::catalogue(registry).trim_end()
    );
    let params = vec![Field::new("skill", skill, None)];
    let annotations = ToolAnnotations::new().read_only(true).destructive(false).idempotent(true);
    tool(ACTIVATE, "Activate a skill", docs, params, annotations, how)
}

/// Returns the tool that calls any other, with the worst annotations of all.
fn call(tools: &[model::Tool], how: Schemas) -> model::Tool {
    let hints = || tools.iter().filter_map(|tool| tool.annotations.as_ref());
    let all = |hint: fn(&ToolAnnotations) -> Option<bool>| hints().all(|it| hint(it) == Some(true));
    let annotations = ToolAnnotations::new()
        .read_only(all(|it| it.read_only_hint))
        .destructive(hints().any(|it| it.destructive_hint != Some(false)))
        .idempotent(all(|it| it.idempotent_hint));
    let docs = format!(
        "Call a tool of a skill that was activated, where the list of tools does not show it. The answer is that of the tool. \
         `{ACTIVATE}` tells the tools and their parameters."
    );
    let arguments = match how {
        // An object with unknown members: the strict form does not have one, so a string holds it.
        Schemas::Portable => Type::Map(Arc::new((Type::String, Type::Json))),
        Schemas::Strict | Schemas::Exact => Type::Object,
    };
    let text = |it: &str| Some(it.to_owned());
    let params = vec![
        Field::new("name", Type::String, text("The tool, such as `table_tool__growth`.")),
        Field::new(
            "arguments",
            arguments,
            text("Its arguments, as a JSON object with a member for each."),
        ),
    ];
    tool(CALL_TOOL, "Call a tool of a skill", docs, params, annotations, how)
}

fn tool(
    name: &'static str,
    title: &str,
    docs: String,
    params: Vec<Field>,
    annotations: ToolAnnotations,
    how: Schemas,
) -> model::Tool {
    let function = Function { name: name.to_owned(), docs, params, ..Function::default() };
    let arguments = schemas::arguments(&function, how);
    model::Tool::new_with_raw(name, Some(function.docs.into()), arguments)
        .with_title(title)
        .with_annotations(annotations.open_world(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_any_tool_may_do_what_the_worst_may() {
        let offered = |hints: ToolAnnotations| {
            model::Tool::new_with_raw("a__b", None, Arc::default()).with_annotations(hints)
        };
        let reads = || {
            let hints = ToolAnnotations::new().read_only(true).destructive(false);
            offered(hints.idempotent(true))
        };
        let writes =
            offered(ToolAnnotations::new().read_only(false).destructive(false).idempotent(false));
        let removes =
            offered(ToolAnnotations::new().read_only(false).destructive(true).idempotent(true));
        let hints = |tools: &[model::Tool]| {
            let hints = call(tools, Schemas::Portable).annotations.unwrap();
            assert_eq!(hints.open_world_hint, Some(false));
            [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint]
                .map(Option::unwrap)
        };
        assert_eq!(hints(&[reads(), reads()]), [true, false, true]);
        assert_eq!(hints(&[reads(), writes.clone()]), [false, false, false]);
        assert_eq!(hints(&[reads(), removes.clone()]), [false, true, true]);
        assert_eq!(hints(&[reads(), writes, removes]), [false, true, false]);
        // A tool without annotations may do anything.
        assert_eq!(
            hints(&[model::Tool::new_with_raw("a__b", None, Arc::default())]),
            [true, false, true]
        );
    }
}
