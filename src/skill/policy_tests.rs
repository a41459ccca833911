use super::*;
use crate::Manifest;

fn manifest(tool: &str) -> Result<ToolPolicy, String> {
    let yaml = format!(
        "schema: 1\nname: a\nversion: 0.1.0\ndescription: a test\ncomponent: a.wasm\ntools:\n- name: run\n{tool}"
    );
    match Manifest::parse(&yaml, "skill.yaml") {
        Ok(mut manifest) => Ok(manifest.tools.remove(0).policy),
        Err(error) => Err(error.to_string()),
    }
}

#[track_caller]
fn refused(tool: &str, message: &str) {
    let error = manifest(tool).unwrap_err();
    assert!(error.contains(message), "{tool}\n  gave: {error}\n  not:  {message}");
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn timeouts_are_read_exactly() {
    for (text, expected) in [
        ("500ms", 500),
        ("15s", 15_000),
        ("2m", 120_000),
        ("1h", 3_600_000),
        ("1m30s", 90_000),
        ("1ms", 1),
    ] {
        let policy = manifest(&format!("  timeout: {text}")).unwrap();
        assert_eq!(policy.timeout, Some(millis(expected)), "{text}");
    }
    assert_eq!(manifest("").unwrap(), ToolPolicy::default());
}

#[test]
fn what_is_no_duration_is_an_error_that_names_the_key() {
    for text in ["1.5s", "-5s", "15", "1.5", "''", "soon", "5 s", "30s1m", "true", "~", "[1s]"] {
        for (key, lines) in [
            ("timeout", format!("  timeout: {text}")),
            ("retry.initialDelay", format!("  retry:\n    initialDelay: {text}")),
            ("retry.maxDelay", format!("  retry:\n    maxDelay: {text}")),
        ] {
            let error = manifest(&lines).unwrap_err();
            // The parser itself refuses a list, in its own words.
            let is_named = error.contains(&format!(
                "{key}: expected a duration such as `500ms`, `15s` or `1m30s`, got `"
            )) || (text.starts_with('[') && error.contains("duration"));
            assert!(is_named && error.contains("line "), "{lines}: {error}");
        }
    }
}

#[test]
fn what_is_out_of_range_is_an_error_that_names_the_range() {
    for text in ["99999999999s", "0s", "0ms", "2h", "1h1ms"] {
        refused(
            &format!("  timeout: {text}"),
            &format!("timeout: expected a duration from 1ms to 3600s, got `{text}`"),
        );
    }
    // Too long to be represented.
    refused("  timeout: 99999999999999999999s", "timeout: expected a duration such as");
    for text in ["0", "11", "-1", "1.5", "three", "'3'", "4294967297", "~"] {
        refused(
            &format!("  retry:\n    maxAttempts: {text}"),
            &format!(
                "retry.maxAttempts: expected 1 to 10, got `{}`",
                text.trim_matches('\'').replace('~', "null")
            ),
        );
    }
    refused(
        "  retry:\n    initialDelay: 6m",
        "retry.initialDelay: expected a duration from 0ns to 300s, got `6m`",
    );
    refused(
        "  retry:\n    maxDelay: 6m",
        "retry.maxDelay: expected a duration from 0ns to 300s, got `6m`",
    );
    refused(
        "  retry: {initialDelay: 45s}",
        "tools: run: retry.initialDelay: expected at most `maxDelay`, which is 30s, got 45s",
    );
    refused("  retry: {backoff: linear}", "linear");
    refused("  retry: {attempts: 3}", "unknown key `attempts`");
    refused("  retries: {}", "unknown key `retries`");
    refused("  readOnly: true\n  destructive: true", "tools: run: destructive: expected `false`");
    refused(
        "  title: ''",
        "tools: run: title: expected one line of 1 to 128 characters, got 0 characters",
    );
    refused("  title: \"a\\nb\"", "tools: run: title: expected one line");
}

#[test]
fn a_policy_is_read_as_it_is_written() {
    let policy = manifest(
        "  title: Run it\n  timeout: 2s\n  idempotent: true\n  destructive: true\n  retry: {maxAttempts: 3, backoff: exponential, initialDelay: 200ms, maxDelay: 5s, jitter: full}",
    );
    let retry = RetryPolicy {
        max_attempts: 3,
        backoff: Backoff::Exponential,
        initial_delay: millis(200),
        max_delay: millis(5_000),
        jitter: Jitter::Full,
    };
    let expected = ToolPolicy {
        timeout: Some(millis(2_000)),
        retry,
        idempotent: true,
        read_only: false,
        destructive: true,
        title: Some("Run it".into()),
        brief: false,
    };
    assert_eq!(policy.unwrap(), expected);
    // Example of a tool with a database: no second attempt, no delay.
    let retry =
        manifest("  retry: {maxAttempts: 1, backoff: fixed, initialDelay: 0s}").unwrap().retry;
    assert_eq!((retry.max_attempts, retry.initial_delay), (1, Duration::ZERO));
    // Lowering only the longest delay lowers the first one, too.
    let retry = manifest("  retry: {maxDelay: 100ms}").unwrap().retry;
    assert_eq!((retry.initial_delay, retry.max_delay), (millis(100), millis(100)));
}

#[test]
fn only_tools_that_may_be_repeated_have_a_second_attempt() {
    for (flags, attempts) in [("", 1), ("  idempotent: true\n", 5), ("  readOnly: true\n", 5)] {
        let policy = manifest(&format!("{flags}  retry: {{maxAttempts: 5}}")).unwrap();
        assert_eq!(policy.max_attempts(), attempts, "{flags}");
        assert_eq!(policy.warnings(&CallLimits::default()).is_empty(), attempts == 5);
    }
    let policy = manifest("  timeout: 45s\n  retry: {maxAttempts: 5}").unwrap();
    insta::assert_snapshot!(policy.warnings(&CallLimits::default()).join("\n"), @"
    retry: maxAttempts of 5 has no effect: the tool is neither `idempotent` nor `readOnly`, and so is attempted once
    timeout: 45s has no effect: the skill's `limits.time` of 30s is lower
    ");
}

#[test]
fn a_timeout_only_lowers_the_limit_of_the_skill() {
    let skill = CallLimits { time: millis(500), ..CallLimits::default() };
    for (timeout, expected) in [(None, 500), (Some(200), 200), (Some(900), 500)] {
        let policy = ToolPolicy { timeout: timeout.map(millis), ..ToolPolicy::default() };
        let limits = policy.attempt_limits(&skill);
        assert_eq!(limits, CallLimits { time: millis(expected), ..CallLimits::default() });
    }
}

fn delays(retry: &RetryPolicy) -> Vec<u128> {
    (1..=7).map(|attempt| retry.delay(attempt, || panic!("no jitter")).as_millis()).collect()
}

#[test]
fn delays_double_up_to_the_longest() {
    let retry = RetryPolicy { backoff: Backoff::Exponential, ..RetryPolicy::default() };
    assert_eq!(delays(&retry), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    let retry = RetryPolicy { initial_delay: millis(250), max_delay: millis(1_500), ..retry };
    assert_eq!(delays(&retry), [250, 500, 1_000, 1_500, 1_500, 1_500, 1_500]);
    assert_eq!(delays(&RetryPolicy { backoff: Backoff::Fixed, ..retry.clone() }), [250; 7]);
    assert_eq!(delays(&RetryPolicy { initial_delay: Duration::ZERO, ..retry.clone() }), [0; 7]);
    // No attempt has this number, but nothing overflows.
    assert_eq!(retry.delay(u32::MAX, || 0), millis(1_500));
}

#[test]
fn full_jitter_is_a_part_of_the_delay() {
    let retry = RetryPolicy { jitter: Jitter::Full, ..RetryPolicy::default() };
    assert_eq!(retry.delay(1, || 0), Duration::ZERO);
    assert_eq!(retry.delay(1, || 1 << 63), millis(500));
    assert_eq!(retry.delay(1, || u64::MAX), Duration::from_nanos(999_999_999));
}
