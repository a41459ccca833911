//! Builder for a component, in which each part gets the index by which later parts refer to it; and a builder for a core module.

use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, Component, ComponentAliasSection,
    ComponentExportKind, ComponentExportSection, ComponentFuncTypeEncoder, ComponentImportSection,
    ComponentInstanceSection, ComponentSectionId, ComponentTypeRef, ComponentTypeSection,
    EntityType, ExportKind, ImportSection, InstanceSection, InstanceType, MemoryType, ModuleArg,
    PrimitiveValType, RawSection, RefType, TableType, TypeSection, ValType,
};

/// Number of parts of each kind so far.
#[derive(Default)]
struct Counts {
    types: u32,
    instances: u32,
    functions: u32,
    modules: u32,
    core_instances: u32,
    core_functions: u32,
    memories: u32,
}

/// Builder for a component.
#[derive(Default)]
pub(super) struct Parts {
    component: Component,
    counts: Counts,
}

/// Returns the counter and increments it.
fn next(counter: &mut u32) -> u32 {
    let index = *counter;
    *counter += 1;
    index
}

impl Parts {
    pub(super) fn finish(self) -> Vec<u8> {
        self.component.finish()
    }

    pub(super) fn module(&mut self, bytes: &[u8]) -> u32 {
        self.component
            .section(&RawSection { id: ComponentSectionId::CoreModule.into(), data: bytes });
        next(&mut self.counts.modules)
    }

    /// Adds the type `list<u8>`.
    pub(super) fn bytes_type(&mut self) -> u32 {
        let mut types = ComponentTypeSection::new();
        types.defined_type().list(PrimitiveValType::U8);
        self.component.section(&types);
        next(&mut self.counts.types)
    }

    /// Adds a type that `encode` writes.
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

    /// Adds an import of an instance.
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

    /// Lowers a function of an imported instance to core WebAssembly.
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

    /// Adds a core instance that consists of these functions.
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

    /// Exports these functions as an instance.
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

/// Builder for a core module. Function indices begin with the imports.
#[derive(Default)]
pub(super) struct Core {
    pub(super) types: TypeSection,
    pub(super) imports: ImportSection,
    /// Number of imported functions.
    pub(super) count: u32,
}

impl Core {
    pub(super) fn import(
        &mut self,
        from: &str,
        name: &str,
        params: &[ValType],
        results: &[ValType],
    ) -> u32 {
        let ty = self.ty(params, results);
        self.imports.import(from, name, EntityType::Function(ty));
        self.count += 1;
        self.count - 1
    }

    pub(super) fn ty(&mut self, params: &[ValType], results: &[ValType]) -> u32 {
        self.types.ty().function(params.iter().copied(), results.iter().copied());
        self.types.len() - 1
    }

    /// Imports the memory of another instance.
    pub(super) fn import_memory(&mut self, from: &str) {
        let memory = MemoryType {
            minimum: 0,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        };
        self.imports.import(from, "memory", memory);
    }

    /// Imports the table of another instance, for function references.
    pub(super) fn import_table(&mut self, from: &str) {
        let table = TableType {
            element_type: RefType::FUNCREF,
            minimum: 0,
            maximum: None,
            table64: false,
            shared: false,
        };
        self.imports.import(from, "__indirect_function_table", table);
    }
}
