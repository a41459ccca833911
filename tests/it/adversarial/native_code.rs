//! Native code from an archive or a folder is never loaded unless this installation or a trusted key vouches for it.

use std::fs;
use std::path::Path;

use mitt::{
    CacheDir, Engine, EngineOptions, ErrorKind, Host, PluginBytes, Precompiled, PrivateKey,
    PublicKey, SessionOptions, Signer,
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{TestSkill, call, command, measured, mitt, text};

/// Returns a component with a tool that returns a number.
fn component(number: u32) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "ping") (result i32) (i32.const {number})))
            (core instance $i (instantiate $m))
            (func (export "ping") (result u32) (canon lift (core func $i "ping"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// Somebody who compiles.
struct Author {
    engine: Engine,
    key: PrivateKey,
    _folder: tempfile::TempDir,
}

impl Author {
    fn new() -> Author {
        let folder = tempfile::tempdir().unwrap();
        let cache = Some(CacheDir::new(folder.path().join("cache")));
        let engine = Engine::new(EngineOptions { cache, ..EngineOptions::default() }).unwrap();
        Author { engine, key: PrivateKey::generate().unwrap(), _folder: folder }
    }

    fn compile(&self, skill: &str, number: u32, signer: Signer<'_>) -> (Vec<u8>, Precompiled) {
        let bytes = PluginBytes::Wasm(component(number).into());
        self.engine.precompile(skill, &bytes, signer).unwrap()
    }

    fn signed(&self, skill: &str, number: u32) -> (Vec<u8>, Precompiled) {
        self.compile(skill, number, Signer::Key(&self.key))
    }
}

/// A skill `pong` with native code instead of its component.
fn skill(code: &[u8], record: &Value) -> TestSkill {
    let skill = TestSkill::from_bytes("pong", &component(0), "");
    let folder = skill.path().join("pong");
    fs::remove_file(folder.join("pong.wasm")).unwrap();
    fs::write(folder.join("pong.cwasm"), code).unwrap();
    fs::write(folder.join("pong.cwasm.json"), record.to_string()).unwrap();
    skill
}

fn value(record: &Precompiled) -> Value {
    serde_json::to_value(record).unwrap()
}

/// What a call of `pong__ping` gives in a host that trusts these keys, and may have a cache folder.
async fn ping(
    skill: &TestSkill,
    cache: Option<CacheDir>,
    keys: &[PublicKey],
) -> mitt::Result<String> {
    let mut host = Host::builder().bundled_skills(false).skills(skill.path()).cache(cache);
    for key in keys {
        host = host.precompiled_key(*key);
    }
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    call(&session, "pong__ping").await.result.map(|result| result.to_string())
}

#[tokio::test]
async fn code_is_loaded_for_whom_it_was_sealed_or_signed() {
    let author = Author::new();
    let (code, record) = author.compile("pong", 1, Signer::Installation);
    let sealed = skill(&code, &value(&record));
    let cache = author.engine.options().cache.clone();
    assert_eq!(ping(&sealed, cache.clone(), &[]).await.unwrap(), "1");
    // Another installation, and one without a secret, which is not created for this either.
    let elsewhere = tempfile::tempdir().unwrap();
    for cache in [None, Some(CacheDir::new(elsewhere.path().join("cache")))] {
        let error = ping(&sealed, cache, &[author.key.public()]).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied, "{error:?}");
    }
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);

    let (code, record) = author.signed("pong", 2);
    let signed = skill(&code, &value(&record));
    assert_eq!(ping(&signed, None, &[author.key.public()]).await.unwrap(), "2");
    let other = PrivateKey::generate().unwrap().public();
    assert_eq!(ping(&signed, None, &[other, author.key.public()]).await.unwrap(), "2");
    // The installation that signed with a key trusts that signature no more than any other does.
    for keys in [&[][..], &[other]] {
        let error = ping(&signed, cache.clone(), keys).await.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied, "{error:?}");
    }
}

