//! Synchronous HTTP client for tests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use url::Url;

/// Response over HTTP.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    /// Headers, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl HttpResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(is, _)| is == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Sends a request over its own connection.
pub(crate) fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> HttpResponse {
    let url = Url::parse(url).unwrap();
    let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let request_line = format!("{method} {}{query} HTTP/1.1", url.path());
    let length = body.len().to_string();
    let required_headers =
        [("host", host.as_str()), ("content-length", length.as_str()), ("connection", "close")];
    let lines =
        headers.iter().chain(&required_headers).map(|(name, value)| format!("{name}: {value}"));
    let head: Vec<String> = [request_line].into_iter().chain(lines).collect();
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.write_all(format!("{}\r\n\r\n", head.join("\r\n")).as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    parse_response(&response)
}

fn parse_response(response: &[u8]) -> HttpResponse {
    let end = response.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(response[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_lowercase(), value.trim().to_owned())
    };
    HttpResponse { status, headers: lines.map(pair).collect(), body: response[end + 4..].to_vec() }
}
