//! Meanings of commands.

use super::parse::{Parser, Result, sign};
use super::scan::Token;
use super::tree::{
    Alphabet, Class, GridKind, Letters, Mark, Node, ScriptPlacement, Side, Size, Strike, Text,
};
use super::{grids, signs, words};

/// A command between two parts of a group.
#[derive(Clone, Copy)]
pub(super) enum Infix {
    Over,
    Choose,
    Atop,
}

impl Infix {
    pub(super) fn of(name: &str) -> Option<Infix> {
        match name {
            "over" => Some(Infix::Over),
            "choose" => Some(Infix::Choose),
            "atop" => Some(Infix::Atop),
            _ => None,
        }
    }

    pub(super) fn join(self, top: Node, bottom: Node) -> Node {
        match self {
            Infix::Over => Node::Fraction { top: top.into(), bottom: bottom.into(), size: None },
            Infix::Choose => Node::Binomial { top: top.into(), bottom: bottom.into(), size: None },
            Infix::Atop => stack(top, bottom),
        }
    }
}

/// Returns the size that a command sets for the rest of a group.
pub(super) fn size(name: &str) -> Option<Size> {
    match name {
        "displaystyle" => Some(Size::Display),
        "textstyle" => Some(Size::Text),
        "scriptstyle" => Some(Size::Script),
        "scriptscriptstyle" => Some(Size::ScriptScript),
        _ => None,
    }
}

/// Returns two parts, one above the other.
fn stack(top: Node, bottom: Node) -> Node {
    Node::Grid(super::Grid {
        rows: vec![vec![top], vec![bottom]],
        kind: GridKind::Small,
        columns: vec![Side::Center],
        open: None,
        close: None,
        lines: Vec::new(),
        rules: Vec::new(),
    })
}

/// Returns the width of a named space, in eighteenths of an em.
fn space(name: &str) -> Option<i32> {
    match name {
        "," | "thinspace" => Some(3),
        ":" | ">" | "medspace" => Some(4),
        ";" | "thickspace" => Some(5),
        "!" | "negthinspace" => Some(-3),
        "negmedspace" => Some(-4),
        "negthickspace" => Some(-5),
        " " | "\n" | "\t" | "\r" | "space" | "nobreakspace" => Some(6),
        "enspace" | "enskip" => Some(9),
        "quad" => Some(18),
        "qquad" => Some(36),
        _ => None,
    }
}

/// Returns the letters that a command sets.
fn letters(name: &str, around: Letters) -> Option<Letters> {
    let upright = Letters { is_italic: Some(false), is_word: true, ..Letters::default() };
    let alphabet = |alphabet| Some(Letters { alphabet, ..upright });
    match name {
        "mathrm" | "rm" | "mathup" => Some(upright),
        "mathbf" | "bf" | "mathbfup" => Some(Letters { is_bold: true, is_word: false, ..upright }),
        "mathit" | "it" => Some(Letters { is_italic: Some(true), ..upright }),
        "mathsf" | "sf" => alphabet(Alphabet::Sans),
        "mathtt" | "tt" => alphabet(Alphabet::Monospaced),
        "mathcal" | "mathscr" | "cal" | "scr" => {
            Some(Letters { alphabet: Alphabet::Script, ..Letters::default() })
        }
        "mathfrak" | "frak" => Some(Letters { alphabet: Alphabet::Fraktur, ..Letters::default() }),
        "mathbb" | "Bbb" => Some(Letters { alphabet: Alphabet::Blackboard, ..Letters::default() }),
        "mathnormal" => Some(Letters::default()),
        "boldsymbol" | "bm" | "pmb" | "mathbfit" => {
            Some(Letters { is_bold: true, is_word: false, ..around })
        }
        _ => None,
    }
}

