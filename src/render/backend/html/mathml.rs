//! Formulas as MathML Core, which browsers draw and screen readers read. Styles without an element are classes of the style
//! sheet.

use std::fmt::Write as _;

use crate::shared::losses::Losses;
use crate::shared::math::{
    Class, Formula, Grid, GridKind, Letters, Mark, Node, ScriptPlacement, Side, Size, Strike,
    Symbol, Text, is_integral, styled,
};
use crate::shared::xml::push_text;

/// Writes a formula; `source` is its alternative text.
pub(super) fn write(
    html: &mut String,
    formula: &Formula,
    source: &str,
    display: bool,
    losses: &mut Losses,
) {
    let tag = formula.tag.as_deref().filter(|_| display);
    if tag.is_some() {
        html.push_str("<span class=\"equation\">");
    }
    html.push_str(if display { "<math display=\"block\" alttext=\"" } else { "<math alttext=\"" });
    push_text(html, source, losses);
    html.push_str("\">");
    let mut writer = Writer { html, losses };
    writer.row(&formula.body);
    if let (Some(tag), None) = (formula.tag.as_deref(), tag) {
        writer.text("mtext", &format!("\u{2003}({tag})"));
    }
    html.push_str("</math>");
    if let Some(tag) = tag {
        html.push_str("<span class=\"tag\">(");
        push_text(html, tag, losses);
        html.push_str(")</span></span>");
    }
}

struct Writer<'a> {
    html: &'a mut String,
    losses: &'a mut Losses,
}

