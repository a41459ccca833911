//! `mitt sql`

use std::path::PathBuf;

use super::{CsvFormulas, Json, Password};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt sql 'SELECT city, sum(sales) AS sales FROM orders GROUP BY city' --doc orders.csv\n  mitt sql 'SELECT * FROM book_2024 JOIN prices USING (item)' --doc book.xlsx --doc prices.csv --csv > joined.csv\n  mitt sql @query.sql --doc reports/ --json"
)]
pub(crate) struct Sql {
    /// The query, `@FILE` to read it from a file, or `-` for standard input. `orders.csv` is the table `orders`, the sheet `2024` of
    /// `book.xlsx` is `book_2024`
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// Files whose tables are queried, as with `--doc`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A file whose tables are queried; a folder for all files in it. May be given several times
    #[arg(short, long = "doc", value_name = "FILE")]
    pub(crate) docs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) password: Password,
    /// Print all rows as CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// How texts of CSV are treated that a spreadsheet would calculate
    #[arg(long, value_enum, default_value_t)]
    pub(crate) formulas: CsvFormulas,
    #[command(flatten)]
    pub(crate) json: Json,
}
