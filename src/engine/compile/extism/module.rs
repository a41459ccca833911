//! Core module before it becomes part of a component: its imports and its exported functions.
//!
//! Knows nothing of components. Errors inside of functions are found by the check of the whole component.

use std::collections::BTreeMap;

use wasmparser::{ExternalKind, FuncType, Parser, Payload, TypeRef, Validator};

use crate::extism::{MAX_NAME_BYTES, START};
use crate::proposals;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most imports of a module, and most exported functions. Python's PDK has 47 imports.
const MAX_NAMES: usize = 1_000;

/// First bytes of every module.
const MAGIC: &[u8] = b"\0asm";

/// Core module.
pub(super) struct Module<'a> {
    /// Name of the module in messages, and for modules that import it.
    pub(super) name: String,
    pub(super) bytes: &'a [u8],
    pub(super) imports: Vec<Import<'a>>,
    /// Exported functions.
    pub(super) functions: BTreeMap<&'a str, FuncType>,
    /// `true` if it exports its memory under the name that hosts expect.
    pub(super) has_memory: bool,
}

/// Import of a module.
pub(super) struct Import<'a> {
    pub(super) module: &'a str,
    pub(super) name: &'a str,
    /// Type of the function; `None` if the import is not a function.
    pub(super) function: Option<FuncType>,
}

impl<'a> Module<'a> {
    /// Parses a module in binary form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it is invalid, uses a disabled proposal, or has too many imports or exports.
    pub(super) fn new(name: &str, bytes: &'a [u8]) -> Result<Module<'a>> {
        let broken = |error: wasmparser::Error| {
            let cause = text::one_line(text::cut_bytes(&error.to_string(), 400));
            Error::new(ErrorKind::Load, format!("`{name}` is not a valid WebAssembly module"))
                .caused_by(cause)
        };
        // The parser's message would quote the bytes of what may be any file.
        if !bytes.starts_with(MAGIC) {
            let message = format!("`{name}` is not a WebAssembly module");
            return Err(Error::new(ErrorKind::Load, message));
        }
        Validator::new_with_features(proposals::features()).validate_all(bytes).map_err(broken)?;
        Module::read(name, bytes).map_err(broken)?.bounded()
    }

    /// Parses the sections up to the code.
    fn read(name: &str, bytes: &'a [u8]) -> Result<Module<'a>, wasmparser::Error> {
        let mut module = Module {
            name: name.to_owned(),
            bytes,
            imports: Vec::new(),
            functions: BTreeMap::new(),
            has_memory: false,
        };
        let (mut types, mut functions) = (Vec::new(), Vec::new());
        let mut parser = Parser::new(0);
        parser.set_features(proposals::features());
        for payload in parser.parse_all(bytes) {
            match payload? {
                Payload::TypeSection(section) => {
                    for ty in section.into_iter_err_on_gc_types() {
                        types.push(ty?);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        let function = match import.ty {
                            TypeRef::Func(index) | TypeRef::FuncExact(index) => {
                                functions.push(index);
                                types.get(index as usize).cloned()
                            }
                            _ => None,
                        };
                        let (from, name) = (import.module, import.name);
                        module.imports.push(Import { module: from, name, function });
                    }
                }
                Payload::FunctionSection(section) => {
                    for index in section {
                        functions.push(index?);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        module.has_memory |=
                            export.kind == ExternalKind::Memory && export.name == "memory";
                        let ty = functions
                            .get(export.index as usize)
                            .filter(|_| export.kind == ExternalKind::Func)
                            .and_then(|ty: &u32| types.get(*ty as usize));
                        if let Some(ty) = ty {
                            module.functions.insert(export.name, ty.clone());
                        }
                    }
                }
                // No section after it is needed.
                Payload::CodeSectionStart { .. } => break,
                _ => {}
            }
        }
        Ok(module)
    }

    fn bounded(self) -> Result<Module<'a>> {
        let Module { name, imports, functions, .. } = &self;
        for (what, count) in [("imports", imports.len()), ("exports", functions.len())] {
            if count > MAX_NAMES {
                let message = format!("`{name}`: expected at most {MAX_NAMES} {what}, got {count}");
                return Err(Error::new(ErrorKind::Load, message));
            }
        }
        let names = imports.iter().flat_map(|import| [import.module, import.name]);
        if names.chain(functions.keys().copied()).any(|name| name.len() > MAX_NAME_BYTES) {
            let message = format!("`{name}`: a name has more than {MAX_NAME_BYTES} bytes");
            return Err(Error::new(ErrorKind::Load, message));
        }
        Ok(self)
    }

    /// Returns whether it imports anything from `module`.
    pub(super) fn imports_from(&self, module: &str) -> bool {
        self.imports.iter().any(|import| import.module == module)
    }

    /// Returns the names of the modules that it imports from, each once, in order.
    pub(super) fn sources(&self) -> Vec<&'a str> {
        let mut sources: Vec<&str> = Vec::new();
        for import in &self.imports {
            if !sources.contains(&import.module) {
                sources.push(import.module);
            }
        }
        sources
    }

    /// Returns whether it exports a function of this type: so many 32-bit parameters and results, and no others.
    pub(super) fn exports(&self, name: &str, params: usize, results: usize) -> bool {
        use wasmparser::ValType::I32;
        self.functions.get(name).is_some_and(|ty| {
            (ty.params().len(), ty.results().len()) == (params, results)
                && ty.params().iter().chain(ty.results()).all(|ty| *ty == I32)
        })
    }

    /// Returns the functions that a host can call: without parameters, and with an exit code or no result. Exports of a
    /// language's runtime are left out, unless the plug-in is a program and has only its start function.
    pub(super) fn callable(&self) -> Vec<(&'a str, bool)> {
        let own = self.functions.keys().copied().filter(|name| !is_of_runtime(name));
        let own =
            own.filter_map(|name| match (self.exports(name, 0, 0), self.exports(name, 0, 1)) {
                (true, _) => Some((name, false)),
                (_, true) => Some((name, true)),
                _ => None,
            });
        let own: Vec<_> = own.collect();
        let program = self.exports(START, 0, 0).then_some((START, false));
        if own.is_empty() { program.into_iter().collect() } else { own }
    }
}

/// Returns whether an export belongs to a language's runtime: to start it, or for its own tools.
fn is_of_runtime(name: &str) -> bool {
    const NAMES: [&str; 4] = ["_initialize", START, "hs_init", "hs_exit"];
    NAMES.contains(&name) || name.starts_with("__") || name.starts_with("asyncify_")
}
