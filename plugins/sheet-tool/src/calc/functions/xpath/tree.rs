//! The tree of an XPath expression.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Union,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

impl Axis {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ancestor" => Self::Ancestor,
            "ancestor-or-self" => Self::AncestorOrSelf,
            "attribute" => Self::Attribute,
            "child" => Self::Child,
            "descendant" => Self::Descendant,
            "descendant-or-self" => Self::DescendantOrSelf,
            "following" => Self::Following,
            "following-sibling" => Self::FollowingSibling,
            "parent" => Self::Parent,
            "preceding" => Self::Preceding,
            "preceding-sibling" => Self::PrecedingSibling,
            "self" => Self::Itself,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Name(String),
    AnyName,
    AnyNode,
    Text,
    Comment,
    Instruction(Option<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Tree>,
}

/// From where a path goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Start {
    Root,
    Context,
    /// The nodes of an expression that fit all predicates.
    Nodes(Box<Tree>, Vec<Tree>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Number(f64),
    Text(String),
    Negative(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    Path(Start, Vec<Step>),
    Call(String, Vec<Tree>),
}
