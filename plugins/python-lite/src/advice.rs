//! Advice on modules that do not exist. It is for a model, which has one turn to correct its script.

use crate::context::Context;
use mitt_guest::nearest;

/// Common modules, and the skills that do the same work.
const SKILL_INSTEAD: [(&str, &str); 23] = [
    ("PyPDF2", "documents"),
    ("docx", "report"),
    ("duckdb", "table_tool"),
    ("fitz", "documents"),
    ("fpdf", "report"),
    ("markdown", "report"),
    ("matplotlib", "excel_tool"),
    ("numpy", "table_tool"),
    ("openpyxl", "excel_tool"),
    ("pandas", "table_tool"),
    ("pdfplumber", "documents"),
    ("plotly", "excel_tool"),
    ("polars", "table_tool"),
    ("pyarrow", "table_tool"),
    ("pypdf", "documents"),
    ("reportlab", "report"),
    ("scipy", "table_tool"),
    ("seaborn", "excel_tool"),
    ("weasyprint", "report"),
    ("xlrd", "documents"),
    ("xlsxwriter", "excel_tool"),
    ("xlwt", "excel_tool"),
    ("tabulate", "report"),
];

/// Modules that a sandbox cannot support.
const ABSENT: [(&str, &str); 16] = [
    ("aiohttp", "a script has no network"),
    ("ctypes", "a script has no native libraries"),
    ("ftplib", "a script has no network"),
    ("http", "a script has no network"),
    ("httpx", "a script has no network"),
    ("multiprocessing", "a script has no processes"),
    ("requests", "a script has no network"),
    (
        "shutil",
        "a script has no file system; open(name) reaches the workspace, `documents` the documents",
    ),
    ("smtplib", "a script has no network"),
    ("socket", "a script has no network"),
    ("ssl", "a script has no network"),
    ("subprocess", "a script has no processes"),
    ("tempfile", "a script has no file system; open(name, 'w') makes a file in the workspace"),
    ("threading", "a script has no threads; call the tools one after another"),
    ("urllib", "a script has no network"),
    ("urllib3", "a script has no network"),
];

/// Returns the message of the error for a module that cannot be imported.
pub(crate) fn not_found(context: &Context, name: &str) -> String {
    let skills = context.host.modules();
    let found = |table: &[(&str, &'static str)]| {
        table.iter().find(|(module, _)| *module == name).map(|entry| entry.1)
    };
    let advice = if exists(context, name, &skills) {
        format!(
            "it is not among the modules that this script may import: {}",
            listed(context.allowed.iter().flatten())
        )
    } else if let Some(instead) = found(&SKILL_INSTEAD)
        .filter(|skill| *skill == "documents" || skills.iter().any(|s| s == skill))
    {
        match instead {
            "documents" => {
                "the host has read the documents already: documents[name].text and .tables"
                    .to_owned()
            }
            skill => format!("use the skill: import {skill}"),
        }
    } else if let Some(reason) = found(&ABSENT) {
        reason.to_owned()
    } else if let Some(close) = nearest(
        name,
        skills.iter().map(String::as_str).chain(crate::libraries::names().map(|name| name as &str)),
    ) {
        format!("did you mean '{close}'?")
    } else {
        let mut library: Vec<&str> = crate::libraries::names().collect();
        library.sort_unstable();
        format!("there are: {}; skills: {}", library.join(", "), listed(skills.iter()))
    };
    format!("No module named '{name}'; {advice}")
}

fn exists(context: &Context, name: &str, skills: &[String]) -> bool {
    !context.allows(name)
        && (skills.iter().any(|skill| skill == name)
            || crate::libraries::names().any(|module| module == name))
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.map(String::as_str).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
