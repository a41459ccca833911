//! Blocks of memory: where they are, how they are taken and given back, and what of the state of a call is kept beside them.

use core::arch::wasm32;
use core::mem::transmute;
use core::ptr;

/// Where a block is, in bytes from the beginning of this memory. Zero is none.
pub(crate) type Offset = u64;

/// Before each block, which begins on a multiple of 16.
#[repr(C)]
pub(crate) struct Head {
    /// How many bytes there is room for.
    pub(crate) room: u32,
    /// How many were asked for.
    pub(crate) used: u32,
    /// [`ACTIVE`] or [`FREE`], mixed with the block's own place: a number in the data of another block is not taken for a head.
    pub(crate) state: u32,
    /// Of a free block the next one of its class; of the block of a variable [`KEPT`], mixed with its place; else zero.
    pub(crate) next: u32,
}

pub(crate) const HEAD: u32 = size_of::<Head>() as u32;
pub(crate) const ACTIVE: u32 = 0x4d69_7474;
pub(crate) const FREE: u32 = 0x6672_6565;
pub(crate) const KEPT: u32 = 0x6b65_7074;

/// Longest message that is logged, in bytes; the host cuts it there in any case.
pub(crate) const MAX_MESSAGE: u32 = 4096;
/// Most parameters of a function of the embedder.
pub(crate) const MAX_ARGUMENTS: usize = 16;

/// Why a call is ended; the host has words for each.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    LogMessage = 0,
    ConfigKey = 1,
    VariableKey = 2,
    VariableValue = 3,
    HttpRequest = 4,
    HttpBody = 5,
    Output = 6,
    Error = 7,
    Argument = 8,
    Input = 9,
}

pub(crate) struct State {
    /// Where the blocks begin that a reset takes away.
    pub(crate) start: u32,
    /// Where the next block goes.
    pub(crate) end: u32,
    /// Freed blocks: of class `n` are those with room for 2^n bytes and less than twice as many.
    pub(crate) free: [u32; 32],
    pub(crate) input: (u32, u32),
    pub(crate) output: (u32, u32),
    pub(crate) error: u32,
    /// Whether a call has ended, so that its blocks are taken away before there are others. In an instance that is used once
    /// nobody does that work.
    pub(crate) is_stale: bool,
    /// The newest variable, a list through `Variable::next`.
    pub(crate) variables: u32,
    /// Entries of two lengths, a key and a value.
    pub(crate) config: (u32, u32),
    pub(crate) http_status: u32,
    pub(crate) http_headers: u32,
    /// Where the host's functions are in the table: log, refuse, http, said; then those for WASI, if a module imports that: write,
    /// clock, random, wait, exit.
    pub(crate) host: usize,
    pub(crate) arguments: [[u32; 2]; MAX_ARGUMENTS],
    pub(crate) argument_count: usize,
}

/// The beginning of the block of a variable; key and value follow.
#[repr(C)]
pub(crate) struct Variable {
    pub(crate) next: u32,
    pub(crate) key: u32,
    pub(crate) value: u32,
}

pub(crate) const VARIABLE: u32 = size_of::<Variable>() as u32;

pub(crate) static mut STATE: State = State {
    start: 0,
    end: 0,
    free: [0; 32],
    input: (0, 0),
    output: (0, 0),
    error: 0,
    is_stale: false,
    variables: 0,
    config: (0, 0),
    http_status: 0,
    http_headers: 0,
    host: 0,
    arguments: [[0; 2]; MAX_ARGUMENTS],
    argument_count: 0,
};

/// Where the canonical ABI puts results: of a call, of a request, of a function of the embedder.
pub(crate) static mut RETURNED: [u32; 6] = [0; 6];

pub(crate) fn state() -> &'static mut State {
    // SAFETY: one thread, and every caller gives it up before another one takes it.
    unsafe { &mut *(&raw mut STATE) }
}

pub(crate) fn memory_bytes_now() -> u64 {
    (wasm32::memory_size(0) as u64) << 16
}

