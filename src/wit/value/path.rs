//! A place in a JSON text. It lives on the stack while values are walked, and is written as a JSON pointer only for a
//! problem.

use std::fmt::{self, Write};

/// Longest part of a key that is shown, in characters.
const SHOWN_KEY: usize = 60;

/// A place below another.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root(&'a str),
    Key(&'a str),
    /// A key that the caller chose, such as that of a map, which may be personal data.
    Given(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The whole value, called `name` where the pointer would be empty.
    pub(super) fn root(name: &'a str) -> Path<'a> {
        Path { parent: None, step: Step::Root(name) }
    }

    pub(super) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Key(key) }
    }

    /// The place below a key that no type defines.
    pub(super) fn given(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Given(key) }
    }

    /// Displays the place without keys that the caller chose.
    pub(super) fn without_values(&self) -> impl fmt::Display {
        struct Kept<'a>(&'a Path<'a>);
        impl fmt::Display for Kept<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, false)
            }
        }
        Kept(self)
    }

    pub(super) fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, with_values: bool) -> fmt::Result {
        match self.step {
            Step::Root(name) => f.write_str(name),
            _ => self.write_steps(f, with_values),
        }
    }

    fn write_steps(&self, f: &mut fmt::Formatter<'_>, with_values: bool) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.write_steps(f, with_values)?;
        }
        match self.step {
            Step::Given(_) if !with_values => f.write_str("/…"),
            Step::Root(_) => Ok(()),
            Step::Index(index) => write!(f, "/{index}"),
            Step::Key(key) | Step::Given(key) => {
                f.write_char('/')?;
                for (position, character) in key.chars().enumerate() {
                    match character {
                        _ if position == SHOWN_KEY => return f.write_char('…'),
                        '~' => f.write_str("~0")?,
                        '/' => f.write_str("~1")?,
                        // A line break in a key must not forge a line of the report.
                        control if control.is_control() => {
                            write!(f, "{}", control.escape_default())?
                        }
                        other => f.write_char(other)?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}
