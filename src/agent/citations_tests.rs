//! Citations in answers.

use super::*;
use mitt::CitationOutcome;

const SALES: &str = "month,dau\n2024,12\n2025,1500\n";

/// Returns a session with a document, whose steps are kept.
async fn stage(turns: impl IntoIterator<Item = Vec<ChatEvent>>) -> Stage {
    let stage = Stage::new(turns);
    stage.document("sales.csv", SALES).await;
    stage
}

#[tokio::test]
async fn citations_of_the_answer_are_checked_and_the_answer_stays() {
    let answer = "DAU was 1,500 [sales.csv#row=3], and 13 before [sales.csv#row=2].";
    let stage = stage([says(answer)]).await;
    let agent = stage.agent().build();
    let mut conversation = agent.conversation(&stage.session).await;
    let mut steps = Vec::new();
    let report = {
        let mut stream = pin!(conversation.stream("How many?"));
        let mut report = None;
        while let Some(step) = stream.next().await {
            match step {
                RunItem::Step(event) => {
                    if let Some(RunEvent::Citations { citations }) = RunEvent::from_event(&event) {
                        steps.push(citations.clone());
                    }
                }
                RunItem::Ended(ended) => report = Some(ended.unwrap()),
            }
        }
        report.unwrap()
    };
    assert_eq!(report.text, answer);
    let outcomes: Vec<_> = report.citations.list.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [CitationOutcome::Confirmed, CitationOutcome::NotFound]);
    assert_eq!(report.citations.problems(), ["not found at sales.csv, row=2: 13"]);
    let second = report.citations.list[1].range.clone();
    assert_eq!(&report.text[second], "[sales.csv#row=2]");
    assert_eq!(steps, std::slice::from_ref(&report.citations));
    let journal = stage.session.journal();
    let noted = journal.iter().find(|it| it["kind"] == "citations" || it["event"] == "citations");
    assert!(noted.is_some_and(|it| it["wrong"] == 1 && it["confirmed"] == 1), "{journal:?}");
    assert_eq!(stage.model.asked.lock().unwrap().len(), 1, "the model is not asked again");
}

#[tokio::test]
async fn the_model_mends_its_citations_if_the_limits_allow_it() {
    let wrong = says("DAU was 1,500 [sales.csv#row=2].");
    let right = says("DAU was 1,500 [sales.csv#row=3].");
    let stage = stage([wrong.clone(), right]).await;
    let agent = stage.agent().limits(|limits| limits.citation_repairs = 1).build();
    let report = agent.run(&stage.session, "How many?").await.unwrap();
    assert_eq!((report.turns, report.citations.count(CitationOutcome::Confirmed)), (2, 1));
    let asked = stage.asked(1);
    let last = asked.last().unwrap();
    assert!(last.contains("- not found at sales.csv, row=2: 1,500 (it stands at row 3)"), "{last}");

    // Once only, and never for an answer that holds.
    let stage = self::stage([wrong.clone(), wrong]).await;
    let agent = stage.agent().limits(|limits| limits.citation_repairs = 1).build();
    let report = agent.run(&stage.session, "How many?").await.unwrap();
    assert_eq!((report.turns, report.citations.count(CitationOutcome::NotFound)), (2, 1));
}

#[tokio::test]
async fn an_answer_without_documents_or_citations_has_none() {
    let stage = Stage::new([says("See report.pdf#page=3.")]);
    assert!(stage.run("Hi").await.unwrap().citations.list.is_empty());
    let stage = self::stage([says("It is # 5.")]).await;
    assert!(stage.run("Hi").await.unwrap().citations.list.is_empty());
}
