//! Writes a formula on one line, for formats without formulas: letters and signs of Unicode, with raised and lowered parts.
//! Fractions have a slash, and parentheses where they need them.

use super::letters::styled;
use super::tree::{Alphabet, Class, Formula, Grid, GridKind, Letters, Mark, Node, Strike, Symbol};

/// A part of a line with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) shift: Shift,
    pub(crate) is_italic: bool,
    pub(crate) is_strong: bool,
}

/// Vertical position of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shift {
    #[default]
    Line,
    Raised,
    Lowered,
}

/// Returns a formula on one line, and `true` if parts are beside each other that were above each other.
pub(crate) fn linear(formula: &Formula) -> (Vec<Run>, bool) {
    let mut writer = Writer::default();
    writer.node(&formula.body);
    if let Some(tag) = &formula.tag {
        writer.plain(&format!("\u{2003}({tag})"));
    }
    let mut runs = writer.runs;
    if let Some(last) = runs.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    runs.retain(|run| !run.text.is_empty());
    (runs, writer.is_flattened)
}

/// Returns a formula as text, in which raised and lowered parts are Unicode characters or have a marker before them.
pub(crate) fn linear_text(formula: &Formula) -> String {
    let mut text = String::new();
    // Letters and digits with one shift may have several styles, and still are one part.
    for runs in linear(formula).0.chunk_by(|one, other| one.shift == other.shift) {
        let part: String = runs.iter().map(|run| run.text.as_str()).collect();
        match runs.first().map_or(Shift::Line, |run| run.shift) {
            Shift::Line => text.push_str(&part),
            Shift::Raised => text.push_str(&raised(&part)),
            Shift::Lowered => text.push_str(&lowered(&part)),
        }
    }
    text
}

/// Returns raised text: Unicode characters, or `^` before it.
pub(crate) fn raised(text: &str) -> String {
    shifted(text, '^', |c| {
        Some(match c {
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' | '4'..='9' => char::from_u32(0x2070 + u32::from(c) - u32::from('0'))?,
            '+' => '⁺',
            '-' | '−' => '⁻',
            '=' => '⁼',
            '(' => '⁽',
            ')' => '⁾',
            'n' => 'ⁿ',
            'i' => 'ⁱ',
            ' ' => ' ',
            _ => return None,
        })
    })
}

/// Returns lowered text: Unicode characters, or `_` before it.
pub(crate) fn lowered(text: &str) -> String {
    shifted(text, '_', |c| {
        Some(match c {
            '0'..='9' => char::from_u32(0x2080 + u32::from(c) - u32::from('0'))?,
            '+' => '₊',
            '-' | '−' => '₋',
            '=' => '₌',
            '(' => '₍',
            ')' => '₎',
            ' ' => ' ',
            _ => return None,
        })
    })
}

fn shifted(text: &str, mark: char, sign: impl Fn(char) -> Option<char>) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    match text.chars().map(sign).collect::<Option<String>>() {
        Some(signs) => signs,
        None if text.chars().count() == 1 => format!("{mark}{text}"),
        None => format!("{mark}({text})"),
    }
}

#[derive(Default)]
struct Writer {
    runs: Vec<Run>,
    shift: Shift,
    is_flattened: bool,
}

impl Writer {
    fn push(&mut self, text: &str, is_italic: bool, is_strong: bool) {
        let shift = self.shift;
        match self.runs.last_mut() {
            Some(run)
                if run.shift == shift
                    && run.is_italic == is_italic
                    && run.is_strong == is_strong =>
            {
                run.text.push_str(text);
            }
            _ => self.runs.push(Run { text: text.to_owned(), shift, is_italic, is_strong }),
        }
    }

    fn plain(&mut self, text: &str) {
        self.push(text, false, false);
    }

