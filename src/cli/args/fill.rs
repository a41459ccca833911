//! The arguments of `mitt fill`.

use std::path::PathBuf;

use super::{Force, Json};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt fill invoice.xlsx --data invoice.json -o invoice-0042.xlsx\n  mitt fill report.xlsx --set month=2026-11 --csv items=items.csv -o report-11.xlsx\n  mitt fill book.xlsx --append new.csv --sheet Orders -o book-2.xlsx\n  mitt fill contract.docx --data contract.json -o contract-0042.docx\n  mitt fill invoice.xlsx --each customers.csv -o 'out/{number}.xlsx'    a file for each row\n  mitt fill form.pdf --data values.json --flatten -o form-0042.pdf    a PDF form"
)]
pub(crate) struct Fill {
    /// The template: a workbook (`.xlsx`, `.xlsm`, `.xltx`), a Word file (`.docx`, `.dotx`) or a PDF form, whose fields
    /// `mitt pdf info` lists
    pub(crate) template: PathBuf,
    /// The file to write, of the same kind; with `--each` a name with columns in it, such as `out/{number}.xlsx`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) force: Force,
    /// Values by their names, as a JSON object; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// One value, after those of `--data`: a number, `true`, `false`, `null`, JSON, or text
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Rows of a list, out of a CSV file whose first row names the columns
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) csv: Vec<String>,
    /// Fill the template once for each row of a CSV or JSON file: the columns are values by their names, after those of `--data` and
    /// `--set`
    #[arg(long, value_name = "FILE", conflicts_with = "append")]
    pub(crate) each: Option<PathBuf>,
    /// Markdown for a paragraph of a Word file that is `{{content}}`; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "append")]
    pub(crate) content: Option<PathBuf>,
    /// Append the rows of a CSV or JSON file to a workbook instead of filling it, below its rows, by the names of the
    /// columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "set", "csv"])]
    pub(crate) append: Option<PathBuf>,
    /// The sheet or table that rows are appended to [default: the first sheet]
    #[arg(long, value_name = "NAME", requires = "append")]
    pub(crate) sheet: Option<String>,
    /// Make the fields of a PDF form content that cannot be changed any more
    #[arg(long)]
    pub(crate) flatten: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
