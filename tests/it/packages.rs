//! Packages of the program for pip, uv and npm, with a small program instead of the real one, installed from local files.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::text;

/// The packed program: small, available on every Linux, and it shows that arguments and exit codes pass through.
const PROGRAM: &str = "/bin/sh";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes a package of one kind; returns its files by name. `None` if Python is missing.
fn make(kind: &str, folder: &Path) -> Option<BTreeMap<String, Vec<u8>>> {
    let script = root().join("src/cli/packages/make");
    let made = Command::new("python3").arg(script).args([kind, PROGRAM, "-o"]).arg(folder).output();
    let Ok(made) = made else {
        eprintln!("skipped: packages are made with python3, which is not there");
        return None;
    };
    assert!(made.status.success(), "{}", text(&made.stderr));
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let named = |file: PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(file).unwrap())
    };
    Some(files.filter(|file| file.is_file()).map(named).collect())
}

/// Runs a program if it exists.
fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], folder: &Path) -> Option<Output> {
    let output = Command::new(&program).args(arguments).current_dir(folder).output();
    if output.is_err() {
        eprintln!("skipped: `{}` is not there", program.as_ref().display());
    }
    output.ok()
}

fn speaks(program: &Path, folder: &Path) {
    let output = run(program, &["-c", "echo \"$1\"; exit 7", "x", "two words"], folder).unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "two words\n");
}

#[test]
fn a_wheel_holds_the_program_and_pip_installs_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(made) = make("wheel", folder.path()) else { return };
    let (name, bytes) = made.iter().next().unwrap();
    assert!(name.starts_with("mitt_cli-") && name.contains("-py3-none-manylinux_2_"), "{name}");
    // The same program gives the same bytes.
    let again = tempfile::tempdir().unwrap();
    assert_eq!(make("wheel", again.path()).unwrap()[name], *bytes);

    let pip =
        ["-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", "in", name];
    let Some(output) = run("python3", &pip, folder.path()) else { return };
    if text(&output.stderr).contains("No module named pip") {
        eprintln!("skipped: python3 is there without pip");
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    speaks(&folder.path().join("in/bin/mitt"), folder.path());
}