impl Writer<'_> {
    fn text(&mut self, tag: &str, text: &str) {
        let _ = write!(self.html, "<{tag}>");
        push_text(self.html, text, self.losses);
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.html, "</{name}>");
    }

    fn around(&mut self, tag: &str, write: impl FnOnce(&mut Self)) {
        let _ = write!(self.html, "<{tag}>");
        write(self);
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.html, "</{name}>");
    }

    /// Writes a node as a single element.
    fn row(&mut self, node: &Node) {
        match node {
            Node::Row(nodes) => self.around("mrow", |writer| writer.nodes(nodes)),
            node => self.node(node),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate() {
            let is_function = matches!(crate::shared::math::innermost(node), Node::Operator { .. });
            let before = index.checked_sub(1).and_then(|index| nodes.get(index));
            if is_function
                && before.is_some_and(|node| {
                    matches!(node.class(), Class::Ordinary | Class::Closing)
                        && !matches!(node, Node::Space(_))
                })
            {
                self.space(3);
            }
            self.row(node);
            if is_function {
                self.html.push_str("<mo>\u{2061}</mo>");
                let is_apart = nodes.get(index + 1).is_some_and(|node| {
                    matches!(node.class(), Class::Ordinary | Class::Large)
                        && !matches!(node, Node::Space(_) | Node::Fence { .. })
                        && !matches!(crate::shared::math::innermost(node), Node::Operator { .. })
                });
                if is_apart {
                    self.space(3);
                }
            }
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Row(nodes) => self.nodes(nodes),
            Node::Symbol(symbol) => self.symbol(symbol),
            Node::Text(text) => self.words(text),
            Node::Operator { name, has_limits: true } => {
                self.text("mo movablelimits=\"true\" lspace=\"0\" rspace=\"0\"", name);
            }
            Node::Operator { name, has_limits: false } => {
                self.text("mi mathvariant=\"normal\"", name);
            }
            Node::Space(width) => self.space(*width),
            Node::Fraction { top, bottom, size } => self.sized(*size, |writer| {
                writer.around("mfrac", |writer| {
                    writer.row(top);
                    writer.row(bottom);
                });
            }),
            Node::Binomial { top, bottom, size } => self.sized(*size, |writer| {
                writer.around("mrow", |writer| {
                    writer.fence_sign('(', "prefix");
                    writer.around("mfrac linethickness=\"0\"", |writer| {
                        writer.row(top);
                        writer.row(bottom);
                    });
                    writer.fence_sign(')', "postfix");
                });
            }),
            Node::Root { index: None, body } => self.around("msqrt", |writer| writer.row(body)),
            Node::Root { index: Some(index), body } => self.around("mroot", |writer| {
                writer.row(body);
                writer.row(index);
            }),
            Node::Scripts { base, sub, sup, place } => {
                self.scripts(base, sub.as_deref(), sup.as_deref(), *place)
            }
            Node::Accent { base, accent } => self.around("mover accent=\"true\"", |writer| {
                writer.row(base);
                let stretchy = accent.is_wide;
                writer.text(
                    &format!("mo stretchy=\"{stretchy}\""),
                    accent.alone.encode_utf8(&mut [0; 4]),
                );
            }),
            Node::Along { base, mark: Mark::Line, is_over } => {
                // Few fonts have a line that stretches.
                let class = if *is_over { "over" } else { "under" };
                self.around(&format!("mrow class=\"{class}\""), |writer| writer.row(base));
            }
            Node::Along { base, mark, is_over } => {
                let sign = match (mark, is_over) {
                    (Mark::Line, _) => "",
                    (Mark::Brace, true) => "⏞",
                    (Mark::Brace, false) => "⏟",
                    (Mark::Bracket, true) => "⎴",
                    (Mark::Bracket, false) => "⎵",
                    (Mark::Parenthesis, true) => "⏜",
                    (Mark::Parenthesis, false) => "⏝",
                };
                let tag =
                    if *is_over { "mover accent=\"true\"" } else { "munder accentunder=\"true\"" };
                self.around(tag, |writer| {
                    writer.row(base);
                    writer.text("mo stretchy=\"true\"", sign);
                });
            }
            Node::Arrow { sign, above, below } => {
                let tag = if below.is_some() { "munderover" } else { "mover" };
                self.around(tag, |writer| {
                    writer.text("mo stretchy=\"true\"", sign.encode_utf8(&mut [0; 4]));
                    if let Some(below) = below {
                        writer.padded(below);
                    }
                    writer.padded(above);
                });
            }
            Node::Fence { open, close, between, parts } => self.around("mrow", |writer| {
                if let Some(open) = open {
                    writer.fence_sign(*open, "prefix");
                }
                for (index, part) in parts.iter().enumerate() {
                    if let Some(sign) = index.checked_sub(1).and_then(|index| between.get(index)) {
                        writer.fence_sign(*sign, "infix");
                    }
                    writer.row(part);
                }
                if let Some(close) = close {
                    writer.fence_sign(*close, "postfix");
                }
            }),
            Node::Big { sign, step, .. } => {
                let height = f64::from(*step) * 0.6 + 0.6;
                let tag = format!(
                    "mo stretchy=\"true\" symmetric=\"true\" lspace=\"0\" rspace=\"0\" minsize=\"{height:.1}em\" maxsize=\"{height:.1}em\""
                );
                self.text(&tag, sign.encode_utf8(&mut [0; 4]));
            }
            Node::Grid(grid) => self.grid(grid),
            Node::Boxed(body) => self.around("mrow class=\"boxed\"", |writer| writer.row(body)),
            Node::Struck { body, strike } => {
                let class = match strike {
                    Strike::Up => "up",
                    Strike::Down => "down",
                    Strike::Both => "up down",
                };
                self.around(&format!("mrow class=\"struck {class}\""), |writer| writer.row(body));
            }
            Node::Phantom(body) => self.around("mphantom", |writer| writer.row(body)),
            Node::Sized { size, body } => self.sized(Some(*size), |writer| writer.row(body)),
            Node::Classed { class, body } => {
                let space = match class {
                    Class::Relation => 5,
                    Class::Binary => 4,
                    _ => 0,
                };
                self.around("mrow", |writer| {
                    writer.space(space);
                    writer.row(body);
                    writer.space(space);
                });
            }
        }
    }

    /// Writes a label of an arrow, with space on both sides.
    fn padded(&mut self, node: &Node) {
        self.around("mrow", |writer| {
            writer.space(6);
            writer.row(node);
            writer.space(6);
        });
    }

    fn space(&mut self, eighteenths: i32) {
        if eighteenths != 0 {
            let _ = write!(self.html, "<mspace width=\"{:.4}em\"/>", f64::from(eighteenths) / 18.0);
        }
    }

    fn sized(&mut self, size: Option<Size>, write: impl FnOnce(&mut Self)) {
        let tag = match size {
            None => return write(self),
            Some(Size::Display) => "mstyle displaystyle=\"true\" scriptlevel=\"0\"",
            Some(Size::Text) => "mstyle displaystyle=\"false\" scriptlevel=\"0\"",
            Some(Size::Script) => "mstyle displaystyle=\"false\" scriptlevel=\"1\"",
            Some(Size::ScriptScript) => "mstyle displaystyle=\"false\" scriptlevel=\"2\"",
        };
        self.around(tag, write);
    }

    fn fence_sign(&mut self, sign: char, form: &str) {
        let tag = format!("mo form=\"{form}\" fence=\"true\" stretchy=\"true\"");
        self.text(&tag, sign.encode_utf8(&mut [0; 4]));
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let Symbol { text, class, letters } = symbol;
        let is_figure = text.starts_with(|c: char| c.is_ascii_digit());
        let is_letter = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '∂' | '∇'));
        match class {
            Class::Ordinary if is_figure => {
                let upright = Letters { is_italic: Some(false), ..*letters };
                self.text("mn", &styled(text, upright));
            }
            Class::Ordinary if is_letter => {
                let shown = styled(text, *letters);
                // MathML makes a single letter italic unless an attribute says otherwise.
                let is_upright = letters.is_italic == Some(false) || shown.chars().count() > 1;
                let is_plain = shown == *text;
                let tag = if is_upright && is_plain { "mi mathvariant=\"normal\"" } else { "mi" };
                self.text(tag, &shown);
            }
            Class::Ordinary => {
                // A symbol alone has no space around it.
                self.text("mo form=\"prefix\" stretchy=\"false\" lspace=\"0\" rspace=\"0\"", text);
            }
            Class::Large => self.text("mo", text),
            Class::Binary => {
                self.text("mo form=\"infix\" lspace=\"0.2222em\" rspace=\"0.2222em\"", text)
            }
            Class::Relation => self.text(
                "mo form=\"infix\" stretchy=\"false\" lspace=\"0.2778em\" rspace=\"0.2778em\"",
                text,
            ),
            Class::Opening => self.text("mo form=\"prefix\" stretchy=\"false\"", text),
            Class::Closing => self.text("mo form=\"postfix\" stretchy=\"false\"", text),
            Class::Punctuation => {
                self.text("mo separator=\"true\" lspace=\"0\" rspace=\"0.1667em\"", text)
            }
        }
    }

    fn words(&mut self, text: &Text) {
        let mut class = Vec::new();
        class.extend(text.is_strong.then_some("strong"));
        class.extend(text.is_italic.then_some("italic"));
        class.extend(text.is_code.then_some("code"));
        let tag = if class.is_empty() {
            "mtext".to_owned()
        } else {
            format!("mtext class=\"{}\"", class.join(" "))
        };
        // Spaces at the edges would disappear.
        self.text(&tag, &text.text.replace(' ', "\u{A0}"));
    }

    fn scripts(
        &mut self,
        base: &Node,
        sub: Option<&Node>,
        sup: Option<&Node>,
        place: ScriptPlacement,
    ) {
        let (below, above) = match place {
            ScriptPlacement::Beside => ("sub", "sup"),
            _ => ("under", "over"),
        };
        let tag = match (sub, sup) {
            (Some(_), Some(_)) => format!("m{below}{above}"),
            (Some(_), None) => format!("m{below}"),
            _ => format!("m{above}"),
        };
        self.around(&tag, |writer| {
            match base {
                // Only operators move their limits by themselves.
                Node::Symbol(symbol) if symbol.is_large() && place == ScriptPlacement::Stacked => {
                    writer.text("mo movablelimits=\"false\"", &symbol.text);
                }
                Node::Symbol(symbol)
                    if symbol.is_large()
                        && place == ScriptPlacement::Movable
                        && !is_integral(&symbol.text) =>
                {
                    writer.text("mo movablelimits=\"true\"", &symbol.text);
                }
                Node::Operator { name, .. } if place == ScriptPlacement::Stacked => {
                    writer.text("mo movablelimits=\"false\" lspace=\"0\" rspace=\"0\"", name);
                }
                base => writer.row(base),
            }
            for script in [sub, sup].into_iter().flatten() {
                writer.row(script);
            }
        });
    }

    fn grid(&mut self, grid: &Grid) {
        let kind = match grid.kind {
            GridKind::Matrix => "mtable",
            GridKind::Small => "mtable class=\"small\" scriptlevel=\"1\"",
            GridKind::Cases => "mtable class=\"cases\"",
            GridKind::Lines => "mtable class=\"lines\" displaystyle=\"true\"",
        };
        self.around("mrow", |writer| {
            if let Some(open) = grid.open {
                writer.fence_sign(open, "prefix");
            }
            writer.around(kind, |writer| {
                for (row, cells) in grid.rows.iter().enumerate() {
                    writer.around("mtr", |writer| {
                        for (column, cell) in cells.iter().enumerate() {
                            let mut class = Vec::new();
                            match grid.columns.get(column) {
                                Some(Side::Left) => class.push("l"),
                                Some(Side::Right) => class.push("r"),
                                _ => {}
                            }
                            class.extend(grid.lines.contains(&(column + 1)).then_some("line"));
                            let is_last = column + 1 == cells.len();
                            class.extend(
                                (is_last && grid.lines.contains(&(column + 2))).then_some("edge"),
                            );
                            class.extend(grid.rules.contains(&(row + 1)).then_some("rule"));
                            let is_last = row + 1 == grid.rows.len();
                            class.extend(
                                (is_last && grid.rules.contains(&(row + 2))).then_some("floor"),
                            );
                            let tag = if class.is_empty() {
                                "mtd".to_owned()
                            } else {
                                format!("mtd class=\"{}\"", class.join(" "))
                            };
                            writer.around(&tag, |writer| writer.row(cell));
                        }
                    });
                }
            });
            if let Some(close) = grid.close {
                writer.fence_sign(close, "postfix");
            }
        });
    }
}