/// Whether all of these bytes are in this memory.
pub(crate) fn is_here(at: u64, length: u64) -> bool {
    at.checked_add(length).is_some_and(|end| end <= memory_bytes_now())
}

pub(crate) fn first() -> u32 {
    unsafe extern "C" {
        static __heap_base: u8;
    }
    // Only its address is taken, which is where the linker says that nothing of ours is.
    let base = &raw const __heap_base as u32;
    base.next_multiple_of(16)
}

/// Blocks of 2^n bytes and more, but less than twice as many, are of the class n.
fn class_of(room: u32) -> usize {
    (u32::BITS - 1 - room.max(1).leading_zeros()) as usize
}

impl State {
    pub(crate) fn ready(&mut self) {
        if self.start == 0 {
            self.start = first();
            self.end = self.start;
        }
        if self.is_stale {
            self.reset();
        }
    }

    pub(crate) fn head(&self, block: u32) -> *mut Head {
        (block - HEAD) as *mut Head
    }

    /// The head of an active block, if there is one at this offset.
    pub(crate) fn active(&self, at: Offset) -> Option<*mut Head> {
        let block = u32::try_from(at).ok()?;
        if !block.is_multiple_of(16) || block < first() + HEAD || block > self.end {
            return None;
        }
        let head = self.head(block);
        // SAFETY: it is between the first block and the end, which is in this memory.
        let Head { room, used, state, .. } = unsafe { ptr::read(head) };
        let is_sound = state == ACTIVE ^ block
            && used <= room
            && u64::from(block) + u64::from(room) <= u64::from(self.end);
        is_sound.then_some(head)
    }

    /// A block for so many bytes; zero if there is no memory for it.
    pub(crate) fn alloc(&mut self, bytes: u32) -> u32 {
        self.ready();
        let Some(room) = bytes.max(16).checked_next_multiple_of(16) else { return 0 };
        // Of the class that a block of this size would be freed to, the first one may have room enough; of the class above, each.
        let (class, above) = (class_of(room), class_of(room - 1) + 1);
        let found = self.take(class, room);
        let found = if found == 0 && above != class { self.take(above, room) } else { found };
        if found != 0 {
            let head = self.head(found);
            // SAFETY: it was the head of a free block.
            unsafe {
                (*head).next = 0;
                (*head).used = bytes;
                (*head).state = ACTIVE ^ found;
            }
            return found;
        }
        let block = u64::from(self.end) + u64::from(HEAD);
        let end = block + u64::from(room);
        let have = memory_bytes_now();
        if end > have {
            let pages = (end - have).div_ceil(1 << 16);
            if end > u64::from(u32::MAX) || wasm32::memory_grow(0, pages as usize) == usize::MAX {
                return 0;
            }
        }
        let block = block as u32;
        let head = Head { room, used: bytes, state: ACTIVE ^ block, next: 0 };
        // SAFETY: the memory is there, and nothing is after `end`.
        unsafe { ptr::write(self.head(block), head) };
        self.end = end as u32;
        block
    }

    /// Take the first free block of a class if it has room enough; zero if not.
    fn take(&mut self, class: usize, room: u32) -> u32 {
        let Some(found) = self.free.get(class).copied().filter(|found| *found != 0) else {
            return 0;
        };
        // A plug-in can write over blocks that are free: what they lead to is believed only if it is a free block.
        let is_place = found.is_multiple_of(16) && found >= first() + HEAD && found <= self.end;
        // SAFETY: it is between the first block and the end, which is in this memory.
        let head = is_place.then(|| unsafe { ptr::read(self.head(found)) });
        let is_free = |head: &Head| {
            head.state == FREE ^ found
                && u64::from(found) + u64::from(head.room) <= u64::from(self.end)
        };
        match head.filter(is_free) {
            None => {
                self.free[class] = 0;
                0
            }
            Some(head) if head.room < room => 0,
            Some(head) => {
                self.free[class] = head.next;
                found
            }
        }
    }

