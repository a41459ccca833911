//! Comments.

use super::*;
use docx_tool::Comment;

fn list(bytes: &[u8]) -> Vec<Comment> {
    Document::open(bytes.to_vec()).unwrap().comments().unwrap()
}

#[test]
fn threads_are_made_and_deleted() {
    let source = "<w:p><w:r><w:t>one two three</w:t></w:r></w:p><w:p/>";
    let bytes = docx(source);
    let add = [Edit::AddComment {
        at: anchor(&bytes, 0),
        find: Some("two".to_owned()),
        text: "Why?\nReally".to_owned(),
    }];
    let first = tracked(&bytes, &add).unwrap().bytes;
    assert!(body(&first).contains("<w:commentRangeStart/><w:r><w:t>two</w:t></w:r><w:commentRangeEnd/><w:r><w:commentReference/></w:r>"));
    assert!(part(&first, "[Content_Types].xml").contains("/word/comments.xml"));
    let found = list(&first);
    assert_eq!(
        (found[0].text.as_str(), found[0].on.as_str(), found[0].author.as_str()),
        ("Why?\nReally", "two", "Mitt")
    );
    let answer = [
        Edit::AnswerComment { id: "0".to_owned(), text: "Because".to_owned() },
        Edit::ResolveComment { id: "0".to_owned(), is_resolved: true },
    ];
    let second = tracked(&first, &answer).unwrap().bytes;
    let found = list(&second);
    assert_eq!(found[1].parent.as_deref(), Some("0"));
    assert_eq!(found[1].on, "two");
    assert!(found[0].is_resolved && !found[1].is_resolved);
    assert!(part(&second, "word/commentsExtended.xml").contains("w15:paraIdParent"));
    let third = tracked(&second, &[Edit::DeleteComment { id: "0".to_owned() }]).unwrap().bytes;
    assert!(list(&third).is_empty());
    assert!(!body(&third).contains("comment"));
    let error =
        tracked(&third, &[Edit::AnswerComment { id: "7".to_owned(), text: "x".to_owned() }])
            .unwrap_err();
    assert!(error.to_string().contains("there is no comment `7`"), "{error}");
}

#[test]
fn a_whole_paragraph_is_commented() {
    let bytes = docx("<w:p><w:pPr/><w:r><w:t>one</w:t></w:r></w:p>");
    let add = [Edit::AddComment { at: anchor(&bytes, 0), find: None, text: "x".to_owned() }];
    let edited = tracked(&bytes, &add).unwrap();
    assert!(body(&edited.bytes).starts_with("<w:p><w:pPr/><w:commentRangeStart/><w:r>"));
    assert_eq!(list(&edited.bytes)[0].on, "one");
}
