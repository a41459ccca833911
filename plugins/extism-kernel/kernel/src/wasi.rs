//! WASI preview 1 in its smallest form, for plug-ins whose languages cannot do without: clocks, random numbers, output, an empty
//! environment, no files.
//!
//! All that it needs stands in this memory. Wasmtime's adapter to WASI 0.2 keeps its stack and its state in pages that it takes from
//! the plug-in's memory, which Go and TinyGo believe to be theirs when their heaps grow.
//!
//! What the plug-in's memory holds is copied by two functions in the table, beside each other, whose place comes as the first argument
//! of each function: every module of a plug-in has a memory of its own. These two have a type of their own: a plug-in that finds a way
//! to write over what stands here can at most have another function called of the type that is expected.

use core::arch::wasm32;
use core::mem::transmute;

use crate::blocks::{RETURNED, state};
use crate::host::exited;

/// Where the functions are that copy from and to the memory of the module that calls.
type Guest = usize;

/// Numbers of errors, as `wasi_snapshot_preview1` defines them.
const SUCCESS: i32 = 0;
const BADF: i32 = 8;
const INVAL: i32 = 28;
const SPIPE: i32 = 70;

const STDIN: u32 = 0;
const STDERR: u32 = 2;

const REALTIME: u32 = 0;
const MONOTONIC: u32 = 1;

/// What is copied at once, in bytes.
const PIECE_BYTES: u32 = 4096;
static mut PIECE: [u8; PIECE_BYTES as usize] = [0; PIECE_BYTES as usize];

/// Where the host's functions for WASI are, counted from the first one of all.
const WRITE: usize = 4;
const CLOCK: usize = 5;
const RANDOM: usize = 6;
const WAIT: usize = 7;

/// Copy from the plug-in. It ends the call if that is outside of its memory.
fn read(guest: Guest, from: u32, to: *mut u8, length: u32) {
    // SAFETY: the component has put a function of this type there.
    let read: extern "C" fn(u64, *mut u8, u32, u32) = unsafe { transmute(guest) };
    read(0, to, from, length);
}

/// Copy to the plug-in. It ends the call if that is outside of its memory.
fn write(guest: Guest, to: u32, from: *const u8, length: u32) {
    // SAFETY: as above.
    let write: extern "C" fn(u64, u32, *const u8, u32) = unsafe { transmute(guest + 1) };
    write(0, to, from, length);
}

fn bytes<const N: usize>(guest: Guest, at: u32) -> [u8; N] {
    let mut bytes = [0; N];
    read(guest, at, bytes.as_mut_ptr(), N as u32);
    bytes
}

fn put(guest: Guest, at: u32, bytes: &[u8]) {
    write(guest, at, bytes.as_ptr(), bytes.len() as u32);
}

/// The place of an item in a list; one that there cannot be is outside of every memory.
fn item(list: u32, index: u32, size: u32) -> u32 {
    let offset = index.checked_mul(size);
    offset.and_then(|offset| list.checked_add(offset)).unwrap_or(u32::MAX)
}

fn two_words(bytes: [u8; 8]) -> [u32; 2] {
    let both = u64::from_le_bytes(bytes);
    [both as u32, (both >> 32) as u32]
}

fn now(clock: u32) -> u64 {
    // SAFETY: the component has put a function of this type there.
    let clock_now: extern "C" fn(u32) -> u64 = unsafe { transmute(state().host + CLOCK) };
    clock_now(clock)
}

fn is_clock(clock: u32) -> bool {
    clock == REALTIME || clock == MONOTONIC
}