    /// Adds a space, unless there is one or the line begins.
    fn space(&mut self) {
        let is_needed =
            self.runs.last().is_some_and(|run| !run.text.ends_with([' ', '\u{2003}', '\n']));
        if is_needed && self.shift == Shift::Line {
            self.plain(" ");
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Row(nodes) => nodes.iter().for_each(|node| self.node(node)),
            Node::Symbol(symbol) => self.symbol(symbol),
            Node::Text(text) => self.push(&text.text, text.is_italic, text.is_strong),
            Node::Operator { name, .. } => {
                self.plain(name);
                self.space();
            }
            Node::Space(width) => match width {
                18.. => self.plain("\u{2003}"),
                3.. => self.space(),
                _ => {}
            },
            Node::Fraction { top, bottom, .. } => {
                self.is_flattened = true;
                self.grouped(top);
                self.plain("/");
                self.grouped(bottom);
            }
            Node::Binomial { top, bottom, .. } => {
                self.is_flattened = true;
                self.plain("(");
                self.node(top);
                self.plain(" ¦ ");
                self.node(bottom);
                self.plain(")");
            }
            Node::Root { index, body } => {
                if let Some(index) = index {
                    self.shifted(index, Shift::Raised, '^');
                }
                self.plain("√");
                self.grouped(body);
            }
            Node::Scripts { base, sub, sup, .. } => {
                self.scripts(base, sub.as_deref(), sup.as_deref())
            }
            Node::Accent { base, accent } => {
                self.node(base);
                self.plain(&accent.combining.to_string());
            }
            Node::Along { base, mark, is_over } => match (mark, is_over) {
                (Mark::Line, true) => self.combined(base, '\u{305}'),
                (Mark::Line, false) => self.combined(base, '\u{332}'),
                _ => {
                    self.is_flattened = true;
                    self.node(base);
                }
            },
            Node::Arrow { sign, above, below } => {
                self.space();
                self.plain(&sign.to_string());
                self.scripts(&Node::empty(), below.as_deref(), Some(above));
                self.space();
            }
            Node::Fence { open, close, between, parts } => {
                self.sign(*open);
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        self.sign(between.get(index - 1).copied());
                    }
                    self.node(part);
                }
                self.sign(*close);
            }
            Node::Big { sign, .. } => self.plain(&sign.to_string()),
            Node::Grid(grid) => self.grid(grid),
            Node::Boxed(body) => {
                self.plain("[");
                self.node(body);
                self.plain("]");
            }
            Node::Struck { body, strike } => {
                let stroke = if *strike == Strike::Down { '\u{20E5}' } else { '\u{338}' };
                self.combined(body, stroke);
            }
            Node::Phantom(_) => self.space(),
            Node::Sized { body, .. } | Node::Classed { body, .. } => self.node(body),
        }
    }

    fn sign(&mut self, sign: Option<char>) {
        if let Some(sign) = sign {
            self.plain(&sign.to_string());
        }
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let Symbol { text, class, letters } = symbol;
        let is_spaced = matches!(class, Class::Binary | Class::Relation);
        // A sign at the beginning belongs to a number, and needs no space.
        let is_first = self.runs.last().is_none_or(|run| {
            run.shift == self.shift && run.text.ends_with(['(', '[', '{', '/', '√'])
        });
        let is_spaced =
            is_spaced && self.shift == Shift::Line && !(is_first && *class == Class::Binary);
        if is_spaced {
            self.space();
        }
        let mut chars = text.chars();
        let only = chars.next().filter(|_| chars.next().is_none());
        let is_slanted = only.is_some_and(|c| {
            c.is_ascii_alphabetic() || matches!(c, 'α'..='ω' | 'ϑ' | 'ϕ' | 'ϵ' | 'ϱ' | 'ϖ' | 'ϰ')
        });
        let is_italic =
            letters.is_italic.unwrap_or(is_slanted && letters.alphabet == Alphabet::Serif);
        if letters.alphabet == Alphabet::Serif {
            self.push(text, is_italic && !letters.is_word, letters.is_bold);
        } else {
            let shown = styled(text, Letters { is_bold: false, ..*letters });
            self.push(&shown, false, letters.is_bold);
        }
        if is_spaced || (*class == Class::Punctuation && self.shift == Shift::Line) {
            self.space();
        }
    }

    fn scripts(&mut self, base: &Node, sub: Option<&Node>, sup: Option<&Node>) {
        self.node(base);
        if let Some(last) = self.runs.last_mut().filter(|last| last.text.ends_with(' ')) {
            // The space of a function is behind its scripts.
            last.text.pop();
        }
        if let Some(sub) = sub.filter(|sub| !sub.is_empty()) {
            self.shifted(sub, Shift::Lowered, '_');
        }
        if let Some(sup) = sup.filter(|sup| !sup.is_empty()) {
            self.shifted(sup, Shift::Raised, '^');
        }
        if base.class() == Class::Large {
            self.space();
        }
    }

    /// Writes a part above or below the line; within such a part, with a marker.
    fn shifted(&mut self, node: &Node, shift: Shift, mark: char) {
        if self.shift == Shift::Line {
            self.shift = shift;
            self.node(node);
            self.shift = Shift::Line;
        } else if matches!(node, Node::Symbol(symbol) if symbol.text.chars().all(|c| c == '′')) {
            self.node(node);
        } else {
            self.plain(&mark.to_string());
            self.grouped(node);
        }
    }

    /// Writes a part in parentheses, unless it is one sign, number or name.
    fn grouped(&mut self, node: &Node) {
        let mut inner = Writer { shift: self.shift, ..Writer::default() };
        inner.node(node);
        let is_one = match inner.runs.as_slice() {
            [] => true,
            [run, rest @ ..] => {
                let is_word =
                    |c: char| c.is_alphanumeric() || matches!(c, '.' | '\u{300}'..='\u{36F}');
                let is_one = run.text.chars().all(is_word)
                    && (run.text.chars().count() == 1 || rest.is_empty());
                is_one && rest.iter().all(|run| run.shift != self.shift)
            }
        };
        self.is_flattened |= inner.is_flattened;
        if !is_one {
            self.plain("(");
        }
        for run in inner.runs {
            let shift = std::mem::replace(&mut self.shift, run.shift);
            self.push(&run.text, run.is_italic, run.is_strong);
            self.shift = shift;
        }
        if !is_one {
            self.plain(")");
        }
    }

    /// Writes a part with a combining character over each of its characters.
    fn combined(&mut self, node: &Node, sign: char) {
        let mut inner = Writer { shift: self.shift, ..Writer::default() };
        inner.node(node);
        self.is_flattened |= inner.is_flattened;
        for run in inner.runs {
            let text: String = run.text.chars().flat_map(|c| [c, sign]).collect();
            let shift = std::mem::replace(&mut self.shift, run.shift);
            self.push(&text, run.is_italic, run.is_strong);
            self.shift = shift;
        }
    }

    fn grid(&mut self, grid: &Grid) {
        let is_lines = grid.kind == GridKind::Lines;
        self.is_flattened |= !is_lines;
        self.sign(grid.open);
        for (index, row) in grid.rows.iter().enumerate() {
            if index > 0 {
                self.plain(if is_lines { "\n" } else { "; " });
            }
            let mut is_first = true;
            for cell in row.iter().filter(|cell| !cell.is_empty()) {
                if !is_first {
                    if is_lines { self.space() } else { self.plain(", ") }
                }
                is_first = false;
                self.node(cell);
            }
        }
        self.sign(grid.close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::math::formula;

    fn shown(source: &str) -> String {
        linear_text(&formula(source).unwrap())
    }

    #[test]
    fn formulas_stand_on_a_line() {
        for (source, expected) in [
            ("E=mc^2", "E = mc²"),
            ("x^2+y^2=z^2", "x² + y² = z²"),
            (r"\frac{a+b}{2c}", "(a + b)/(2c)"),
            (r"\frac{1}{x}", "1/x"),
            (r"\sqrt{x+1}", "√(x + 1)"),
            (r"\sqrt[3]{x}", "³√x"),
            (r"\sum_{i=1}^{n} x_i", "∑_(i=1)ⁿ x_i"),
            (r"e^{x^{2}}", "e^(x^2)"),
            (r"\alpha\to\infty", "α → ∞"),
            (r"\mathbb{R}^{n}", "ℝⁿ"),
            (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "(a, b; c, d)"),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
        let (runs, is_flattened) = linear(&formula("a_{ij}^2").unwrap());
        let shifts: Vec<_> = runs.iter().map(|run| (run.text.as_str(), run.shift)).collect();
        assert_eq!(shifts, [("a", Shift::Line), ("ij", Shift::Lowered), ("2", Shift::Raised)]);
        assert!(!is_flattened && linear(&formula(r"\frac12").unwrap()).1);
    }

    #[test]
    fn every_formula_has_a_line() {
        for source in crate::shared::math::tests::samples() {
            let Ok(formula) = formula(&source) else { continue };
            assert!(!linear(&formula).0.is_empty() || formula.body.is_empty(), "{source}");
        }
    }
}
