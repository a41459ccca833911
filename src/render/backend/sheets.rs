//! Turns the tables of a document into the sheets of a workbook. Cells become numbers if the whole column is numbers;
//! possible identifiers stay text. Knows no file format.

mod column;
mod number;

use std::collections::BTreeSet;

use self::column::{Column, Values, is_date};
use self::number::Number;
use crate::model::doc::{
    Alignment as Side, Block as DocBlock, Doc, Inline, Paper, Table, TextStyle, plain_text,
};
use crate::model::language::Language;
use crate::model::workbook::{
    Alignment, Block, Link, RowStyle, Sheet, SheetCell, SheetColumn, SheetRow, Workbook,
};
use crate::shared::link;
use crate::shared::losses::{LossKind, Losses};
use crate::shared::math;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most UTF-16 units of the name of a sheet.
const MAX_NAME: usize = 31;
/// Most blocks in a warning about blocks that are left out.
const MAX_LISTED: usize = 5;
/// Most characters of an address that Excel opens.
const MAX_URL: usize = 2_080;

/// Words at the beginning of a row of totals.
const TOTALS: [&str; 8] = ["合计", "总计", "总和", "合計", "總計", "total", "grand total", "sum"];

/// A workbook, and warnings about the rest of the document.
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    /// The workbook.
    pub book: Workbook,
    /// Content that was left out or changed, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// Returns the tables of a document as sheets, each named by the heading above it.
///
/// A column is numeric if each of its cells is a number (`-1,234.50`, `¥99`, `12.5%`), empty or a dash. Leading zeros or a
/// head such as `编号` make it text, and so does a number that a cell cannot hold, with a warning. Dates such as `2024-12-31`
/// are dates. The paper is that of the front matter, or Letter if the language has the region `US` or `CA`, or A4.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - it has no table, or an invalid language tag.
///
/// # Example: a table of Markdown as a workbook
///
/// ```
/// use mitt_render::{SheetCell, markdown, sheets};
///
/// let made = sheets(&markdown("## 收入\n\n| 月 | 金额 |\n|---|---:|\n| 1月 | 1,234.50 |\n")?)?;
/// let sheet = &made.book.sheets[0];
/// assert_eq!(sheet.name, "收入");
/// assert_eq!(sheet.blocks[0].rows[0].cells[1], SheetCell::Number("1234.50".into()));
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn sheets(doc: &Doc) -> Result<Sheets> {
    let language = Language::of(doc, None)?;
    let mut writer = Writer {
        language,
        heading: String::new(),
        names: BTreeSet::new(),
        sheets: Vec::new(),
        losses: Losses::default(),
        left_out: Vec::new(),
        renamed: Vec::new(),
        long: Vec::new(),
    };
    let mut is_first = true;
    for (index, block) in doc.blocks.iter().enumerate() {
        writer.losses.enter_block(index + 1);
        if let DocBlock::Heading { content, level } = block {
            let said = plain_text(content);
            writer.losses.below(&said);
            // The title of the document names a sheet only if there is just one more block.
            if !(is_first && *level == 1) || doc.blocks.len() == 2 {
                writer.heading = said;
            }
            is_first = false;
            continue;
        }
        is_first = false;
        writer.block(index + 1, block);
    }
    if writer.sheets.is_empty() {
        let message = "document: expected a table for a workbook, got none";
        return Err(Error::new(ErrorKind::Arguments, message)
            .hint("write a table in Markdown, or deliver the text as PDF or Word"));
    }
    let is_letter = writer.language.region.as_deref().is_some_and(|it| matches!(it, "US" | "CA"));
    let paper = doc.meta.paper.or(is_letter.then_some(Paper::Letter));
    writer.sheets.iter_mut().for_each(|sheet| sheet.page.paper = paper);
    let title = crate::shared::outline::title(doc, None);
    let mut warnings = doc.warnings.clone();
    warnings.extend(writer.said());
    let mut book = Workbook { title, sheets: writer.sheets, ..Workbook::default() };
    warnings.extend(book.shorten_headers());
    if !doc.footnotes.is_empty() {
        warnings.push(format!("footnotes are left out: {}", doc.footnotes.len()));
    }
    warnings.extend(writer.losses.into_warnings());
    Ok(Sheets { book, warnings })
}

