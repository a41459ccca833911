//! The functions of the host that the prelude calls, and tools as functions of modules.

use crate::context::{BEGUN, CLASSES, Classes, Context, Function, IN_LIBRARY, PARTS, Part, RUN};
use crate::contract::mitt::host::script_host::{Helper, Module};
use crate::contract::mitt::host::tools::FailureKind;
use crate::contract::types::Error;
use crate::decode::Builder;
use crate::encode::{Form, quote, write};
use crate::tables::HostTable;
use crate::{advice, libraries, signature};
use monty_types::unstable::{self, MontyGraph, MontyNode, NodeId};
use monty_types::{
    CallArgs, ExcData, ExcType, ExtFunctionResult, MontyException, MontyObject, MontyUuid,
    ToolErrorData,
};
use std::rc::Rc;

/// The prefix of all function names here.
pub(crate) const PREFIX: &str = "mitt_";

/// The prefix of the function of a tool; the tool's name follows.
const TOOL: &str = "mitt_tool:";

/// The identity of modules, which monty requires and nothing uses.
const MODULE: MontyUuid = MontyUuid::from_u128(1);

type Answer = Result<MontyObject, MontyException>;

/// Calls one of these functions.
pub(crate) fn call(name: &str, arguments: CallArgs) -> ExtFunctionResult {
    let arguments = Arguments::new(arguments);
    let answer = match (name, Context::current()) {
        ("mitt_register", _) => arguments.register(),
        ("mitt_module", _) => arguments.text(0).map(|name| MontyObject::module(name, MODULE, [])),
        ("mitt_begin", _) => arguments.text(0).map(|path| MontyObject::string(BEGUN.replace(path))),
        ("mitt_libraries", None) => Ok(libraries_in_python()),
        (_, None) => Err(error(ExcType::RuntimeError, "no script is running".to_owned())),
        (_, Some(context)) => context.function(name, arguments),
    };
    match answer {
        Ok(value) => ExtFunctionResult::Return(value),
        Err(error) => ExtFunctionResult::Error(error),
    }
}

/// Returns `true` if the prelude imports this module of monty, instead of monty alone.
pub(crate) fn intercepts(name: &str) -> bool {
    !IN_LIBRARY.get()
        && (name == "sys" || Context::current().is_some_and(|context| !context.allows(name)))
}

fn error(class: ExcType, message: String) -> MontyException {
    MontyException::new(class, Some(message))
}

impl Context {
    fn function(&self, name: &str, arguments: Arguments) -> Answer {
        if let Some(tool) = name.strip_prefix(TOOL) {
            return self.call_function(tool, arguments);
        }
        match name {
            "mitt_load" => self.load(&arguments.text(0)?),
            "mitt_check" => self.check(&arguments.text(0)?),
            "mitt_library" => Ok(MontyObject::bool(IN_LIBRARY.replace(arguments.flag(0)))),
            "mitt_call" => self.call_by_name(arguments),
            "mitt_help" => Ok(MontyObject::string(self.help(&arguments))),
            "mitt_run" => Ok(MontyObject::int(RUN.get())),
            "mitt_arguments" => {
                Ok(MontyObject::list(self.host.arguments().into_iter().map(MontyObject::string)))
            }
            "mitt_documents" => Ok(self.documents()),
            "mitt_text" => {
                let (name, characters) = (arguments.text(0)?, arguments.number(1));
                let text = self.host.text(&name, characters);
                text.map(MontyObject::string)
                    .map_err(|problem| error(ExcType::OSError, describe(&problem)))
            }
            "mitt_tables" => self.tables_of(&arguments.text(0)?),
            "mitt_length" => {
                let rows = self.source(&arguments.text(0)?)?.rows();
                Ok(MontyObject::int(i64::try_from(rows).unwrap_or(i64::MAX)))
            }
            "mitt_rows" | "mitt_part" | "mitt_column" | "mitt_select" => {
                self.read_table(name, arguments)
            }
            "mitt_cut" => {
                let part = (arguments.number(1), arguments.number(2));
                self.cut(&arguments.text(0)?, part, arguments.text(3)?).map(MontyObject::string)
            }
            "mitt_records" => arguments.records(),
            "mitt_files" => {
                let files = self.workspace()?;
                Ok(MontyObject::list(files.into_iter().map(|(name, _)| MontyObject::string(name))))
            }
            "mitt_remove" => self.remove_file(&arguments.text(0)?).map(|()| MontyObject::none()),
            _ => Err(error(ExcType::NameError, format!("name '{name}' is not defined"))),
        }
    }

