//! For the host: what the component around a plug-in calls, see `src/engine/compile/extism`.

use core::arch::wasm32;
use core::mem::transmute;
use core::ptr;

use crate::blocks::{Offset, RETURNED, Refusal, is_here, state};

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
    result(b"the function returned ", code)
}

/// A plug-in ends the call itself, by an exit code.
pub(crate) fn exited(code: i32) -> ! {
    const EXIT: usize = 8;
    // SAFETY: it points to three words.
    let [is_error, at, length] =
        unsafe { ptr::read(result(b"the plug-in exited with code ", code).cast::<[u32; 3]>()) };
    // SAFETY: the component has put a function of this type there.
    let exit: extern "C" fn(i32, u32, u32, u32) = unsafe { transmute(state().host + EXIT) };
    exit(code, is_error, at, length);
    wasm32::unreachable()
}

/// What a call gives; `words` and the number, if the code is not 0 and the plug-in has said nothing itself.
fn result(words: &[u8], code: i32) -> *const u32 {
    let state = state();
    let error = state.length(u64::from(state.error));
    let (is_error, at, length) = match (error, code) {
        (0, 0) => (0, state.output.0.max(1), state.output.1),
        (0, code) => {
            let mut text = [0; 48];
            let text = told(&mut text, words, code);
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

/// A text and a number.
fn told<'a>(text: &'a mut [u8; 48], words: &[u8], code: i32) -> &'a [u8] {
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
    text[..words.len()].copy_from_slice(words);
    text[words.len()..words.len() + number.len()].copy_from_slice(number);
    &text[..words.len() + number.len()]
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
    let bytes = state.bytes(at, Refusal::Argument);
    // More are refused when the plug-in is loaded.
    let Some(argument) = state.arguments.get_mut(state.argument_count) else {
        wasm32::unreachable()
    };
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
