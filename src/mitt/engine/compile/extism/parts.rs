//! A component in the making: each part gets the index by which later ones name it.

use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, Component, ComponentAliasSection,
    ComponentExportKind, ComponentExportSection, ComponentFuncTypeEncoder, ComponentImportSection,
    ComponentInstanceSection, ComponentSection, ComponentSectionId, ComponentTypeRef,
    ComponentTypeSection, ExportKind, InstanceSection, InstanceType, ModuleArg, PrimitiveValType,
    RawSection,
};

/// How many there are of each kind so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) types: u32,
    pub(super) instances: u32,
    pub(super) functions: u32,
    pub(super) modules: u32,
    pub(super) core_instances: u32,
    pub(super) core_functions: u32,
    pub(super) memories: u32,
    pub(super) tables: u32,
    pub(super) globals: u32,
}

/// A component in the making.
#[derive(Default)]
pub(super) struct Parts {
    component: Component,
    pub(super) counts: Counts,
}

/// The index that a counter stands at, which is counted on.
fn next(counter: &mut u32) -> u32 {
    let index = *counter;
    *counter += 1;
    index
}

impl Parts {
    pub(super) fn finish(self) -> Vec<u8> {
        self.component.finish()
    }

    /// A section whose content is counted by whoever made it.
    pub(super) fn section(&mut self, section: &impl ComponentSection) {
        self.component.section(section);
    }

    pub(super) fn module(&mut self, bytes: &[u8]) -> u32 {
        self.component
            .section(&RawSection { id: ComponentSectionId::CoreModule.into(), data: bytes });
        next(&mut self.counts.modules)
    }

    /// `list<u8>`.
    pub(super) fn bytes_type(&mut self) -> u32 {
        let mut types = ComponentTypeSection::new();
        types.defined_type().list(PrimitiveValType::U8);
        self.component.section(&types);
        next(&mut self.counts.types)
    }

    /// A type that `encode` writes.
    pub(super) fn defined_type(
        &mut self,
        encode: impl FnOnce(wasm_encoder::ComponentDefinedTypeEncoder<'_>),
    ) -> u32 {
        let mut types = ComponentTypeSection::new();
        encode(types.defined_type());
        self.component.section(&types);
        next(&mut self.counts.types)
    }

    pub(super) fn function_type(
        &mut self,
        encode: impl FnOnce(ComponentFuncTypeEncoder<'_>),
    ) -> u32 {
        let mut types = ComponentTypeSection::new();
        encode(types.function());
        self.component.section(&types);
        next(&mut self.counts.types)
    }

    /// An instance that the component imports.
    pub(super) fn import(&mut self, name: &str, ty: &InstanceType) -> u32 {
        let mut types = ComponentTypeSection::new();
        types.instance(ty);
        self.component.section(&types);
        let ty = next(&mut self.counts.types);
        let mut imports = ComponentImportSection::new();
        imports.import(name, ComponentTypeRef::Instance(ty));
        self.component.section(&imports);
        next(&mut self.counts.instances)
    }

    /// A function of an instance that was imported, lowered into core WebAssembly.
    pub(super) fn lowered(
        &mut self,
        (instance, name): (u32, &str),
        options: impl IntoIterator<Item = CanonicalOption>,
    ) -> u32 {
        let kind = ComponentExportKind::Func;
        self.alias(Alias::InstanceExport { instance, kind, name });
        let function = next(&mut self.counts.functions);
        let options: Vec<_> = options.into_iter().collect();
        let mut canonical = CanonicalFunctionSection::new();
        canonical.lower(function, options);
        self.component.section(&canonical);
        next(&mut self.counts.core_functions)
    }

    pub(super) fn lifted(
        &mut self,
        function: u32,
        ty: u32,
        options: impl IntoIterator<Item = CanonicalOption>,
    ) -> u32 {
        let options: Vec<_> = options.into_iter().collect();
        let mut canonical = CanonicalFunctionSection::new();
        canonical.lift(function, ty, options);
        self.component.section(&canonical);
        next(&mut self.counts.functions)
    }

    pub(super) fn instantiate(&mut self, module: u32, arguments: &[(&str, u32)]) -> u32 {
        let mut instances = InstanceSection::new();
        let arguments = arguments.iter().map(|(name, it)| (*name, ModuleArg::Instance(*it)));
        instances.instantiate(module, arguments.collect::<Vec<_>>());
        self.component.section(&instances);
        next(&mut self.counts.core_instances)
    }

    /// A core instance of nothing but these functions.
    pub(super) fn functions(&mut self, functions: &[(String, u32)]) -> u32 {
        let mut instances = InstanceSection::new();
        let exports = functions.iter().map(|(name, it)| (name.as_str(), ExportKind::Func, *it));
        instances.export_items(exports.collect::<Vec<_>>());
        self.component.section(&instances);
        next(&mut self.counts.core_instances)
    }

    pub(super) fn core_function(&mut self, instance: u32, name: &str) -> u32 {
        self.alias(Alias::CoreInstanceExport { instance, kind: ExportKind::Func, name });
        next(&mut self.counts.core_functions)
    }

    pub(super) fn memory(&mut self, instance: u32, name: &str) -> u32 {
        self.alias(Alias::CoreInstanceExport { instance, kind: ExportKind::Memory, name });
        next(&mut self.counts.memories)
    }

    fn alias(&mut self, alias: Alias<'_>) {
        let mut aliases = ComponentAliasSection::new();
        aliases.alias(alias);
        self.component.section(&aliases);
    }

    /// Export these functions as an instance.
    pub(super) fn export(&mut self, name: &str, functions: &[(String, u32)]) {
        let mut instances = ComponentInstanceSection::new();
        let kind = ComponentExportKind::Func;
        let exports = functions.iter().map(|(name, it)| (name.as_str(), kind, *it));
        instances.export_items(exports.collect::<Vec<_>>());
        self.component.section(&instances);
        let instance = next(&mut self.counts.instances);
        let mut exports = ComponentExportSection::new();
        exports.export(name, ComponentExportKind::Instance, instance, None);
        self.component.section(&exports);
        next(&mut self.counts.instances);
    }
}