    fn documents(&self) -> MontyObject {
        let mut builder = Builder::default();
        let mut documents = Vec::new();
        for info in self.host.documents() {
            let title = info.title.map_or(MontyNode::None, MontyNode::String);
            let title = builder.graph.push(title);
            let warnings = info.warnings.iter().map(|warning| builder.string(warning)).collect();
            let warnings = builder.list(warnings);
            let characters = i64::try_from(info.characters).unwrap_or(i64::MAX);
            let characters = builder.graph.push(MontyNode::Int(characters));
            let (name, media_type) = (builder.string(&info.name), builder.string(&info.media_type));
            let fields = vec![name, media_type, title, warnings, characters];
            documents.push(builder.graph.push(MontyNode::Tuple(fields)));
        }
        let root = builder.list(documents);
        finished(builder.graph, root)
    }

    /// Returns the tables of a document without reading them.
    fn tables_of(&self, document: &str) -> Answer {
        let mut builder = Builder::default();
        let mut tables = Vec::new();
        for entry in self.host.catalog() {
            if entry.document.as_deref() != Some(document) {
                continue;
            }
            let columns = entry.columns.iter().map(|name| builder.string(name)).collect();
            let columns = builder.list(columns);
            tables.push(builder.table(columns, None, &entry.name, &entry.reference));
        }
        let root = builder.list(tables);
        Ok(finished(builder.graph, root))
    }

    fn source(&self, source: &str) -> Result<Rc<dyn HostTable>, MontyException> {
        self.table(source).map_err(|problem| error(ExcType::OSError, problem))
    }

    /// Reads from a table of the host, or selects columns of it. The first argument is the source.
    fn read_table(&self, what: &str, mut arguments: Arguments) -> Answer {
        let table = self.source(&arguments.text(0)?)?;
        let (first, second) = (arguments.number(1), arguments.number(2));
        let mut builder = Builder::default();
        let root = match what {
            "mitt_rows" => builder.rows(&*table, 0, table.rows()),
            "mitt_column" => {
                let column = u32::try_from(first).unwrap_or(u32::MAX);
                builder.column(&*table, column)
            }
            "mitt_part" => {
                // The script may have given the columns other names.
                builder.graph = std::mem::take(&mut arguments.graph);
                let names = match arguments.positional.get(3).map(|&id| builder.graph.node(id)) {
                    Some(MontyNode::List(names)) => names.clone(),
                    _ => Vec::new(),
                };
                builder.records(&*table, &names, first, second)
            }
            _ => arguments.selection().and_then(|columns| table.select(&columns)).and_then(|cut| {
                let source = self.cut_out(Rc::clone(&cut));
                let name = arguments.text(1).unwrap_or_default();
                builder.host_table(&cut, &source, &name)
            }),
        };
        let root = root.map_err(|problem| error(ExcType::ValueError, describe(&problem)))?;
        Ok(finished(builder.graph, root))
    }

    /// Returns the source of some rows of a table: `known`, unless an earlier session cut them out.
    fn cut(&self, source: &str, part: (u64, u64), known: String) -> Result<String, MontyException> {
        if self.is_open(&known) {
            return Ok(known);
        }
        Ok(self.cut_out(self.source(source)?.range(part.0, part.1)))
    }

