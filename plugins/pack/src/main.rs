//! Makes the committed components from compiled plugins: `skills/<name>/<name>.wasm` and its `build.json`.
//!
//! `build.sh` runs it. Compiles nothing itself, and does not know what the plugins do. The result depends only on the input,
//! not on the machine or the time.

mod component;
mod docs;
mod record;

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage:
  mitt-pack module <name> <module.wasm> --target <target> --rustc <version>
      make a component out of the core module of a plugin
  mitt-pack component <name> <component.wasm> --target <target> --toolchain <version> [--zstd]
      take a component that another tool made; --zstd writes <name>.wasm.zst
  mitt-pack source <name>
      print the hash of a plugin's sources";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Vec<String>) -> Result<()> {
    // The program runs only in its own workspace, so the place of the sources is known at compile time.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .context("no project above `plugins/pack`")?;
    let zstd = take_flag(&mut arguments, "--zstd");
    let target = take_option(&mut arguments, "--target")?;
    let rustc = take_option(&mut arguments, "--rustc")?;
    let toolchain = take_option(&mut arguments, "--toolchain")?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["source", name] => {
            println!("{}", record::source_sha256(root, name)?);
            Ok(())
        }
        ["module", name, file] => {
            let module = read(file)?;
            let target = target.context("`--target` is missing")?;
            let component = component::from_module(&module, target.contains("wasip1"))
                .with_context(|| format!("`{file}` does not become a component"))?;
            let maker = ("rustc", rustc.context("`--rustc` is missing")?);
            finish(root, name, &component, &Origin { target, maker, zstd })
        }
        ["component", name, file] => {
            let component = read(file)?;
            let target = target.context("`--target` is missing")?;
            let maker = ("toolchain", toolchain.context("`--toolchain` is missing")?);
            finish(root, name, &component, &Origin { target, maker, zstd })
        }
        _ => bail!("{USAGE}"),
    }
}

/// The data about the build of a component.
struct Origin {
    target: String,
    /// The key in `build.json`, and the version.
    maker: (&'static str, String),
    zstd: bool,
}

fn finish(root: &Path, name: &str, component: &[u8], origin: &Origin) -> Result<()> {
    let bytes = component::with_documentation(
        component,
        &root.join("wit"),
        &plugin_folder(root, name)?.join("wit"),
    )
    .with_context(|| format!("component `{name}`"))?;
    let skill = root.join("skills").join(name);
    std::fs::create_dir_all(&skill)
        .with_context(|| format!("cannot create folder `skills/{name}`"))?;
    let written = if origin.zstd {
        // Every decoder accepts the window of level 19, but not of higher levels.
        let compressed = zstd::bulk::compress(&bytes, 19).context("zstd failed")?;
        write(&skill.join(format!("{name}.wasm.zst")), &compressed)?;
        compressed.len()
    } else {
        write(&skill.join(format!("{name}.wasm")), &bytes)?;
        bytes.len()
    };
    let json = serde_json::json!({
        "source_sha256": record::source_sha256(root, name)?,
        "component_sha256": record::sha256(&bytes),
        "target": origin.target,
        origin.maker.0: origin.maker.1,
    });
    write(&skill.join("build.json"), format!("{json:#}\n").as_bytes())?;
    println!("{name}: {written} bytes written, component of {} bytes", bytes.len());
    for import in component::imports(&bytes)? {
        println!("  imports {import}");
    }
    Ok(())
}

fn plugin_folder(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join("plugins").join(name);
    ensure!(folder.is_dir(), "no folder `plugins/{name}`");
    Ok(folder)
}

fn read(file: &str) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read `{file}`"))
}

/// Writes a file. Keeps the old one until the new one is complete, so that an interrupted build leaves no partial component.
fn write(file: &Path, content: &[u8]) -> Result<()> {
    let partial = file.with_extension("partial");
    std::fs::write(&partial, content)
        .and_then(|()| std::fs::rename(&partial, file))
        .with_context(|| format!("cannot write `{}`", file.display()))
}

fn take_flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() < before
}

fn take_option(arguments: &mut Vec<String>, option: &str) -> Result<Option<String>> {
    let Some(place) = arguments.iter().position(|argument| argument == option) else {
        return Ok(None);
    };
    ensure!(place + 1 < arguments.len(), "`{option}` needs a value");
    let value = arguments.remove(place + 1);
    arguments.remove(place);
    Ok(Some(value))
}
