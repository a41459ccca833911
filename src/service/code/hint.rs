//! What to use in place of what the interpreter lacks.

use mitt::Session;

/// What scripts expect, by the first part of a module's name, and what does the work here.
struct Instead {
    modules: &'static [&'static str],
    /// Advice, and the skill that it names.
    advice: &'static str,
    skill: Option<&'static str>,
}

const INSTEAD: [Instead; 9] = [
    Instead {
        modules: &[
            "pandas",
            "polars",
            "numpy",
            "scipy",
            "pyarrow",
            "statsmodels",
            "sklearn",
            "dask",
        ],
        advice: "there are no packages; `csv`, `json`, `statistics`, `math` and `sqlite3` are there",
        skill: None,
    },
    Instead {
        modules: &["pandas", "polars", "numpy", "pyarrow", "dask", "openpyxl", "xlrd"],
        advice: "`documents[\"sales.xlsx\"].tables[0]` is the table of a file, and `import table_tool` sorts, filters, \
                 joins, groups and compares tables; `help(table_tool)` explains it",
        skill: Some("table-tool"),
    },
    Instead {
        modules: &["duckdb", "pandas", "polars", "sqlalchemy"],
        advice: "`import sql_tool` runs SQL over the tables of the files",
        skill: Some("sql-tool"),
    },
    Instead {
        modules: &["matplotlib", "seaborn", "plotly", "altair", "bokeh"],
        advice: "`import chart_tool` draws a table as a picture: \
                 `chart_tool.draw_chart(rows, form=\"line\", filename=\"a.png\")`",
        skill: Some("chart-tool"),
    },
    Instead {
        modules: &["openpyxl", "xlsxwriter", "xlwt"],
        advice: "`import excel_tool` writes workbooks: `excel_tool.create_excel(rows, filename=\"a.xlsx\")`",
        skill: Some("excel-tool"),
    },
    Instead {
        modules: &["docx", "reportlab", "fpdf", "weasyprint", "markdown", "pypandoc"],
        advice: "`import report` makes Word and PDF files of Markdown: `report.deliver(text, filename=\"a.pdf\")`",
        skill: Some("report"),
    },
    Instead {
        modules: &["PyPDF2", "pypdf", "fitz", "pdfplumber", "pdfminer", "docx", "bs4", "pptx"],
        advice: "`documents[\"report.pdf\"].text` is the text of a file, and `.tables` its tables",
        skill: None,
    },
    Instead {
        modules: &[
            "requests", "httpx", "aiohttp", "urllib", "urllib3", "http", "socket", "ssl", "ftplib",
            "smtplib",
        ],
        advice: "a script has no network; upload the file, and read it by its name",
        skill: None,
    },
    Instead {
        modules: &["subprocess", "multiprocessing", "shutil", "signal", "pty", "pip"],
        advice: "a script has no shell and no processes; `os.listdir()`, `open()`, `os.rename()` and `os.remove()` work \
                 on files",
        skill: None,
    },
];

/// Beginnings of messages about something that is not there, and the advice.
const OTHER: [(&str, &str); 3] = [
    (
        "module 'os' has no attribute 'system'",
        "a script has no shell and no processes; write it in Python",
    ),
    (
        "module 'os' has no attribute 'popen'",
        "a script has no shell and no processes; write it in Python",
    ),
    ("EOFError", "a script cannot ask for input; put the values into the code"),
];

/// Returns advice for the error of a script; `None` if there is none beyond the error itself.
pub(super) fn hint(error: &str, session: &Session) -> Option<String> {
    if let Some((_, advice)) = OTHER.iter().find(|(text, _)| error.contains(text)) {
        return Some((*advice).to_owned());
    }
    let (_, rest) = error.rsplit_once("No module named '")?;
    let module = rest.split(['\'', '.']).next()?;
    let registry = session.registry();
    let has = |skill: Option<&str>| skill.is_none_or(|it| registry.found(it).is_some());
    let advice: Vec<&str> = INSTEAD
        .iter()
        .filter(|it| it.modules.contains(&module) && has(it.skill))
        .map(|it| it.advice)
        .collect();
    (!advice.is_empty()).then(|| advice.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::{Host, SessionOptions};

    #[test]
    fn missing_packages_lead_to_what_does_the_work() {
        let session = Host::builder().build().unwrap().session(SessionOptions::default()).unwrap();
        let of = |module: &str| {
            let error = format!("ModuleNotFoundError: No module named '{module}'; nothing");
            hint(&error, &session).unwrap_or_default()
        };
        assert!(of("pandas").contains("table_tool") && of("pandas").contains("sql_tool"));
        assert!(of("matplotlib.pyplot").contains("chart_tool.draw_chart"));
        assert!(of("openpyxl").contains("create_excel"));
        assert!(of("requests").contains("no network"));
        assert!(of("subprocess").contains("no shell"));
        assert_eq!(of("no_such_module"), "");
        let system = "AttributeError: module 'os' has no attribute 'system'";
        assert!(hint(system, &session).unwrap().contains("no shell"));
        assert_eq!(hint("ZeroDivisionError: division by zero", &session), None);
    }
}
