//! For plug-ins: `extism:host/env`.

use core::arch::wasm32;
use core::mem::transmute;
use core::ptr;

use crate::blocks::{
    KEPT, MAX_MESSAGE, Offset, RETURNED, Refusal, VARIABLE, Variable, first, is_here,
    memory_bytes_now, refuse, state,
};

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
    if is_here(at, 1) {
        // SAFETY: the address is in this memory.
        u32::from(unsafe { ptr::read_volatile(at as u32 as *const u8) })
    } else {
        0
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn load_u64(at: Offset) -> u64 {
    if is_here(at, 8) {
        // SAFETY: the address is in this memory.
        unsafe { ptr::read_unaligned(at as u32 as *const u64) }
    } else {
        0
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
    let message = state.bytes(at, Refusal::Error);
    if !message.is_empty() {
        // Told at once: nobody reads this memory after a crash.
        // SAFETY: the host put a function of this type there.
        let said: extern "C" fn(*const u8, usize) = unsafe { transmute(state.host + 3) };
        said(message.as_ptr(), message.len().min(MAX_MESSAGE as usize));
    }
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
            (*state.head(at)).next = KEPT ^ at;
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
