//! Tables in GBNF: columns and rows that fit together, and names of tables that stand elsewhere.

use super::Writer;
use crate::schema::lower::shape::{List, Node, Property, Shape};
use crate::schema::lower::{LossKind, words};

/// Most columns whose rows are written as long as they are. A grammar cannot count: it needs two rules for each number of columns.
const COUNTED_COLUMNS: usize = 16;

/// What is said of rows of wider tables.
const UNCOUNTED: &str = "rows of more than 16 cells have one cell for each column";

/// Loss of names of tables if the schema does not list them.
pub(super) const NAMED: &str = "the name of a table is a result (`t:3`), or has an ending (`a.csv`) or a part (`a.xlsx#Sheet2`)";

/// A character of such a name. None begins as JSON does, which the host takes for rows in a text.
const NAME_CHARACTER: &str = r##"[^"#\\\x00-\x1F]"##;
const FIRST_CHARACTER: &str = r##"[^"#\\\x00-\x1F\x5B{]"##;

impl Writer<'_> {
    /// The name of a table: a result of the session, or a document by its file name.
    pub(super) fn table_name(&mut self) -> String {
        let character = self.grammar.fixed("tn", NAME_CHARACTER);
        let part = self.grammar.fixed("tn-part", &format!("\"#\" {character}{{1,120}}"));
        let ending = self.grammar.fixed("tn-end", "\".\" [0-9A-Za-z]{1,8}");
        let body = format!(
            r#""\"" ("t:" [1-9] [0-9]{{0,8}} | {FIRST_CHARACTER} {character}{{0,120}} ({ending} {part}? | {part})) "\"""#
        );
        self.grammar.fixed("table-name", &body)
    }

    /// A table in columns and rows, each row with as many cells as there are columns. `None` if the fields are no such table.
    ///
    /// The columns are counted by rules that follow each other: behind the name of the third, either a fourth one follows or rows of three
    /// cells do. So there is never a choice that a decoder would have to keep open.
    pub(super) fn columns_and_rows(&mut self, fields: &[Property]) -> Option<String> {
        let [columns, rows] = fields else { return None };
        let names = list_of(&columns.node)?;
        let cells = list_of(&list_of(&rows.node)?.items)?;
        let is_plain = |list: &List| list.min == 0 && list.max.is_none();
        if !(columns.required && rows.required && is_plain(names) && is_plain(cells)) {
            return None;
        }
        self.lose(&columns.node, LossKind::Constraint, words::list(names));
        self.lose(&rows.node, LossKind::Constraint, [UNCOUNTED.into()]);
        let (name, cell) = (self.node(&names.items), self.node(&cells.items));
        let w = self.space();
        let next = self.grammar.rule("n", format!("\",\" {w} {cell}"));
        let rows = format!("\"]\" \",\" {w} \"\\\"rows\\\":\" {w} \"[\" {w}");
        let (rows, end) = (
            self.grammar.fixed("rows", &rows),
            self.grammar.fixed("end", &format!("{w} \"]\" {w} \"}}\"")),
        );
        let behind = |row: &str| format!("{rows} ({row} (\",\" {w} {row})*)? {end}");
        let row = |count: usize, times: &str| match count {
            0 => format!("\"[\" {w} \"]\""),
            _ => format!("\"[\" {w} {cell}{times} {w} \"]\""),
        };
        // The widest first, as each rule names the one behind it.
        let wide =
            self.grammar.rule("row", row(1, &format!(" {next}{{{COUNTED_COLUMNS}}} {next}*")));
        let mut rest =
            self.grammar.rule("cols", format!("{name} (\",\" {w} {name})* {w} {}", behind(&wide)));
        for count in (1..=COUNTED_COLUMNS).rev() {
            let times = match count {
                1 => String::new(),
                2 => format!(" {next}"),
                more => format!(" {next}{{{}}}", more - 1),
            };
            let row = self.grammar.rule("row", row(count, &times));
            let rows = behind(&row);
            rest = self.grammar.rule("cols", format!("{name} ({w} {rows} | \",\" {w} {rest})"));
        }
        let none = self.grammar.rule("row", row(0, ""));
        let none = behind(&none);
        let body = format!("\"{{\" {w} \"\\\"columns\\\":\" {w} \"[\" {w} ({none} | {rest})");
        Some(self.grammar.rule("tab", body))
    }
}

fn list_of(node: &Node) -> Option<&List> {
    match &node.shape {
        Shape::List(list) => Some(list),
        _ => None,
    }
}