fn none(guest: Guest, count: u32, length: u32) -> i32 {
    put(guest, count, &[0; 4]);
    put(guest, length, &[0; 4]);
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_args_sizes_get(guest: Guest, count: u32, length: u32) -> i32 {
    none(guest, count, length)
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_environ_sizes_get(guest: Guest, count: u32, length: u32) -> i32 {
    none(guest, count, length)
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_clock_res_get(guest: Guest, clock: u32, at: u32) -> i32 {
    if !is_clock(clock) {
        return BADF;
    }
    put(guest, at, &1_u64.to_le_bytes());
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_clock_time_get(guest: Guest, clock: u32, _: u64, at: u32) -> i32 {
    if !is_clock(clock) {
        return BADF;
    }
    put(guest, at, &now(clock).to_le_bytes());
    SUCCESS
}

fn of_stream(fd: u32, answer: i32) -> i32 {
    if fd <= STDERR { answer } else { BADF }
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_close(_: Guest, fd: u32) -> i32 {
    of_stream(fd, SUCCESS)
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_fdstat_set_flags(_: Guest, fd: u32, _: u32) -> i32 {
    of_stream(fd, SUCCESS)
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_seek(_: Guest, fd: u32, _: u64, _: u32, _: u32) -> i32 {
    of_stream(fd, SPIPE)
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_tell(_: Guest, fd: u32, _: u32) -> i32 {
    of_stream(fd, SPIPE)
}

/// A stream is of no known kind, may be read or written, and nothing else.
#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_fdstat_get(guest: Guest, fd: u32, at: u32) -> i32 {
    const READ: u8 = 1 << 1;
    const WRITE: u8 = 1 << 6;
    if fd > STDERR {
        return BADF;
    }
    let mut stat = [0; 24];
    stat[8] = if fd == STDIN { READ } else { WRITE };
    put(guest, at, &stat);
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_filestat_get(guest: Guest, fd: u32, at: u32) -> i32 {
    if fd > STDERR {
        return BADF;
    }
    put(guest, at, &[0; 64]);
    SUCCESS
}

/// Standard input is at its end.
#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_read(guest: Guest, fd: u32, _: u32, _: u32, at: u32) -> i32 {
    if fd != STDIN {
        return BADF;
    }
    put(guest, at, &[0; 4]);
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_fd_write(guest: Guest, fd: u32, list: u32, count: u32, at: u32) -> i32 {
    if fd == STDIN || fd > STDERR {
        return BADF;
    }
    // SAFETY: the component has put a function of this type there.
    let print: extern "C" fn(u32, *const u8, u32) = unsafe { transmute(state().host + WRITE) };
    let piece = (&raw mut PIECE).cast::<u8>();
    let mut written = 0_u32;
    for index in 0..count {
        let [mut from, mut rest] = two_words(bytes(guest, item(list, index, 8)));
        while rest > 0 {
            let length = rest.min(PIECE_BYTES);
            read(guest, from, piece, length);
            print(fd, piece, length);
            // What comes after the end of all memory is not there: see `read`.
            (from, rest) = (from.saturating_add(length), rest - length);
            written = written.saturating_add(length);
        }
    }
    put(guest, at, &written.to_le_bytes());
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_random_get(guest: Guest, mut at: u32, mut rest: u32) -> i32 {
    // SAFETY: the component has put a function of this type there.
    let random: extern "C" fn(u32, *mut u32) = unsafe { transmute(state().host + RANDOM) };
    while rest > 0 {
        let wanted = rest.min(PIECE_BYTES);
        random(wanted, (&raw mut RETURNED).cast());
        // SAFETY: the host has written a list into a block.
        let [block, length, ..] = unsafe { RETURNED };
        if length != wanted {
            wasm32::unreachable();
        }
        write(guest, at, block as *const u8, length);
        state().free(u64::from(block));
        (at, rest) = (at.saturating_add(length), rest - length);
    }
    SUCCESS
}

/// What a plug-in waits for.
struct Awaited {
    userdata: [u8; 8],
    kind: u8,
    /// How long it takes from now on in nanoseconds, or which error it is.
    nanos: Result<u64, i32>,
}

const SUBSCRIPTION_BYTES: u32 = 48;
const EVENT_BYTES: u32 = 32;

/// What the clocks showed when they were first asked: the same for all that is awaited.
struct Clocks([Option<u64>; 2]);

impl Clocks {
    fn until(&mut self, clock: u32, time: u64) -> u64 {
        let shown = &mut self.0[if clock == REALTIME { 0 } else { 1 }];
        time.saturating_sub(*shown.get_or_insert_with(|| now(clock)))
    }
}

fn awaited(guest: Guest, at: u32, clocks: &mut Clocks) -> Awaited {
    const OF_CLOCK: u8 = 0;
    const OF_WRITING: u8 = 2;
    const ABSOLUTE: u8 = 1;
    let bytes: [u8; SUBSCRIPTION_BYTES as usize] = bytes(guest, at);
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let (kind, subject, time) = (bytes[8], word(16) as u32, word(24));
    let nanos = match kind {
        OF_CLOCK if !is_clock(subject) => Err(BADF),
        OF_CLOCK if bytes[40] & ABSOLUTE != 0 => Ok(clocks.until(subject, time)),
        OF_CLOCK => Ok(time),
        // Streams are always ready.
        ..=OF_WRITING if subject <= STDERR => Ok(0),
        ..=OF_WRITING => Err(BADF),
        _ => Err(INVAL),
    };
    Awaited { userdata: word(0).to_le_bytes(), kind, nanos }
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_poll_oneoff(guest: Guest, list: u32, to: u32, count: u32, at: u32) -> i32 {
    if count == 0 {
        return INVAL;
    }
    let (mut nanos, mut clocks) = (u64::MAX, Clocks([None; 2]));
    for index in 0..count {
        let one = awaited(guest, item(list, index, SUBSCRIPTION_BYTES), &mut clocks);
        nanos = nanos.min(one.nanos.unwrap_or(0));
    }
    if nanos > 0 {
        // SAFETY: the component has put a function of this type there.
        let wait: extern "C" fn(u64) = unsafe { transmute(state().host + WAIT) };
        wait(nanos);
    }
    let mut events = 0;
    for index in 0..count {
        let Awaited { userdata, kind, nanos: left } =
            awaited(guest, item(list, index, SUBSCRIPTION_BYTES), &mut clocks);
        let error = match left {
            Ok(left) if left > nanos => continue,
            Ok(_) => SUCCESS,
            Err(error) => error,
        };
        let mut event = [0; EVENT_BYTES as usize];
        event[..8].copy_from_slice(&userdata);
        (event[8], event[10]) = (error as u8, kind);
        put(guest, item(to, events, EVENT_BYTES), &event);
        events += 1;
    }
    put(guest, at, &events.to_le_bytes());
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn wasi_proc_exit(_: Guest, code: i32) {
    exited(code)
}
