//! The ahead-of-time cache: used if valid, ignored otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use mitt::{CacheDir, Host, SessionOptions};

use crate::support::{TestSkill, call};

const PING: &str = r#"(component
    (core module $m (func (export "ping") (result i32) (i32.const 42)))
    (core instance $i (instantiate $m))
    (func (export "ping") (result u32) (canon lift (core func $i "ping"))))"#;

fn host(skill: &TestSkill, cache: &Path) -> Host {
    Host::builder()
        .bundled_skills(false)
        .skills(skill.path())
        .cache(CacheDir::new(cache))
        .build()
        .unwrap()
}

/// Uses a new host each time, as a new process would.
async fn works(skill: &TestSkill, cache: &Path) {
    let session = host(skill, cache).session(SessionOptions::default()).unwrap();
    let report = call(&session, "pong__ping").await;
    assert_eq!(report.result.unwrap().to_string(), "42");
}

fn files(cache: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(cache)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_second_host_reads_what_the_first_compiled() {
    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&skill, &cache).await;
    let code = files(&cache, "cwasm");
    assert_eq!(code.len(), 1);
    let written = fs::metadata(&code[0]).unwrap().modified().unwrap();
    works(&skill, &cache).await;
    assert_eq!(files(&cache, "cwasm"), code);
    assert_eq!(fs::metadata(&code[0]).unwrap().modified().unwrap(), written, "compiled again");
}

#[tokio::test]
async fn damaged_code_is_compiled_again() {
    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&skill, &cache).await;
    let code = files(&cache, "cwasm").remove(0);
    let sound = fs::read(&code).unwrap();
    for damage in [sound[..sound.len() / 2].to_vec(), Vec::new(), {
        let mut flipped = sound.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        flipped
    }] {
        // A new file, because this process may still have the first one mapped.
        fs::remove_file(&code).unwrap();
        fs::write(&code, &damage).unwrap();
        works(&skill, &cache).await;
        assert_eq!(fs::read(&code).unwrap().len(), sound.len(), "not replaced");
        assert_ne!(fs::read(&code).unwrap(), damage);
    }
}

#[tokio::test]
async fn damaged_records_and_secrets_are_replaced_or_ignored() {
    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&skill, &cache).await;
    fs::write(&files(&cache, "json")[0], "{").unwrap();
    works(&skill, &cache).await;
    // Code made with another secret is foreign.
    fs::write(cache.join("secret"), [7; 32]).unwrap();
    works(&skill, &cache).await;
    fs::write(cache.join("secret"), "short").unwrap();
    works(&skill, &cache).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;

    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    works(&skill, &cache).await;
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);

    let private = folder.path().join("private");
    works(&skill, &private).await;
    assert_eq!(fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_does_not_stop_a_call() {
    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    works(&skill, &file).await;
    works(&skill, &file.join("below")).await;
}

/// Kept native code consists of pages of a file, which the system can reclaim and processes share, not of memory that this
/// process holds for the rest of its life.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_compiled_is_used_from_the_file_that_it_is_kept_in() {
    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let session = host(&skill, &cache).session(SessionOptions::default()).unwrap();
    assert!(call(&session, "pong__ping").await.result.is_ok());
    let code = files(&cache, "cwasm").remove(0).display().to_string();
    assert!(fs::read_to_string("/proc/self/maps").unwrap().contains(&code));
}

/// Otherwise another user could keep every process of this user from compiling.
#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_take_the_turn_to_compile() {
    use std::os::unix::fs::PermissionsExt as _;

    let skill = TestSkill::new("pong", PING, "");
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    works(&skill, &cache).await;
    let turn = files(&cache, "lock").remove(0);
    assert_eq!(fs::metadata(turn).unwrap().permissions().mode() & 0o777, 0o600);
}
