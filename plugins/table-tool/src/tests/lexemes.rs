//! Numbers in JSON notation, for random digits.

use crate::number::{MAX_LEXEME, Number};
use proptest::prelude::*;

fn number(lexeme: &str) -> Number {
    Number::from_json(lexeme).unwrap()
}

proptest! {
    #[test]
    fn a_lexeme_is_stable_and_never_longer_than_allowed(lexeme in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?(e-?[0-9]{1,4})?") {
        let once = number(&lexeme);
        prop_assert!(once.lexeme().len() <= MAX_LEXEME);
        prop_assert_eq!(number(&once.lexeme()), once);
    }

    #[test]
    fn long_digits_survive(digits in "[1-9][0-9]{50,62}", negative: bool) {
        let lexeme = format!("{}{digits}", if negative { "-" } else { "" });
        prop_assert_eq!(number(&lexeme).lexeme(), lexeme);
    }
}