#[test]
fn npm_packages_find_the_program_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let Some(made) = make("npm", folder.path()) else { return };
    let names: Vec<_> = made.keys().collect();
    let [finder, native] = names[..] else { panic!("{names:?}") };
    fs::write(folder.path().join("package.json"), r#"{ "private": true }"#).unwrap();
    let common = ["install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
    let files = [format!("./{native}"), format!("./{finder}")];
    let both = [&common[..], &[&files[0], &files[1]]].concat();
    let Some(output) = run("npm", &both, folder.path()) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
    speaks(&folder.path().join("node_modules/.bin/mitt"), folder.path());
    // If there is no package for the machine, it says so.
    let modules = folder.path().join("node_modules");
    let own = fs::read_dir(&modules).unwrap().map(|it| it.unwrap().path());
    let own = own.into_iter().find(|it| it.display().to_string().contains("mitt-cli-linux"));
    fs::remove_dir_all(own.unwrap()).unwrap();
    let output = run(modules.join(".bin/mitt"), &["--version"], folder.path()).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no program for this machine"));
}

#[test]
fn the_archive_has_the_program_where_binstall_looks_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(made) = make("archive", folder.path()) else { return };
    let (name, bytes) = made.iter().next().unwrap();
    let folder_name = name.strip_suffix(".tgz").unwrap();
    // The program is an archive entry, whose name the metadata forms from crate, version and target.
    let manifest = fs::read_to_string(root().join("src/cli/Cargo.toml")).unwrap();
    assert!(
        manifest.contains(r#"bin-dir = "{ name }-{ version }-{ target }/{ bin }{ binary-ext }""#)
    );
    let wanted =
        format!("mitt-cli-{}-{}-unknown-linux-", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    assert!(folder_name.starts_with(&wanted), "{name}");
    fs::write(folder.path().join("x.tgz"), bytes).unwrap();
    let Some(output) = run("tar", &["-xzf", "x.tgz"], folder.path()) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
    speaks(&folder.path().join(folder_name).join("mitt"), folder.path());
}

#[test]
fn a_bundle_has_the_program_and_settings_that_the_program_knows() {
    let folder = tempfile::tempdir().unwrap();
    let Some(made) = make("mcpb", folder.path()) else { return };
    let (name, bytes) = made.iter().next().unwrap();
    assert!(name.ends_with(".mcpb"), "{name}");
    let again = tempfile::tempdir().unwrap();
    assert_eq!(
        make("mcpb", again.path()).unwrap()[name],
        *bytes,
        "the same program, the same bytes"
    );
    fs::create_dir(folder.path().join("in")).unwrap();
    let unzip = ["-m", "zipfile", "-e", name, "in"];
    let Some(output) = run("python3", &unzip, folder.path()) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let inside = folder.path().join("in");
    let manifest = fs::read(inside.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert!(inside.join("icon.png").is_file() && inside.join("licenses").is_dir());
    assert_eq!(fs::read(inside.join("server/mitt")).unwrap(), fs::read(PROGRAM).unwrap());
    // Each setting of a person is used, and each option is one of the program.
    let config = &manifest["server"]["mcp_config"];
    let used = config.to_string();
    for setting in manifest["user_config"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("${{user_config.{setting}}}")), "{setting} is not used");
    }
    let help = run(env!("CARGO_BIN_EXE_mitt"), &["mcp", "--help"], folder.path()).unwrap();
    let help = text(&help.stdout).to_string();
    for argument in config["args"].as_array().unwrap() {
        let argument = argument.as_str().unwrap();
        assert!(!argument.starts_with("--") || help.contains(argument), "{argument}");
    }
}

#[test]
fn the_entry_of_the_registry_has_digests_of_the_bundles() {
    let folder = tempfile::tempdir().unwrap();
    let script = root().join("src/cli/packages/make");
    let registry = || {
        let mut command = Command::new("python3");
        command.arg(&script).args(["registry", PROGRAM, "-o"]).arg(folder.path());
        command.args(["--name", "io.github.example/mitt", "--release", "https://example.org/mcp"]);
        command.output()
    };
    let Some(_) = make("archive", folder.path()) else { return };
    let output = registry().unwrap();
    assert!(!output.status.success(), "an archive is in no registry");
    assert!(text(&output.stderr).contains("make them first"), "{}", text(&output.stderr));
    let bundle = make("mcpb", folder.path()).unwrap().into_keys().find(|it| it.ends_with(".mcpb"));
    make("npm", folder.path()).unwrap();
    // The binding for Python is a wheel, and not the program.
    let version = env!("CARGO_PKG_VERSION");
    let binding = format!("mitt-{version}-cp310-abi3-manylinux_2_36_x86_64.whl");
    fs::write(folder.path().join(binding), "a wheel").unwrap();
    let output = registry().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let entry = fs::read(folder.path().join("server.json")).unwrap();
    let entry: serde_json::Value = serde_json::from_slice(&entry).unwrap();
    let kinds: Vec<_> = entry["packages"].as_array().unwrap().iter().collect();
    let types: Vec<_> = kinds.iter().map(|it| it["registryType"].as_str().unwrap()).collect();
    // The registry wants a line in the README of the crate, which is not there for this name.
    assert_eq!(types, ["mcpb", "npm"]);
    let bundle = bundle.unwrap();
    assert_eq!(kinds[0]["identifier"], format!("https://example.org/mcp/{bundle}"));
    let sum = run("sha256sum", &[&bundle], folder.path()).unwrap();
    assert!(text(&sum.stdout).starts_with(kinds[0]["fileSha256"].as_str().unwrap()));
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    bytes
}

/// The links of the documentation must say the same as the text beside them.
#[test]
fn links_that_add_the_server_have_the_configuration_of_the_text() {
    use base64::Engine as _;
    let wanted = serde_json::json!({
        "command": "mitt",
        "args": ["mcp", "--folder", "${workspaceFolder}", "--out", "${workspaceFolder}/out"]
    });
    for page in ["docs/mcp.md", "docs/mcp.zh-CN.md"] {
        let page = fs::read_to_string(root().join(page)).unwrap();
        let configs: Vec<_> = page
            .split("name=mitt&config=")
            .skip(1)
            .map(|it| it.split(')').next().unwrap().to_owned())
            .collect();
        let [cursor, code] = &configs[..] else { panic!("{configs:?}") };
        let cursor = percent_decoded(cursor);
        let cursor = base64::engine::general_purpose::STANDARD.decode(cursor).unwrap();
        for config in [percent_decoded(code), cursor] {
            let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
            assert_eq!(config, wanted);
        }
    }
}

#[test]
fn a_container_has_what_the_program_links_to_and_nobody_owns_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_) = make("container", folder.path()) else { return };
    let recipe = fs::read_to_string(folder.path().join("Containerfile")).unwrap();
    assert!(recipe.contains("\nFROM scratch\n") && recipe.ends_with("ENTRYPOINT [\"/mitt\"]\n"));
    assert!(recipe.contains("\nUSER 65534:65534\n"), "{recipe}");
    let version = format!("org.opencontainers.image.version=\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(recipe.contains(&version), "{recipe}");
    assert!(recipe.contains("image.licenses=\"MIT OR Apache-2.0\"") && !recipe.contains('@'));
    let found = run("find", &["root", "-name", "libc.so*"], folder.path()).unwrap();
    assert!(!text(&found.stdout).is_empty(), "no C library");
}

