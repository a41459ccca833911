//! Converts web pages to Markdown with their tables.
//!
//! Text that people do not see is left out, by the rules of the reader of web pages.
//!
//! The library would drop header cells in rows and shift cells behind merged ones, so tables are converted here.

mod visible;

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use htmd::element_handler::Handlers;
use htmd::options::{BrStyle, BulletListMarker, HrStyle, Options};
use htmd::{Element, HtmlToMarkdown, Node};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding, MessageParser, MimeHeaders};
use markup5ever_rcdom::NodeData;
use mitt_reader_kit::{
    Cell, MAX_CELLS, NamedTable, Piece, Table, cell_from_text, clean, header_depth, header_names,
    push_table, single_line,
};
pub use mitt_sight::Viewer;
use visible::Visible;

/// Most levels of nested elements that are written, because the tree is walked recursively.
const MAX_DEPTH: usize = 250;
/// Most columns that one cell may span. A page can claim any number.
const MAX_SPAN: usize = 256;
/// Most bytes of a cell in a table. Longer cells are text in a layout table.
const MAX_CELL_TEXT: usize = 2_000;

/// A page converted to Markdown.
#[derive(Default)]
pub struct Page {
    /// Its text.
    pub markdown: String,
    /// Its data tables. The text has them too.
    pub tables: Vec<NamedTable>,
    /// The title in its head.
    pub title: Option<String>,
    /// The targets of its pictures, without `cid:`.
    pub pictures: HashSet<String>,
    /// Warnings about what was read otherwise than it is shown.
    pub warnings: Vec<String>,
    /// Warnings about text that people do not see. They hold even if the plain text of a mail is shown instead of its page.
    pub hidden: Vec<String>,
}

#[derive(Default)]
struct Findings {
    tables: Vec<NamedTable>,
    cells: usize,
    pictures: HashSet<String>,
}

