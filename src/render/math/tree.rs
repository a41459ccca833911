//! A formula as a tree. Plain data: knows neither LaTeX nor any output format.

/// A formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    /// What it says.
    pub(crate) body: Node,
    /// Its number, without parentheses, as its author wrote it.
    pub(crate) tag: Option<String>,
    /// What of its looks is not drawn: the commands that ask for it, each once.
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
    /// A function that has a name, such as `sin`.
    Operator {
        name: String,
        /// Whether what it ranges over stands below it where there is room.
        has_limits: bool,
    },
    /// Empty space, in eighteenths of an em. Can be negative.
    Space(i32),
    Fraction {
        top: Box<Node>,
        bottom: Box<Node>,
        size: Option<Size>,
    },
    /// One above the other in parentheses.
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
        place: Place,
    },
    Accent {
        base: Box<Node>,
        accent: Accent,
    },
    /// A line, a brace or a bracket along something.
    Along {
        base: Box<Node>,
        mark: Mark,
        is_over: bool,
    },
    /// An arrow as long as what stands above and below it.
    Arrow {
        sign: char,
        above: Box<Node>,
        below: Option<Box<Node>>,
    },
    /// Signs as high as what they enclose. There is one sign in between fewer than there are parts.
    Fence {
        open: Option<char>,
        close: Option<char>,
        between: Vec<char>,
        parts: Vec<Node>,
    },
    /// A sign of a height of its own.
    Big {
        sign: char,
        class: Class,
        /// From 1 to 4.
        step: u8,
    },
    Grid(Grid),
    Boxed(Box<Node>),
    Struck {
        body: Box<Node>,
        strike: Strike,
    },
    /// Takes the room of something that is not seen.
    Phantom(Box<Node>),
    Sized {
        size: Size,
        body: Box<Node>,
    },
    /// Spaced as another class than its own.
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

/// How a symbol is spaced: the classes of TeX.
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

/// Which of the alphabets of mathematics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Letters {
    pub(crate) alphabet: Alphabet,
    pub(crate) is_bold: bool,
    /// None: as is usual, single Latin and small Greek letters are.
    pub(crate) is_italic: Option<bool>,
    /// Whether letters in a row are one name.
    pub(crate) is_word: bool,
}

/// Kinds of letters.
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

/// Where scripts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Beside,
    /// Above and below in a formula of its own, beside within a line.
    Movable,
    /// Above and below.
    Stacked,
}

/// An accent above something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accent {
    /// As it combines with a letter.
    pub(crate) combining: char,
    /// As it stands alone.
    pub(crate) alone: char,
    /// Whether it is as wide as what it is above.
    pub(crate) is_wide: bool,
}

/// What runs along something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Line,
    Brace,
    Bracket,
    Parenthesis,
}

/// Strokes through something.
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

/// Parts in rows and columns. All rows are of the same length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<Vec<Node>>,
    pub(crate) kind: GridKind,
    /// Where the content of each column stands.
    pub(crate) columns: Vec<Side>,
    pub(crate) open: Option<char>,
    pub(crate) close: Option<char>,
    /// Columns that have a line before them, by number from 1.
    pub(crate) lines: Vec<usize>,
    /// Rows that have a line above them, by number from 1.
    pub(crate) rules: Vec<usize>,
}

/// What a grid is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridKind {
    Matrix,
    /// A matrix within a line, and what stands below a sum.
    Small,
    Cases,
    /// Lines of a formula; columns two by two meet at their signs of equality.
    Lines,
}

/// Where something stands in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Center,
    Right,
}

impl Node {
    /// Nothing.
    pub(crate) fn empty() -> Node {
        Node::Row(Vec::new())
    }

    /// Parts side by side; one alone is itself.
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

    /// Whether there is nothing to see, and no room taken.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Node::Row(nodes) if nodes.is_empty())
    }

    /// The parts of a row; of anything else itself.
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
    /// Whether it is a sum, an integral or their like, which grows where there is room.
    pub(crate) fn is_large(&self) -> bool {
        self.class == Class::Large
    }
}

/// Whether the bounds of a large sign stand beside it everywhere.
pub(crate) fn is_integral(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '∫'..='∳' | '⨋'..='⨜'))
}

/// Where ends what the part at `index` of a row applies to: of a sum all up to the next sign that adds or compares, of a
/// function what is multiplied or stands in parentheses. It is `index + 1` when there is nothing.
pub(crate) fn end_of_operand(nodes: &[Node], index: usize) -> usize {
    /// Space that parts a formula from what is said about it.
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
    // What is opened within it is closed within it.
    if open > 0 { index + 1 } else { end }
}

/// What scripts are written at.
pub(crate) fn innermost(node: &Node) -> &Node {
    match node {
        Node::Scripts { base, .. } => innermost(base),
        other => other,
    }
}
