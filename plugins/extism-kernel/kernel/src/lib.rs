//! The memory that an Extism plug-in shares with its host, as a core module beside it: what `extism:host/env` offers.
//!
//! A plug-in has its own memory and sees this one only through functions: it allocates blocks here, writes and reads them byte by
//! byte or eight at a time, and names them by their offsets. Input, output, errors, variables and configuration are such blocks.
//! The host wraps plug-in and kernel into one component, in which this memory is the one of the canonical ABI: input is lowered
//! into it and output is lifted out of it, each with one copy.
//!
//! Written anew instead of taken from Extism, where the length of a block is found by walking all of them, variables live in the
//! host, and an offset that lies is answered with silence. Here finding a block takes the same time however many there are, all
//! memory that a plug-in can grow is in the sandbox, and what lies ends the call with a reason.
//!
//! A plug-in can write anywhere in this memory, also over the heads of blocks. It harms nobody but itself: the host believes nothing
//! that it reads here, and checks each offset and length against the size of the memory.

#![no_std]
// Everything here is about raw memory. Two calls never run at once: an instance is entered by one call at a time.
#![allow(static_mut_refs, reason = "there is one thread, and no function calls another one that holds the state")]

use core::arch::wasm32;
use core::mem::transmute;
use core::ptr;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}

/// Where a block is, in bytes from the beginning of this memory. Zero is none.
type Offset = u64;

/// Before each block, which begins on a multiple of 16.
#[repr(C)]
struct Head {
    /// How many bytes there is room for.
    room: u32,
    /// How many were asked for.
    used: u32,
    /// [`ACTIVE`] or [`FREE`], mixed with the block's own place: a number in the data of another block is not taken for a head.
    state: u32,
    /// Of a free block the next one of its class; of a variable's block whatever is left.
    next: u32,
}

const HEAD: u32 = size_of::<Head>() as u32;
const ACTIVE: u32 = 0x4d69_7474;
const FREE: u32 = 0x6672_6565;

/// Longest message that is logged, in bytes; the host cuts it there in any case.
const MAX_MESSAGE: u32 = 4096;
/// Most parameters of a function of the embedder.
const MAX_ARGUMENTS: usize = 16;

/// Why a call is ended; the host has words for each.
#[repr(i32)]
#[derive(Clone, Copy)]
enum Refusal {
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

struct State {
    /// Where the blocks begin that a reset takes away.
    start: u32,
    /// Where the next block goes.
    end: u32,
    /// Freed blocks: of class `n` are those with room for 2^n bytes and less than twice as many.
    free: [u32; 32],
    input: (u32, u32),
    output: (u32, u32),
    error: u32,
    /// Whether a call has ended, so that its blocks are taken away before there are others. In an instance that is used once
    /// nobody does that work.
    is_stale: bool,
    /// The newest variable, a list through `Variable::next`.
    variables: u32,
    /// Entries of two lengths, a key and a value.
    config: (u32, u32),
    http_status: u32,
    http_headers: u32,
    /// Where the host's functions are in the table: log, refuse, http.
    host: usize,
    arguments: [[u32; 2]; MAX_ARGUMENTS],
    argument_count: usize,
}

/// The beginning of the block of a variable; key and value follow.
#[repr(C)]
struct Variable {
    next: u32,
    key: u32,
    value: u32,
}

const VARIABLE: u32 = size_of::<Variable>() as u32;

static mut STATE: State = State {
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
static mut RETURNED: [u32; 6] = [0; 6];

fn state() -> &'static mut State {
    // SAFETY: one thread, and every caller gives it up before another one takes it.
    unsafe { &mut *(&raw mut STATE) }
}

fn memory_bytes_now() -> u64 {
    (wasm32::memory_size(0) as u64) << 16
}

/// Whether all of these bytes are in this memory.
fn is_here(at: u64, length: u64) -> bool {
    at.checked_add(length).is_some_and(|end| end <= memory_bytes_now())
}

fn first() -> u32 {
    unsafe extern "C" {
        static __heap_base: u8;
    }
    // Only its address is taken, which is where the linker says that nothing of ours is.
    let base = &raw const __heap_base as u32;
    base.next_multiple_of(16)
}

impl State {
    fn ready(&mut self) {
        if self.start == 0 {
            self.start = first();
            self.end = self.start;
        }
        if self.is_stale {
            self.reset();
        }
    }

