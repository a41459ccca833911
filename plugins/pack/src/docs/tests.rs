use super::missing;
use crate::component::{DOCS_SECTION, from_module, resolve_of, section, with_documentation};
use std::path::{Path, PathBuf};
use wit_component::{StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, PackageMetadata, Resolve};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Returns a component with the interface of a plugin and no code, so that the test needs no WebAssembly toolchain.
fn dummy(plugin_wit: &Path) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_path(project().join("wit")).unwrap();
    let (package, _) = resolve.push_path(plugin_wit).unwrap();
    let worlds: Vec<_> = resolve.packages[package].worlds.values().copied().collect();
    let &[world] = &worlds[..] else { panic!("expected one world in `{}`", plugin_wit.display()) };
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    from_module(&module, false).unwrap()
}

/// Returns the folders of `plugins/` that export tools.
fn plugins() -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(project().join("plugins"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("wit"))
        .filter(|wit| wit.join("world.wit").is_file() && !wit.ends_with("guest/wit"))
        .collect();
    found.sort();
    assert!(found.len() >= 4, "{found:?}");
    found
}

/// Reads the section like the host.
fn inject(component: &[u8]) -> Resolve {
    let mut resolve = resolve_of(component).unwrap();
    assert!(
        !missing(&resolve).is_empty(),
        "the binary format has documentation now, `mitt-docs` is not needed"
    );
    let json: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(section(component, DOCS_SECTION).unwrap()).unwrap();
    let names: Vec<_> =
        resolve.package_names.iter().map(|(name, &id)| (name.to_string(), id)).collect();
    for (name, id) in names {
        if let Some(value) = json.get(&name) {
            let mut bytes = vec![1];
            serde_json::to_writer(&mut bytes, value).unwrap();
            PackageMetadata::decode(&bytes).unwrap().inject(&mut resolve, id).unwrap();
        }
    }
    resolve
}

#[test]
fn every_tool_is_documented_after_injection() {
    for wit in plugins() {
        let packed = with_documentation(&dummy(&wit), &project().join("wit"), &wit).unwrap();
        assert_eq!(missing(&inject(&packed)), Vec::<String>::new(), "{}", wit.display());
    }
}

#[test]
fn committed_components_are_documented() {
    let skills = std::fs::read_dir(project().join("skills")).unwrap();
    let mut checked = 0;
    for skill in skills.map(|entry| entry.unwrap().path()) {
        let name = skill.file_name().unwrap().to_str().unwrap();
        // Some skills have no code.
        let component = match std::fs::read(skill.join(format!("{name}.wasm"))) {
            Ok(component) => component,
            Err(_) => match std::fs::read(skill.join(format!("{name}.wasm.zst"))) {
                Ok(compressed) => zstd::stream::decode_all(&compressed[..]).unwrap(),
                Err(_) => continue,
            },
        };
        assert_eq!(missing(&inject(&component)), Vec::<String>::new(), "{name}");
        checked += 1;
    }
    assert!(checked >= 3, "only {checked} components found");
}

#[test]
fn packing_twice_changes_nothing() {
    for wit in plugins() {
        let once = with_documentation(&dummy(&wit), &project().join("wit"), &wit).unwrap();
        assert_eq!(with_documentation(&once, &project().join("wit"), &wit).unwrap(), once);
    }
}

#[test]
fn gaps_are_refused_all_at_once() {
    let folder = std::env::temp_dir().join(format!("mitt-pack-gaps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("world.wit"),
        "/// Test.\npackage test:gaps@0.1.0;\n\
         interface tools {\n  use mitt:host/types@0.1.0.{cell};\n\
           record pair { left: cell, /// Right.\n right: u8 }\n\
           enum colour { red }\n  enum unused { a }\n\
           run: func(pairs: list<option<pair>>) -> result<colour, cell>;\n}\n\
         world plugin { export tools; }\n",
    )
    .unwrap();
    let error = with_documentation(&dummy(&folder), &project().join("wit"), &folder)
        .unwrap_err()
        .to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        error,
        "no documentation for\n  function `run` of test:gaps/tools@0.1.0\n  \
         type `pair` of test:gaps/tools@0.1.0\n  `pair.left` of test:gaps/tools@0.1.0\n  \
         type `colour` of test:gaps/tools@0.1.0\n  `colour.red` of test:gaps/tools@0.1.0"
    );
}
