//! Formulas as Office Math, which Word can edit.

use std::fmt::Write as _;

use super::design::Design;
use super::paragraph::{BlockContext, Properties};
use super::runs::RunFormat;
use super::writer::Writer;
use crate::model::doc::Inline;
use crate::shared::losses::LossKind;
use crate::shared::math::{
    self, Alphabet, Class, Formula, Grid, GridKind, Letters, Mark, Node, ScriptPlacement, Side,
    Strike, Symbol, Text, is_integral,
};
use crate::shared::xml::push_text;

/// Word's font of formulas on Windows and macOS.
const FONT: &str = "<w:rFonts w:ascii=\"Cambria Math\" w:hAnsi=\"Cambria Math\"/>";

/// Most nested sums and functions that contain their operand; deeper ones precede it.
const MAX_HELD: usize = 8;

/// Word draws a box for an empty argument.
const NOTHING: &str = "\u{200B}";

impl Writer<'_> {
    /// Writes a formula. `is_alone`: its paragraph has no other content.
    pub(super) fn formula(&mut self, formula: &Formula, is_alone: bool) {
        if is_alone {
            self.xml
                .push_str("<m:oMathPara><m:oMathParaPr><m:jc m:val=\"center\"/></m:oMathParaPr>");
        }
        self.xml.push_str("<m:oMath>");
        let fonts = Design::fonts(&self.frame.design.look.text);
        let mut math = Math { writer: self, fonts, has_room: is_alone, held: 0 };
        math.part(&formula.body);
        if let Some(tag) = &formula.tag {
            let text = format!("\u{2003}\u{2003}({tag})");
            math.words(&Text { text, is_strong: false, is_italic: false, is_code: false });
        }
        self.xml.push_str("</m:oMath>");
        if is_alone {
            self.xml.push_str("</m:oMathPara>");
        }
    }
}

impl Writer<'_> {
    /// Writes a paragraph. Displayed formulas become paragraphs of their own, because Word gives only these full size.
    pub(super) fn paragraph(&mut self, content: &[Inline], context: &BlockContext) {
        let format = RunFormat::of(content);
        let is_display = |inline: &Inline| matches!(inline, Inline::Math { display: true, .. });
        if !content.iter().any(is_display) {
            self.open(context, Properties::default());
            self.inlines(content, format);
            self.close();
            return;
        }
        let mut rest = content;
        while !rest.is_empty() {
            let end = rest.iter().position(is_display).unwrap_or(rest.len());
            let (text, tail) = rest.split_at(end);
            let is_blank = |inline: &Inline| match inline {
                Inline::Text { text } => text.trim().is_empty(),
                inline => *inline == Inline::Break,
            };
            if !text.iter().all(is_blank) {
                let is_before = !tail.is_empty();
                self.open(context, Properties { keeps_next: is_before, ..Properties::default() });
                self.inlines(text, format);
                self.close();
            }
            rest = tail;
            if let Some((Inline::Math { text, .. }, tail)) = tail.split_first() {
                self.open(context, Properties::default());
                self.math(text, format, true);
                self.close();
                rest = tail;
            }
        }
    }
}

struct Math<'a, 'w> {
    writer: &'a mut Writer<'w>,
    /// Fonts of words.
    fonts: String,
    /// `true` if limits are above and below.
    has_room: bool,
    /// Number of sums and functions around the current part that contain it.
    held: usize,
}

impl Math<'_, '_> {
    fn push(&mut self, xml: &str) {
        self.writer.xml.push_str(xml);
    }

    fn text(&mut self, text: &str) {
        push_text(&mut self.writer.xml, text, &mut self.writer.losses);
    }

    /// Writes an element, given without a prefix, around what `write` writes.
    fn around(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        let _ = write!(self.writer.xml, "<m:{name}>");
        write(self);
        let _ = write!(self.writer.xml, "</m:{name}>");
    }

    /// Writes an argument: an element with a part in it.
    fn argument(&mut self, name: &str, node: &Node) {
        self.around(
            name,
            |math| if node.is_empty() { math.run(NOTHING, "") } else { math.part(node) },
        );
    }

    fn run(&mut self, text: &str, properties: &str) {
        self.push("<m:r>");
        if !properties.is_empty() {
            let _ = write!(self.writer.xml, "<m:rPr>{properties}</m:rPr>");
        }
        let _ = write!(self.writer.xml, "<w:rPr>{FONT}</w:rPr><m:t xml:space=\"preserve\">");
        self.text(text);
        self.push("</m:t></m:r>");
    }

