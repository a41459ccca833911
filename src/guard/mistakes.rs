//! Collects all mistakes of a file of rules, so that its author can correct them at once.
//!
//! Messages never quote a word of a rule, because messages are logged; line and column say enough to the author.

use mitt_base::rows::counted;
use mitt_base::{Error, Result, text};

/// Most mistakes that are shown. The others are only counted.
const MAX_SHOWN: usize = 50;

/// One mistake.
#[derive(Debug)]
pub(crate) struct Mistake {
    line: u64,
    column: Option<u64>,
    what: String,
    hint: Option<String>,
}

impl Mistake {
    pub(crate) fn at(line: u64, what: impl Into<String>) -> Mistake {
        Mistake { line, column: None, what: what.into(), hint: None }
    }

    /// Describes a word that cannot be searched for.
    pub(crate) fn unusable(line: u64, why: &str) -> Mistake {
        Mistake::at(line, format!("this word cannot be looked for: {why}"))
    }

    pub(crate) fn column(mut self, column: u64) -> Mistake {
        self.column = Some(column);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Mistake {
        self.hint = Some(hint.into());
        self
    }
}

/// The mistakes of one file.
pub(crate) struct Mistakes<'p> {
    place: &'p str,
    all: Vec<Mistake>,
    more: u64,
}

impl Mistakes<'_> {
    /// Creates an empty list for the file at `place`.
    pub(crate) fn new(place: &str) -> Mistakes<'_> {
        Mistakes { place, all: Vec::new(), more: 0 }
    }

    pub(crate) fn add(&mut self, mistake: Mistake) {
        if self.all.len() < MAX_SHOWN { self.all.push(mistake) } else { self.more += 1 }
    }

    /// Returns `true` if further mistakes are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.more > 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns all mistakes as one error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - there is at least one.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.all.sort_by_key(|mistake| (mistake.line, mistake.column));
        let line = |mistake: &Mistake| {
            let column = mistake.column.map_or_else(String::new, |column| format!(":{column}"));
            format!("{}:{}{column}: {}", self.place, mistake.line, mistake.what)
        };
        match &self.all[..] {
            [] => Ok(()),
            [one] => {
                let error = Error::input(line(one));
                Err(one.hint.iter().fold(error, |error, hint| error.hint(hint)))
            }
            several => {
                let count = counted(several.len() as u64 + self.more, "mistake");
                let mut error = Error::input(format!("{}: {count}", self.place));
                for mistake in several {
                    let hint =
                        mistake.hint.as_ref().map_or_else(String::new, |it| format!("; {it}"));
                    error = error.detail(text::one_line(&format!("{}{hint}", line(mistake))));
                }
                if self.more > 0 {
                    error = error.detail(format!("and {} more", self.more));
                }
                Err(error)
            }
        }
    }
}
