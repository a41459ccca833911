//! Links that log a browser in once: a command prints one, and a person opens it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::time::Instant;

use mitt_base::{Error, ErrorKind, Result, lock};

/// Path of links that log in once.
pub(super) const LINK_PATH: &str = "/open";
/// Time that a link is good for. It ends earlier with its first use.
const LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// Most links of one token that wait for their first use. A new one replaces the oldest.
const MAX_LINKS_OF_TOKEN: usize = 4;
/// Most links of all tokens.
const MAX_LINKS: usize = 4_096;

/// Links that log in once.
#[derive(Default)]
pub(super) struct LoginLinks {
    /// The token and the end of each link, by its code.
    links: Mutex<HashMap<String, (String, Instant)>>,
}

impl LoginLinks {
    /// Returns the path and query of a new link, which logs the browser in with `token`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers, or too many links wait.
    pub(super) fn add(&self, token: &str) -> Result<String> {
        let mut bytes = [0_u8; 24];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::new(ErrorKind::Host, "the system gives no random numbers").caused_by(error)
        })?;
        let code = URL_SAFE_NO_PAD.encode(bytes);
        let now = Instant::now();
        let mut links = lock(&self.links);
        links.retain(|_, (_, end)| *end > now);
        let of_token = links.iter().filter(|(_, (other, _))| other == token);
        if of_token.clone().count() >= MAX_LINKS_OF_TOKEN {
            let oldest = of_token.min_by_key(|(_, (_, end))| *end).map(|(code, _)| code.clone());
            oldest.and_then(|code| links.remove(&code));
        }
        if links.len() >= MAX_LINKS {
            let message = format!("{MAX_LINKS} links that log in once wait for their use");
            return Err(Error::new(ErrorKind::Host, message).hint("use one of them"));
        }
        let link = format!("{LINK_PATH}?code={code}");
        links.insert(code, (token.to_owned(), now + LINK_LIFE));
        Ok(link)
    }

    /// Returns the token of a link, which stays good; `None` if it has ended.
    pub(super) fn token(&self, code: &str) -> Option<String> {
        let links = lock(&self.links);
        let (token, end) = links.get(code)?;
        (*end > Instant::now()).then(|| token.clone())
    }

    /// Returns the token of a link, which then ends; `None` if it has ended.
    pub(super) fn redeem(&self, code: &str) -> Option<String> {
        let (token, end) = lock(&self.links).remove(code)?;
        (end > Instant::now()).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_link_logs_in_once_and_for_a_short_time() {
        let links = LoginLinks::default();
        let code = |link: String| link.split_once("code=").unwrap().1.to_owned();
        let first = code(links.add("mitt_a").unwrap());
        assert_eq!(links.redeem(&first).as_deref(), Some("mitt_a"));
        assert_eq!(links.redeem(&first), None);
        assert_eq!(links.redeem("unknown"), None);
        let second = code(links.add("mitt_b").unwrap());
        tokio::time::advance(LINK_LIFE + Duration::from_secs(1)).await;
        assert_eq!(links.redeem(&second), None);
    }

    #[tokio::test(start_paused = true)]
    async fn one_token_takes_no_links_of_others() {
        let links = LoginLinks::default();
        let code = |link: String| link.split_once("code=").unwrap().1.to_owned();
        let other = code(links.add("mitt_b").unwrap());
        let mut codes = Vec::new();
        for _ in 0..100 {
            codes.push(code(links.add("mitt_a").unwrap()));
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let good = codes.iter().filter(|code| links.token(code).is_some()).count();
        assert_eq!(good, MAX_LINKS_OF_TOKEN);
        assert!(links.token(codes.last().unwrap()).is_some());
        assert_eq!(links.redeem(&other).as_deref(), Some("mitt_b"));
    }
}
