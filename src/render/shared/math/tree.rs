//! A formula as a tree. Plain data: knows neither LaTeX nor any output format.

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    /// Content.
    pub(crate) body: Node,
    /// Number without parentheses, as its author wrote it.
    pub(crate) tag: Option<String>,
    /// Commands for visual details that are not drawn, each once.
    pub(crate) left_out: Vec<String>,
}

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// Parts side by side.
    Row(Vec<Node>),
    /// A letter, a sign, a number, or letters that are one name.
    Symbol(Symbol),
    /// Words.
    Text(Text),
    /// A named function, such as `sin`.
    Operator {
        name: String,
        /// `true` if its limits are below it in displayed formulas.
        has_limits: bool,
    },
    /// Space in eighteenths of an em. Can be negative.
    Space(i32),
    Fraction {
        top: Box<Node>,
        bottom: Box<Node>,
        size: Option<Size>,
    },
    /// Two parts above each other in parentheses.
    Binomial {
        top: Box<Node>,
        bottom: Box<Node>,
        size: Option<Size>,
    },
    Root {
        index: Option<Box<Node>>,
        body: Box<Node>,
    },
    Scripts {
        base: Box<Node>,
        sub: Option<Box<Node>>,
        sup: Option<Box<Node>>,
        place: ScriptPlacement,
    },
    Accent {
        base: Box<Node>,
        accent: Accent,
    },
    /// A line, a brace or a bracket along a part.
    Along {
        base: Box<Node>,
        mark: Mark,
        is_over: bool,
    },
    /// An arrow as long as the labels above and below it.
    Arrow {
        sign: char,
        above: Box<Node>,
        below: Option<Box<Node>>,
    },
    /// Signs as high as the parts that they enclose, with one fewer separators than parts.
    Fence {
        open: Option<char>,
        close: Option<char>,
        between: Vec<char>,
        parts: Vec<Node>,
    },
    /// A sign of a fixed height.
    Big {
        sign: char,
        class: Class,
        /// Step from 1 to 4.
        step: u8,
    },
    Grid(Grid),
    Boxed(Box<Node>),
    Struck {
        body: Box<Node>,
        strike: Strike,
    },
    /// Space for a part that is not shown.
    Phantom(Box<Node>),
    Sized {
        size: Size,
        body: Box<Node>,
    },
    /// A part that is spaced like another class.
    Classed {
        class: Class,
        body: Box<Node>,
    },
}

/// A letter, a sign, a number, or letters that are one name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Symbol {
    pub(crate) text: String,
    pub(crate) class: Class,
    pub(crate) letters: Letters,
}

/// Words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) is_strong: bool,
    pub(crate) is_italic: bool,
    pub(crate) is_code: bool,
}

/// Class of a symbol for spacing, from TeX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Ordinary,
    /// A sum, an integral, a function.
    Large,
    Binary,
    Relation,
    Opening,
    Closing,
    Punctuation,
}

/// Style of mathematical letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Letters {
    pub(crate) alphabet: Alphabet,
    pub(crate) is_bold: bool,
    /// `None` for the usual style, in which single Latin and small Greek letters are italic.
    pub(crate) is_italic: Option<bool>,
    /// `true` if adjacent letters are one name.
    pub(crate) is_word: bool,
}

/// Mathematical alphabets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Alphabet {
    #[default]
    Serif,
    Sans,
    Monospaced,
    Script,
    Fraktur,
    Blackboard,
}

/// Position of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptPlacement {
    Beside,
    /// Above and below in a displayed formula, beside within a line.
    Movable,
    /// Above and below.
    Stacked,
}

/// An accent above a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accent {
    /// Character that combines with a letter.
    pub(crate) combining: char,
    /// Character on its own.
    pub(crate) alone: char,
    /// `true` if it is as wide as the part below it.
    pub(crate) is_wide: bool,
}

/// A mark along a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Line,
    Brace,
    Bracket,
    Parenthesis,
}

