//! Native stacks of guests, which later calls reuse.
//!
//! wasmtime maps a stack for every store and unmaps it together with the store. On a machine with several processors that takes
//! longer than a short call: each unmapping interrupts all processors, and all calls of a process contend for one lock. So a few
//! stacks are kept, as wasmtime's own pooling allocator does. The next guest cannot see what a guest leaves on a stack:
//! WebAssembly cannot address the native stack, and its compiled code writes before it reads.
#![expect(
    unsafe_code,
    reason = "wasmtime takes stacks as raw memory; the unsafe code is only in this module"
)]

use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::{Arc, Mutex};

use rustix::mm::{
    Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap,
};
use rustix::param::page_size;
use wasmtime::{StackCreator, StackMemory};

use mitt_base::lock;

/// Most unused stacks that are kept.
const MAX_KEPT: usize = 16;
/// Bytes of an unused stack that stay resident: as much as ordinary calls use. The rest is returned to the system.
const KEPT_BYTES: usize = 128 * 1024;

/// Creates stacks, and keeps some of the used ones.
#[derive(Default)]
pub(super) struct Stacks {
    kept: Arc<Mutex<Vec<Mapping>>>,
}

// SAFETY: `new_stack` returns a separate, page-aligned mapping, zeroed or written by an earlier guest, with an inaccessible page
// below it. Nothing else uses it until wasmtime drops it.
unsafe impl StackCreator for Stacks {
    fn new_stack(&self, size: usize, zeroed: bool) -> wasmtime::Result<Box<dyn StackMemory>> {
        let size = size.max(1).next_multiple_of(page_size());
        let fits = |mapping: &mut Mapping| !zeroed && mapping.stack().len() == size;
        let kept = lock(&self.kept).pop_if(fits);
        let mapping = match kept {
            Some(mapping) => mapping,
            None => Mapping::new(size)?,
        };
        Ok(Box::new(Stack { mapping: Some(mapping), kept: self.kept.clone() }))
    }
}

/// Stack in use.
struct Stack {
    /// Present until the stack is dropped.
    mapping: Option<Mapping>,
    kept: Arc<Mutex<Vec<Mapping>>>,
}

impl Stack {
    fn range(&self) -> Range<usize> {
        self.mapping.as_ref().map_or(0..0, Mapping::stack)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let Some(mapping) = self.mapping.take() else { return };
        if mapping.give_back(KEPT_BYTES).is_err() {
            return;
        }
        let mut kept = lock(&self.kept);
        if kept.len() < MAX_KEPT {
            kept.push(mapping);
        }
    }
}

// SAFETY: the ranges are those of the mapping, which does not change until `self` is dropped.
unsafe impl StackMemory for Stack {
    fn top(&self) -> *mut u8 {
        self.range().end as *mut u8
    }

    fn range(&self) -> Range<usize> {
        Stack::range(self)
    }

    fn guard_range(&self) -> Range<*mut u8> {
        let start = self.range().start;
        (start.saturating_sub(page_size())) as *mut u8..start as *mut u8
    }
}

/// Memory of a stack, above an inaccessible page.
struct Mapping {
    start: NonNull<c_void>,
    length: usize,
}

// SAFETY: it is memory of the process, not bound to a thread, and only its owner has the address.
unsafe impl Send for Mapping {}
// SAFETY: nothing is read or written through a shared reference.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `size` bytes of stack, a multiple of the page size.
    fn new(size: usize) -> io::Result<Mapping> {
        let page = page_size();
        let length = size.checked_add(page).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: a new mapping at an address that the system chooses does not affect existing ones.
        let start =
            unsafe { mmap_anonymous(null_mut(), length, ProtFlags::empty(), MapFlags::PRIVATE)? };
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping { start, length };
        let flags = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: this is the part of the mapping above its first page, which nothing else refers to yet.
        unsafe { mprotect(start.as_ptr().byte_add(page), size, flags)? };
        Ok(mapping)
    }

    /// Returns the address range of the stack.
    fn stack(&self) -> Range<usize> {
        let start = self.start.as_ptr() as usize;
        start + page_size()..start + self.length
    }

    /// Returns all memory but the topmost `but` bytes to the system. It reads as zeros then.
    fn give_back(&self, but: usize) -> io::Result<()> {
        let unused = self.length.saturating_sub(page_size() + but);
        // SAFETY: this is a part of the mapping, whose stack is not in use.
        unsafe {
            madvise(self.start.as_ptr().byte_add(page_size()), unused, Advice::LinuxDontNeed)?;
        }
        Ok(())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: nothing else has the address, and it is not used after this. On failure the memory stays mapped.
        let _ = unsafe { munmap(self.start.as_ptr(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 1024 * 1024;

    fn write(stack: &dyn StackMemory, below_top: usize, value: u8) {
        // SAFETY: an address inside the stack, which only this test uses.
        unsafe { stack.top().sub(below_top).write_volatile(value) };
    }

    fn read(stack: &dyn StackMemory, below_top: usize) -> u8 {
        // SAFETY: as above; the system zeroes pages that were never written.
        unsafe { stack.top().sub(below_top).read_volatile() }
    }

    #[test]
    fn stacks_are_used_again_and_their_depths_given_back() {
        let stacks = Stacks::default();
        let one = stacks.new_stack(SIZE, false).unwrap();
        let range = one.range();
        assert_eq!((range.len(), one.top() as usize), (SIZE, range.end));
        assert_eq!(one.guard_range().end as usize, range.start);
        assert_eq!(one.guard_range().start as usize, range.start - page_size());
        write(&*one, 8, 1);
        write(&*one, SIZE, 1);
        drop(one);
        let again = stacks.new_stack(SIZE, false).unwrap();
        assert_eq!(again.range(), range);
        assert_eq!(read(&*again, SIZE), 0);
        // Two stacks in use are never the same.
        assert_ne!(stacks.new_stack(SIZE, false).unwrap().range(), range);
    }

    #[test]
    fn who_asks_for_zeros_or_another_size_gets_a_new_one() {
        let stacks = Stacks::default();
        let one = stacks.new_stack(SIZE, false).unwrap();
        write(&*one, 8, 1);
        drop(one);
        assert_eq!(read(&*stacks.new_stack(SIZE, true).unwrap(), 8), 0);
        assert_eq!(stacks.new_stack(SIZE + 1, false).unwrap().range().len(), SIZE + page_size());
    }

    #[test]
    fn only_so_many_are_kept() {
        let stacks = Stacks::default();
        let used: Vec<_> =
            (0..MAX_KEPT + 4).map(|_| stacks.new_stack(SIZE, false).unwrap()).collect();
        drop(used);
        assert_eq!(stacks.kept.lock().unwrap().len(), MAX_KEPT);
    }
}
