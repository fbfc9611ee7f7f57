//! Who may talk to the server. Asked of every request before its address is looked at.
//!
//! Any page that a browser on this machine shows can send requests to a port of this machine; a name that an attacker controls can be
//! made to lead here (DNS rebinding). So the `Host` must be ours to the letter, a request must not come from elsewhere, and all but
//! the page's own files want the token. There is no cookie: cookies are shared by all ports of a host. There is no CORS header:
//! nobody else has business here.

use crate::token::Token;
use crate::upload;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// Largest body of a request that is no table, in bytes.
pub const MOST_BODY: u64 = 1 << 20;

/// Nothing but the page's own files may be loaded, and nobody may show the page inside another.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the guard knows.
#[derive(Debug, Clone)]
pub struct Guard(Arc<Known>);

#[derive(Debug)]
struct Known {
    hosts: Vec<String>,
    token: Token,
}

impl Guard {
    /// A guard of the server at that address.
    pub fn new(address: SocketAddr, token: Token) -> Guard {
        let hosts = vec![address.to_string(), format!("localhost:{}", address.port())];
        Guard(Arc::new(Known { hosts, token }))
    }

    /// `None`: come in.
    fn refusal(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<(StatusCode, &'static str)> {
        let forbidden = |why| Some((StatusCode::FORBIDDEN, why));
        let is_api = path == "/api" || path.starts_with("/api/");
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
            (Some(host), None) => host,
            _ => return forbidden("the request must name this server once"),
        };
        if !self.0.hosts.iter().any(|ours| ours == host) {
            return forbidden("this is another server");
        }
        // A page that is opened from the address line has none of these headers, or says that nobody sent it. Another page may lead
        // here, but it has no token.
        let fetch = |name| headers.get(HeaderName::from_static(name)).map(HeaderValue::as_bytes);
        let is_visit = method == Method::GET
            && !is_api
            && fetch("sec-fetch-mode") == Some(b"navigate")
            && fetch("sec-fetch-dest") == Some(b"document");
        let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
        let from_elsewhere = origin.is_some_and(|origin| origin != format!("http://{host}").as_bytes())
            || fetch("sec-fetch-site").is_some_and(|site| !matches!(site, b"same-origin" | b"none"));
        if from_elsewhere && !is_visit {
            return forbidden("the request comes from another page");
        }
        if is_api
            && !headers
                .get(header::AUTHORIZATION)
                .is_some_and(|shown| self.0.token.is_shown_by(shown.as_bytes()))
        {
            return Some((StatusCode::UNAUTHORIZED, "the request does not show the token of this server"));
        }
        if !is_api && method != Method::GET && method != Method::HEAD {
            return Some((StatusCode::METHOD_NOT_ALLOWED, "the page can only be read"));
        }
        let length =
            headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if path != upload::ADDRESS && length.is_some_and(|length| length > MOST_BODY) {
            return Some((StatusCode::PAYLOAD_TOO_LARGE, "the body of a request may have at most 1 MiB"));
        }
        None
    }
}

/// Refuses, or goes on; and says in either case what the browser must not do.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let refusal = guard.refusal(request.method(), request.uri().path(), request.headers());
    let mut response = match refusal {
        Some((status, why)) => (status, Body::from(why)).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