    /// Refuses a module that the script may not import.
    fn check(&self, name: &str) -> Answer {
        if IN_LIBRARY.get() || name == "mitt" || self.allows(name) {
            return Ok(MontyObject::none());
        }
        Err(error(ExcType::ModuleNotFoundError, advice::not_found(self, name)))
    }

    /// Returns a skill as a module, and the Python sources of its parts in the order to run them.
    fn load(&self, name: &str) -> Answer {
        let missing = || error(ExcType::ModuleNotFoundError, advice::not_found(self, name));
        let Module { functions, helpers } = self.host.load_module(name).ok_or_else(missing)?;
        let mut attributes = Vec::new();
        let mut table = self.functions.borrow_mut();
        for function in functions {
            let value = MontyObject::function(format!("{TOOL}{}", function.tool), None);
            attributes.push((MontyObject::string(function.name.clone()), value));
            let known = Function {
                module: name.to_owned(),
                name: function.name,
                description: function.description,
                parameters: function.parameters,
            };
            table.insert(function.tool, Rc::new(known));
        }
        attributes.push((MontyObject::string("__name__"), MontyObject::string(name)));
        let module = MontyObject::module(name, MODULE, attributes);
        let helpers = helpers.into_iter().map(|helper| absolute(name, helper)).collect::<Vec<_>>();
        let parts = in_order(name, helpers);
        PARTS.with_borrow_mut(|known| {
            known.retain(|part| parts.iter().all(|(path, _)| *path != part.path));
            known.extend(parts.iter().map(|(path, source)| Part {
                path: path.clone(),
                file: Some(file_of(name, path)),
                source: source.clone(),
            }));
        });
        let parts = parts.into_iter().map(|(path, source)| named_source(path, source));
        Ok(MontyObject::tuple([module, MontyObject::list(parts)]))
    }

    fn call_function(&self, tool: &str, arguments: Arguments) -> Answer {
        let function = self.known(tool);
        let Arguments { graph, positional, named } = arguments;
        let named = named.into_iter().map(|(name, value)| (text_of(&graph, name), value)).collect();
        let bound = match &function {
            Some(function) => signature::bind(function, positional, named)
                .map_err(|problem| error(ExcType::TypeError, problem))?,
            None => named,
        };
        self.call_tool(tool, &graph, &bound)
    }

    /// Returns a function of a skill. Restored variables may refer to modules that this instance never imported.
    fn known(&self, tool: &str) -> Option<Rc<Function>> {
        if let Some(function) = self.functions.borrow().get(tool) {
            return Some(Rc::clone(function));
        }
        let found = self.host.tools().into_iter().find(|known| known.name == tool)?;
        let function = Rc::new(Function {
            module: found.skill,
            name: found.function,
            description: found.description,
            parameters: found.parameters,
        });
        self.functions.borrow_mut().insert(tool.to_owned(), Rc::clone(&function));
        Some(function)
    }

    /// Runs `mitt.call(tool, **arguments)`. The arguments may also be one dict.
    fn call_by_name(&self, arguments: Arguments) -> Answer {
        let tool = arguments.text(0)?;
        let Arguments { graph, positional, .. } = arguments;
        let (Some(&values), Some(&named)) = (positional.get(1), positional.get(2)) else {
            return Err(error(ExcType::TypeError, "call() takes the name of a tool".to_owned()));
        };
        let (MontyNode::Tuple(values), MontyNode::Dict(named)) =
            (graph.node(values), graph.node(named))
        else {
            return Err(error(
                ExcType::TypeError,
                "call() takes the tool's arguments by name".to_owned(),
            ));
        };
        let pairs = match values[..] {
            [] => named,
            [only] if named.is_empty() => match graph.node(only) {
                MontyNode::Dict(pairs) => pairs,
                _ => return Err(by_name()),
            },
            _ => return Err(by_name()),
        };
        let bound: Vec<_> =
            pairs.iter().map(|&(name, value)| (text_of(&graph, name), value)).collect();
        self.call_tool(&tool, &graph, &bound)
    }

