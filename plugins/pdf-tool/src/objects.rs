//! The objects of a document by their numbers.
//!
//! Copies of a document share its objects. Each copy holds what it changed, so that a document of 300 pages is not copied as a
//! whole for each file into which it is split.

use crate::object::Object;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects by their numbers.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    all: Rc<BTreeMap<u32, Object>>,
    /// What is changed while another copy has `all`; `None` for an object that is removed.
    own: BTreeMap<u32, Option<Object>>,
}

impl Objects {
    pub(crate) fn get(&self, number: &u32) -> Option<&Object> {
        // Most documents are never copied.
        if !self.own.is_empty()
            && let Some(own) = self.own.get(number)
        {
            return own.as_ref();
        }
        self.all.get(number)
    }

    pub(crate) fn get_mut(&mut self, number: &u32) -> Option<&mut Object> {
        if self.own.is_empty() && Rc::get_mut(&mut self.all).is_some() {
            return Rc::get_mut(&mut self.all)?.get_mut(number);
        }
        if !self.own.contains_key(number) {
            self.own.insert(*number, Some(self.all.get(number)?.clone()));
        }
        self.own.get_mut(number)?.as_mut()
    }

    pub(crate) fn insert(&mut self, number: u32, value: Object) {
        match Rc::get_mut(&mut self.all).filter(|_| self.own.is_empty()) {
            Some(all) => {
                all.insert(number, value);
            }
            None => {
                self.own.insert(number, Some(value));
            }
        }
    }

    pub(crate) fn remove(&mut self, number: &u32) {
        match Rc::get_mut(&mut self.all).filter(|_| self.own.is_empty()) {
            Some(all) => {
                all.remove(number);
            }
            None => {
                self.own.insert(*number, None);
            }
        }
    }

    /// Returns the objects in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Object)> {
        let mut own = self.own.iter().peekable();
        let mut all = self.all.iter().peekable();
        std::iter::from_fn(move || {
            loop {
                let next = own.next_if(|(at, _)| all.peek().is_none_or(|it| *at <= it.0));
                let Some((number, value)) = next else {
                    return all.next().map(|(number, value)| (*number, value));
                };
                all.next_if(|it| it.0 == number);
                if let Some(value) = value {
                    return Some((*number, value));
                }
            }
        })
    }

    /// Returns the objects in the order of their numbers, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Object)> {
        let all = Rc::make_mut(&mut self.all);
        for (number, value) in std::mem::take(&mut self.own) {
            match value {
                Some(value) => all.insert(number, value),
                None => all.remove(&number),
            };
        }
        all.iter_mut().map(|(number, value)| (*number, value))
    }

    /// Returns the highest number.
    pub(crate) fn last(&self) -> Option<u32> {
        let own = self.own.iter().rev().find(|it| it.1.is_some()).map(|it| *it.0);
        let all = self.all.keys().rev().find(|it| !matches!(self.own.get(it), Some(None)));
        own.max(all.copied())
    }
}

impl From<BTreeMap<u32, Object>> for Objects {
    fn from(all: BTreeMap<u32, Object>) -> Self {
        Self { all: Rc::new(all), own: BTreeMap::new() }
    }
}

impl From<Objects> for BTreeMap<u32, Object> {
    fn from(mut objects: Objects) -> Self {
        objects.iter_mut().for_each(drop);
        Rc::unwrap_or_clone(objects.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(objects: &Objects) -> Vec<(u32, i64)> {
        objects.iter().filter_map(|(number, value)| Some((number, value.as_int()?))).collect()
    }

    #[test]
    fn a_copy_has_its_own_changes_and_leaves_the_others_alone() {
        let of = |pairs: &[(u32, i64)]| -> BTreeMap<u32, Object> {
            pairs.iter().map(|(number, value)| (*number, Object::Int(*value))).collect()
        };
        let first = Objects::from(of(&[(1, 10), (3, 30), (5, 50), (7, 70)]));
        let mut second = first.clone();
        second.insert(2, Object::Int(20));
        second.remove(&3);
        *second.get_mut(&5).unwrap() = Object::Int(51);
        second.remove(&7);
        assert!(second.get(&3).is_none() && second.get_mut(&7).is_none());
        assert_eq!(second.get(&5), Some(&Object::Int(51)));
        assert_eq!(listed(&second), [(1, 10), (2, 20), (5, 51)]);
        assert_eq!(second.last(), Some(5));
        assert_eq!(listed(&first), [(1, 10), (3, 30), (5, 50), (7, 70)]);
        // The first one is alone again, and the second has changes beside what it shared.
        let third = second.clone();
        drop(first);
        second.iter_mut().for_each(|(number, value)| *value = Object::Int(number.into()));
        assert_eq!(listed(&second), [(1, 1), (2, 2), (5, 5)]);
        assert_eq!(BTreeMap::from(third), of(&[(1, 10), (2, 20), (5, 51)]));
        second.insert(9, Object::Int(9));
        assert!(second.own.is_empty(), "what nobody shares is changed in place");
    }
}
