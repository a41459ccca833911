//! What must hold for every input. Each function takes bytes from a fuzzer, or from a generator with a fixed seed, and
//! panics when a property is broken.

mod component;
mod damaged_json;
mod document;
mod http_body;
mod markdown;
mod mcp;
mod mcp_client;
mod ooxml;
mod requests;
mod shape;
mod template;
mod template_marks;
mod template_parts;

use mitt::skill::{Manifest, Reading, SkillMd, author};
use mitt::value::{Field, Function, Interface, Json, Outcome, Type, UntypedCall};
use mitt::{Engine, EngineOptions, ErrorKind};
use shape::Shape;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Once};

pub use component::{component, component_bytes};
pub use document::document;
pub use http_body::http_body;
pub use markdown::{markdown, markdown_text};
pub use mcp::mcp;
pub use mcp_client::mcp_client;
pub use ooxml::ooxml;
pub use template::template;

/// Longest report of an error, in bytes: twenty lines of 400 characters, and what stands around them.
const LONGEST_REPORT: usize = 64 * 1024;

/// JSON to values and back: what parses is written as it was read, what is accepted comes back and is accepted again.
pub fn json(data: &[u8]) {
    let mut shape = Shape::new(data);
    let ty = Type::List(Arc::new(shape.ty(4)));
    let function = Function {
        name: "f".into(),
        params: vec![Field::new("x", ty.clone(), None)],
        result: Some(ty.clone()),
        ..Default::default()
    };
    let text = if shape.flip() {
        format!("{{\"x\": {}}}", shape.value(&ty, 6))
    } else {
        String::from_utf8_lossy(shape.rest()).into_owned()
    };
    let arguments = match Json::parse(&text, 1 << 16, 64) {
        Ok(arguments) => arguments,
        Err(error) => return bounded(&error, &[ErrorKind::Arguments]),
    };
    assert_eq!(Json::parse(arguments.to_string(), 1 << 20, 64).unwrap(), arguments, "{text}");
    let call = match (UntypedCall { name: "f", arguments }).check(&function) {
        Ok(call) => call,
        Err(error) => return bounded(&error, &[ErrorKind::Arguments]),
    };
    let vals = call.into_args();
    let once = encoded(&function, vals.clone());
    let again = Json::object([("x", once.clone())]);
    let call = UntypedCall { name: "f", arguments: again }.check(&function);
    assert_eq!(call.unwrap().into_args(), vals, "{ty}: {text}");
}

fn encoded(function: &Function, mut vals: Vec<wasmtime::component::Val>) -> Json {
    match function.outcome(vals.pop()) {
        Ok(Outcome::Value(json)) => json,
        other => panic!("expected a value, got {other:?}"),
    }
}

/// The interface and the schemas of arbitrary WIT; and a component with a byte changed is read or refused.
pub fn schema(data: &[u8]) {
    let mut source = arbitrary::Unstructured::new(data);
    let config = wit_smith::Config::default();
    let Ok(package) = wit_smith::smith(&config, &mut source) else { return };
    let Ok(wit_parser::decoding::DecodedWasm::WitPackage(resolve, id)) =
        wit_parser::decoding::decode(&package)
    else {
        return;
    };
    let worlds: Vec<_> = resolve.packages[id].worlds.values().copied().collect();
    for world in worlds {
        let Some(component) = dummy(&resolve, world) else { continue };
        match Interface::from_component(&component) {
            Ok(interface) => check_interface(&interface),
            Err(error) => bounded(&error, &[ErrorKind::Load]),
        }
        let mut damaged = component;
        for _ in 0..8 {
            let place = source.choose_index(damaged.len()).unwrap_or(0);
            damaged[place] ^= source.arbitrary::<u8>().unwrap_or(1) | 1;
            if let Err(error) = Interface::from_component(&damaged) {
                bounded(&error, &[ErrorKind::Load]);
            }
        }
    }
}

/// A component with the imports and exports of a world, whose functions do nothing.
fn dummy(resolve: &wit_parser::Resolve, world: wit_parser::WorldId) -> Option<Vec<u8>> {
    let abi = wit_parser::ManglingAndAbi::Standard32;
    let mut module = wit_component::dummy_module(resolve, world, abi);
    let encoding = wit_component::StringEncoding::UTF8;
    wit_component::embed_component_metadata(&mut module, resolve, world, encoding).ok()?;
    let mut encoder =
        wit_component::ComponentEncoder::default().validate(false).module(&module).ok()?;
    encoder.encode().ok()
}

fn check_interface(interface: &Interface) {
    let text = serde_json::to_string(interface).unwrap();
    assert_eq!(&serde_json::from_str::<Interface>(&text).unwrap(), interface);
    for function in &interface.functions {
        for dialect in mitt::schema::lower::Dialect::ALL {
            mitt::schema::lower::lower(&mitt::schema::arguments(function), dialect);
        }
        let schemas = [Some(mitt::schema::arguments(function)), mitt::schema::result(function)];
        for schema in schemas.iter().flatten() {
            if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
                panic!("{}: {error}: {schema}", function.name);
            }
        }
    }
}

