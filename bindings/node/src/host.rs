//! Hosts.

use std::sync::{Arc, Mutex};

use mitt_c::binding::{self, HostObject};
use napi_derive::napi;

use crate::bridge::{Bridge, Environment, entry, locked};
use crate::function::JsFunction;

/// A host, as JavaScript holds it.
#[napi]
pub struct NativeHost {
    pub(crate) environment: Arc<Environment>,
    /// `None` after it was closed. Sessions keep the host.
    object: Mutex<Option<Arc<HostObject>>>,
}

#[napi]
impl NativeHost {
    /// Makes a host. `options` is JSON.
    #[napi(constructor)]
    pub fn new(bridge: &Bridge, options: String) -> napi::Result<NativeHost> {
        let object = entry(|| binding::new_host(&options))?;
        Ok(NativeHost {
            environment: bridge.environment.clone(),
            object: Mutex::new(Some(Arc::new(object))),
        })
    }

    /// Adds a tool for sessions that are opened after that. `definition` is JSON.
    #[napi]
    pub fn tool(&self, definition: String, function: u32) -> napi::Result<()> {
        // Before anything that fails: with it the function is forgotten.
        let answer = JsFunction::new(&self.environment, function);
        let host = self.object()?;
        entry(|| {
            let tool = binding::new_tool(&definition, answer)?;
            Ok(host.change(|host| host.with_tool(tool))?)
        })
    }

    /// Closes the host; its sessions keep its threads.
    #[napi]
    pub fn close(&self) {
        let object = locked(&self.object).take();
        drop(object);
    }

    pub(crate) fn object(&self) -> napi::Result<Arc<HostObject>> {
        let object = locked(&self.object).clone();
        // `index.js` has its own error for that.
        object.ok_or_else(|| napi::Error::from_reason("the host was closed"))
    }
}