    pub(crate) fn free(&mut self, at: Offset) {
        let Some(head) = self.active(at) else { return };
        let block = at as u32;
        // SAFETY: it is the head of an active block.
        unsafe {
            let class = class_of((*head).room);
            (*head).state = FREE ^ block;
            (*head).next = self.free[class];
            self.free[class] = block;
        }
        if block == self.input.0 {
            self.input.1 = 0;
        }
    }

    pub(crate) fn length(&self, at: Offset) -> u32 {
        // SAFETY: it is the head of an active block.
        self.active(at).map_or(0, |head| unsafe { (*head).used })
    }

    /// What a block holds. Zero is what PDKs give for no bytes, as there is no block of none. Ends the call if there is no block.
    pub(crate) fn bytes(&self, at: Offset, refusal: Refusal) -> &'static [u8] {
        if at == 0 {
            return &[];
        }
        let Some(head) = self.active(at) else { refuse(refusal) };
        // SAFETY: an active block is in this memory as a whole.
        unsafe { core::slice::from_raw_parts(at as u32 as *const u8, (*head).used as usize) }
    }

    /// A block with these bytes; zero if there are none.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> u32 {
        if bytes.is_empty() {
            return 0;
        }
        let block = self.alloc(bytes.len() as u32);
        if block == 0 {
            wasm32::unreachable();
        }
        // SAFETY: the block is new and has room.
        unsafe { ptr::copy(bytes.as_ptr(), block as *mut u8, bytes.len()) };
        block
    }

    /// Take all blocks away but those of variables.
    pub(crate) fn reset(&mut self) {
        self.is_stale = false;
        self.ready();
        (self.input, self.output, self.error) = ((0, 0), (0, 0), 0);
        (self.http_status, self.http_headers) = (0, 0);
        if self.variables == 0 {
            // SAFETY: all between the two is in this memory.
            unsafe { ptr::write_bytes(self.start as *mut u8, 0, (self.end - self.start) as usize) };
            (self.end, self.free) = (self.start, [0; 32]);
            return;
        }
        let mut block = self.start + HEAD;
        while block < self.end {
            let Some(head) = self.active(u64::from(block)) else {
                // SAFETY: it is before the end.
                let Head { room, state, .. } = unsafe { ptr::read(self.head(block)) };
                if state != FREE ^ block || room == 0 || room > self.end - block {
                    break;
                }
                block += room + HEAD;
                continue;
            };
            // SAFETY: it is the head of an active block.
            let Head { room, next, .. } = unsafe { ptr::read(head) };
            if next != KEPT ^ block {
                self.free(u64::from(block));
            }
            block += room + HEAD;
        }
    }

    /// The variable of this name, and what points to it.
    pub(crate) fn variable(&mut self, key: &[u8]) -> Option<(u32, *mut u32)> {
        let mut from: *mut u32 = &raw mut self.variables;
        loop {
            // SAFETY: it is the beginning of the list or the member of an active block.
            let at = unsafe { *from };
            if at == 0 || self.active(u64::from(at)).is_none() {
                return None;
            }
            let variable = at as *mut Variable;
            // SAFETY: as above; `named` looks at no more than the block has.
            if unsafe { self.named(at) } == Some(key) {
                return Some((at, from));
            }
            from = unsafe { &raw mut (*variable).next };
        }
    }

    /// The name of a variable, if its block is sound.
    pub(crate) unsafe fn named(&self, at: u32) -> Option<&'static [u8]> {
        // SAFETY: the caller has looked at the block.
        let Variable { key, value, .. } = unsafe { ptr::read(at as *const Variable) };
        let whole = u64::from(key) + u64::from(value) + u64::from(VARIABLE);
        if whole != u64::from(self.length(u64::from(at))) {
            return None;
        }
        // SAFETY: it is within the block.
        Some(unsafe { core::slice::from_raw_parts((at + VARIABLE) as *const u8, key as usize) })
    }
}

pub(crate) fn refuse(refusal: Refusal) -> ! {
    // SAFETY: the host put a function of this type there.
    let refuse: extern "C" fn(i32) = unsafe { transmute(state().host + 1) };
    refuse(refusal as i32);
    wasm32::unreachable()
}