    fn call_tool(&self, tool: &str, graph: &MontyGraph, arguments: &[(String, NodeId)]) -> Answer {
        let mut json = String::from("{");
        for (index, (name, value)) in arguments.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            quote(name, &mut json);
            json.push(':');
            write(graph, *value, Form::Argument, &mut json).map_err(|problem| {
                let message =
                    format!("{tool}: argument /{name}{}: {}", problem.pointer, problem.reason);
                error(ExcType::ValueError, message)
            })?;
        }
        json.push('}');
        // The tool may read the file that was just written, and may never return.
        self.settle_files()?;
        self.flush_output();
        match self.host.call(tool, &json) {
            Ok(result) => {
                let mut builder = Builder::of_result();
                let root = builder
                    .json(&result)
                    .map_err(|problem| error(ExcType::RuntimeError, problem))?;
                Ok(finished(builder.graph, root))
            }
            Err(failure) => {
                let kind = match failure.kind {
                    FailureKind::UnknownTool => "unknown-tool",
                    FailureKind::Arguments => "arguments",
                    FailureKind::Plugin => "plugin",
                    FailureKind::Trap => "trap",
                };
                let data = ToolErrorData { kind: kind.to_owned(), tool: tool.to_owned() };
                let error = MontyException::new(ExcType::ToolError, Some(failure.message));
                Err(error.with_data(ExcData::Tool(Box::new(data))))
            }
        }
    }

    fn help(&self, arguments: &Arguments) -> String {
        let Some(&value) = arguments.positional.first() else {
            let skills = self.host.modules();
            return format!(
                "Skills: {}. help(module) lists the functions of one that was imported.",
                skills.join(", ")
            );
        };
        match arguments.graph.node(value) {
            MontyNode::Function { name, .. } => {
                match name.strip_prefix(TOOL).and_then(|tool| self.known(tool)) {
                    Some(function) => described(&function),
                    None => format!("function {name}"),
                }
            }
            MontyNode::Module { name, .. } => {
                let functions = self.functions.borrow();
                let mut of_module: Vec<_> =
                    functions.values().filter(|function| function.module == *name).collect();
                of_module.sort_by(|a, b| a.name.cmp(&b.name));
                let parts: Vec<String> =
                    of_module.into_iter().map(|function| described(function)).collect();
                format!("module {name}\n\n{}", parts.join("\n\n"))
            }
            MontyNode::Repr(text) => text.clone(),
            _ => format!("a {}", arguments.graph.value(value).type_name()),
        }
    }
}

fn described(function: &Function) -> String {
    let mut text = format!("{}.{}{}", function.module, function.name, signature::shown(function));
    for line in function.description.trim().lines() {
        text.push_str("\n    ");
        text.push_str(line);
    }
    text
}

fn by_name() -> MontyException {
    error(
        ExcType::TypeError,
        "call() takes the tool's arguments by name, or as one dict".to_owned(),
    )
}

pub(crate) fn describe(problem: &Error) -> String {
    match problem {
        Error::InvalidArgument(text)
        | Error::NotFound(text)
        | Error::AlreadyExists(text)
        | Error::Unsupported(text)
        | Error::Malformed(text)
        | Error::Quota(text)
        | Error::Other(text) => text.clone(),
    }
}

fn finished(graph: MontyGraph, root: NodeId) -> MontyObject {
    unstable::object_from_graph(graph, root).expect("the root was pushed to this arena")
}

fn named_source(path: impl Into<String>, source: impl Into<String>) -> MontyObject {
    MontyObject::tuple([MontyObject::string(path), MontyObject::string(source)])
}