/// Strokes through a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strike {
    Up,
    Down,
    Both,
}

/// Sizes of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Display,
    Text,
    Script,
    ScriptScript,
}

/// Parts in rows and columns. All rows have the same length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<Vec<Node>>,
    pub(crate) kind: GridKind,
    /// Alignment of each column.
    pub(crate) columns: Vec<Side>,
    pub(crate) open: Option<char>,
    pub(crate) close: Option<char>,
    /// Columns with a line before them, by number from 1.
    pub(crate) lines: Vec<usize>,
    /// Rows with a line above them, by number from 1.
    pub(crate) rules: Vec<usize>,
}

/// Purpose of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridKind {
    Matrix,
    /// A matrix within a line, or limits of several lines below a sum.
    Small,
    Cases,
    /// Lines of a formula; pairs of columns meet at their equals signs.
    Lines,
}

/// Alignment in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Center,
    Right,
}

impl Node {
    /// Returns an empty part.
    pub(crate) fn empty() -> Node {
        Node::Row(Vec::new())
    }

    /// Returns parts side by side; a single one as it is.
    pub(crate) fn row(mut nodes: Vec<Node>) -> Node {
        match nodes.pop() {
            Some(only) if nodes.is_empty() => only,
            Some(last) => {
                nodes.push(last);
                Node::Row(nodes)
            }
            None => Node::empty(),
        }
    }

    /// Returns `true` if it shows nothing and takes no space.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Node::Row(nodes) if nodes.is_empty())
    }

    /// Returns the parts of a row; any other node as the only part.
    pub(crate) fn parts(&self) -> &[Node] {
        match self {
            Node::Row(nodes) => nodes,
            other => std::slice::from_ref(other),
        }
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            Node::Symbol(symbol) => symbol.class,
            Node::Operator { .. } => Class::Large,
            Node::Scripts { base, .. } => base.class(),
            Node::Big { class, .. } | Node::Classed { class, .. } => *class,
            Node::Arrow { .. } => Class::Relation,
            _ => Class::Ordinary,
        }
    }
}

impl Symbol {
    /// Returns `true` for a sum, an integral and similar signs, which are larger in displayed formulas.
    pub(crate) fn is_large(&self) -> bool {
        self.class == Class::Large
    }
}

/// Returns `true` for signs whose limits are always beside them.
pub(crate) fn is_integral(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '∫'..='∳' | '⨋'..='⨜'))
}

/// Returns the end of the operand of the part at `index` in a row: of a sum everything up to the next binary sign or
/// relation, of a function its factors or its parentheses. Returns `index + 1` if there is none.
pub(crate) fn end_of_operand(nodes: &[Node], index: usize) -> usize {
    /// Space that separates a formula from a remark.
    const QUAD: i32 = 18;

    let is_function = matches!(nodes.get(index).map(innermost), Some(Node::Operator { .. }));
    let mut open = 0_usize;
    let mut end = index + 1;
    while let Some(node) = nodes.get(end) {
        let is_first = end == index + 1;
        let is_outside = open == 0;
        match node.class() {
            Class::Binary | Class::Relation | Class::Punctuation | Class::Closing if is_outside => {
                break;
            }
            Class::Large if is_function && is_outside && !is_first => break,
            Class::Opening if is_function && is_outside && !is_first => break,
            Class::Opening => open += 1,
            Class::Closing => open -= 1,
            _ if is_outside && matches!(node, Node::Space(QUAD..)) => break,
            _ => {}
        }
        end += 1;
        if is_function && open == 0 && node.class() == Class::Closing {
            break;
        }
    }
    // Brackets opened within it must be closed within it.
    if open > 0 { index + 1 } else { end }
}

/// Returns the base of scripts.
pub(crate) fn innermost(node: &Node) -> &Node {
    match node {
        Node::Scripts { base, .. } => innermost(base),
        other => other,
    }
}
