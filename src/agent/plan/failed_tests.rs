//! What is said of steps whose model failed.

use super::*;

/// A report is read by others, and may become a file.
#[tokio::test(start_paused = true)]
async fn a_report_says_that_a_model_failed_and_not_where_it_is() {
    let steps =
        [step("a", "research", &[]), step("b", "research", &["a"]), step("c", "research", &[])];
    for (wish, expected) in [
        (
            "Go",
            [
                "Step a: it failed: its model gave no usable answer",
                "Step b: it was skipped: it needs `a`",
            ],
        ),
        (
            "对比两年的收入",
            [
                "Step a：失败：该步骤的模型没有给出可用的回答",
                "Step b：已跳过：它依赖的步骤没有结果",
            ],
        ),
    ] {
        let (model, workers) = (
            planning(plan(&steps)),
            Workers::new(|task| match task.step.id.as_str() {
                "a" => Act::Fails(Error::model("http://10.1.2.3:8000/v1#m: refused: secret")),
                id => Act::Gives(format!("result of {id}")),
            }),
        );
        let report = builder(&model, &workers).build().run(&session(), wish).await.unwrap();
        for line in expected {
            assert!(report.text.contains(line), "{line}: {}", report.text);
        }
        assert!(
            !report.text.contains("10.1.2.3") && !report.text.contains("secret"),
            "{}",
            report.text
        );
    }
}
