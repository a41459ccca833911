//! How the scripts of a model call tools, for each language in which it may write them.

use mitt_skill::{Registry, Tool};

/// Returns the names of the tools that run scripts, such as "`javascript__run` or `python__run`". Empty if there are none.
pub fn script_tools(registry: &Registry) -> String {
    let names = registry.script_tools().into_iter().map(|tool| format!("`{}`", tool.name));
    names.collect::<Vec<_>>().join(" or ")
}

/// Returns how scripts of these tools use functions and documents, a paragraph for each of [`Registry::script_tools`].
pub fn script_usage(tools: &[Tool]) -> String {
    tools.iter().map(usage).collect::<Vec<_>>().join("\n\n")
}

fn usage(tool: &Tool) -> String {
    let name = &tool.name;
    match tool.language() {
        Some("javascript") => format!(
            "A script of `{name}` calls these functions as `await tools.table_tool.growth({{ ... }})`, with one object of \
             arguments; `help(tools.table_tool.growth)` explains a function, `name?` may be left out. `documents[\"a.xlsx\"]` has `.text` and `.tables`; a \
             table has `.columns`, `.column(name)`, `for (const row of table)`. `console.log` what you need to see."
        ),
        Some("python") => format!(
            "A script of `{name}` imports these modules, such as `import table_tool`; \
             `help(table_tool.growth)` explains a function, `name?` may be left out. `documents` maps names to documents with `.text` and `.tables`; a table has \
             `.columns`, `.column(name)`, `for row in table`. Print what you need to see."
        ),
        _ => format!("A script of `{name}` calls these functions."),
    }
}

/// Returns how a script of these tools asks for the functions of a module and for an explanation of one.
pub fn script_help(tools: &[Tool]) -> &'static str {
    if tools.iter().all(|tool| tool.language() == Some("javascript")) {
        "`help(tools.table_tool)` in a script tells the functions of one, `help(tools.table_tool.growth)` explains one; `name?` may be \
         left out"
    } else {
        "`help(table_tool)` in a script tells the functions of one, `help(table_tool.growth)` explains one; `name?` may be left out"
    }
}