struct Writer {
    language: Language,
    heading: String,
    /// Used names, in lower case.
    names: BTreeSet<String>,
    sheets: Vec<Sheet>,
    losses: Losses,
    /// Blocks other than tables.
    left_out: Vec<(usize, &'static str)>,
    renamed: Vec<(String, String)>,
    /// Columns that stay text because a cell cannot hold one of their numbers: sheet, head, count.
    long: Vec<(String, String, usize)>,
}

impl Writer {
    fn block(&mut self, number: usize, block: &DocBlock) {
        let what = match block {
            DocBlock::Table(table) => return self.table(table),
            DocBlock::Chart(_) => "chart",
            DocBlock::Quote { blocks, .. } => {
                return blocks.iter().for_each(|block| self.block(number, block));
            }
            DocBlock::List(list) => {
                let tables = |block: &&DocBlock| matches!(block, DocBlock::Table(_));
                let inner = list.items.iter().flat_map(|item| &item.blocks);
                inner.filter(tables).for_each(|block| self.block(number, block));
                "list"
            }
            DocBlock::Rule | DocBlock::PageBreak => return,
            DocBlock::Heading { .. } => "heading",
            DocBlock::Code { .. } | DocBlock::Html { .. } => "code",
            _ => "paragraph",
        };
        if self.left_out.last() != Some(&(number, what)) {
            self.left_out.push((number, what));
        }
    }

    /// Returns warnings about blocks and names.
    fn said(&self) -> Vec<String> {
        let mut said = Vec::new();
        if !self.left_out.is_empty() {
            let listed = self.left_out.iter().take(MAX_LISTED);
            let mut places: Vec<_> =
                listed.map(|(number, what)| format!("{what} (block {number})")).collect();
            let more = self.left_out.len().saturating_sub(MAX_LISTED);
            if more > 0 {
                places.push(format!("and {more} more"));
            }
            said.push(format!("what is no table is left out: {}", places.join(", ")));
        }
        let renamed = self.renamed.iter().take(MAX_LISTED);
        said.extend(renamed.map(|(wanted, name)| {
            let wanted = text::one_line(text::cut_chars(wanted, 60).0);
            format!("the sheet of `{wanted}` is named `{name}`")
        }));
        let long = self.long.iter().take(MAX_LISTED);
        said.extend(long.map(|(sheet, head, count)| {
            let head = text::one_line(text::cut_chars(head, 60).0);
            format!(
                "column `{head}` of sheet `{sheet}` is text, as a cell of Excel does not hold all digits of {count} of its numbers"
            )
        }));
        let more = self.long.len().saturating_sub(MAX_LISTED);
        said.extend(
            (more > 0).then(|| format!("{more} more columns are text for the same reason")),
        );
        said
    }

    fn table(&mut self, table: &Table) {
        let name = self.name();
        let columns: Vec<Column> =
            (0..table.columns.len()).map(|index| column(table, index)).collect();
        let last = table.rows.len().saturating_sub(1);
        let rows = table.rows.iter().enumerate().map(|(index, row)| {
            let cells = columns.iter().enumerate().map(|(column, kind)| {
                let content = row.get(column).map_or(&[][..], Vec::as_slice);
                self.cell(content, kind)
            });
            let cells = cells.collect();
            let first = row.first().map(|cell| plain_text(cell).trim().to_lowercase());
            let is_total = index == last
                && index > 0
                && first.is_some_and(|first| TOTALS.contains(&first.as_str()));
            SheetRow { cells, style: if is_total { RowStyle::Total } else { RowStyle::Normal } }
        });
        let rows = rows.collect();
        let heads = table.head.iter().map(|cell| plain_text(cell));
        let long = columns.iter().zip(heads.clone()).filter(|(column, _)| column.long > 0);
        self.long.extend(long.map(|(column, head)| (name.clone(), head, column.long)));
        let columns =
            columns.iter().zip(heads).zip(&table.columns).map(|((column, head), side)| {
                SheetColumn {
                    header: clean(&head),
                    width: column.width as f64,
                    number_format: column.format.clone(),
                    alignment: match side {
                        Side::Auto => Alignment::General,
                        Side::Left => Alignment::Left,
                        Side::Center => Alignment::Center,
                        Side::Right => Alignment::Right,
                    },
                    ..SheetColumn::default()
                }
            });
        let block = Block { columns: columns.collect(), rows, ..Block::default() };
        self.sheets.push(Sheet {
            name,
            blocks: vec![block],
            freeze_header: true,
            ..Sheet::default()
        });
    }

