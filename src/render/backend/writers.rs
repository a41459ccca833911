//! The functions for files of office programs, each of which a build may lack: their interface, which is the same in every
//! build.

use crate::model::disabled::built;
use crate::{
    Doc, Docx, DocxOptions, FillOptions, FillValue, FillValues, Filled, Pptx, PptxOptions,
    SlideTexts, Workbook, Xlsx, XlsxOptions,
};
use mitt_base::Result;

/// Writes a document as a Word file.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - an invalid language tag; more than 60 000 paragraphs, items,
/// cells and other elements. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no writer (feature
/// `docx`). With a template, those of [`fill_docx`]. [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
///
/// # Example: a report with a contents field
///
/// ```
/// # if cfg!(not(feature = "docx")) { return Ok(()); }
/// use mitt_render::{CommonOptions, DocxOptions, docx, markdown};
///
/// let doc = markdown("# 年度报告\n\n## 一、概况\n\n收入**增长** 12.5%。\n")?;
/// let common = CommonOptions { contents: true, ..CommonOptions::default() };
/// let options = DocxOptions { common, ..DocxOptions::default() };
/// let word = docx(&doc, &options)?;
/// assert!(word.bytes.starts_with(b"PK"));
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn docx(doc: &Doc, options: &DocxOptions) -> Result<Docx> {
    built!(docx: crate::backend::docx::docx(doc, options))
}

/// Fills a Word template: values replace `{{name}}`, and `content`, if there is any, `{{content}}` alone in a paragraph.
///
/// Marks are found even if Word has split them into runs, in the text, in tables and text boxes, in headers, footers and
/// notes. Everything between paragraphs or rows `{{#items}}` and `{{/items}}` is repeated for each item; a row of a table
/// whose cells contain `{{items.price}}` is repeated by itself; `{{^items}}` begins a part for the case without items.
/// `{{@number}}` is the number of the item. `{{price|#,##0.00}}` writes a number or date in a format. A merge field of Word
/// (`MERGEFIELD price \\# "#,##0.00"`) whose name has a value is filled like a mark. Unknown parts are copied byte for byte.
/// The result depends on nothing but the arguments.
///
/// `{{price * quantity}}`, `{{sum(items.total)}}` and `{{#if total > 1000}}` calculate exactly. `{{months.*}}` repeats a
/// column. `{{body|markdown}}`, `{{sales|table}}`, `{{sales|chart:bar}}`, `{{logo|picture:6cm}}` and `{{annex|document}}`
/// insert what their values mean; [`docx_files`] names the files that they need.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - names of the template without a value, all of them at once; a
/// mark without an end; a list in place of a single value; a value that does not fit its format; more than 500 000 elements
/// or 64 MiB of text in the result. [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the template is no `.docx` or
/// `.dotx`, has macros, a signature, a password or references to other files, is broken or hostile, or is larger than 32
/// MiB. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no writer (feature `docx`).
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
pub fn fill_docx(
    template: &[u8],
    values: &FillValues,
    content: Option<&Doc>,
    options: &DocxOptions,
) -> Result<Docx> {
    built!(docx: crate::backend::docx::fill_docx(template, values, content, options))
}

/// Returns the names of the pictures and Word files that a filling inserts, in order: values of marks such as
/// `{{logo|picture}}` and `{{annex|document}}`, frames of pictures whose alternative text is a mark, and pictures in values
/// in Markdown. The caller gives them in [`DocxOptions::pictures`] and [`DocxOptions::documents`].
///
/// # Errors
///
/// Those of [`fill_docx`] about the template and its limits.
pub fn docx_files(
    template: &[u8],
    values: &FillValues,
    options: &DocxOptions,
) -> Result<Vec<String>> {
    built!(docx: crate::backend::docx::docx_files(template, values, options))
}