    fn words(&mut self, text: &Text) {
        let fonts = if text.is_code {
            Design::fonts(&self.writer.frame.design.look.code)
        } else {
            self.fonts.clone()
        };
        let _ = write!(self.writer.xml, "<m:r><m:rPr><m:nor/></m:rPr><w:rPr>{fonts}");
        if text.is_strong {
            self.push("<w:b/><w:bCs/>");
        }
        if text.is_italic {
            self.push("<w:i/><w:iCs/>");
        }
        self.push("</w:rPr><m:t xml:space=\"preserve\">");
        self.text(&text.text);
        self.push("</m:t></m:r>");
    }

    fn part(&mut self, node: &Node) {
        self.parts(node.parts());
    }

    /// Writes parts side by side. Sums and functions contain their operands.
    fn parts(&mut self, nodes: &[Node]) {
        let mut index = 0;
        while let Some(node) = nodes.get(index) {
            let holds = match math::innermost(node) {
                Node::Symbol(symbol) => symbol.is_large(),
                node => matches!(node, Node::Operator { .. }),
            };
            index += 1;
            if holds && self.held < MAX_HELD {
                let end = math::end_of_operand(nodes, index - 1);
                let operand = nodes.get(index..end).unwrap_or_default();
                self.held += 1;
                let is_any = operand.iter().any(|node| !matches!(node, Node::Space(_)));
                let is_held = is_any && self.held(node, operand);
                self.held -= 1;
                if is_held {
                    index = end;
                    continue;
                }
            }
            if self.held < MAX_HELD
                && let Some((whole, length)) =
                    raised_fence(nodes.get(index - 1..).unwrap_or_default())
            {
                self.held += 1;
                self.node(&whole);
                self.held -= 1;
                index += length - 1;
                continue;
            }
            self.node(node);
        }
    }

    /// Writes a sum or a function with its operand. Returns `false` if the node is neither.
    fn held(&mut self, node: &Node, operand: &[Node]) -> bool {
        match math::innermost(node) {
            Node::Symbol(symbol) if symbol.is_large() => {
                let (sub, sup, place) = match node {
                    Node::Scripts { sub, sup, place, base }
                        if matches!(**base, Node::Symbol(_)) =>
                    {
                        (sub.as_deref(), sup.as_deref(), *place)
                    }
                    Node::Symbol(_) => (None, None, ScriptPlacement::Beside),
                    _ => return false,
                };
                self.sum(symbol, sub, sup, place, operand);
                true
            }
            Node::Operator { .. } => {
                self.around("func", |math| {
                    math.argument("fName", node);
                    math.around("e", |math| math.parts(operand));
                });
                true
            }
            _ => false,
        }
    }

    fn sum(
        &mut self,
        symbol: &Symbol,
        sub: Option<&Node>,
        sup: Option<&Node>,
        place: ScriptPlacement,
        operand: &[Node],
    ) {
        self.push("<m:nary><m:naryPr><m:chr m:val=\"");
        self.text(&symbol.text);
        let limits = if self.is_stacked(place) && !is_integral(&symbol.text)
            || place == ScriptPlacement::Stacked
        {
            "undOvr"
        } else {
            "subSup"
        };
        let _ = write!(self.writer.xml, "\"/><m:limLoc m:val=\"{limits}\"/>");
        for (script, name) in [(sub, "subHide"), (sup, "supHide")] {
            if script.is_none() {
                let _ = write!(self.writer.xml, "<m:{name} m:val=\"1\"/>");
            }
        }
        self.push("</m:naryPr>");
        for (script, name) in [(sub, "sub"), (sup, "sup")] {
            self.around(name, |math| {
                if let Some(script) = script {
                    math.part(script);
                }
            });
        }
        self.around("e", |math| math.parts(operand));
        self.push("</m:nary>");
    }