/// Converts a page to Markdown, without the text that `viewer` does not show.
pub fn read(html: &str, viewer: Viewer) -> Page {
    let html = clean(html);
    let mut page = Page { title: title(&html), ..Page::default() };
    let bounded = mitt_sight::bounded(&html);
    page.warnings = bounded.warnings(&html);
    let found = Arc::new(Mutex::new(Findings::default()));
    let (tables, pictures) = (found.clone(), found.clone());
    let options = Options {
        hr_style: HrStyle::Dashes,
        br_style: BrStyle::Backslash,
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder()
        .options(options)
        // Where no scripts run, people see what is for them.
        .scripting_enabled(false)
        .skip_tags(vec!["script", "style", "title", "template", "svg", "object"])
        .add_handler(vec!["img"], move |_: &dyn Handlers, element: Element| {
            picture(&element, &mut pictures.lock().unwrap_or_else(PoisonError::into_inner))
                .map(Into::into)
        })
        .add_handler(vec!["a"], |handlers: &dyn Handlers, element: Element| {
            if attribute(&element, "href").is_some_and(|link| is_web(&link)) {
                handlers.fallback(element)
            } else {
                Some(handlers.walk_children(element.node))
            }
        })
        .add_handler(vec!["table"], move |handlers: &dyn Handlers, element: Element| {
            Some(table(handlers, &element, &tables).into())
        })
        .build();
    let Ok(document) = converter.html_to_tree(&bounded.html) else { return page };
    let mut visible = Visible::of(&document, viewer);
    page.hidden.append(&mut visible.warnings);
    if visible.depth > MAX_DEPTH {
        page.markdown = clean(&visible.text());
        page.warnings
            .push("the page is nested too deep: only its text was read, without tables".into());
        return page;
    }
    page.markdown = tidy(&converter.tree_to_markdown(&document));
    drop(converter);
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    page.tables = std::mem::take(&mut found.tables);
    page.pictures = std::mem::take(&mut found.pictures);
    page
}

/// Returns the bytes of the page in a web archive (MHT), and the encoding that its fields declare. `None` if it has no page.
pub fn of_archive(bytes: &[u8]) -> Option<(Vec<u8>, Option<String>)> {
    let message = MessageParser::default().parse(bytes)?;
    let page = message.parts.iter().find(|part| part.is_text_html())?;
    let sent = bytes.get(page.raw_body_offset() as usize..page.raw_end_offset() as usize)?;
    let own = match page.encoding {
        Encoding::None => sent.to_vec(),
        Encoding::QuotedPrintable => quoted_printable_decode(sent)?,
        Encoding::Base64 => base64_decode(sent)?,
    };
    let label = page.content_type().and_then(|kind| kind.attribute("charset"));
    Some((own, label.map(str::to_owned)))
}

/// Removes spaces at the ends of lines, and repeated empty lines.
fn tidy(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut empty = 0;
    for line in markdown.lines() {
        let line = line.trim_end_matches([' ', '\t', '\u{a0}']);
        // A line break before an empty line, or alone in a line, has no effect.
        let is_empty = line.trim_matches(['\\', ' ', '\u{a0}']).is_empty();
        empty = if is_empty { empty + 1 } else { 0 };
        if empty > 1 {
            continue;
        }
        if is_empty && out.ends_with("\\\n") {
            out.truncate(out.len() - 2);
            out.push('\n');
        }
        out.push_str(if is_empty { "" } else { line });
        out.push('\n');
    }
    out.trim_matches('\n').trim_end_matches('\\').to_owned()
}

fn title(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let from = start + lower.get(start..)?.find('>')? + 1;
    let to = from + lower.get(from..)?.find("</title")?;
    let title = single_line(&mail_parser::decoders::html::html_to_text(html.get(from..to)?));
    (!title.is_empty()).then_some(title)
}

fn attribute(element: &Element, name: &str) -> Option<String> {
    let found = element.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// Returns `true` for an address that a reader of the text can open.
fn is_web(link: &str) -> bool {
    let link = link.trim().to_ascii_lowercase();
    ["http://", "https://", "mailto:"].iter().any(|scheme| link.starts_with(scheme))
}

fn picture(element: &Element, found: &mut Findings) -> Option<String> {
    if let Some(source) = attribute(element, "src") {
        found.pictures.insert(source.strip_prefix("cid:").unwrap_or(&source).to_owned());
    }
    let text = single_line(&clean(&attribute(element, "alt")?));
    (!text.is_empty()).then(|| format!("[picture: {}]", mitt_reader_kit::escape(&text)))
}

/// Writes a data table, or the text of a layout table.
fn table(handlers: &dyn Handlers, element: &Element, found: &Mutex<Findings>) -> String {
    let mut rows = Vec::new();
    let mut caption = None;
    collect(element.node, &mut rows, &mut caption);
    let is_layout = attribute(element, "role").is_some_and(|role| role == "presentation");
    if !is_layout && let Some(pieces) = pieces(&rows) {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = place(pieces, rows.len(), MAX_CELLS.saturating_sub(found.cells)) {
            found.cells += table.columns.len() * table.rows.len();
            let mut text = String::from("\n\n");
            let name = caption.unwrap_or_default();
            if !name.is_empty() {
                text.push_str(&format!("{}\n\n", mitt_reader_kit::escape(&name)));
            }
            push_table(&mut text, &table);
            text.push('\n');
            found.tables.push(NamedTable { name, data: table, place: None });
            return text;
        }
    }
    let mut out = String::from("\n\n");
    out.push_str(&caption.map(|caption| caption + "\n\n").unwrap_or_default());
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| handlers.walk_children(cell).content.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        let is_line = cells.iter().all(|text| !text.contains('\n') && text.len() < 200);
        out.push_str(&cells.join(if is_line { " " } else { "\n\n" }));
        out.push_str("\n\n");
    }
    out
}

/// Collects the cells of each row of a table, except those of nested tables.
fn collect(node: &Rc<Node>, rows: &mut Vec<Vec<Rc<Node>>>, caption: &mut Option<String>) {
    for child in node.children.borrow().iter() {
        match tag(child) {
            Some("tr") => {
                let is_cell = |node: &&Rc<Node>| matches!(tag(node), Some("td" | "th"));
                rows.push(child.children.borrow().iter().filter(is_cell).cloned().collect());
            }
            Some("thead" | "tbody" | "tfoot") => collect(child, rows, caption),
            Some("caption") => {
                let mut text = String::new();
                push_text(child, &mut text);
                *caption = Some(single_line(&text));
            }
            _ => {}
        }
    }
}

fn tag(node: &Rc<Node>) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

/// Returns the cells with their positions; `None` for a layout table.
fn pieces(rows: &[Vec<Rc<Node>>]) -> Option<Vec<Piece>> {
    if rows.len() < 2 || rows.iter().map(Vec::len).max()? < 2 {
        return None;
    }
    let mut pieces = Vec::new();
    // For each column, the first row in which it is free again.
    let mut free_from: Vec<usize> = Vec::new();
    for (row, cells) in rows.iter().enumerate() {
        let mut column = 0;
        for cell in cells {
            while free_from.get(column).is_some_and(|free| *free > row) {
                column += 1;
            }
            let span = |name: &str| span(cell, name);
            let columns = span("colspan").min(MAX_SPAN);
            let height = span("rowspan").min(rows.len() - row);
            if free_from.len() < column + columns {
                free_from.resize(column + columns, 0);
            }
            for free in free_from.iter_mut().skip(column).take(columns) {
                *free = row + height;
            }
            let mut text = String::new();
            // A cell with a nested table or a long text shows that this is a layout table.
            if !push_text(cell, &mut text) || text.len() > MAX_CELL_TEXT {
                return None;
            }
            let lines = text.lines().map(single_line).filter(|line| !line.is_empty());
            let cell = cell_from_text(&lines.collect::<Vec<_>>().join("\n"));
            pieces.push(Piece { row, column, rows: height, columns, cell });
            column += columns;
        }
    }
    Some(pieces)
}

fn span(cell: &Rc<Node>, name: &str) -> usize {
    let NodeData::Element { attrs, .. } = &cell.data else { return 1 };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attribute| &*attribute.name.local == name);
    found.and_then(|attribute| attribute.value.trim().parse().ok()).unwrap_or(1).max(1)
}

