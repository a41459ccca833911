//! Host functions for Extism plug-ins that use WASI preview 1, called by their kernel: output, clocks, random numbers, sleeping,
//! and exit codes. Clocks and random numbers are those of WASI 0.2, and fixed or recorded like these.

use std::time::Duration;

use wasmtime::StoreContextMut;
use wasmtime::component::Linker;
use wasmtime_wasi::p2::bindings::{clocks, random};

use super::extism::WASI_HOST;
use super::store::StoreData;
use super::wasi::clocks_view;
use mitt_base::Error;

/// Error by which a plug-in ends its call with an exit code.
#[derive(Debug)]
pub(super) struct Exited {
    pub(super) code: i32,
    /// Result of the call then: its output, or its error.
    pub(super) given: Result<Vec<u8>, Vec<u8>>,
}

impl std::fmt::Display for Exited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it exited with code {}", self.code)
    }
}

impl std::error::Error for Exited {}

/// Links the functions.
pub fn link<T: StoreData>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut wasi = linker.instance(WASI_HOST)?;
    wasi.func_wrap(
        "write",
        |mut store: StoreContextMut<'_, T>, (_stream, bytes): (u8, Vec<u8>)| {
            Ok(store.data_mut().core().output().print(&bytes).map_err(Error::reached)?)
        },
    )?;
    wasi.func_wrap("clock", |mut store: StoreContextMut<'_, T>, (id,): (u8,)| {
        let mut clocks = clocks_view(store.data_mut());
        Ok((match id {
            0 => {
                let now = clocks::wall_clock::Host::now(&mut clocks)?;
                let seconds = now.seconds.saturating_mul(1_000_000_000);
                seconds.saturating_add(now.nanoseconds.into())
            }
            _ => clocks::monotonic_clock::Host::now(&mut clocks)?,
        },))
    })?;
    wasi.func_wrap("random", |mut store: StoreContextMut<'_, T>, (length,): (u32,)| {
        let core = store.data_mut().core();
        core.work(length.into())?;
        let random = core.wasi_view().ctx.random();
        Ok((random::random::Host::get_random_bytes(random, length.into())?,))
    })?;
    wasi.func_wrap_async("wait", |_, (nanos,): (u64,)| {
        Box::new(async move {
            tokio::time::sleep(Duration::from_nanos(nanos)).await;
            Ok(())
        })
    })?;
    wasi.func_wrap(
        "exit",
        |_: StoreContextMut<'_, T>,
         (code, given): (i32, Result<Vec<u8>, Vec<u8>>)|
         -> wasmtime::Result<()> { Err(Exited { code, given }.into()) },
    )
}
