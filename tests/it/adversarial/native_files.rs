//! Native code in files: verified before its first run and after each change, and mapped if only its owner can change it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mitt::{
    CacheDir, CodeSource, Engine, EngineOptions, ErrorKind, NativeCode, PluginBytes, Precompiled,
    PrivateKey, Signer, Target,
};
use serde_json::Value;

use crate::support::{mitt, text};

const PING: &str = r#"(component
    (core module $m (func (export "ping") (result i32) (i32.const 1)))
    (core instance $i (instantiate $m))
    (func (export "ping") (result u32) (canon lift (core func $i "ping"))))"#;

/// Signed native code in a file, in its own folder.
struct Signed {
    folder: tempfile::TempDir,
    key: PrivateKey,
    record: Precompiled,
    sound: Vec<u8>,
}

impl Signed {
    fn new() -> Signed {
        let engine = Engine::new(EngineOptions::default()).unwrap();
        let key = PrivateKey::generate().unwrap();
        let component = PluginBytes::Wasm(wat::parse_str(PING).unwrap().into());
        let (sound, record) = engine.precompile("pong", &component, Signer::Key(&key)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let signed = Signed { folder, key, record, sound };
        fs::write(signed.path(), &signed.sound).unwrap();
        fs::set_permissions(signed.path(), fs::Permissions::from_mode(0o644)).unwrap();
        signed
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("pong.cwasm")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn engine(&self, cached: bool, trusted_folders: &[&Path]) -> Engine {
        Engine::new(EngineOptions {
            cache: cached.then(|| CacheDir::new(self.cache())),
            cache_problems: None,
            precompiled_keys: vec![self.key.public()],
            trusted_folders: trusted_folders.iter().map(|it| it.to_path_buf()).collect(),
        })
        .unwrap()
    }

    /// Loads it as a new process would. Returns how many bytes were read.
    fn load(&self, engine: &Engine, path: &Path) -> mitt::Result<u64> {
        let code = CodeSource::File(path.to_owned());
        let record = Box::new(self.record.clone());
        let native = PluginBytes::Precompiled(NativeCode { code, record, skill: "pong".into() });
        let before = read_by_this_thread();
        engine.load(&native)?;
        Ok(read_by_this_thread() - before)
    }

    fn is_whole(&self, read: u64) -> bool {
        read >= self.sound.len() as u64
    }

    /// Returns the number of files that are marked as verified.
    fn marks(&self) -> usize {
        let files = fs::read_dir(self.cache()).into_iter().flatten().flatten();
        files.filter(|file| file.path().extension().is_some_and(|it| it == "seen")).count()
    }

    /// Returns other code of the same length.
    fn patched(&self) -> Vec<u8> {
        let mut patched = self.sound.clone();
        let middle = patched.len() / 2;
        patched[middle] ^= 1;
        patched
    }

    fn is_refused(&self, engine: &Engine, why: &str) {
        let error = self.load(engine, &self.path()).unwrap_err();
        assert!(error.to_string().contains("does not match its record"), "{why}: {error:?}");
    }
}

/// Returns the bytes that this thread has read from files; mapped files do not count.
fn read_by_this_thread() -> u64 {
    let io = fs::read_to_string("/proc/thread-self/io").unwrap_or_default();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
    // Reading the counter costs as much as it reads of that file.
    read.map_or(0, |read| read.trim().parse().unwrap())
}

/// Returns `true` if the system counts reads; otherwise nothing can be checked.
fn is_counted() -> bool {
    let counted = read_by_this_thread() > 0;
    if !counted {
        eprintln!("skipped: this system does not count what a thread reads");
    }
    counted
}

/// Waits until a change would be visible in the times of a file.
fn settle() {
    std::thread::sleep(Duration::from_millis(3_100));
}

#[test]
fn a_file_is_read_whole_once_for_each_change() {
    let signed = Signed::new();
    let engine = || signed.engine(true, &[]);
    // A file that was just written may be written again within the same clock tick.
    let read = signed.load(&engine(), &signed.path()).unwrap();
    assert_eq!(signed.marks(), 0);
    settle();
    let first = signed.load(&engine(), &signed.path()).unwrap();
    assert_eq!(signed.marks(), 1);
    let second = signed.load(&engine(), &signed.path()).unwrap();
    if is_counted() {
        assert!(signed.is_whole(read) && signed.is_whole(first) && !signed.is_whole(second));
        // Without a folder for marks, each time; under another name of the same file, not again.
        let without = signed.load(&signed.engine(false, &[]), &signed.path()).unwrap();
        assert!(signed.is_whole(without));
        let link = signed.folder.path().join("link.cwasm");
        symlink(signed.path(), &link).unwrap();
        assert!(!signed.is_whole(signed.load(&engine(), &link).unwrap()));
        // Marks made with another secret do not count.
        fs::write(signed.cache().join("secret"), [7; 32]).unwrap();
        assert!(signed.is_whole(signed.load(&engine(), &signed.path()).unwrap()));
    }
}

#[test]
fn every_change_of_a_file_that_was_compared_is_found() {
    let signed = Signed::new();
    let engine = || signed.engine(true, &[]);
    let path = signed.path();
    let restore = || {
        let fresh = signed.folder.path().join("fresh");
        fs::write(&fresh, &signed.sound).unwrap();
        fs::rename(&fresh, &path).unwrap();
        settle();
        signed.load(&engine(), &path).unwrap();
    };
    restore();
    assert_eq!(signed.marks(), 1);
    let time = fs::metadata(&path).unwrap().modified().unwrap();

    // In place, with the modification time restored.
    fs::write(&path, signed.patched()).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
    signed.is_refused(&engine(), "in place");

    // Another file with the same name, length and time.
    let other = signed.folder.path().join("other");
    fs::write(&other, signed.patched()).unwrap();
    fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    fs::rename(&other, &path).unwrap();
    signed.is_refused(&engine(), "replaced");

    // A link to other code, and a truncated file.
    let aside = signed.folder.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    signed.is_refused(&engine(), "link");
    fs::remove_file(&path).unwrap();
    fs::write(&path, &signed.sound[..signed.sound.len() - 1]).unwrap();
    signed.is_refused(&engine(), "cut");
}

#[test]
fn what_others_can_write_to_is_compared_each_time() {
    let signed = Signed::new();
    let path = signed.path();
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let compared = |why: &str| {
        let engine = signed.engine(true, &[]);
        let read = signed.load(&engine, &path).unwrap();
        assert!(!is_counted() || signed.is_whole(read), "{why}");
        assert_eq!(signed.marks(), 0, "{why}");
        fs::write(&path, signed.patched()).unwrap();
        signed.is_refused(&engine, why);
        fs::write(&path, &signed.sound).unwrap();
    };
    mode(0o664);
    settle();
    compared("group");
    mode(0o646);
    settle();
    compared("others");
    mode(0o644);
    if chown(&path, Some(12_345), None).is_err() {
        eprintln!("skipped: only the administrator gives files away");
        return;
    }
    settle();
    compared("owner");
}

#[test]
fn code_in_a_trusted_folder_is_not_read_and_nobody_else_can_write_to_it() {
    let signed = Signed::new();
    let folder = signed.folder.path();
    let trusting = || signed.engine(false, &[folder]);
    let read = signed.load(&trusting(), &signed.path()).unwrap();
    if is_counted() {
        assert!(!signed.is_whole(read), "{read}");
        // Another trusted folder is no reason to trust this one.
        let elsewhere = tempfile::tempdir().unwrap();
        let read = signed.load(&signed.engine(false, &[elsewhere.path()]), &signed.path());
        assert!(signed.is_whole(read.unwrap()));
        // Nor is a link in it that leads outside.
        let outside = elsewhere.path().join("pong.cwasm");
        fs::copy(signed.path(), &outside).unwrap();
        let link = folder.join("link.cwasm");
        symlink(&outside, &link).unwrap();
        assert!(signed.is_whole(signed.load(&trusting(), &link).unwrap()));
    }
    // The signature matters as everywhere.
    let nobody = EngineOptions { trusted_folders: vec![folder.into()], ..EngineOptions::default() };
    let error = signed.load(&Engine::new(nobody).unwrap(), &signed.path()).unwrap_err();
    assert!(error.to_string().contains("a key that is not trusted here"), "{error:?}");
    // A truncated copy would crash the process if it was mapped.
    let cut = folder.join("cut.cwasm");
    fs::write(&cut, &signed.sound[..signed.sound.len() / 2]).unwrap();
    assert!(signed.load(&trusting(), &cut).unwrap_err().to_string().contains("does not match"));

    for (open, mode) in [(signed.path(), 0o664), (folder.to_owned(), 0o757)] {
        let before = fs::metadata(&open).unwrap().mode();
        fs::set_permissions(&open, fs::Permissions::from_mode(mode)).unwrap();
        let error = signed.load(&trusting(), &signed.path()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied, "{error:?}");
        let told = format!("others can write to {}", open.canonicalize().unwrap().display());
        assert!(error.to_string().contains(&told), "{error:?}");
        fs::set_permissions(&open, fs::Permissions::from_mode(before)).unwrap();
    }
    signed.load(&trusting(), &signed.path()).unwrap();
    if chown(signed.path(), Some(12_345), None).is_ok() {
        let error = signed.load(&trusting(), &signed.path()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Denied, "{error:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn code_for_a_baseline_runs_here_and_its_record_says_what_it_needs() {
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let key = PrivateKey::generate().unwrap();
    let keys = vec![key.public()];
    let here = Engine::new(EngineOptions { precompiled_keys: keys, ..EngineOptions::default() });
    let here = here.unwrap();
    let component = PluginBytes::Wasm(wat::parse_str(PING).unwrap().into());
    for (target, needs) in [(Target::X86_64, 0), (Target::X86_64V2, 6), (Target::X86_64V3, 12)] {
        let signer = Signer::Key(&key);
        let (code, record) = engine.precompile_for(target, "pong", &component, signer).unwrap();
        let statement = serde_json::to_value(&record).unwrap()["statement"].clone();
        let statement: Value = serde_json::from_str(statement.as_str().unwrap()).unwrap();
        assert_eq!(statement["processor"], target.name());
        assert_eq!(statement["needs"].as_array().unwrap().len(), needs);
        let (code, record) = (CodeSource::Bytes(code.into()), Box::new(record));
        let native = NativeCode { code, record, skill: "pong".into() };
        match here.load(&PluginBytes::Precompiled(native)) {
            Ok(plugin) => assert_eq!(plugin.interface().functions.len(), 1),
            // The machine is older than this level.
            Err(error) => assert!(error.to_string().contains("this one lacks"), "{error:?}"),
        }
    }
}

#[test]
fn a_processor_is_named_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), &["compile", "--target", "x86-64-v9", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("native, x86-64, x86-64-v2"), "{stderr}");
}
