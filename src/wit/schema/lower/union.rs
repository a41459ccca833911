//! Joins several shapes into one, with no more branches than a decoder needs.

use super::shape::{Integer, Meaning, Node, Shape};

/// Largest integer that is the same in all implementations of JSON (RFC 8259, section 6).
pub(super) const SAFE_INTEGER: i128 = crate::value::EXACT_INTEGER;

/// Returns the union of `branches`, flattened, without branches that can never match.
pub(super) fn any_of(at: &str, branches: Vec<Node>) -> Node {
    let mut flat: Vec<Node> = Vec::with_capacity(branches.len());
    for branch in branches {
        match branch.shape {
            Shape::Never => {}
            Shape::AnyOf(inner) if branch.notes.is_empty() && branch.unread.is_empty() => {
                flat.extend(inner);
            }
            shape => flat.push(Node { shape, ..branch }),
        }
    }
    // A 64-bit integer is also accepted as a string of digits. The digits of a number are as exact, and the model gets one
    // choice less.
    let wide = |it: &Node| matches!(&it.shape, Shape::Integer(integer) if is_wide(integer));
    if flat.iter().any(wide) && flat.iter().any(is_digits) {
        for node in &mut flat {
            if let Shape::Integer(integer) = &mut node.shape {
                integer.wide |= is_wide(integer);
            }
        }
        flat.retain(|it| !is_digits(it));
    }
    // An open object is also accepted as text, which every decoder can write.
    if flat.iter().any(is_open) && flat.iter().any(|it| matches!(it.shape, Shape::String(_))) {
        flat.retain(|it| !is_open(it));
    }
    // Beside a table, a text is the name of one. Rows as objects of which nothing is said are there for clients that validate
    // (`Dialect::Portable`): a decoder that follows them could only write empty ones.
    if flat.iter().any(Node::is_columns_and_rows) {
        flat.retain(|it| !is_list_of_nothing(it));
        for node in &mut flat {
            if let Shape::String(text) = &mut node.shape
                && text.patterns.is_empty()
            {
                text.meaning = Meaning::TableName;
            }
        }
    }
    let mut null = false;
    flat.retain(|it| !matches!(it.shape, Shape::Null) || !std::mem::replace(&mut null, true));
    match flat.len() {
        0 => Node::new(at, Shape::Never),
        1 => flat.remove(0),
        _ => Node::new(at, Shape::AnyOf(flat)),
    }
}

/// Returns `true` for an object that accepts any members.
fn is_open(node: &Node) -> bool {
    matches!(&node.shape, Shape::Map(map) if matches!(map.values.shape, Shape::Any))
}

/// Returns `true` for a list of objects without keys.
fn is_list_of_nothing(node: &Node) -> bool {
    matches!(&node.shape, Shape::List(list)
        if matches!(&list.items.shape, Shape::Object(fields) if fields.is_empty()))
}

fn is_wide(integer: &Integer) -> bool {
    integer.wide
        || integer.minimum.is_some_and(|it| it < -SAFE_INTEGER)
        || integer.maximum.is_some_and(|it| it > SAFE_INTEGER)
}

/// Returns `true` for the string form of an integer: its pattern allows only digits.
fn is_digits(node: &Node) -> bool {
    let digits = |pattern: &String| {
        pattern.bytes().all(|it| it.is_ascii_digit() || b"^$()|[]{},-?".contains(&it))
    };
    matches!(&node.shape, Shape::String(text)
        if !text.patterns.is_empty() && text.patterns.iter().all(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What JSON readers in JavaScript keep exactly is not wide.
    #[test]
    fn an_integer_is_wide_beyond_what_a_double_holds() {
        let is = |minimum, maximum| is_wide(&Integer { minimum, maximum, ..Integer::default() });
        assert!(!is(None, None));
        assert!(!is(Some(-SAFE_INTEGER), Some(SAFE_INTEGER)));
        assert!(!is(Some(0), Some(9)));
        assert!(is(Some(-SAFE_INTEGER - 1), None));
        assert!(is(None, Some(SAFE_INTEGER + 1)));
        assert!(is_wide(&Integer { wide: true, ..Integer::default() }));
    }
}