    fn cell(&mut self, content: &[Inline], column: &Column) -> SheetCell {
        content.iter().for_each(|inline| match inline {
            Inline::Image { description, .. } => self.losses.record(LossKind::Image, description),
            Inline::Math { text, .. } => {
                if let Err(what) = math::formula(text) {
                    self.losses.record(LossKind::Math, &what);
                }
            }
            _ => {}
        });
        let said = lines(content);
        let said = said.trim();
        if said.is_empty() {
            return SheetCell::Empty;
        }
        match column.kind {
            Values::Numbers => match Number::parse(said) {
                Some(number) => return SheetCell::Number(number.exact()),
                None => return SheetCell::Text(clean(said)),
            },
            Values::Dates if is_date(said) => return SheetCell::Date(said.to_owned()),
            _ => {}
        }
        if let [Inline::Link { url, content }] = content {
            match link::target(url).filter(|url| url.len() <= MAX_URL) {
                Some(url) => {
                    return SheetCell::Link(Link {
                        url: url.to_owned(),
                        text: plain_text(content),
                    });
                }
                None => self.losses.record_why(
                    LossKind::Link,
                    url,
                    "a cell leads to `http`, `https` and `mailto`",
                ),
            }
        }
        SheetCell::Text(clean(said))
    }

    /// Returns a name for the next sheet: that of the heading, without characters that Excel does not allow.
    fn name(&mut self) -> String {
        let wanted = self.heading.trim().to_owned();
        let plain: String = wanted
            .chars()
            .map(|c| {
                if matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\') || c.is_control() {
                    ' '
                } else {
                    c
                }
            })
            .collect();
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut base = cut(words.trim_matches(['\'', ' ']), MAX_NAME);
        if base.is_empty() || base.eq_ignore_ascii_case("history") {
            base = format!("{} {}", self.language.say("表", "Table"), self.sheets.len() + 1);
        }
        let numbered = (2..).map(|n| {
            let end = format!(" ({n})");
            format!("{}{end}", cut(&base, MAX_NAME - end.len()))
        });
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let free =
            names.find(|name| !self.names.contains(&name.to_lowercase())).unwrap_or_default();
        self.names.insert(free.to_lowercase());
        if !free.starts_with(&wanted) {
            self.renamed.push((wanted, free.clone()));
        }
        free
    }
}

/// Returns the kind of the column with this index.
fn column(table: &Table, index: usize) -> Column {
    let head = table.head.get(index).map(|cell| plain_text(cell)).unwrap_or_default();
    let cells = table.rows.iter().filter_map(|row| row.get(index));
    let cells: Vec<String> = cells.map(|cell| lines(cell).trim().to_owned()).collect();
    Column::of(&head, &cells)
}

/// Returns at most `most` UTF-16 units of a text, without spaces at the end.
fn cut(text: &str, most: usize) -> String {
    let mut units = 0;
    let kept = text.chars().take_while(|c| {
        units += c.len_utf16();
        units <= most
    });
    kept.collect::<String>().trim_end().trim_end_matches('\'').to_owned()
}

