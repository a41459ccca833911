//! Bodies that the server refused, as problems.

use crate::problem::Problem;
use mitt_serve::http::BodyRefusal;

/// Returns the problem of a refused body.
pub(crate) fn refused(refusal: BodyRefusal) -> Problem {
    let code = match refusal.status.as_u16() {
        413 => "too_large",
        408 => "too_slow",
        429 | 503 => "busy",
        _ => "invalid_body",
    };
    let mut problem = Problem::new(refusal.status.as_u16(), code, refusal.message);
    problem.retry_after = refusal.retry_after;
    problem
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;

    use super::*;

    #[test]
    fn a_refused_body_keeps_its_status() {
        let refusal =
            |status, retry_after| BodyRefusal { status, message: "no".to_owned(), retry_after };
        for (status, code) in
            [(413, "too_large"), (408, "too_slow"), (503, "busy"), (400, "invalid_body")]
        {
            let problem = refused(refusal(StatusCode::from_u16(status).unwrap(), Some(2)));
            assert_eq!((problem.status, problem.code.as_str()), (status, code));
            assert_eq!(problem.retry_after, Some(2));
        }
    }
}
