//! Modules that import the same function several times, as those of Go do. A component allows each import once, so the others get
//! names of their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{CustomSection, EntityType, ImportSection};
use wasmparser::{CustomSectionReader, ImportSectionReader, Parser};

use super::module::Module;
use super::parts::Parts;

/// Assigns names to imports: among equal ones, all but the first get a number.
struct Names<'a> {
    /// All names in use, by the module that they are imported from.
    taken: BTreeSet<(&'a str, Cow<'a, str>)>,
    /// Next number to try for each name.
    given: BTreeMap<(&'a str, &'a str), u32>,
}

impl<'a> Names<'a> {
    fn of(module: &Module<'a>) -> Names<'a> {
        let names = module.imports.iter().map(|it| (it.module, Cow::Borrowed(it.name)));
        Names { taken: names.collect(), given: BTreeMap::new() }
    }

    fn name(&mut self, from: &'a str, name: &'a str) -> Cow<'a, str> {
        let number = self.given.entry((from, name)).or_default();
        let mut new = Cow::Borrowed(name);
        while *number > 0 {
            new = Cow::Owned(format!("{name} {number}"));
            if self.taken.insert((from, new.clone())) {
                break;
            }
            *number += 1;
        }
        *number += 1;
        new
    }
}

/// Returns the bytes of a module with distinct imports.
///
/// # Errors
///
/// The module is not valid.
pub(super) fn module<'a>(module: &Module<'a>) -> Result<Cow<'a, [u8]>, Error> {
    let mut renamed = module.sources();
    renamed.retain(|source| has_duplicates(module, source));
    if renamed.is_empty() {
        return Ok(Cow::Borrowed(module.bytes));
    }
    let mut made = wasm_encoder::Module::new();
    Renaming { module, renamed }.parse_core_module(&mut made, Parser::new(0), module.bytes)?;
    Ok(Cow::Owned(made.finish()))
}

/// Returns an instance with the functions of `source`, where `instance` is the original, under all names that the module has for
/// them.
pub(super) fn instance(parts: &mut Parts, module: &Module<'_>, source: &str, instance: u32) -> u32 {
    if !has_duplicates(module, source) {
        return instance;
    }
    let mut names = Names::of(module);
    let of_source = module.imports.iter().filter(|import| import.module == source);
    let functions: Vec<(String, u32)> = of_source
        .map(|import| {
            let function = parts.core_function(instance, import.name);
            (names.name(import.module, import.name).into_owned(), function)
        })
        .collect();
    parts.functions(&functions)
}

/// Returns whether a module imports functions of a source several times. The check of components refuses other duplicate imports.
fn has_duplicates(module: &Module<'_>, source: &str) -> bool {
    let of_source = || module.imports.iter().filter(|import| import.module == source);
    let mut names: Vec<&str> = of_source().map(|import| import.name).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
        && of_source().all(|import| import.function.is_some())
}

struct Renaming<'a> {
    module: &'a Module<'a>,
    /// Sources from which functions are imported several times.
    renamed: Vec<&'a str>,
}

impl Reencode for Renaming<'_> {
    type Error = Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: ImportSectionReader<'_>,
    ) -> Result<(), Error> {
        let mut names = Names::of(self.module);
        for import in section.into_imports() {
            let import = import?;
            let ty: EntityType = RoundtripReencoder.entity_type(import.ty)?;
            let name = if self.renamed.contains(&import.module) {
                names.name(import.module, import.name)
            } else {
                Cow::Borrowed(import.name)
            };
            imports.import(import.module, &name, ty);
        }
        Ok(())
    }

    /// Custom sections may contain anything and do not affect execution, so they are copied.
    fn parse_custom_section(
        &mut self,
        module: &mut wasm_encoder::Module,
        section: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        module.section(&CustomSection { name: section.name().into(), data: section.data().into() });
        Ok(())
    }
}