/// Fills a workbook (`.xlsx`, `.xlsm`) with values.
///
/// A value goes to the cells whose text names it (`{{customer.name}}`; alone in its cell it keeps its type), to the cell or
/// range of its address (`Sheet1!B2`, `Sheet1!B5:E5`) or to the range of a defined name. A row whose cells name fields of a
/// list (`{{items.price}}`), rows between `{{#items}}` and `{{/items}}`, and a range of one row are repeated for each row of
/// the list, with formats, formulas and merged cells. Content below is pushed down, and references everywhere follow.
///
/// Lists within the items of a list repeat rows within rows (`{{orders.lines.price}}`, or rows between marks),
/// `{{months.*}}` repeats
/// its column, and a sheet that is called `{{departments.name}}` is copied for each item. Rows between `{{#if total >
/// 1000}}` and
/// `{{/if}}` depend on a condition. Expressions and formats are those of templates of Word: `{{price * quantity|#,##0.00}}`,
/// `{{sum(items.total)}}`. `{{logo|picture}}` shows a picture; [`xlsx_files`] names those that are needed.
///
/// # Errors
///
/// [`Input`](mitt_base::ErrorKind::Input) - the template is no workbook of this kind, damaged, encrypted, signed, or too
/// large. [`Arguments`](mitt_base::ErrorKind::Arguments) - values are missing or do not fit: all of them, each with its
/// place.
pub fn fill_xlsx(template: &[u8], values: &FillValues, options: &FillOptions) -> Result<Filled> {
    built!(fill: crate::backend::fill::fill_xlsx(template, values, options))
}

/// Returns the names of the pictures that a filling may show, in the order of the values: texts that end in `.png`, `.jpg`
/// or `.jpeg`,
/// and `picture` in records. Empty if nothing in the template asks for a picture. The caller gives those that exist in
/// [`FillOptions::pictures`].
///
/// # Errors
///
/// [`Input`](mitt_base::ErrorKind::Input) - the template is no package, damaged, encrypted, or too large.
pub fn xlsx_files(template: &[u8], values: &FillValues) -> Result<Vec<String>> {
    built!(fill: crate::backend::fill::xlsx_files(template, values))
}

/// Appends rows below those of a sheet, in the format of the last one.
///
/// In an Excel table they become part of it. `sheet` is the name of a sheet or of a table; `None` is the first sheet. Rows
/// are records with the names of the columns, or a table; lists go from left to right. A row of totals stays the last one.
///
/// # Errors
///
/// Those of [`fill_xlsx`]; [`Arguments`](mitt_base::ErrorKind::Arguments) - there is no such sheet, or no such column: all
/// of them.
pub fn append_xlsx(
    workbook: &[u8],
    sheet: Option<&str>,
    rows: &FillValue,
    options: &FillOptions,
) -> Result<Filled> {
    built!(fill: crate::backend::fill::append_xlsx(workbook, sheet, rows, options))
}

/// Writes a document as slides.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - an invalid language tag; more than 60 000 paragraphs, items,
/// cells and other elements; more than 2 000 slides. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build
/// has no writer (feature `pptx`). [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
///
/// # Example: a title and two slides
///
/// ```
/// # if cfg!(not(feature = "pptx")) { return Ok(()); }
/// use mitt_render::{PptxOptions, markdown, pptx};
///
/// let doc = markdown("# 年度汇报\n\n## 收入\n\n- 增长 **12.5%**\n\n## 用户\n\n| 月份 | DAU |\n|---|---:|\n| 1 月 | 1,200 |\n")?;
/// let made = pptx(&doc, &PptxOptions::default())?;
/// assert_eq!(made.slides, 3);
/// assert!(made.bytes.starts_with(b"PK"));
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn pptx(doc: &Doc, options: &PptxOptions) -> Result<Pptx> {
    built!(pptx: crate::backend::pptx::pptx(doc, options))
}

/// Divides a document into slides, as [`crate::pptx`] does, without places and looks: what is too much for a slide stays on
/// it. The theme and the time of the options have no meaning here.
///
/// # Errors
///
/// Those of [`crate::pptx`], except that of too many slides.
pub fn slide_texts(doc: &Doc, options: &PptxOptions) -> Result<SlideTexts> {
    built!(pptx: crate::backend::pptx::slide_texts(doc, options))
}

/// Writes a workbook. Tables are read as they are written; except for the compressed file, the memory that this takes does
/// not grow with them.
///
/// # Errors
///
/// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - the workbook breaks rules of the format; names sheet, row and
/// column of each. [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no writer (feature `xlsx`).
/// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the account has not enough memory.
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - it was cancelled.
pub fn xlsx(book: &Workbook, options: &XlsxOptions) -> Result<Xlsx> {
    built!(xlsx: crate::backend::xlsx::xlsx(book, options))
}
