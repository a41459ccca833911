//! Lists of a text that somebody else wrote: no more of their elements are kept than a caller expects.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// The first elements of a list, at most `MOST`. Further ones are passed over and take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtMost<T, const MOST: usize> {
    /// The elements.
    pub items: Vec<T>,
    /// `true` if the list has more.
    pub has_more: bool,
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for AtMost<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AtMost<T, MOST>, D::Error> {
        deserializer.deserialize_seq(First::<T, MOST>(PhantomData))
    }
}

struct First<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for First<T, MOST> {
    type Value = AtMost<T, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<AtMost<T, MOST>, A::Error> {
        let mut items = Vec::new();
        while items.len() < MOST {
            match list.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(AtMost { items, has_more: false }),
            }
        }
        let mut has_more = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(AtMost { items, has_more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_elements_are_kept_than_are_expected() {
        for (json, items, has_more) in
            [("[]", &[][..], false), ("[1,2]", &[1, 2], false), ("[1,2,[3],\"x\"]", &[1, 2], true)]
        {
            let list: AtMost<u8, 2> = serde_json::from_str(json).unwrap();
            assert_eq!((&list.items[..], list.has_more), (items, has_more), "{json}");
        }
        for wrong in ["{}", "[1", "[300]", "[1,2,"] {
            assert!(serde_json::from_str::<AtMost<u8, 2>>(wrong).is_err(), "{wrong}");
        }
    }
}
