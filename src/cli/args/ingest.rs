//! `mitt ingest`, and what it shares with other commands that read documents.

use std::path::PathBuf;

use super::{Force, Json};
use mitt_base::formulas::Formulas;

/// How encrypted files are opened.
#[derive(Debug, clap::Args)]
pub(crate) struct Password {
    /// A file whose first line is the password of encrypted files; without it, a person at the terminal is asked
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}

/// How one table of a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    /// CSV.
    Csv,
    /// A Parquet file.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Ingest {
    /// How the table is written, if only one is.
    pub(crate) fn alone(&self) -> Option<Alone> {
        #[cfg(feature = "parquet")]
        if self.parquet {
            return Some(Alone::Parquet);
        }
        self.csv.then_some(Alone::Csv)
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt ingest report.xlsx\n  mitt ingest a.docx b.pptx --json\n  mitt ingest reports/ --max-tokens 8000\n  mitt ingest reports/ --tables-csv tables\n  mitt ingest https://example.com/report.pdf\n  mitt ingest book.xlsx --csv --table Sheet2\n  mitt ingest book.xlsx --parquet > book.parquet\n  curl … | mitt ingest - --name sales.csv"
)]
pub(crate) struct Ingest {
    /// The files; `-` is standard input, a folder all files in it, `https://…` what is there
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Name of what comes from standard input, whose ending may say what it is, such as `sales.csv` [default: `stdin`]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) password: Password,
    /// Print a table as CSV; in a file with several tables, the one that `--table` names
    #[arg(long, group = "one_table", conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write a table as Parquet to standard output, which must be a file or a pipe
    #[cfg(feature = "parquet")]
    #[arg(long, group = "one_table", conflicts_with = "json")]
    pub(crate) parquet: bool,
    /// Print the text as Markdown, which is the default
    #[arg(long, conflicts_with_all = ["json", "one_table", "tables_csv"])]
    markdown: bool,
    /// Print at most about this many tokens of text, of all files together: short files are whole; long ones have their
    /// beginning and end, tables the header, the first and the last rows, with a mark where something is left out. Tokens
    /// are estimated, since each model counts differently
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["one_table", "tables_csv"])]
    pub(crate) max_tokens: Option<u64>,
    /// Print at most this many characters of text, as with `--max-tokens`; with both, neither limit is exceeded
    #[arg(long, value_name = "CHARACTERS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["one_table", "tables_csv"])]
    pub(crate) max_characters: Option<u64>,
    /// Write each table as a CSV file of its own into this folder, and print their names
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "one_table"])]
    pub(crate) tables_csv: Option<PathBuf>,
    /// How texts of CSV are treated that a spreadsheet would calculate: those that begin with `=`, `+`, `-` or `@` and are
    /// no numbers
    #[arg(long, value_enum, default_value_t)]
    pub(crate) formulas: CsvFormulas,
    #[command(flatten)]
    pub(crate) force: Force,
    /// The table that is printed alone: its name, or its number from 1
    #[arg(long, value_name = "TABLE", requires = "one_table")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// What is done with texts of CSV that a spreadsheet would calculate.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum CsvFormulas {
    /// An apostrophe is put in front of each
    #[default]
    Harmless,
    /// Nothing is written
    Refuse,
    /// They are written as they are
    Keep,
}

impl From<CsvFormulas> for Formulas {
    fn from(given: CsvFormulas) -> Formulas {
        match given {
            CsvFormulas::Harmless => Formulas::Harmless,
            CsvFormulas::Refuse => Formulas::Refused,
            CsvFormulas::Keep => Formulas::Kept,
        }
    }
}