    fn is_stacked(&self, place: ScriptPlacement) -> bool {
        match place {
            ScriptPlacement::Beside => false,
            ScriptPlacement::Movable => self.has_room,
            ScriptPlacement::Stacked => true,
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Row(nodes) => self.parts(nodes),
            Node::Symbol(symbol) => self.symbol(symbol),
            Node::Text(text) => self.words(text),
            Node::Operator { name, .. } => self.run(name, "<m:sty m:val=\"p\"/>"),
            Node::Space(width) => self.space(*width),
            Node::Fraction { top, bottom, .. } => self.around("f", |math| {
                math.argument("num", top);
                math.argument("den", bottom);
            }),
            Node::Binomial { top, bottom, .. } => self.delimited(Some('('), Some(')'), |math| {
                math.around("e", |math| {
                    math.around("f", |math| {
                        math.push("<m:fPr><m:type m:val=\"noBar\"/></m:fPr>");
                        math.argument("num", top);
                        math.argument("den", bottom);
                    });
                });
            }),
            Node::Root { index, body } => self.around("rad", |math| {
                match index {
                    Some(index) => math.argument("deg", index),
                    None => math.push("<m:radPr><m:degHide m:val=\"1\"/></m:radPr><m:deg/>"),
                }
                math.argument("e", body);
            }),
            Node::Scripts { base, sub, sup, place } => self.scripts(base, sub.as_deref(), sup.as_deref(), *place),
            Node::Accent { base, accent } => self.around("acc", |math| {
                math.push("<m:accPr><m:chr m:val=\"");
                math.text(accent.combining.encode_utf8(&mut [0; 4]));
                math.push("\"/></m:accPr>");
                math.argument("e", base);
            }),
            Node::Along { base, mark, is_over } => self.along(base, *mark, *is_over),
            Node::Arrow { sign, above, below } => match below {
                Some(below) => self.around("limLow", |math| {
                    math.around("e", |math| math.arrow(*sign, above));
                    math.argument("lim", below);
                }),
                None => self.arrow(*sign, above),
            },
            Node::Fence { open, close, between, parts } => self.fence(*open, *close, between, parts),
            // Office Math has no delimiters of a fixed height.
            Node::Big { sign, .. } => self.run(sign.encode_utf8(&mut [0; 4]), "<m:sty m:val=\"p\"/>"),
            Node::Grid(grid) => self.grid(grid),
            Node::Boxed(body) => self.around("borderBox", |math| math.argument("e", body)),
            Node::Struck { body, strike } => self.around("borderBox", |math| {
                math.push("<m:borderBoxPr><m:hideTop m:val=\"1\"/><m:hideBot m:val=\"1\"/><m:hideLeft m:val=\"1\"/><m:hideRight m:val=\"1\"/>");
                if *strike != Strike::Down {
                    math.push("<m:strikeBLTR m:val=\"1\"/>");
                }
                if *strike != Strike::Up {
                    math.push("<m:strikeTLBR m:val=\"1\"/>");
                }
                math.push("</m:borderBoxPr>");
                math.argument("e", body);
            }),
            Node::Phantom(body) => self.around("phant", |math| {
                math.push("<m:phantPr><m:show m:val=\"0\"/></m:phantPr>");
                math.argument("e", body);
            }),
            Node::Sized { body, .. } => self.part(body),
            Node::Classed { class, body } => self.around("box", |math| {
                if matches!(class, Class::Binary | Class::Relation) {
                    math.push("<m:boxPr><m:opEmu m:val=\"1\"/></m:boxPr>");
                }
                math.argument("e", body);
            }),
        }
    }

    fn symbol(&mut self, symbol: &Symbol) {
        let Letters { alphabet, is_bold, is_italic, .. } = symbol.letters;
        let script = match alphabet {
            Alphabet::Serif => "",
            Alphabet::Sans => "<m:scr m:val=\"sans-serif\"/>",
            Alphabet::Monospaced => "<m:scr m:val=\"monospace\"/>",
            Alphabet::Script => "<m:scr m:val=\"script\"/>",
            Alphabet::Fraktur => "<m:scr m:val=\"fraktur\"/>",
            Alphabet::Blackboard => "<m:scr m:val=\"double-struck\"/>",
        };
        let style = match (is_bold, is_italic, alphabet) {
            (false, Some(false), _)
            | (
                false,
                None,
                Alphabet::Sans
                | Alphabet::Monospaced
                | Alphabet::Script
                | Alphabet::Fraktur
                | Alphabet::Blackboard,
            ) => "<m:sty m:val=\"p\"/>",
            (false, _, _) => "",
            (true, Some(false), _) => "<m:sty m:val=\"b\"/>",
            (true, _, Alphabet::Script | Alphabet::Fraktur) => "<m:sty m:val=\"b\"/>",
            (true, _, _) => "<m:sty m:val=\"bi\"/>",
        };
        self.run(&symbol.text, &format!("{script}{style}"));
    }