/// Returns the standard library in Python. The prelude runs it once, while the component is built.
fn libraries_in_python() -> MontyObject {
    let part = |&(path, source): &(&str, &str)| Part {
        path: path.to_owned(),
        file: None,
        source: source.to_owned(),
    };
    PARTS.with_borrow_mut(|parts| parts.extend(libraries::SOURCES.iter().map(part)));
    MontyObject::list(libraries::SOURCES.iter().map(|&(path, source)| named_source(path, source)))
}

/// Returns the file name of a part in tracebacks: `a_tool/dates/iso.py` for `a_tool.dates.iso`.
fn file_of(module: &str, path: &str) -> String {
    if path == module {
        format!("{module}/__init__.py")
    } else {
        format!("{}.py", path.replace('.', "/"))
    }
}

/// Makes the relative imports of a helper absolute, because monty has no packages.
fn absolute(module: &str, helper: Helper) -> Helper {
    let package = match helper.name.rsplit_once('.') {
        Some((parent, _)) => format!("{module}.{parent}"),
        None => module.to_owned(),
    };
    let lines = helper.source.split('\n').map(|line| {
        let indent = line.len() - line.trim_start().len();
        let Some((from, rest)) =
            line[indent..].strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        else {
            return line.to_owned();
        };
        let from = from.trim();
        let name = from.trim_start_matches('.');
        let level = from.len() - name.len();
        if level == 0 {
            return line.to_owned();
        }
        let parts: Vec<&str> = package.split('.').collect();
        let kept = parts[..parts.len().saturating_sub(level - 1).max(1)].join(".");
        let dot = if name.is_empty() { "" } else { "." };
        format!("{}from {kept}{dot}{name} import {rest}", &line[..indent])
    });
    Helper { source: lines.collect::<Vec<_>>().join("\n"), name: helper.name }
}

/// Sorts helpers so that each comes after those that it imports. The helper of the package itself is last.
fn in_order(module: &str, helpers: Vec<Helper>) -> Vec<(String, String)> {
    let mut done: Vec<usize> = Vec::new();
    let mut visiting = vec![false; helpers.len()];
    fn visit(
        index: usize,
        module: &str,
        helpers: &[Helper],
        visiting: &mut [bool],
        done: &mut Vec<usize>,
    ) {
        // Circular imports run in the order of names; a missing name is an error of the import.
        if std::mem::replace(&mut visiting[index], true) {
            return;
        }
        for other in 0..helpers.len() {
            if imports(&helpers[index].source, module, &helpers[other].name) {
                visit(other, module, helpers, visiting, done);
            }
        }
        done.push(index);
    }
    let package = helpers.iter().position(|helper| helper.name.is_empty());
    for index in (0..helpers.len()).filter(|&index| Some(index) != package).chain(package) {
        visit(index, module, &helpers, &mut visiting, &mut done);
    }
    done.into_iter()
        .map(|index| {
            let Helper { name, source } = &helpers[index];
            let full = if name.is_empty() { module.to_owned() } else { format!("{module}.{name}") };
            (full, source.clone())
        })
        .collect()
}

/// Returns `true` if a line of the source imports this helper of the same module.
fn imports(source: &str, module: &str, helper: &str) -> bool {
    if helper.is_empty() {
        return false;
    }
    let (parent, last) = match helper.rsplit_once('.') {
        Some((parent, last)) => (format!("{module}.{parent}"), last),
        None => (module.to_owned(), helper),
    };
    let full = format!("{module}.{helper}");
    source.lines().map(str::trim_start).any(|line| {
        let mut words = line.split([' ', ',', '(', ')']).filter(|word| !word.is_empty());
        match words.next() {
            Some("import") => words.any(|word| word == full),
            Some("from") => {
                let from = words.next();
                from == Some(&full) || (from == Some(&parent) && words.any(|word| word == last))
            }
            _ => false,
        }
    })
}

fn text_of(graph: &MontyGraph, id: NodeId) -> String {
    match graph.node(id) {
        MontyNode::String(text) => text.clone(),
        _ => graph.value(id).py_repr(),
    }
}

