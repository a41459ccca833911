//! The memory that an Extism plug-in shares with its host, as a core module beside it: what `extism:host/env` offers, and WASI
//! preview 1 for those that need it.
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
#![allow(
    static_mut_refs,
    reason = "there is one thread, and no function calls another one that holds the state"
)]

mod blocks;
mod env;
mod host;
mod wasi;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