    fn head(&self, block: u32) -> *mut Head {
        (block - HEAD) as *mut Head
    }

    /// The head of an active block, if there is one at this offset.
    fn active(&self, at: Offset) -> Option<*mut Head> {
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
    fn alloc(&mut self, bytes: u32) -> u32 {
        self.ready();
        let Some(room) = bytes.max(16).checked_next_multiple_of(16) else { return 0 };
        // Every block of this class has room enough.
        let class = (u32::BITS - (room - 1).leading_zeros()) as usize;
        let found = self.free.get(class).copied().unwrap_or(0);
        if found != 0 && is_here(u64::from(found), u64::from(room)) {
            let head = self.head(found);
            // SAFETY: it is in this memory. What a plug-in has written over it is of no use to anyone.
            unsafe {
                self.free[class] = (*head).next;
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

    fn free(&mut self, at: Offset) {
        let Some(head) = self.active(at) else { return };
        let block = at as u32;
        // SAFETY: it is the head of an active block.
        unsafe {
            let class = (u32::BITS - 1 - (*head).room.max(1).leading_zeros()) as usize;
            (*head).state = FREE ^ block;
            (*head).next = self.free[class];
            self.free[class] = block;
        }
        if block == self.input.0 {
            self.input.1 = 0;
        }
    }

    fn length(&self, at: Offset) -> u32 {
        // SAFETY: it is the head of an active block.
        self.active(at).map_or(0, |head| unsafe { (*head).used })
    }

    /// What a block holds. Ends the call if there is none.
    fn bytes(&self, at: Offset, refusal: Refusal) -> &'static [u8] {
        let Some(head) = self.active(at) else { refuse(refusal) };
        // SAFETY: an active block is in this memory as a whole.
        unsafe { core::slice::from_raw_parts(at as u32 as *const u8, (*head).used as usize) }
    }

    /// A block with these bytes; zero if there are none.
    fn copy(&mut self, bytes: &[u8]) -> u32 {
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
    fn reset(&mut self) {
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
            let room = unsafe { (*head).room };
            if !self.is_variable(block) {
                self.free(u64::from(block));
            }
            block += room + HEAD;
        }
    }

    fn is_variable(&self, block: u32) -> bool {
        let mut at = self.variables;
        while at != 0 && self.active(u64::from(at)).is_some() {
            if at == block {
                return true;
            }
            // SAFETY: it is an active block, and those of variables have room for one.
            at = unsafe { (*(at as *const Variable)).next };
        }
        false
    }

    /// The variable of this name, and what points to it.
    fn variable(&mut self, key: &[u8]) -> Option<(u32, *mut u32)> {
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
    unsafe fn named(&self, at: u32) -> Option<&'static [u8]> {
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

fn refuse(refusal: Refusal) -> ! {
    // SAFETY: the host put a function of this type there.
    let refuse: extern "C" fn(i32) = unsafe { transmute(state().host + 1) };
    refuse(refusal as i32);
    wasm32::unreachable()
}

// For the host: see `src/mitt/engine/compile/extism`.

/// Where the host's functions begin in the table.
#[unsafe(no_mangle)]
pub extern "C" fn init(host: usize) {
    state().host = host;
}

/// Memory that no reset takes away.
#[unsafe(no_mangle)]
pub extern "C" fn keep(bytes: u32) -> u32 {
    let state = state();
    let block = state.alloc(bytes);
    if block == 0 {
        wasm32::unreachable();
    }
    state.start = state.end;
    block
}

/// What `config_get` knows.
#[unsafe(no_mangle)]
pub extern "C" fn config_set(at: u32, length: u32) {
    state().config = (at, length);
}

/// Memory for what the canonical ABI brings in.
#[unsafe(no_mangle)]
pub extern "C" fn cabi_realloc(old: u32, old_bytes: u32, align: u32, bytes: u32) -> u32 {
    if bytes == 0 {
        return align;
    }
    let state = state();
    let block = state.alloc(bytes);
    if block == 0 {
        wasm32::unreachable();
    }
    if old != 0 && is_here(u64::from(old), u64::from(old_bytes.min(bytes))) {
        // SAFETY: both are in this memory.
        unsafe { ptr::copy(old as *const u8, block as *mut u8, old_bytes.min(bytes) as usize) };
        state.free(u64::from(old));
    }
    block
}

/// A call begins, with this input.
#[unsafe(no_mangle)]
pub extern "C" fn begin(at: u32, length: u32) {
    let state = state();
    state.ready();
    state.input = if length == 0 { (0, 0) } else { (at, length) };
    (state.output, state.error) = ((0, 0), 0);
}

/// A call ends: its result as the canonical ABI writes `result<list<u8>, list<u8>>`.
#[unsafe(no_mangle)]
pub extern "C" fn end(code: i32) -> *const u32 {
    let state = state();
    let error = state.length(u64::from(state.error));
    let (is_error, at, length) = match (error, code) {
        (0, 0) => (0, state.output.0.max(1), state.output.1),
        (0, code) => {
            let mut text = [0; 48];
            let text = told(&mut text, code);
            (1, state.copy(text), text.len() as u32)
        }
        (length, _) => (1, state.error, length),
    };
    // SAFETY: nobody else holds it.
    unsafe {
        RETURNED[0] = is_error;
        RETURNED[1] = at;
        RETURNED[2] = length;
        (&raw const RETURNED).cast()
    }
}

/// The host has read the result.
#[unsafe(no_mangle)]
pub extern "C" fn ended(_: u32) {
    state().is_stale = true;
}

/// `the function returned ` and the number.
fn told(text: &mut [u8; 48], code: i32) -> &[u8] {
    const WORDS: &[u8] = b"the function returned ";
    let mut digits = [0; 12];
    let mut at = digits.len();
    let mut rest = code.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if code < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    let number = &digits[at..];
    text[..WORDS.len()].copy_from_slice(WORDS);
    text[WORDS.len()..WORDS.len() + number.len()].copy_from_slice(number);
    &text[..WORDS.len() + number.len()]
}

/// A call of a function of the embedder begins.
#[unsafe(no_mangle)]
pub extern "C" fn user_begin() {
    state().argument_count = 0;
}

/// Its next argument. Zero stands for no bytes.
#[unsafe(no_mangle)]
pub extern "C" fn user_argument(at: Offset) {
    let state = state();
    let bytes = match at {
        0 => &[][..],
        at => state.bytes(at, Refusal::Argument),
    };
    // More are refused when the plug-in is loaded.
    let Some(argument) = state.arguments.get_mut(state.argument_count) else { wasm32::unreachable() };
    *argument = [bytes.as_ptr() as u32, bytes.len() as u32];
    state.argument_count += 1;
}

/// Where its arguments are, as the canonical ABI writes a `list<list<u8>>`.
#[unsafe(no_mangle)]
pub extern "C" fn user_arguments() -> u32 {
    (&raw const state().arguments) as u32
}

/// Where its result, an `option<list<u8>>`, is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn user_returned() -> u32 {
    (&raw const RETURNED) as u32
}

/// The block of its result.
#[unsafe(no_mangle)]
pub extern "C" fn user_result() -> Offset {
    // SAFETY: the host has written it.
    let [is_there, at, length, ..] = unsafe { RETURNED };
    if is_there & 0xff == 0 || length == 0 { 0 } else { u64::from(at) }
}

// For plug-ins: `extism:host/env`.

#[unsafe(no_mangle)]
pub extern "C" fn alloc(bytes: u64) -> Offset {
    match u32::try_from(bytes) {
        Ok(0) | Err(_) => 0,
        Ok(bytes) => u64::from(state().alloc(bytes)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn free(at: Offset) {
    state().free(at);
}

#[unsafe(no_mangle)]
pub extern "C" fn length(at: Offset) -> u64 {
    u64::from(state().length(at))
}

#[unsafe(no_mangle)]
pub extern "C" fn length_unsafe(at: Offset) -> u64 {
    length(at)
}

#[unsafe(no_mangle)]
pub extern "C" fn load_u8(at: Offset) -> u32 {
    match is_here(at, 1) {
        // SAFETY: it is in this memory.
        true => u32::from(unsafe { ptr::read_volatile(at as u32 as *const u8) }),
        false => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn load_u64(at: Offset) -> u64 {
    match is_here(at, 8) {
        // SAFETY: it is in this memory.
        true => unsafe { ptr::read_unaligned(at as u32 as *const u64) },
        false => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn store_u8(at: Offset, byte: u32) {
    if at >= u64::from(first()) && is_here(at, 1) {
        // SAFETY: it is in this memory, and not among our own variables.
        unsafe { ptr::write_volatile(at as u32 as *mut u8, byte as u8) };
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn store_u64(at: Offset, bytes: u64) {
    if at >= u64::from(first()) && is_here(at, 8) {
        // SAFETY: as above.
        unsafe { ptr::write_unaligned(at as u32 as *mut u64, bytes) };
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn input_load_u8(at: u64) -> u32 {
    let (start, length) = state().input;
    if at < u64::from(length) { load_u8(u64::from(start) + at) } else { 0 }
}

#[unsafe(no_mangle)]
pub extern "C" fn input_load_u64(at: u64) -> u64 {
    let (start, length) = state().input;
    let is_inside = at.checked_add(8).is_some_and(|end| end <= u64::from(length));
    if is_inside { load_u64(u64::from(start) + at) } else { 0 }
}

#[unsafe(no_mangle)]
pub extern "C" fn input_set(at: Offset, length: u64) {
    if !is_here(at, length) {
        refuse(Refusal::Input);
    }
    state().input = (at as u32, length as u32);
}

#[unsafe(no_mangle)]
pub extern "C" fn input_length() -> u64 {
    u64::from(state().input.1)
}

#[unsafe(no_mangle)]
pub extern "C" fn input_offset() -> Offset {
    u64::from(state().input.0)
}

#[unsafe(no_mangle)]
pub extern "C" fn output_set(at: Offset, length: u64) {
    if !is_here(at, length) || (length > 0 && at < u64::from(first())) {
        refuse(Refusal::Output);
    }
    state().output = (at as u32, length as u32);
}

#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> u64 {
    u64::from(state().output.1)
}

#[unsafe(no_mangle)]
pub extern "C" fn output_offset() -> Offset {
    u64::from(state().output.0)
}

#[unsafe(no_mangle)]
pub extern "C" fn error_set(at: Offset) {
    let state = state();
    if at != 0 && state.active(at).is_none() {
        refuse(Refusal::Error);
    }
    state.error = at as u32;
}

#[unsafe(no_mangle)]
pub extern "C" fn error_get() -> Offset {
    u64::from(state().error)
}

#[unsafe(no_mangle)]
pub extern "C" fn reset() {
    state().reset();
}

#[unsafe(no_mangle)]
pub extern "C" fn memory_bytes() -> u64 {
    memory_bytes_now()
}

#[unsafe(no_mangle)]
pub extern "C" fn config_get(key: Offset) -> Offset {
    let state = state();
    let wanted = state.bytes(key, Refusal::ConfigKey);
    let (mut at, length) = state.config;
    let end = at + length;
    let mut found = &[][..];
    while at + 8 <= end {
        // SAFETY: the host has written whole entries there.
        let entry = unsafe {
            let [key, value] = ptr::read_unaligned(at as *const [u32; 2]);
            let name = core::slice::from_raw_parts((at + 8) as *const u8, key as usize);
            (name, core::slice::from_raw_parts((at + 8 + key) as *const u8, value as usize))
        };
        if entry.0 == wanted {
            found = entry.1;
            break;
        }
        at += 8 + entry.0.len() as u32 + entry.1.len() as u32;
    }
    state.free(key);
    u64::from(state.copy(found))
}

#[unsafe(no_mangle)]
pub extern "C" fn var_get(key: Offset) -> Offset {
    let state = state();
    let name = state.bytes(key, Refusal::VariableKey);
    let found = state.variable(name).map(|(at, _)| {
        // SAFETY: a variable that was found is sound.
        unsafe {
            let Variable { key, value, .. } = ptr::read(at as *const Variable);
            core::slice::from_raw_parts((at + VARIABLE + key) as *const u8, value as usize)
        }
    });
    state.free(key);
    u64::from(state.copy(found.unwrap_or_default()))
}

#[unsafe(no_mangle)]
pub extern "C" fn var_set(key: Offset, value: Offset) {
    let state = state();
    let name = state.bytes(key, Refusal::VariableKey);
    let content = match value {
        0 => None,
        value => Some(state.bytes(value, Refusal::VariableValue)),
    };
    if let Some((at, from)) = state.variable(name) {
        // SAFETY: what was found is sound, and `from` points to it.
        unsafe { *from = (*(at as *const Variable)).next };
        state.free(u64::from(at));
    }
    if let Some(content) = content {
        let whole = u64::from(VARIABLE) + name.len() as u64 + content.len() as u64;
        let at = u32::try_from(whole).map_or(0, |whole| state.alloc(whole));
        if at == 0 {
            wasm32::unreachable();
        }
        let (key, value) = (name.len() as u32, content.len() as u32);
        // SAFETY: the block is new and has room for all of it.
        unsafe {
            ptr::write(at as *mut Variable, Variable { next: state.variables, key, value });
            ptr::copy(name.as_ptr(), (at + VARIABLE) as *mut u8, name.len());
            ptr::copy(content.as_ptr(), (at + VARIABLE + key) as *mut u8, content.len());
        }
        state.variables = at;
    }
    state.free(value);
    state.free(key);
}

#[unsafe(no_mangle)]
pub extern "C" fn http_request(request: Offset, body: Offset) -> Offset {
    type Http = extern "C" fn(*const u8, usize, i32, *const u8, usize, *mut u32);
    let state = state();
    let asked = state.bytes(request, Refusal::HttpRequest);
    let sent = match body {
        0 => None,
        body => Some(state.bytes(body, Refusal::HttpBody)),
    };
    (state.http_status, state.http_headers) = (0, 0);
    // SAFETY: the host put a function of this type there.
    let http: Http = unsafe { transmute(state.host + 2) };
    let given = sent.unwrap_or_default();
    let to = (&raw mut RETURNED).cast();
    http(asked.as_ptr(), asked.len(), i32::from(sent.is_some()), given.as_ptr(), given.len(), to);
    // SAFETY: the host has written a status, and two lists into blocks.
    let [status, headers, headers_length, answer, answer_length, _] = unsafe { RETURNED };
    state.http_status = status & 0xffff;
    state.http_headers = if headers_length == 0 { 0 } else { headers };
    state.free(request);
    state.free(body);
    if answer_length == 0 { 0 } else { u64::from(answer) }
}

#[unsafe(no_mangle)]
pub extern "C" fn http_status_code() -> u32 {
    state().http_status
}

#[unsafe(no_mangle)]
pub extern "C" fn http_headers() -> Offset {
    let state = state();
    let headers = u64::from(state.http_headers);
    match state.length(headers) {
        0 => 0,
        _ => u64::from(state.copy(state.bytes(headers, Refusal::HttpRequest))),
    }
}

fn log(level: i32, message: Offset) {
    let state = state();
    let text = state.bytes(message, Refusal::LogMessage);
    // SAFETY: the host put a function of this type there.
    let log: extern "C" fn(i32, *const u8, usize) = unsafe { transmute(state.host) };
    log(level, text.as_ptr(), text.len().min(MAX_MESSAGE as usize));
    state.free(message);
}

#[unsafe(no_mangle)]
pub extern "C" fn log_trace(message: Offset) {
    log(0, message);
}

#[unsafe(no_mangle)]
pub extern "C" fn log_debug(message: Offset) {
    log(1, message);
}

#[unsafe(no_mangle)]
pub extern "C" fn log_info(message: Offset) {
    log(2, message);
}

#[unsafe(no_mangle)]
pub extern "C" fn log_warn(message: Offset) {
    log(3, message);
}

#[unsafe(no_mangle)]
pub extern "C" fn log_error(message: Offset) {
    log(4, message);
}

/// From which level on messages are noted: debug, as the host has no lower one.
#[unsafe(no_mangle)]
pub extern "C" fn get_log_level() -> i32 {
    1
}