    /// Writes space as characters of the same width. Word has no negative space.
    fn space(&mut self, eighteenths: i32) {
        let mut left = eighteenths;
        let mut text = String::new();
        for (width, space) in [
            (18, '\u{2003}'),
            (9, '\u{2002}'),
            (6, '\u{2004}'),
            (5, '\u{2005}'),
            (4, '\u{205F}'),
            (3, '\u{2009}'),
            (1, '\u{200A}'),
        ] {
            while left >= width {
                text.push(space);
                left -= width;
            }
        }
        if !text.is_empty() {
            // Written as text, because other programs drop spaces in formulas.
            self.run(&text, "<m:nor/>");
        }
    }

    fn scripts(
        &mut self,
        base: &Node,
        sub: Option<&Node>,
        sup: Option<&Node>,
        place: ScriptPlacement,
    ) {
        let is_stacked = self.is_stacked(place);
        match (sub, sup) {
            (Some(sub), Some(sup)) if is_stacked => self.around("limUpp", |math| {
                math.around("e", |math| {
                    math.around("limLow", |math| {
                        math.argument("e", base);
                        math.argument("lim", sub);
                    });
                });
                math.argument("lim", sup);
            }),
            (Some(sub), Some(sup)) => self.around("sSubSup", |math| {
                math.argument("e", base);
                math.argument("sub", sub);
                math.argument("sup", sup);
            }),
            (Some(script), None) => {
                self.around(if is_stacked { "limLow" } else { "sSub" }, |math| {
                    math.argument("e", base);
                    math.argument(if is_stacked { "lim" } else { "sub" }, script);
                })
            }
            (None, Some(script)) => {
                self.around(if is_stacked { "limUpp" } else { "sSup" }, |math| {
                    math.argument("e", base);
                    math.argument(if is_stacked { "lim" } else { "sup" }, script);
                })
            }
            (None, None) => self.part(base),
        }
    }

    fn along(&mut self, base: &Node, mark: Mark, is_over: bool) {
        let sign = match (mark, is_over) {
            (Mark::Line, _) => {
                let position = if is_over { "top" } else { "bot" };
                self.around("bar", |math| {
                    let _ =
                        write!(math.writer.xml, "<m:barPr><m:pos m:val=\"{position}\"/></m:barPr>");
                    math.argument("e", base);
                });
                return;
            }
            (Mark::Brace, true) => '⏞',
            (Mark::Brace, false) => '⏟',
            (Mark::Bracket, true) => '⎴',
            (Mark::Bracket, false) => '⎵',
            (Mark::Parenthesis, true) => '⏜',
            (Mark::Parenthesis, false) => '⏝',
        };
        let (position, baseline) = if is_over { ("top", "bot") } else { ("bot", "top") };
        self.around("groupChr", |math| {
            let _ = write!(
                math.writer.xml,
                "<m:groupChrPr><m:chr m:val=\"{sign}\"/><m:pos m:val=\"{position}\"/><m:vertJc m:val=\"{baseline}\"/></m:groupChrPr>"
            );
            math.argument("e", base);
        });
    }

    /// Writes an arrow with a label above it.
    fn arrow(&mut self, sign: char, above: &Node) {
        self.around("groupChr", |math| {
            let _ = write!(
                math.writer.xml,
                "<m:groupChrPr><m:chr m:val=\"{sign}\"/><m:pos m:val=\"bot\"/><m:vertJc m:val=\"bot\"/></m:groupChrPr>"
            );
            math.argument("e", above);
        });
    }

    fn delimited(
        &mut self,
        open: Option<char>,
        close: Option<char>,
        write: impl FnOnce(&mut Self),
    ) {
        self.fence_with(open, close, None, write);
    }

    fn fence_with(
        &mut self,
        open: Option<char>,
        close: Option<char>,
        between: Option<char>,
        write: impl FnOnce(&mut Self),
    ) {
        self.push("<m:d><m:dPr>");
        for (name, sign) in
            [("begChr", Some(open)), ("sepChr", between.map(Some)), ("endChr", Some(close))]
        {
            if let Some(sign) = sign {
                let _ = write!(self.writer.xml, "<m:{name} m:val=\"");
                self.text(sign.map(String::from).as_deref().unwrap_or_default());
                self.push("\"/>");
            }
        }
        self.push("</m:dPr>");
        write(self);
        self.push("</m:d>");
    }