/// The arguments of a call, in one arena.
struct Arguments {
    graph: MontyGraph,
    positional: Vec<NodeId>,
    named: Vec<(NodeId, NodeId)>,
}

impl Arguments {
    fn new(arguments: CallArgs) -> Self {
        let (graph, positional, named) = unstable::into_call_args_parts(arguments);
        Self { graph, positional, named }
    }

    fn node(&self, index: usize) -> Option<&MontyNode> {
        self.positional.get(index).map(|&id| self.graph.node(id))
    }

    fn text(&self, index: usize) -> Result<String, MontyException> {
        match self.node(index) {
            Some(MontyNode::String(text)) => Ok(text.clone()),
            _ => Err(error(ExcType::TypeError, "expected a string".to_owned())),
        }
    }

    fn number(&self, index: usize) -> u64 {
        match self.node(index) {
            Some(MontyNode::Int(value)) => u64::try_from(*value).unwrap_or(0),
            _ => 0,
        }
    }

    fn flag(&self, index: usize) -> bool {
        matches!(self.node(index), Some(MontyNode::Bool(true)))
    }

    /// Returns indices and names of columns from a list of pairs.
    fn selection(&self) -> Result<Vec<(u32, String)>, Error> {
        let unfit = || Error::InvalidArgument("expected columns".to_owned());
        let Some(MontyNode::List(pairs)) = self.node(2) else { return Err(unfit()) };
        let pair = |&id: &NodeId| match self.graph.node(id) {
            MontyNode::Tuple(pair) => {
                match (self.graph.node(*pair.first()?), self.graph.node(*pair.get(1)?)) {
                    (MontyNode::Int(index), MontyNode::String(name)) => {
                        Some((u32::try_from(*index).ok()?, name.clone()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        pairs.iter().map(|id| pair(id).ok_or_else(unfit)).collect()
    }

    /// Returns rows as dicts, which is much faster here than in Python.
    fn records(mut self) -> Answer {
        let unfit = || error(ExcType::TypeError, "expected columns and rows".to_owned());
        let (Some(MontyNode::List(columns)), Some(MontyNode::List(rows))) =
            (self.node(0), self.node(1))
        else {
            return Err(unfit());
        };
        let (columns, rows) = (columns.clone(), rows.clone());
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            let (MontyNode::List(cells) | MontyNode::Tuple(cells)) = self.graph.node(row) else {
                return Err(unfit());
            };
            let pairs = columns.iter().copied().zip(cells.iter().copied()).collect();
            records.push(self.graph.push(MontyNode::Dict(pairs)));
        }
        let root = self.graph.push(MontyNode::List(records));
        Ok(finished(self.graph, root))
    }

    /// Registers the class of a value, for instances that the host makes.
    fn register(&self) -> Answer {
        let class = match self.node(0) {
            Some(MontyNode::ClassInstance { class_type, .. }) => Some(self.graph.node(*class_type)),
            _ => None,
        };
        match class {
            Some(MontyNode::ClassType(class)) => {
                CLASSES.set(Classes { table: Some(class.id) });
                Ok(MontyObject::none())
            }
            _ => Err(error(ExcType::TypeError, "expected an instance of a class".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::in_order;
    use crate::contract::mitt::host::script_host::Helper;

    #[test]
    fn helpers_come_after_what_they_import() {
        let helper =
            |name: &str, source: &str| Helper { name: name.to_owned(), source: source.to_owned() };
        let helpers = vec![
            helper("", "from a_skill.rows import parse"),
            helper("cells", "import re"),
            helper("dates.iso", "from a_skill import rows, cells"),
            helper("rows", "x = 1\nif x:\n    from a_skill.cells import (one)"),
        ];
        let order: Vec<String> =
            in_order("a_skill", helpers).into_iter().map(|(name, _)| name).collect();
        assert_eq!(order, ["a_skill.cells", "a_skill.rows", "a_skill.dates.iso", "a_skill"]);
    }
}