#[test]
fn a_release_takes_the_c_library_with_its_name_for_linkers() {
    let folder = tempfile::tempdir().unwrap();
    let c = folder.path().join("c");
    for below in ["lib/pkgconfig", "include"] {
        fs::create_dir_all(c.join(below)).unwrap();
    }
    for file in ["lib/libmitt.a", "lib/pkgconfig/mitt.pc", "include/mitt.h"] {
        fs::write(c.join(file), file).unwrap();
    }
    fs::write(folder.path().join("a.c"), "int mitt(void) { return 1; }").unwrap();
    let link = ["-shared", "-fPIC", "-o", "c/lib/libmitt.so", "a.c"];
    let Some(linked) = run("cc", &link, folder.path()) else { return };
    assert!(linked.status.success(), "{}", text(&linked.stderr));
    let release = |out: &str| {
        let out = folder.path().join(out);
        let mut command = Command::new("python3");
        command.arg(root().join("src/cli/packages/make")).args(["release", PROGRAM, "--runs"]);
        command.args([env!("CARGO_BIN_EXE_mitt"), "--c"]).arg(&c).arg("-o").arg(out);
        command.output().ok()
    };
    let Some(made) = release("first") else { return };
    let stderr = text(&made.stderr);
    assert!(
        !made.status.success() && stderr.contains("expected a library with the SONAME"),
        "{stderr}"
    );
    let named = [&link[..], &["-Wl,-soname,libmitt.so"]].concat();
    run("cc", &named, folder.path()).unwrap();
    fs::remove_file(c.join("lib/libmitt.a")).unwrap();
    let stderr = text(&release("second").unwrap().stderr);
    assert!(
        stderr.contains("libmitt.a: no such file") && stderr.contains("src/c/make"),
        "{stderr}"
    );
    fs::write(c.join("lib/libmitt.a"), "an archive").unwrap();
    // What comes after the libraries needs crates that this machine need not have.
    release("third").unwrap();
    let files = fs::read_dir(folder.path().join("third")).unwrap();
    let mut names = files.map(|it| it.unwrap().file_name().into_string().unwrap());
    let archive = names.find(|it| it.starts_with("mitt-c-")).unwrap();
    let listed = run("tar", &["-tzf", &format!("third/{archive}")], folder.path()).unwrap();
    let listed = text(&listed.stdout);
    for file in ["lib/libmitt.so", "lib/libmitt.a", "lib/pkgconfig/mitt.pc", "include/mitt.h"] {
        assert!(listed.lines().any(|line| line.ends_with(file)), "{file}: {listed}");
    }
}

#[test]
fn a_release_has_all_packages_their_digests_and_a_bill_of_materials() {
    let folder = tempfile::tempdir().unwrap();
    let script = root().join("src/cli/packages/make");
    let release = || {
        Command::new("python3")
            .arg(&script)
            .args(["release", PROGRAM, "--runs", env!("CARGO_BIN_EXE_mitt"), "-o"])
            .arg(folder.path())
            .output()
    };
    let Ok(made) = release() else {
        eprintln!("skipped: packages are made with python3, which is not there");
        return;
    };
    let stderr = text(&made.stderr);
    // The bill names crates of the bindings' workspace members, too, which this machine need not have.
    if ["download", "offline", "resolve host"].iter().any(|it| stderr.contains(it)) {
        eprintln!("skipped: cargo cannot list all crates: {stderr}");
        return;
    }
    assert!(made.status.success(), "{stderr}");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let sums = text(&read("SHA256SUMS"));
    let named: Vec<(&str, &str)> =
        sums.lines().map(|line| line.split_once("  ").unwrap()).collect();
    for ending in [".whl", ".mcpb", ".cdx.json", ".bash", ".fish", ".zsh"] {
        assert!(named.iter().any(|(_, name)| name.ends_with(ending)), "{ending}: {sums}");
    }
    assert_eq!(named.iter().filter(|(_, name)| name.ends_with(".tgz")).count(), 4, "{sums}");
    for (digest, name) in &named {
        assert_eq!(mitt_base::digest::sha256(&read(name)), *digest, "{name}");
    }
    // Nothing is in the folder that has no digest.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), named.len() + 1);

    let bill: serde_json::Value =
        serde_json::from_slice(&read(&format!("mitt-{version}.cdx.json"))).unwrap();
    assert_eq!(bill["specVersion"], "1.6");
    let components = bill["components"].as_array().unwrap();
    let of = |name: &str| components.iter().find(|it| it["name"] == name);
    let wasmtime = of("wasmtime").unwrap();
    assert!(wasmtime["licenses"][0]["expression"].as_str().unwrap().starts_with("Apache-2.0"));
    assert_eq!(wasmtime["hashes"][0]["content"].as_str().unwrap().len(), 64);
    // It runs tests, and is in no program.
    assert!(of("criterion").is_none());
    let skill = of("skills/excel-tool/excel-tool.wasm").unwrap();
    assert_eq!(skill["type"], "file");
    let mut refs: Vec<_> = components.iter().map(|it| it["bom-ref"].as_str().unwrap()).collect();
    let count = refs.len();
    refs.sort_unstable();
    refs.dedup();
    assert_eq!(refs.len(), count, "each component has a name of its own");

    let again = release().unwrap();
    assert!(!again.status.success() && text(&again.stderr).contains("expected an empty folder"));
}
