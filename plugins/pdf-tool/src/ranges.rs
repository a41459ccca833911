//! Lists of pages as people write them: `1-3,7,10-`, `last`, `odd`, `even`, `all`.

use crate::error::{Result, invalid};
use crate::text::no_page;

/// Most pages that a list may name.
const MAX_NAMED: usize = 100_000;

/// Returns indexes from 0, in the order of the list. `count` is the number of pages.
///
/// # Errors
///
/// `invalid-argument` - it is not such a list, or names a page that there is not.
pub fn pages(list: &str, count: usize) -> Result<Vec<usize>> {
    let mut out = Vec::new();
    fn wrong<T>(part: &str) -> Result<T> {
        invalid(format!(
            "expected pages such as `1-3,7,10-`, `odd` or `last`, got `{}`",
            part.trim()
        ))
    }
    for part in list.split(',') {
        let part = part.trim();
        let number = |text: &str, default: usize| match text.trim() {
            "" => Ok(default),
            "last" => Ok(count),
            text => match text.parse::<usize>() {
                Ok(0) => wrong(part),
                Ok(number) if number > count => invalid(no_page(number, count)),
                Ok(number) => Ok(number),
                Err(_) => wrong(part),
            },
        };
        match part {
            "" => return wrong(list),
            "all" => out.extend(0..count),
            "odd" => out.extend((0..count).step_by(2)),
            "even" => out.extend((1..count).step_by(2)),
            "-" => return wrong(part),
            _ => match part.split_once('-') {
                Some((from, to)) => {
                    let (from, to) = (number(from, 1)?, number(to, count)?);
                    if from <= to {
                        out.extend(from - 1..to);
                    } else {
                        out.extend((to - 1..from).rev());
                    }
                }
                None => out.push(number(part, 0)?.saturating_sub(1)),
            },
        }
        if out.len() > MAX_NAMED {
            return invalid(format!("expected at most {MAX_NAMED} pages, got more"));
        }
    }
    Ok(out)
}
