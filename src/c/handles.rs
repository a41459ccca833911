//! Handles: numbers for objects of the process. A handle is never given out twice, so one that was freed is always known
//! as such.
//!
//! Knows nothing of what the objects are.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock};

/// A handle of any kind. 0 is none. Handles may be used from every thread, and by several at once.
pub type mitt_handle = u64;

/// A host: engine, skills, limits and threads. Make one for each process.
pub type mitt_host = mitt_handle;

/// A session: the unit of isolation, with documents, files and a journal. It keeps its host alive.
pub type mitt_session = mitt_handle;

/// A flag that ends the calls to which it was given. It may be set from any thread.
pub type mitt_cancel = mitt_handle;

/// The place for the answer of a callback. It is valid until the callback returns.
pub type mitt_reply = mitt_handle;

/// Most live handles of a process, buffers of results included.
pub(crate) const MAX_HANDLES: usize = 1 << 20;

/// Bits of the parts of a handle, from the lowest: index, generation, kind.
const INDEX_BITS: u32 = 32;
const GENERATION_BITS: u32 = 24;
const MAX_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// Why a handle names no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// It is 0.
    None,
    /// It was freed.
    Freed,
    /// It was never given out.
    Unknown,
}

/// Objects by their handles.
pub(crate) struct Registry<T> {
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    all: Vec<Slot<T>>,
    /// Slots that can be used again, the one that was freed first in front. A slot whose generations are used up is not
    /// among them.
    free: VecDeque<u32>,
}

struct Slot<T> {
    /// Generation of the object, or of the last one.
    generation: u32,
    kind: u8,
    object: Option<T>,
}

impl<T: Clone> Registry<T> {
    /// Returns an empty registry.
    pub(crate) const fn new() -> Registry<T> {
        let slots = Slots { all: Vec::new(), free: VecDeque::new() };
        Registry { slots: RwLock::new(slots) }
    }

    /// Adds an object of the kind `kind`, which is not 0. Returns its handle; `None` if there are as many as there may
    /// be.
    pub(crate) fn add(&self, kind: u8, object: T) -> Option<mitt_handle> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let Slots { all, free } = &mut *slots;
        let index = match free.pop_front() {
            Some(index) => index,
            None if all.len() < MAX_HANDLES => {
                all.push(Slot { generation: 0, kind, object: None });
                u32::try_from(all.len() - 1).ok()?
            }
            None => return None,
        };
        let slot = all.get_mut(index as usize)?;
        slot.generation += 1;
        slot.kind = kind;
        slot.object = Some(object);
        Some(handle(index, slot.generation, kind))
    }

    /// Returns the object of a handle.
    pub(crate) fn get(&self, handle: mitt_handle) -> Result<T, Invalid> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.all.get(index_of(handle)).ok_or_else(|| unknown(handle))?;
        slot.check(handle)?;
        slot.object.clone().ok_or(Invalid::Freed)
    }

    /// Removes the object of a handle and returns it. It is dropped after the lock, because its end may call the caller.
    pub(crate) fn remove(&self, handle: mitt_handle) -> Result<T, Invalid> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let Slots { all, free } = &mut *slots;
        let slot = all.get_mut(index_of(handle)).ok_or_else(|| unknown(handle))?;
        slot.check(handle)?;
        let object = slot.object.take().ok_or(Invalid::Freed)?;
        if slot.generation < MAX_GENERATION {
            free.extend(u32::try_from(index_of(handle)));
        }
        Ok(object)
    }

    /// Returns the number of live handles.
    #[cfg(test)]
    fn len(&self) -> usize {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        slots.all.iter().filter(|slot| slot.object.is_some()).count()
    }
}

impl<T> Slot<T> {
    fn check(&self, handle: mitt_handle) -> Result<(), Invalid> {
        let (generation, kind) = (generation_of(handle), kind_of(handle));
        if generation == 0 || generation > self.generation || kind == 0 {
            return Err(unknown(handle));
        }
        if generation < self.generation || self.object.is_none() {
            return Err(Invalid::Freed);
        }
        // The kind is a part of the handle, so that a damaged one is noticed.
        if kind == self.kind { Ok(()) } else { Err(Invalid::Unknown) }
    }
}

/// Returns the kind that a handle says.
pub(crate) fn kind_of(handle: mitt_handle) -> u8 {
    handle.to_be_bytes()[0]
}

fn handle(index: u32, generation: u32, kind: u8) -> mitt_handle {
    u64::from(index)
        | u64::from(generation) << INDEX_BITS
        | u64::from(kind) << (INDEX_BITS + GENERATION_BITS)
}

fn index_of(handle: mitt_handle) -> usize {
    usize::try_from(handle & u64::from(u32::MAX)).unwrap_or(usize::MAX)
}

fn generation_of(handle: mitt_handle) -> u32 {
    u32::try_from(handle >> INDEX_BITS & u64::from(MAX_GENERATION)).unwrap_or_default()
}

fn unknown(handle: mitt_handle) -> Invalid {
    if handle == 0 { Invalid::None } else { Invalid::Unknown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_handle_is_known_as_such_even_if_its_slot_is_used_again() {
        let registry = Registry::new();
        let first = registry.add(1, "first").unwrap();
        assert_eq!(registry.get(first), Ok("first"));
        assert_eq!(registry.remove(first), Ok("first"));
        assert_eq!(registry.remove(first), Err(Invalid::Freed));
        let second = registry.add(2, "second").unwrap();
        assert_eq!(index_of(first), index_of(second));
        assert_eq!(registry.get(first), Err(Invalid::Freed));
        assert_eq!(registry.get(second), Ok("second"));
        assert_eq!((kind_of(first), kind_of(second), registry.len()), (1, 2, 1));
    }

    #[test]
    fn numbers_that_were_never_given_out_are_no_handles() {
        let registry = Registry::new();
        assert_eq!(registry.get(0), Err(Invalid::None));
        let live = registry.add(1, ()).unwrap();
        assert_eq!(registry.get(0), Err(Invalid::None));
        let others = [1, u64::MAX, live ^ 1 << 56, live + (1 << 32), live + 1];
        for other in others {
            assert_eq!(registry.get(other), Err(Invalid::Unknown), "{other:x}");
            assert_eq!(registry.remove(other), Err(Invalid::Unknown), "{other:x}");
        }
        assert_eq!(registry.get(live), Ok(()));
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_left() {
        let registry = Registry::new();
        let first = registry.add(1, ()).unwrap();
        registry.slots.write().unwrap().all[0].generation = MAX_GENERATION;
        let last = handle(0, MAX_GENERATION, 1);
        assert_eq!((registry.get(first), registry.get(last)), (Err(Invalid::Freed), Ok(())));
        registry.remove(last).unwrap();
        assert_eq!(index_of(registry.add(1, ()).unwrap()), 1);
        assert_eq!(registry.get(last), Err(Invalid::Freed));
    }

    #[test]
    fn there_is_a_most_of_live_handles() {
        let registry = Registry::new();
        let first = registry.add(1, ()).unwrap();
        for _ in 1..MAX_HANDLES {
            registry.add(1, ()).unwrap();
        }
        assert_eq!(registry.add(1, ()), None);
        registry.remove(first).unwrap();
        assert!(registry.add(1, ()).is_some());
    }
}