impl Parser<'_> {
    /// Reads the arguments of a command, whose name is already taken. Returns `None` if it shows nothing and takes no space.
    pub(super) fn command(&mut self, name: &str) -> Result<Option<Node>> {
        if let Some((drawn, class)) = signs::by_name(name) {
            return Ok(Some(self.sign(drawn, class)));
        }
        if let Some(has_limits) = signs::function(name) {
            return Ok(Some(Node::Operator { name: signs::words(name).to_owned(), has_limits }));
        }
        if let Some(width) = space(name) {
            return Ok(Some(Node::Space(width)));
        }
        if let Some(look) = words::look(name) {
            return words::words(self, name, &look).map(Some);
        }
        if let Some(letters) = letters(name, self.letters) {
            if matches!(name, "rm" | "bf" | "it" | "sf" | "tt" | "cal" | "frak" | "scr") {
                // Up to the end of the group.
                self.letters = letters;
                return Ok(None);
            }
            let around = std::mem::replace(&mut self.letters, letters);
            let body = self.argument(&format!("\\{name}"));
            self.letters = around;
            return body.map(Some);
        }
        if let Some(accent) = signs::accent(name) {
            let base = Box::new(self.argument(&format!("\\{name}"))?);
            return Ok(Some(Node::Accent { base, accent }));
        }
        match self.two_parts(name)? {
            Some(node) => Ok(Some(node)),
            None => self.of_one_part(name),
        }
    }

    /// Reads commands with two arguments, or with one optional argument.
    fn two_parts(&mut self, name: &str) -> Result<Option<Node>> {
        let command = format!("\\{name}");
        let size = match name.as_bytes().first() {
            Some(b'd') => Some(Size::Display),
            Some(b't') => Some(Size::Text),
            _ => None,
        };
        let node = match name {
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                if name == "cfrac" {
                    self.scanner.take_option();
                }
                let size = if name == "cfrac" { Some(Size::Display) } else { size };
                let top = Box::new(self.argument(&command)?);
                let bottom = Box::new(self.argument(&command)?);
                Node::Fraction { top, bottom, size }
            }
            "binom" | "dbinom" | "tbinom" => {
                let top = Box::new(self.argument(&command)?);
                let bottom = Box::new(self.argument(&command)?);
                Node::Binomial { top, bottom, size }
            }
            "sqrt" => {
                let index = self.option()?.map(Box::new);
                Node::Root { index, body: Box::new(self.argument(&command)?) }
            }
            "overset" | "stackrel" | "underset" => {
                let script = Some(Box::new(self.argument(&command)?));
                let base = self.argument(&command)?;
                let class = if name == "stackrel" { Class::Relation } else { base.class() };
                let base = Box::new(base);
                let (sub, sup) = if name == "underset" { (script, None) } else { (None, script) };
                let body =
                    Box::new(Node::Scripts { base, sub, sup, place: ScriptPlacement::Stacked });
                Node::Classed { class, body }
            }
            "xrightarrow" | "xleftarrow" | "xleftrightarrow" | "xRightarrow" | "xLeftarrow"
            | "xmapsto" => {
                let sign = match name {
                    "xleftarrow" => '←',
                    "xleftrightarrow" => '↔',
                    "xRightarrow" => '⇒',
                    "xLeftarrow" => '⇐',
                    "xmapsto" => '↦',
                    _ => '→',
                };
                let below = self.option()?.map(Box::new);
                Node::Arrow { sign, above: Box::new(self.argument(&command)?), below }
            }
            "textcolor" | "colorbox" | "fcolorbox" => {
                self.color(&command)?;
                if name == "fcolorbox" {
                    self.color(&command)?;
                }
                let body = match name {
                    "textcolor" => self.argument(&command)?,
                    _ => words::words(
                        self,
                        name,
                        &Text {
                            text: String::new(),
                            is_strong: false,
                            is_italic: false,
                            is_code: false,
                        },
                    )?,
                };
                if name == "fcolorbox" { Node::Boxed(Box::new(body)) } else { body }
            }
            _ => return Ok(None),
        };
        Ok(Some(node))
    }

    /// Reads the name of a colour, which is not drawn.
    fn color(&mut self, command: &str) -> Result<()> {
        self.scanner.take_option();
        self.scanner.take_name().ok_or_else(|| format!("{command} without a colour"))?;
        self.left_out.push(command.to_owned());
        Ok(())
    }

    fn of_one_part(&mut self, name: &str) -> Result<Option<Node>> {
        let command = format!("\\{name}");
        let along = |mark, is_over| move |base| Node::Along { base: Box::new(base), mark, is_over };
        let classed = |class| move |body| Node::Classed { class, body: Box::new(body) };
        let struck = |strike| move |body| Node::Struck { body: Box::new(body), strike };
        let wrap: Box<dyn Fn(Node) -> Node> = match name {
            "overline" | "widebar" => Box::new(along(Mark::Line, true)),
            "underline" | "underbar" => Box::new(along(Mark::Line, false)),
            "overbrace" => Box::new(along(Mark::Brace, true)),
            "underbrace" => Box::new(along(Mark::Brace, false)),
            "overbracket" => Box::new(along(Mark::Bracket, true)),
            "underbracket" => Box::new(along(Mark::Bracket, false)),
            "overparen" | "wideparen" => Box::new(along(Mark::Parenthesis, true)),
            "underparen" => Box::new(along(Mark::Parenthesis, false)),
            "mathop" => Box::new(classed(Class::Large)),
            "mathrel" => Box::new(classed(Class::Relation)),
            "mathbin" => Box::new(classed(Class::Binary)),
            "mathopen" => Box::new(classed(Class::Opening)),
            "mathclose" => Box::new(classed(Class::Closing)),
            "mathpunct" => Box::new(classed(Class::Punctuation)),
            "mathord" | "mathinner" => Box::new(classed(Class::Ordinary)),
            "cancel" => Box::new(struck(Strike::Up)),
            "bcancel" => Box::new(struck(Strike::Down)),
            "xcancel" => Box::new(struck(Strike::Both)),
            "boxed" | "fbox" => Box::new(|body| Node::Boxed(Box::new(body))),
            "phantom" | "hphantom" => Box::new(|body| Node::Phantom(Box::new(body))),
            "ensuremath" | "smash" => Box::new(|body| body),
            _ => return self.of_no_part(name),
        };
        let body = match name {
            "fbox" => words::words(
                self,
                name,
                &Text { text: String::new(), is_strong: false, is_italic: false, is_code: false },
            )?,
            _ => self.argument(&command)?,
        };
        Ok(Some(wrap(body)))
    }

    fn of_no_part(&mut self, name: &str) -> Result<Option<Node>> {
        let node = match name {
            "begin" => grids::environment(self)?,
            "left" => self.fence()?,
            "big" | "bigl" | "bigr" | "bigm" | "Big" | "Bigl" | "Bigr" | "Bigm" | "bigg"
            | "biggl" | "biggr" | "biggm" | "Bigg" | "Biggl" | "Biggr" | "Biggm" => {
                self.big(name)?
            }
            "operatorname" | "operatornamewithlimits" => {
                let has_limits = self.scanner.take_star();
                Node::Operator { name: self.name(name)?, has_limits }
            }
            "not" => self.not()?,
            "bmod" => Node::Classed {
                class: Class::Binary,
                body: Box::new(Node::Operator { name: "mod".to_owned(), has_limits: false }),
            },
            "pmod" | "mod" | "pod" => {
                let body = self.argument(&format!("\\{name}"))?;
                modulus(name, body)
            }
            "substack" => self.substack()?,
            "tag" => {
                self.scanner.take_star();
                let tag = self.scanner.take_name().filter(|tag| !tag.contains('$'));
                self.tags.push(tag.ok_or("\\tag without a number")?.to_owned());
                return Ok(None);
            }
            "hspace" | "hskip" | "kern" | "mkern" | "mskip" | "mspace" => {
                Node::Space(self.width(name)?)
            }
            "color" => {
                self.color("\\color")?;
                return Ok(None);
            }
            // They number or name a formula, and show nothing.
            "label" => {
                self.scanner.take_name().ok_or("\\label without a name")?;
                return Ok(None);
            }
            "nonumber" | "notag" | "allowbreak" | "nobreak" | "relax" | "strut" | "/" => {
                return Ok(None);
            }
            _ => return Err(format!("\\{name}")),
        };
        Ok(Some(node))
    }

    /// Reads an enclosing sign; `None` for a dot.
    fn fence_sign(&mut self, command: &str) -> Result<Option<char>> {
        self.scanner.skip_spaces();
        let sign = match self.scanner.next() {
            Token::Char('.') => return Ok(None),
            Token::Char('<') => '⟨',
            Token::Char('>') => '⟩',
            Token::Char(c) => c,
            Token::Command("{") => '{',
            Token::Command("}") => '}',
            Token::Command(name) => {
                signs::by_name(name).map(|(sign, _)| sign).ok_or(format!("{command} \\{name}"))?
            }
            Token::End => return Err(format!("{command} without a sign")),
        };
        if signs::is_fence(sign) { Ok(Some(sign)) } else { Err(format!("{command} {sign}")) }
    }

    /// Reads everything between `\left`, which is already taken, and `\right`.
    fn fence(&mut self) -> Result<Node> {
        let open = self.fence_sign("\\left")?;
        let mut parts = vec![self.list(None)?];
        let mut between = Vec::new();
        loop {
            match self.scanner.next() {
                Token::Command("middle") => {
                    let sign = self.fence_sign("\\middle")?;
                    between.push(sign.ok_or("\\middle without a sign")?);
                    parts.push(self.list(None)?);
                }
                Token::Command("right") => {
                    let close = self.fence_sign("\\right")?;
                    return Ok(Node::Fence { open, close, between, parts });
                }
                _ => return Err("\\left without \\right".to_owned()),
            }
        }
    }

    fn big(&mut self, name: &str) -> Result<Node> {
        let step = match name.get(..4) {
            Some("bigg") => 3,
            Some("Bigg") => 4,
            _ if name.starts_with('B') => 2,
            _ => 1,
        };
        let side =
            name.trim_start_matches(['b', 'B']).trim_start_matches("ig").trim_start_matches('g');
        let Some(sign) = self.fence_sign(&format!("\\{name}"))? else { return Ok(Node::empty()) };
        let class = match side {
            "l" => Class::Opening,
            "r" => Class::Closing,
            "m" => Class::Relation,
            _ => match sign {
                '(' | '[' | '{' | '⟨' | '⌊' | '⌈' => Class::Opening,
                ')' | ']' | '}' | '⟩' | '⌋' | '⌉' => Class::Closing,
                _ => Class::Ordinary,
            },
        };
        Ok(Node::Big { sign, class, step })
    }

    /// Reads the name of a function: letters, digits and spaces.
    fn name(&mut self, command: &str) -> Result<String> {
        let missing = || format!("\\{command} without a name");
        if !self.scanner.take('{') {
            return Err(missing());
        }
        let mut name = String::new();
        loop {
            match self.scanner.next() {
                Token::Char('}') if !name.is_empty() => return Ok(name),
                Token::Char(c) if c.is_whitespace() => {}
                Token::Char(c)
                    if !matches!(c, '{' | '}' | '$' | '&' | '^' | '_') && !c.is_control() =>
                {
                    name.push(c)
                }
                Token::Command("," | ":" | ";" | " " | "thinspace") => name.push('\u{2009}'),
                Token::Command("!") => {}
                Token::Command("mathrm" | "rm" | "text") => {
                    let inner = self.scanner.take_name().ok_or_else(missing)?;
                    name.push_str(inner);
                }
                _ => return Err(missing()),
            }
        }
    }

    fn not(&mut self) -> Result<Node> {
        self.scanner.skip_spaces();
        let sign = match self.scanner.next() {
            Token::Char(c) => Some(c),
            Token::Command(name) => signs::by_name(name).map(|(sign, _)| sign),
            Token::End => None,
        };
        let negated = sign.and_then(signs::negated).ok_or("\\not")?;
        Ok(self::sign(&negated.to_string(), Class::Relation))
    }

    fn substack(&mut self) -> Result<Node> {
        if !self.scanner.take('{') {
            return Err("\\substack without its braces".to_owned());
        }
        let rows = self.deeper(grids::rows)?;
        if self.scanner.take('}') {
            rows.into_grid(GridKind::Small, None, "").map(Node::Grid)
        } else {
            Err("{ without }".to_owned())
        }
    }

    /// Reads a width behind a command, in eighteenths of an em.
    fn width(&mut self, name: &str) -> Result<i32> {
        let missing = || format!("\\{name} without a width");
        self.scanner.take_star();
        let text = match self.scanner.take_name() {
            Some(text) => text,
            None => {
                self.scanner.skip_spaces();
                self.scanner.take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
            }
        };
        let number_end = text
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(number_end);
        let unit = match unit.trim() {
            "" => {
                self.scanner.skip_spaces();
                self.scanner.take_while(|c| c.is_ascii_alphabetic())
            }
            unit => unit,
        };
        // The size of text is ten and a half points.
        let eighteenths = match unit {
            "mu" => 1.0,
            "em" => 18.0,
            "ex" => 8.0,
            "pt" => 1.7,
            "mm" => 4.9,
            "cm" => 49.0,
            "in" => 123.0,
            _ => return Err(missing()),
        };
        let number: f64 = number.parse().map_err(|_| missing())?;
        // A space must not leave the page.
        Ok((number * eighteenths).clamp(-36.0, 180.0).round() as i32)
    }
}

/// Returns `(mod n)` and similar notations.
fn modulus(name: &str, body: Node) -> Node {
    let word = || Node::Operator { name: "mod".to_owned(), has_limits: false };
    let parenthesis = |text, class| sign(text, class);
    let mut nodes = vec![Node::Space(if name == "mod" { 12 } else { 18 })];
    match name {
        "mod" => nodes.extend([word(), Node::Space(3), body]),
        "pod" => {
            nodes.extend([parenthesis("(", Class::Opening), body, parenthesis(")", Class::Closing)])
        }
        _ => nodes.extend([
            parenthesis("(", Class::Opening),
            word(),
            Node::Space(6),
            body,
            parenthesis(")", Class::Closing),
        ]),
    }
    Node::Row(nodes)
}
