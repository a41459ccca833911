//! Extism plug-ins as the engine runs them: each is a component that `compile/extism` makes from the plug-in's modules and a
//! kernel. This file has the names of its exports and host functions, for callers and linkers.
//!
//! Does not know contracts of functions: to the engine, input and output are bytes.

use mitt_base::{Error, ErrorKind};

/// Instance that the component of a plug-in exports: its functions, from bytes to bytes.
pub const PLUGIN: &str = "mitt:extism/plugin";

/// Host functions that the kernel imports.
pub const HOST: &str = "mitt:extism/host";

/// Host functions that the kernel imports for WASI, if a module of the plug-in uses it.
pub const WASI_HOST: &str = "mitt:extism/wasi";

/// Name under which plug-ins import functions of the embedder.
pub const USER: &str = "extism:host/user";

/// Start function of a program. Nothing else of the program may be called before or after it.
pub(crate) const START: &str = "_start";

/// Longest name of a function, in bytes.
#[cfg(feature = "compile")]
pub(crate) const MAX_NAME_BYTES: usize = 128;

/// Returns the name of a function in a component, which allows only kebab case: its bytes as hexadecimal digits.
pub fn component_name(function: &str) -> String {
    function.bytes().fold(String::from("x"), |name, byte| name + &format!("{byte:02x}"))
}

/// Returns the name that a function has in its plug-in.
#[cfg(any(feature = "compile", test))]
pub(crate) fn plugin_name(component_name: &str) -> Option<String> {
    let digits = component_name.strip_prefix('x')?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok().filter(|name| component_name == self::component_name(name))
}

/// Returns the error for a plug-in that breaks the rules of `extism:host/env`, by the number that the kernel reports.
#[cold]
pub fn refusal(number: u32) -> Error {
    let no_block = |function: &str, what: &str| {
        format!(
            "the plug-in gave `{function}` an offset for {what} where no block of memory begins"
        )
    };
    let message = match number {
        0 => no_block("log_*", "the message"),
        1 => no_block("config_get", "the key"),
        2 => no_block("var_get` or `var_set", "the key"),
        3 => no_block("var_set", "the value"),
        4 => no_block("http_request", "the request"),
        5 => no_block("http_request", "the body"),
        6 => "the plug-in gave `output_set` a range that is outside of its memory".to_owned(),
        7 => no_block("error_set", "the message"),
        8 => no_block("a function of the host", "an argument"),
        _ => "the plug-in gave `input_set` a range that is outside of its memory".to_owned(),
    };
    Error::new(ErrorKind::Trap, message.clone()).kept_as(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for (name, in_component) in [
            ("count_vowels", "x636f756e745f766f77656c73"),
            ("greetUser", "x677265657455736572"),
            ("é", "xc3a9"),
        ] {
            assert_eq!(component_name(name), in_component);
            assert_eq!(plugin_name(in_component).as_deref(), Some(name));
        }
        for none in ["", "y61", "x6", "x6g", "xff", "x6A", "x+1", "run"] {
            assert_eq!(plugin_name(none), None, "{none}");
        }
    }
}
