//! Recognises addresses of e-mail: letters and digits, `@`, a host name with at least two labels. Reads folded characters
//! one after the other.

use crate::fold::{Class, Unit};

/// Most characters before the `@` and behind it (RFC 5321).
const MAX_LOCAL_CHARACTERS: usize = 64;
const MAX_DOMAIN_CHARACTERS: usize = 253;

/// An address that may be unfinished.
#[derive(Debug, Default)]
pub(crate) struct Email {
    state: EmailState,
}

#[derive(Debug, Default)]
enum EmailState {
    #[default]
    None,
    Local {
        start: usize,
        length: usize,
    },
    /// Too long for an address; ignored until a character ends it.
    Overlong,
    Domain(Domain),
}

#[derive(Debug)]
struct Domain {
    /// Start of the address.
    start: usize,
    /// Start of the domain, which may turn out to stand before an `@` itself.
    own_start: usize,
    length: usize,
    /// Complete labels before the current one.
    labels: usize,
    /// Length of the current label; `is_lettered` is `true` if it began with a letter.
    label_length: usize,
    is_lettered: bool,
    /// End of the address as far as it is valid.
    end: Option<usize>,
}

impl Email {
    /// Returns where an unfinished address begins.
    pub(crate) fn open(&self) -> Option<usize> {
        match &self.state {
            EmailState::Local { start, .. } => Some(*start),
            EmailState::Domain(domain) => Some(domain.start),
            EmailState::None | EmailState::Overlong => None,
        }
    }

    /// Reads the next character. Returns an address that ended before it.
    pub(crate) fn unit(
        &mut self,
        unit: Unit,
        (start, end): (usize, usize),
    ) -> Option<(usize, usize)> {
        if unit.class == Class::Hidden {
            return None;
        }
        let letter = unit.letter;
        match &mut self.state {
            EmailState::Domain(domain) => {
                if domain.takes(letter, start, end) {
                    return None;
                }
                let found = domain.found();
                // A domain may turn out to be the part before a second `@`.
                let goes_on = letter == '@' && (1..=MAX_LOCAL_CHARACTERS).contains(&domain.length);
                self.state = if goes_on {
                    EmailState::Domain(Domain::new(domain.own_start))
                } else {
                    EmailState::None
                };
                found
            }
            EmailState::Local { start, .. } if letter == '@' => {
                self.state = EmailState::Domain(Domain::new(*start));
                None
            }
            EmailState::Local { length, .. } if is_local(letter) => {
                *length += 1;
                if *length > MAX_LOCAL_CHARACTERS {
                    self.state = EmailState::Overlong;
                }
                None
            }
            EmailState::None if is_local(letter) => {
                self.state = EmailState::Local { start, length: 1 };
                None
            }
            EmailState::Overlong if is_local(letter) => None,
            EmailState::None | EmailState::Local { .. } | EmailState::Overlong => {
                self.state = EmailState::None;
                None
            }
        }
    }

    /// Ends the address here, and returns it if it is valid.
    pub(crate) fn end(&mut self) -> Option<(usize, usize)> {
        match std::mem::take(&mut self.state) {
            EmailState::Domain(domain) => domain.found(),
            _ => None,
        }
    }
}

impl Domain {
    fn new(start: usize) -> Domain {
        Domain {
            start,
            own_start: 0,
            length: 0,
            labels: 0,
            label_length: 0,
            is_lettered: false,
            end: None,
        }
    }

    fn takes(&mut self, letter: char, start: usize, end: usize) -> bool {
        if self.length == 0 {
            self.own_start = start;
        }
        match letter {
            '.' if self.label_length > 0 => {
                self.labels += 1;
                self.label_length = 0;
            }
            '-' if self.label_length > 0 => self.label_length += 1,
            letter if letter.is_ascii_alphanumeric() => {
                if self.label_length == 0 {
                    self.is_lettered = letter.is_ascii_alphabetic();
                }
                self.label_length += 1;
                if self.labels > 0 && self.is_lettered && self.label_length >= 2 {
                    self.end = Some(end);
                }
            }
            _ => return false,
        }
        self.length += 1;
        self.length <= MAX_DOMAIN_CHARACTERS
    }

    fn found(&self) -> Option<(usize, usize)> {
        self.end.map(|end| (self.start, end))
    }
}

fn is_local(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '%' | '+' | '-')
}