/// Returns an ELF file with a patched text section: every function begins with `ud2`, or one byte is flipped.
fn patched(code: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for at in [code.len() / 8, code.len() / 4, code.len() / 2, code.len() - 1] {
        let mut flipped = code.to_vec();
        flipped[at] ^= 1;
        all.push(flipped);
    }
    let mut overwritten = code.to_vec();
    let middle = code.len() / 2;
    overwritten[middle..middle + 16].copy_from_slice(&[0x0f, 0x05].repeat(8));
    all.push(overwritten);
    all.push(code[..middle].to_vec());
    all.push([code, b"\0"].concat());
    all.push(Vec::new());
    all
}

#[tokio::test]
async fn patched_code_is_not_run() {
    let author = Author::new();
    let keys = [author.key.public()];
    for signer in [Signer::Installation, Signer::Key(&author.key)] {
        let (code, record) = author.compile("pong", 1, signer);
        let cache = || author.engine.options().cache.clone();
        for patched in patched(&code) {
            let error = ping(&skill(&patched, &value(&record)), cache(), &keys).await.unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Load);
            assert!(error.to_string().contains("does not match its record"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn records_are_not_swapped_or_written_by_others() {
    let author = Author::new();
    let keys = [author.key.public()];
    let (code, record) = author.signed("pong", 1);
    let (other_code, other_record) = author.signed("pong", 2);
    let (foreign_code, foreign_record) = author.signed("report", 1);
    // Code under the record of other code, and of another skill, all of them signed.
    for (code, record, wanted) in [
        (&code, &other_record, "does not match its record"),
        (&other_code, &record, "does not match its record"),
        (&code, &foreign_record, "expected native code for the skill `pong`, got it for `report`"),
        (&foreign_code, &foreign_record, "expected native code for the skill `pong`"),
    ] {
        let error = ping(&skill(code, &value(record)), None, &keys).await.unwrap_err();
        assert!(error.to_string().contains(wanted), "{error:?}");
    }

    // The statement is changed and the signature stays, or belongs to another statement.
    let good = value(&record);
    let statement = good["statement"].as_str().unwrap();
    let stranger = PrivateKey::generate().unwrap();
    let (_, by_stranger) = author.compile("pong", 1, Signer::Key(&stranger));
    let (_, by_installation) = author.compile("pong", 1, Signer::Installation);
    let with = |key: &str, to: Value| {
        let mut record = good.clone();
        record[key] = to;
        record
    };
    let signature = good["seal"]["signature"]["signature"].as_str().unwrap();
    let zeros = "0".repeat(128);
    let key = author.key.public().to_string();
    let mut bad = vec![
        with("statement", json!(statement.replace("\"instance_bytes\":", "\"instance_bytes\":9"))),
        with("statement", json!(format!("{statement} "))),
        with("statement", json!("")),
        with("statement", value(&other_record)["statement"].clone()),
        with("seal", value(&other_record)["seal"].clone()),
        with("seal", value(&by_stranger)["seal"].clone()),
        with("seal", json!({ "signature": { "key": key, "signature": zeros } })),
        with("seal", json!({ "signature": { "key": key, "signature": "" } })),
        with(
            "seal",
            json!({ "signature": { "key": stranger.public().to_string(), "signature": signature } }),
        ),
        with("seal", json!({ "signature": { "key": "", "signature": signature } })),
        with("seal", json!({ "installation": "0".repeat(64) })),
        with("seal", json!({ "installation": "" })),
        // A seal of this installation for another statement is invalid.
        with("seal", value(&by_installation)["seal"].clone()),
        with("seal", Value::Null),
        with("seal", json!({})),
        with("more", json!(1)),
        json!({ "statement": statement }),
        json!([]),
        // The old form of records, without seals.
        json!({ "wasmtime": "48.0.8", "blake3": blake3_of(&code), "interface": {} }),
    ];
    for record in bad.drain(..) {
        let cache = author.engine.options().cache.clone();
        // A different statement was sealed, so this one does not verify.
        let error = ping(&skill(&code, &record), cache, &keys).await;
        let Err(error) = error else {
            assert_eq!(record["seal"], value(&by_installation)["seal"], "{record}");
            continue;
        };
        assert_eq!(*error.kind(), ErrorKind::Denied, "{record}: {error:?}");
    }
}

/// Used only for the form of an old record, which is refused whatever it contains.
fn blake3_of(code: &[u8]) -> String {
    Sha256::digest(code).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn code_without_a_record_is_refused_and_nothing_else_stands_in_for_it() {
    let author = Author::new();
    let (code, record) = author.signed("pong", 1);
    let keys = [author.key.public()];
    let with_native = skill(&code, &value(&record));
    let folder = with_native.path().join("pong");
    fs::remove_file(folder.join("pong.cwasm.json")).unwrap();
    let error = ping(&with_native, None, &keys).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Denied, "{error:?}");
    // A component beside it does not help: a reviewer must see what runs.
    fs::write(folder.join("pong.wasm"), component(7)).unwrap();
    assert!(ping(&with_native, None, &keys).await.is_err());
    fs::write(folder.join("pong.cwasm.json"), value(&record).to_string()).unwrap();
    let error = ping(&with_native, None, &keys).await.unwrap_err();
    assert!(error.to_string().contains("of another component than the one beside it"), "{error:?}");
    fs::write(folder.join("pong.wasm"), component(1)).unwrap();
    assert_eq!(ping(&with_native, None, &keys).await.unwrap(), "1");
    // Native code in the place of the component is refused, compressed or not.
    fs::remove_file(folder.join("pong.cwasm")).unwrap();
    fs::write(folder.join("pong.wasm"), &code).unwrap();
    let error = ping(&with_native, None, &keys).await.unwrap_err();
    assert!(error.to_string().contains("got native code"), "{error:?}");
    let packed = compress_to_vec(&code[..], CompressionLevel::Fastest);
    let host = Host::builder().no_cache().bundled_skills(false).component_bytes("pong", packed);
    let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
    let error = call(&session, "pong__ping").await.result.unwrap_err();
    assert!(error.to_string().contains("got native code"), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_native_code_is_judged_like_the_code() {
    let author = Author::new();
    let (code, record) = author.signed("pong", 1);
    let skill = skill(&code, &value(&record));
    let folder = skill.path().join("pong");
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("x");
    fs::write(&target, "not it").unwrap();
    fs::remove_file(folder.join("pong.cwasm")).unwrap();
    fs::write(folder.join("pong.wasm"), component(1)).unwrap();
    for target in [&target, Path::new("/nowhere"), Path::new("/dev/zero")] {
        std::os::unix::fs::symlink(target, folder.join("pong.cwasm")).unwrap();
        assert!(ping(&skill, None, &[author.key.public()]).await.is_err(), "{}", target.display());
        fs::remove_file(folder.join("pong.cwasm")).unwrap();
    }
}

/// Returns an archive whose record and entries agree.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let sha256 = |content: &[u8]| -> String {
        Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let skill_md = &b"---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n"[..];
    let all = [&[("SKILL.md", skill_md)], files].concat();
    let listed: Vec<Value> = all
        .iter()
        .map(|(path, it)| json!({ "path": path, "size": it.len(), "sha256": sha256(it) }))
        .collect();
    let record =
        json!({ "format": 1, "name": "pdf", "version": null, "files": listed }).to_string();
    let mut tar = tar::Builder::new(Vec::new());
    let mut append = |path: &str, content: &[u8]| {
        let mut header = tar::Header::new_ustar();
        header.set_path(path).unwrap();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, content).unwrap();
    };
    append("mitt-skill.json", record.as_bytes());
    for (path, content) in &all {
        append(&format!("pdf/{path}"), content);
    }
    compress_to_vec(&tar.into_inner().unwrap()[..], CompressionLevel::Fastest)
}

#[test]
fn archives_bring_no_native_code() {
    let elf = &b"\x7fELF\x02\x01\x01\0patched"[..];
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in [
        ("pdf.cwasm", elf),
        // Recognised by name alone, by content alone, nested, and in other letter cases.
        ("pdf.cwasm", b"anything"),
        ("pdf.cwasm.json", b"{}"),
        ("PDF.CWasm", b"x"),
        ("a/b/c/pdf.cwasm", b"x"),
        ("scripts/pdf.cwasm", b"x"),
        ("scripts/helper.py", elf),
        ("references/notes.md", elf),
        ("pdf.wasm", elf),
        ("lib.dll", b"MZ\x90\0\x03\0\0\0"),
        ("lib.dylib", b"\xcf\xfa\xed\xfe\x07\0\0\x01"),
    ] {
        fs::write(folder.path().join("x.zst"), archive(&[("fine.md", b"fine"), (path, content)]))
            .unwrap();
        let output = mitt(folder.path(), &["skill", "install", "x.zst", "--to", "mine", "--force"]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{path}: {stderr}");
        assert!(stderr.contains(&format!("`{path}`: native code")), "{path}: {stderr}");
        assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 0, "{path}");
    }
    fs::write(folder.path().join("x.zst"), archive(&[("MZ.md", b"MZ and ELF are letters")]))
        .unwrap();
    let output = mitt(folder.path(), &["skill", "install", "x.zst", "--to", "mine"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn native_code_is_not_packed() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("pdf");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::write(
        skill.join("SKILL.md"),
        "---\nname: pdf\ndescription: Reads PDF files for you.\n---\nDo it.\n",
    )
    .unwrap();
    fs::write(skill.join("pdf.cwasm"), "x").unwrap();
    fs::write(skill.join("pdf.cwasm.json"), "{}").unwrap();
    // Output of `mitt compile` is left out, with a warning.
    let output = mitt(folder.path(), &["skill", "pack", "pdf", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let packed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(packed["files"], 1, "{packed}");
    // A disguised file is an error.
    fs::write(skill.join("scripts/helper.py"), b"\x7fELF\x02").unwrap();
    let output = mitt(folder.path(), &["skill", "pack", "pdf", "-o", "y.zst"]);
    assert_eq!(output.status.code(), Some(8));
    assert!(
        text(&output.stderr).contains("scripts/helper.py: native code"),
        "{}",
        text(&output.stderr)
    );
}

/// The author of the file chooses its size.
#[test]
fn code_that_nobody_vouches_for_is_not_read() {
    let author = Author::new();
    let (code, record) = author.signed("pong", 1);
    let foreign = author.signed("ping", 1).1;
    let mut forged = value(&record);
    forged["statement"] = json!(forged["statement"].as_str().unwrap().replace("pong", "pung"));
    for (record, said) in [
        (value(&record), "signed by a key that is not trusted here"),
        (value(&foreign), "signed by a key that is not trusted here"),
        (forged, "signed by a key that is not trusted here"),
        (json!({ "statement": "{}", "seal": { "installation": "00" } }), "did not compile"),
        (json!({}), "expected the record of native code"),
    ] {
        let skill = skill(&code, &record);
        let path = skill.path().join("pong/pong.cwasm");
        fs::File::options().write(true).open(path).unwrap().set_len(512 * 1024 * 1024).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["call", "pong__ping", "--no-bundled-skills", "--skills"];
        let mut program = command(folder.path(), &arguments);
        program.arg(skill.path());
        let (output, peak) = measured(program);
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.contains(said), "{stderr}");
        // The program itself takes some 100 MiB.
        assert!(peak < 300 * 1024 * 1024, "{peak}: {said}");
    }
}