/// Appends the plain text of a cell. Returns `false` if it contains a table.
fn push_text(node: &Rc<Node>, out: &mut String) -> bool {
    for child in node.children.borrow().iter() {
        match &child.data {
            // Line breaks in the source are spaces.
            NodeData::Text { contents } => {
                out.push_str(&contents.borrow().replace(['\n', '\r', '\t'], " "));
            }
            NodeData::Element { name, .. } => match &*name.local {
                "table" => return false,
                "script" | "style" => {}
                block => {
                    let breaks = matches!(block, "br" | "p" | "div" | "li" | "ul" | "ol" | "tr");
                    if breaks {
                        out.push('\n');
                    }
                    if !push_text(child, out) {
                        return false;
                    }
                    if breaks {
                        out.push('\n');
                    }
                }
            },
            _ => {}
        }
    }
    true
}

/// Returns the table with its header separated. `None` if it is empty or has more cells than allowed.
fn place(mut pieces: Vec<Piece>, height: usize, allowed: usize) -> Option<Table> {
    pieces.retain(|piece| piece.cell != Cell::Null);
    // Empty columns exist only for their width.
    let mut starts: Vec<usize> = pieces.iter().map(|piece| piece.column).collect();
    starts.sort_unstable();
    starts.dedup();
    for piece in &mut pieces {
        let from = starts.partition_point(|start| *start < piece.column);
        let to = starts.partition_point(|start| *start < piece.column + piece.columns);
        (piece.column, piece.columns) = (from, to - from);
    }
    let width = starts.len();
    let first = pieces.iter().map(|piece| piece.row).min()?;
    if width < 2 || width.saturating_mul(height) > allowed {
        return None;
    }
    let head: Vec<&Piece> = pieces.iter().filter(|piece| piece.row == first).collect();
    let body = first + header_depth(&head, height - first);
    let columns = header_names(&pieces, first..body, width);
    let mut rows = vec![vec![Cell::Null; width]; height.saturating_sub(body)];
    for piece in pieces {
        // Text in a cell over several rows names their group, so it is repeated. A repeated number would be counted twice.
        let repeat = if matches!(piece.cell, Cell::Text(_)) { piece.rows } else { 1 };
        for row in piece.row.max(body)..(piece.row + repeat).min(height) {
            if let Some(cell) = rows.get_mut(row - body).and_then(|row| row.get_mut(piece.column)) {
                *cell = piece.cell.clone();
            }
        }
    }
    rows.retain(|row| row.iter().any(|cell| *cell != Cell::Null));
    (!rows.is_empty()).then_some(Table { columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(html: &str) -> Page {
        read(html, Viewer::Mail)
    }

    #[test]
    fn text_with_its_marks_and_without_what_acts() {
        let page = see(
            "<html><head><title>T &amp; U</title><style>p{}</style></head><body><h2>标题</h2><p>a <b>bold</b><br>next \
             <a href='https://x.org/'>link</a> <a href='javascript:x()'>none</a></p><script>x</script><ul><li>1<li>2</ul>\
             <blockquote><p>earlier</p></blockquote><img src='cid:a@b' alt='图'><img src='x.gif'></body></html>",
        );
        assert_eq!(page.title.as_deref(), Some("T & U"));
        assert_eq!(
            page.markdown,
            "## 标题\n\na **bold**\\\nnext [link](https://x.org/) none\n\n- 1\n- 2\n\n> earlier\n\n[picture: 图]"
        );
        assert!(page.pictures.contains("a@b") && page.pictures.contains("x.gif"));
    }

    #[test]
    fn tables_of_data_keep_their_columns() {
        let page = see(
            "<table><caption>销售</caption><tr><th>区域<th colspan=2>Q1</tr><tr><td rowspan=2>东<td>1<td>2</tr>\
             <tr><th>3</th><td>4,5</tr></table>",
        );
        assert_eq!(
            page.markdown,
            "销售\n\n| 区域 | Q1 | Q1_2 |\n| --- | --- | --- |\n| 东 | 1 | 2 |\n| 东 | 3 | 4,5 |"
        );
        assert_eq!((page.tables.len(), page.tables[0].name.as_str()), (1, "销售"));
    }

    #[test]
    fn tables_for_layout_are_text() {
        let page = see(
            "<table><tr><td><table><tr><td>Name:</td><td>x</td></tr></table></td></tr><tr><td><p>one</p><p>two</p></td></tr></table>",
        );
        assert_eq!((page.markdown.as_str(), page.tables.len()), ("Name: x\n\none\n\ntwo", 0));
    }

    #[test]
    fn depth_and_spans_are_bounded() {
        let deep = format!("{}x{}", "<div>".repeat(50_000), "</div>".repeat(50_000));
        let page = see(&deep);
        assert_eq!((page.markdown.trim(), page.warnings.len()), ("x", 1));
        let wide =
            "<table><tr><td colspan=99999999>a<td>b<tr><td rowspan=4000000000>c<td>d</table>";
        assert_eq!(see(wide).tables.len(), 1);
    }
}