    fn fence(&mut self, open: Option<char>, close: Option<char>, between: &[char], parts: &[Node]) {
        let first = between.first().copied();
        if between.iter().all(|sign| Some(*sign) == first) {
            self.fence_with(open, close, first, |math| {
                parts.iter().for_each(|part| math.argument("e", part))
            });
            return;
        }
        // Different separators do not grow with the fence.
        self.delimited(open, close, |math| {
            math.around("e", |math| {
                for (index, part) in parts.iter().enumerate() {
                    if let Some(sign) = index.checked_sub(1).and_then(|index| between.get(index)) {
                        math.run(sign.encode_utf8(&mut [0; 4]), "<m:sty m:val=\"p\"/>");
                    }
                    math.part(part);
                }
            });
        });
    }

    fn grid(&mut self, grid: &Grid) {
        if grid.open.is_none() && grid.close.is_none() {
            self.cells(grid);
            return;
        }
        self.delimited(grid.open, grid.close, |math| math.around("e", |math| math.cells(grid)));
    }

    fn cells(&mut self, grid: &Grid) {
        if !grid.lines.is_empty() || !grid.rules.is_empty() {
            self.writer.losses.record(LossKind::MathLook, "lines in a table");
        }
        let had_room = self.has_room;
        self.has_room = had_room && grid.kind == GridKind::Lines;
        self.push("<m:m><m:mPr><m:plcHide m:val=\"1\"/>");
        if grid.kind == GridKind::Lines && grid.columns.len() > 1 {
            // Adjacent columns have no gap.
            self.push("<m:cGpRule m:val=\"3\"/><m:cGp m:val=\"0\"/>");
        }
        self.push("<m:mcs>");
        for side in &grid.columns {
            let side = match side {
                Side::Left => "left",
                Side::Center => "center",
                Side::Right => "right",
            };
            let _ = write!(
                self.writer.xml,
                "<m:mc><m:mcPr><m:count m:val=\"1\"/><m:mcJc m:val=\"{side}\"/></m:mcPr></m:mc>"
            );
        }
        self.push("</m:mcs></m:mPr>");
        for row in &grid.rows {
            self.around("mr", |math| {
                for (column, cell) in row.iter().enumerate() {
                    let is_pair = grid.kind == GridKind::Lines && column >= 2 && column % 2 == 0;
                    if cell.is_empty() {
                        math.push("<m:e/>");
                        continue;
                    }
                    math.around("e", |math| {
                        if is_pair {
                            math.space(36);
                        }
                        if matches!(
                            cell.parts().first().map(Node::class),
                            Some(Class::Binary | Class::Relation)
                        ) {
                            // The operator refers to the cell before; the invisible character keeps it binary.
                            math.run(NOTHING, "");
                        }
                        math.part(cell);
                    });
                }
            });
        }
        self.push("</m:m>");
        self.has_room = had_room;
    }
}

/// Returns a group in parentheses with scripts behind it as one part, and its number of parts: scripts of the closing sign
/// alone are too low in Word, and an error in other programs.
fn raised_fence(nodes: &[Node]) -> Option<(Node, usize)> {
    /// Most parts between the signs.
    const MAX_PARTS: usize = 200;

    let only = |node: &Node| match node {
        Node::Symbol(symbol) => symbol.text.chars().next(),
        _ => None,
    };
    let (first, rest) = nodes.split_first()?;
    let open = only(first).filter(|sign| "([{⟨⌊⌈".contains(*sign))?;
    let mut depth = 1_usize;
    for (index, node) in rest.iter().enumerate().take(MAX_PARTS) {
        let Some(sign) = only(math::innermost(node)) else { continue };
        if "([{⟨⌊⌈".contains(sign) {
            depth += 1;
        } else if ")]}⟩⌋⌉".contains(sign) {
            depth -= 1;
        }
        if depth > 0 {
            continue;
        }
        let Node::Scripts { base, sub, sup, place } = node else { return None };
        only(base)?;
        let parts = vec![Node::row(rest.get(..index)?.to_vec())];
        let base = Node::Fence { open: Some(open), close: Some(sign), between: Vec::new(), parts };
        let whole = Node::Scripts {
            base: Box::new(base),
            sub: sub.clone(),
            sup: sup.clone(),
            place: *place,
        };
        return Some((whole, index + 2));
    }
    None
}
