//! Memory of instances besides their linear memories: reported, charged and bounded.

use mitt::{CacheDir, ErrorKind, Host, Resource, SessionOptions};

#[cfg(target_os = "linux")]
use super::program;
use super::times;
use crate::support::{TestSkill, call, kind};
#[cfg(target_os = "linux")]
use crate::support::{measured, text};

/// Returns a component that instantiates `module` `n` times.
fn instances(module: &str, n: usize) -> String {
    format!(
        r#"(component (core module $big {module}) {}
            (core module $m (func (export "run"))) (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#,
        times(n, "(core instance (instantiate $big))")
    )
}

const N_GLOBALS: usize = 32_000;
const N_ITEMS: usize = 120_000;

/// Modules with data that every instance copies, and the size of that data in bytes.
fn large_modules() -> [(String, u64); 4] {
    let globals =
        |ty: &str, value: &str| times(N_GLOBALS, &format!("(global (mut {ty}) ({value}))"));
    [
        (globals("i32", "i32.const 1"), 16 * N_GLOBALS as u64),
        (globals("v128", "v128.const i64x2 0 0"), 16 * N_GLOBALS as u64),
        (format!("(func $f) (elem func {})", times(N_ITEMS, "$f ")), 16 * N_ITEMS as u64),
        (
            format!(
                "{} (elem declare func {})",
                times(30_000, "(func)"),
                (0..30_000).map(|i| format!("{i} ")).collect::<String>()
            ),
            32 * 30_000,
        ),
    ]
}

#[tokio::test]
async fn what_instances_keep_beside_their_memories_is_charged_and_bounded() {
    for (module, bytes) in large_modules() {
        let wat = instances(&module, 60);
        let skill = TestSkill::new("hostile", &wat, "");
        let host = skill.host();
        let session = host.session(SessionOptions::default()).unwrap();
        let report = call(&session, "hostile__run").await;
        assert!(report.result.is_ok(), "{:?}", report.result);
        let used = report.usage.peak_memory_bytes;
        assert!(used >= 60 * bytes, "{used} told, expected {}", 60 * bytes);
        // Charged to the call, its session, its tenant and the host, and given back with the instance.
        let memory = host.memory();
        assert!(memory.peak >= 60 * bytes, "{memory:?}, expected {}", 60 * bytes);
        assert!(memory.used < bytes, "{memory:?}");

        let skill = TestSkill::new("hostile", &wat, "limits: { memory: 16MiB }");
        let report = call(&skill.session(), "hostile__run").await;
        let ErrorKind::Limit(limit) = kind(&report) else { panic!("{:?}", report.result) };
        assert_eq!((limit.what, limit.limit), (Resource::Memory, 16 * 1024 * 1024));
        assert!(limit.used >= 60 * bytes);
    }
}

#[tokio::test]
async fn instances_inside_of_components_are_charged_too() {
    let globals = times(N_GLOBALS, "(global (mut i32) (i32.const 1))");
    let eight = times(8, "(core instance (instantiate $big))");
    let wat = format!(
        r#"(component
            (core module $big {globals})
            (component $c (alias outer 1 $big (core module $big)) {eight})
            (component $d (alias outer 1 $c (component $c)) (instance (instantiate $c)) (instance (instantiate $c)))
            (instance (instantiate $d)) (instance (instantiate $d)) (instance (instantiate $c))
            (core module $m (func (export "run"))) (core instance $i (instantiate $m))
            (func (export "run") (canon lift (core func $i "run"))))"#
    );
    let skill = TestSkill::new("hostile", &wat, "");
    let report = call(&skill.session(), "hostile__run").await;
    assert!(report.result.is_ok(), "{:?}", report.result);
    let least = 5 * 8 * 16 * N_GLOBALS as u64;
    let used = report.usage.peak_memory_bytes;
    assert!((least..least + least / 4).contains(&used), "{used} told, expected {least}");
}

#[tokio::test]
async fn the_charge_is_known_of_cached_code_too() {
    let (module, bytes) = &large_modules()[0];
    let skill = TestSkill::new("hostile", &instances(module, 20), "");
    let folder = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    for _ in 0..2 {
        let cache = Some(CacheDir::new(folder.path().join("cache")));
        let host = Host::builder().bundled_skills(false).skills(skill.path()).cache(cache);
        let session = host.build().unwrap().session(SessionOptions::default()).unwrap();
        told.push(call(&session, "hostile__run").await.usage.peak_memory_bytes);
    }
    assert!(told[0] >= 20 * bytes, "{told:?}");
    assert_eq!(told[0], told[1]);
}

/// Compares the memory of the process with that of a process that makes one instance of the same module.
#[cfg(target_os = "linux")]
#[test]
fn what_is_charged_covers_what_is_used() {
    let folder = tempfile::tempdir().unwrap();
    for (module, bytes) in large_modules() {
        let mut peaks = [1, 60].map(|n| {
            let (output, peak) = measured(program(&folder, &instances(&module, n)));
            assert!(output.status.success(), "{}", text(&output.stderr));
            peak
        });
        peaks.sort_unstable();
        let used = peaks[1] - peaks[0];
        // The compiler's own memory varies slightly between runs.
        let charged = 59 * bytes + 24 * 1024 * 1024;
        assert!(used <= charged, "{used} bytes more were used, {charged} are charged");
    }
}
