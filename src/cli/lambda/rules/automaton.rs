//! Sets of keys as automata: whether a key is in a set, and whether two sets have a key in common.
//!
//! Libraries for patterns of paths answer the first question alone. The second one keeps a function from starting itself.

use std::collections::BTreeSet;

/// Characters that a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Char(char),
    /// All but a slash.
    InName,
    All,
}

/// What a set of keys is made of, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Char(char),
    /// One character other than a slash.
    One,
    /// Any number of characters other than slashes.
    InName,
    /// Any characters.
    Across,
    /// Nothing, or any characters with a slash at the end.
    Folders,
}

/// An automaton. Its last state is the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    states: Vec<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    steps: Vec<(Class, usize)>,
    /// States that are reached without a character.
    free: Vec<usize>,
}

impl Class {
    fn has(self, c: char) -> bool {
        match self {
            Class::Char(own) => own == c,
            Class::InName => c != '/',
            Class::All => true,
        }
    }

    fn meets(self, other: Class) -> bool {
        match (self, other) {
            (Class::Char(c), class) | (class, Class::Char(c)) => class.has(c),
            _ => true,
        }
    }
}

impl Automaton {
    /// Returns the automaton of these pieces.
    pub(super) fn of(pieces: &[Piece]) -> Automaton {
        let mut made = Automaton { states: vec![State::default()] };
        for piece in pieces {
            made.push(*piece);
        }
        made
    }

    fn push(&mut self, piece: Piece) {
        let last = self.states.len() - 1;
        let next = last + 1;
        let state = &mut self.states[last];
        match piece {
            Piece::Char(c) => state.steps.push((Class::Char(c), next)),
            Piece::One => state.steps.push((Class::InName, next)),
            Piece::InName => {
                state.steps.push((Class::InName, last));
                state.free.push(next);
            }
            Piece::Across => {
                state.steps.push((Class::All, last));
                state.free.push(next);
            }
            Piece::Folders => {
                state.free.extend([next, next + 1]);
                let inside = State { steps: vec![(Class::All, next)], free: Vec::new() };
                self.states.push(inside);
                self.states[next].steps.push((Class::Char('/'), next + 1));
            }
        }
        self.states.push(State::default());
    }

    fn end(&self) -> usize {
        self.states.len() - 1
    }

    /// Returns `true` if the key is in the set.
    pub(super) fn has(&self, key: &str) -> bool {
        let mut present = self.freely([0]);
        for c in key.chars() {
            let steps = present.iter().flat_map(|at| &self.states[*at].steps);
            let next: Vec<usize> =
                steps.filter(|(class, _)| class.has(c)).map(|(_, next)| *next).collect();
            present = self.freely(next);
        }
        present.contains(&self.end())
    }

    /// Returns these states, and those that are reached from them without a character.
    fn freely(&self, states: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut left: Vec<usize> = states.into_iter().collect();
        while let Some(at) = left.pop() {
            if reached.insert(at) {
                left.extend(&self.states[at].free);
            }
        }
        reached
    }

    /// Returns `true` if a key is in both sets.
    pub(super) fn meets(&self, other: &Automaton) -> bool {
        let mut reached = BTreeSet::new();
        let mut left = vec![(0, 0)];
        while let Some((at, of_other)) = left.pop() {
            if !reached.insert((at, of_other)) {
                continue;
            }
            if (at, of_other) == (self.end(), other.end()) {
                return true;
            }
            let (here, there) = (&self.states[at], &other.states[of_other]);
            left.extend(here.free.iter().map(|next| (*next, of_other)));
            left.extend(there.free.iter().map(|next| (at, *next)));
            for (class, next) in &here.steps {
                let both = there.steps.iter().filter(|(of_other, _)| class.meets(*of_other));
                left.extend(both.map(|(_, of_other)| (*next, *of_other)));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<Piece> {
        text.chars().map(Piece::Char).collect()
    }

    #[test]
    fn sets_know_their_keys() {
        let of = |pieces: &[&[Piece]]| Automaton::of(&pieces.concat());
        let set = of(&[&chars("a/"), &[Piece::Folders, Piece::InName], &chars(".c")]);
        for key in ["a/.c", "a/x.c", "a/年/y.c", "a//y.c", "a/b/c/d.c.c"] {
            assert!(set.has(key), "{key}");
        }
        for key in ["", "a", "a/x.d", "b/x.c", "a.c", "x/a/x.c"] {
            assert!(!set.has(key), "{key}");
        }
        assert!(of(&[&[Piece::One]]).has("年") && !of(&[&[Piece::One]]).has("/"));
        assert!(!of(&[&[Piece::One]]).has("") && of(&[&[Piece::Across]]).has("a/b"));
    }

    #[test]
    fn sets_that_meet_have_a_key_in_common() {
        let of = |beginning: &str, middle: &[Piece], end: &str| {
            Automaton::of(&[chars(beginning), middle.to_vec(), chars(end)].concat())
        };
        let xlsx = of("in/", &[Piece::Across], ".xlsx");
        for (other, meets) in [
            (of("in/", &[Piece::InName], ".xlsx"), true),
            (of("in/", &[Piece::InName], ".csv"), false),
            (of("out/", &[Piece::Across], ".xlsx"), false),
            (of("", &[Piece::Across], ""), true),
            (of("", &[Piece::InName], ".xlsx"), false),
            (of("in/a.xlsx", &[], ""), true),
            (of("in/", &[Piece::One], "xlsx"), true),
        ] {
            assert_eq!((xlsx.meets(&other), other.meets(&xlsx)), (meets, meets), "{other:?}");
        }
    }
}