/// Returns the text of a cell with its line breaks.
fn lines(content: &[Inline]) -> String {
    let mut said = String::new();
    for inline in content {
        match inline {
            Inline::Break => said.push('\n'),
            Inline::Math { text, .. } => match math::formula(text) {
                Ok(formula) => said.push_str(&math::linear_text(&formula)),
                Err(_) => said.push_str(text),
            },
            // A cell has unformatted text: 10⁶ must not read as 106.
            Inline::Styled { style: TextStyle::Superscript, content } => {
                said.push_str(&math::raised(&lines(content)));
            }
            Inline::Styled { style: TextStyle::Subscript, content } => {
                said.push_str(&math::lowered(&lines(content)));
            }
            Inline::Emphasis { content }
            | Inline::Strong { content }
            | Inline::Strikethrough { content }
            | Inline::Styled { content, .. }
            | Inline::Link { content, .. } => said.push_str(&lines(content)),
            other => said.push_str(&plain_text(std::slice::from_ref(other))),
        }
    }
    said
}

fn clean(text: &str) -> String {
    text.chars().filter(|c| crate::shared::xml::is_legal(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;

    fn of(source: &str) -> Sheets {
        sheets(&markdown(source).unwrap()).unwrap()
    }

    /// Returns the cells of a table with one column, and its format.
    fn column(head: &str, cells: &[&str]) -> (Vec<SheetCell>, Option<String>) {
        let rows: String = cells.iter().map(|cell| format!("| {cell} |\n")).collect();
        let made = of(&format!("| {head} |\n|---|\n{rows}"));
        let block = &made.book.sheets[0].blocks[0];
        let cells = block.rows.iter().map(|row| row.cells[0].clone()).collect();
        (cells, block.columns[0].number_format.clone())
    }

    #[test]
    fn numbers_are_numbers_where_the_whole_column_is() {
        let number = |text: &str| SheetCell::Number(text.into());
        let words = |text: &str| SheetCell::Text(text.into());
        for (head, cells, expected, format) in [
            (
                "金额",
                vec!["1,234.50", "-2", "(3.1)", "—"],
                vec![number("1234.50"), number("-2"), number("-3.1"), words("—")],
                Some("#,##0.00"),
            ),
            (
                "占比",
                vec!["12.5%", "100%", "−0.05％"],
                vec![number("0.125"), number("1"), number("-0.0005")],
                Some("0.00%"),
            ),
            (
                "价",
                vec!["¥1,000", "￥-2.5"],
                vec![number("1000"), number("-2.5")],
                Some("\"¥\"#,##0.0"),
            ),
            ("年", vec!["2024", "2025"], vec![number("2024"), number("2025")], None),
            ("x", vec!["1", "a"], vec![words("1"), words("a")], None),
            ("x", vec!["5", "5%"], vec![words("5"), words("5%")], None),
            ("x", vec!["¥5", "$5"], vec![words("¥5"), words("$5")], None),
            ("x", vec!["007", "8"], vec![words("007"), words("8")], None),
            ("x", vec!["1234567890123456"], vec![words("1234567890123456")], None),
            (
                "x",
                vec!["0.3333333333333333", "14.285714285714286", "-0.30000000000000004"],
                vec![
                    number("0.3333333333333333"),
                    number("14.285714285714286"),
                    number("-0.30000000000000004"),
                ],
                Some("0.0000000000"),
            ),
            (
                "x",
                vec!["0.12345678901234567890", "1"],
                vec![words("0.12345678901234567890"), words("1")],
                None,
            ),
            (
                "占比",
                vec!["33.33333333333333%"],
                vec![number("0.3333333333333333")],
                Some("0.0000000000%"),
            ),
            ("x", vec!["1,23", "12,345"], vec![words("1,23"), words("12,345")], None),
            ("x", vec!["1.", "2"], vec![words("1."), words("2")], None),
            ("x", vec!["1e5"], vec![words("1e5")], None),
            ("客户编号", vec!["1001"], vec![words("1001")], None),
            ("Order ID", vec!["1001"], vec![words("1001")], None),
            (
                "日期",
                vec!["2024-02-29", "2024-12-31"],
                vec![SheetCell::Date("2024-02-29".into()), SheetCell::Date("2024-12-31".into())],
                Some("yyyy-mm-dd"),
            ),
            ("日期", vec!["2023-02-29"], vec![words("2023-02-29")], None),
            ("x", vec!["=1+1"], vec![words("=1+1")], None),
            ("x", vec!["", "3"], vec![SheetCell::Empty, number("3")], None),
        ] {
            assert_eq!(
                column(head, &cells),
                (expected, format.map(str::to_owned)),
                "{head} {cells:?}"
            );
        }
    }

    #[test]
    fn sheets_are_named_by_headings_and_the_rest_is_told() {
        let table = "| a | b |\n|---|---|\n| x | [l](https://a.test) |\n| 合计 | ![p](q.png) |\n";
        let source = format!(
            "# Report\n\ntext\n\n## Q1/Q2: [all]\n\n{table}\n{table}\n## {}\n\n- item\n\n> {}\n\n```\ncode\n```\n\nnote[^1]\n\n[^1]: foot\n",
            "长".repeat(40),
            table.replace('\n', "\n> ")
        );
        let made = of(&source);
        let names: Vec<_> = made.book.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        let long = "长".repeat(31);
        assert_eq!(names, ["Q1 Q2 all", "Q1 Q2 all (2)", long.as_str()]);
        assert_eq!(made.book.title.as_deref(), Some("Report"));
        let rows = &made.book.sheets[0].blocks[0].rows;
        assert!(matches!(&rows[0].cells[1], SheetCell::Link(link) if link.url == "https://a.test"));
        assert_eq!(rows[1].style, RowStyle::Total);
        insta::assert_snapshot!(made.warnings.join("\n"), @"
        what is no table is left out: paragraph (block 2), list (block 7), code (block 9), paragraph (block 10)
        the sheet of `Q1/Q2: [all]` is named `Q1 Q2 all`
        the sheet of `Q1/Q2: [all]` is named `Q1 Q2 all (2)`
        the sheet of `长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长` is named `长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长`
        footnotes are left out: 1
        images are not shown, their descriptions are: `p` (block 4, under `Q1/Q2: [all]`), `p` (block 5, under `Q1/Q2: [all]`), `p` (block 8, under `长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长`)
        ");
        assert_eq!(of("| a |\n|---|\n| 1 |\n").book.sheets[0].name, "Table 1");
        assert_eq!(of("# 收入\n\n| 列 |\n|---|\n| 1 |\n").book.sheets[0].name, "收入");
        let error = sheets(&markdown("text").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "document: expected a table for a workbook, got none");
    }

    #[test]
    fn columns_that_are_text_for_their_digits_and_long_headers_are_told() {
        let made = of(&format!(
            "## S\n\n| id | a | 编号 | {} |\n|---|---|---|---|\n| 1 | 12345678901234567 | 12345678901234567 | 1 |\n| 2 | 5 | 6 | 7 |\n",
            "h".repeat(404)
        ));
        assert_eq!(made.warnings.len(), 2, "{:?}", made.warnings);
        assert_eq!(
            made.warnings[0],
            "column `a` of sheet `S` is text, as a cell of Excel does not hold all digits of 1 of its numbers"
        );
        assert!(made.warnings[1].contains("1 headers are shortened"), "{:?}", made.warnings);
        #[cfg(feature = "xlsx")]
        assert!(crate::xlsx(&made.book, &crate::XlsxOptions::default()).is_ok());
    }

    #[test]
    fn what_is_made_is_a_workbook() {
        let source =
            "# T\n\n## 历史\n\n| 月 | 金额 | 占比 |\n|---|---:|---:|\n| 1月 | 1,234.50 | 12.5% |\n";
        let made = of(source);
        #[cfg(feature = "xlsx")]
        assert!(crate::xlsx(&made.book, &crate::XlsxOptions::default()).is_ok());
        assert_eq!(made.warnings, Vec::<String>::new());
    }
}