/// WAVE: any text is a call or is refused; what is written is read back as what it was.
pub fn wave(data: &[u8]) {
    use mitt::value::wave;
    let mut shape = Shape::new(data);
    let ty = shape.ty(4);
    let function = Function {
        name: "f".into(),
        params: vec![Field::new("x", ty.clone(), None), Field::new("y", Type::Table, None)],
        result: Some(Type::Tuple([ty.clone()].into())),
        ..Default::default()
    };
    let wanted = Json::object([("x", shape.value(&ty, 6)), ("y", Json::Array(vec![]))]);
    let text = String::from_utf8_lossy(shape.rest());
    match wave::WaveCall::parse(&text, 1 << 16, 64).and_then(|call| call.arguments(&function)) {
        Ok(arguments) => {
            if let Err(error) = (UntypedCall { name: "f", arguments }).check(&function) {
                bounded(&error, &[ErrorKind::Arguments]);
            }
        }
        Err(error) => bounded(&error, &[ErrorKind::Arguments]),
    }
    let Ok(call) = (UntypedCall { name: "f", arguments: wanted }).check(&function) else { return };
    let first = call.into_args().swap_remove(0);
    let tuple = wasmtime::component::Val::Tuple(vec![first]);
    let Ok(Outcome::Value(json)) = function.outcome(Some(tuple)) else { return };
    let result = Type::Tuple([ty].into());
    let text = wave::to_text(&result, &json).unwrap();
    assert_eq!(wave::from_text(&result, &text, 1 << 20).unwrap(), json, "{result}: {text}");
}

/// Manifests, and the bounds that they give a function.
pub fn manifest(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = Manifest::parse(&text, "skill.yaml") {
        bounded(&error, &[ErrorKind::Load]);
    }
    let mut shape = Shape::new(data);
    let fields = vec![Field::new("x", shape.ty(3), None), Field::new("y", shape.ty(1), None)];
    let function = Function { name: "f".into(), params: fields, ..Default::default() };
    let schema = shape.bounds(&function.params);
    match function.narrowed(&schema) {
        Ok(narrowed) => {
            let schema = mitt::schema::arguments(&narrowed);
            if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
                panic!("{error}: {schema}");
            }
        }
        Err(error) => bounded(&error, &[ErrorKind::Load]),
    }
}

/// `SKILL.md`: what is good is read alike by both readings, what is saved passes the standard.
pub fn skill_md(data: &[u8]) {
    let strict = SkillMd::parse(data, "pdf", Reading::Strict);
    let lenient = SkillMd::parse(data, "pdf", Reading::Lenient);
    match (strict, lenient) {
        (Ok(strict), Ok(lenient)) => {
            let parts =
                |skill: SkillMd| (skill.name, skill.description, skill.metadata, skill.body);
            assert_eq!(parts(strict), parts(lenient));
        }
        (Ok(strict), Err(error)) => panic!("only strict reading takes {strict:?}: {error}"),
        (Err(error), lenient) => {
            bounded(&error, &[ErrorKind::Load]);
            match lenient {
                Ok(saved) => saved_passes(&saved),
                Err(error) => bounded(&error, &[ErrorKind::Load]),
            }
        }
    }
}

fn saved_passes(saved: &SkillMd) {
    assert!(!saved.warnings.is_empty(), "{saved:?}");
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    // Control characters are no YAML, however quoted.
    let text: String =
        saved.description.chars().filter(|c| !c.is_control() && *c != '\u{7f}').collect();
    if text.trim().is_empty() || !text.chars().all(|c| (' '..='\u{ff}').contains(&c)) {
        return;
    }
    let file =
        format!("---\nname: {}\ndescription: {}\n---\nx", quoted(&saved.name), quoted(&text));
    if let Err(error) = SkillMd::parse(file.as_bytes(), &saved.name, Reading::Strict) {
        panic!("{file}: {}", error.render());
    }
}

/// Archives, as tar files with right checksums: installed whole or not at all, and never beside the folder.
pub fn archive(data: &[u8]) {
    static ENGINE: LazyLock<Engine> =
        LazyLock::new(|| Engine::new(EngineOptions::default()).unwrap());
    let mut tar = data.to_vec();
    let mut at = 0;
    while let Some(block) = tar.get_mut(at..at + 512) {
        let mut header = tar::Header::from_byte_slice(block).clone();
        header.set_cksum();
        // A block of zeros ends the archive.
        if block.iter().any(|byte| *byte != 0) {
            block.copy_from_slice(header.as_bytes());
        }
        let size = header.entry_size().unwrap_or(0).min(1 << 30) as usize;
        at += 512 + size.next_multiple_of(512);
    }
    let packed =
        ruzstd::encoding::compress_to_vec(&tar[..], ruzstd::encoding::CompressionLevel::Fastest);
    let place = tempfile::tempdir().unwrap();
    let to = place.path().join("skills");
    let names = |folder: &std::path::Path| -> Vec<_> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    match author::install(&ENGINE, &packed, &to, None, false) {
        Ok(installed) => assert_eq!(names(&to), [installed.name.as_str()]),
        Err(error) => {
            bounded(&error, &[ErrorKind::Input, ErrorKind::Load]);
            assert!(names(&to).is_empty());
        }
    }
    assert_eq!(names(place.path()), ["skills"]);
}

/// What the asynchronous targets run on.
fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).enable_all().build().unwrap()
    });
    &RUNTIME
}

/// Returns the number of panics so far in all threads. A task hides its own from everybody but those who wait for it.
fn panics() -> u64 {
    static COUNTED: Once = Once::new();
    static PANICS: AtomicU64 = AtomicU64::new(0);
    COUNTED.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            report(panic);
        }));
    });
    PANICS.load(Ordering::Relaxed)
}

/// An error of one of `kinds`, or of a limit, whose report is of bounded length.
fn bounded(error: &mitt::Error, kinds: &[ErrorKind]) {
    let expected = kinds.contains(error.kind()) || error.limit_reached().is_some();
    assert!(expected, "{:?}: {}", error.kind(), error.render());
    let length = error.render().len();
    assert!(length <= LONGEST_REPORT, "a report of {length} bytes: {error}");
}
