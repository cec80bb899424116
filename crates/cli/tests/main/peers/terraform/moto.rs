//! AWS on this machine.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::place::peer;

/// A question, in the ways of AWS's services.
pub(crate) enum Question<'a> {
    /// A path.
    Get(&'a str),
    /// An action and its parameters; `MOTO` in it is where moto listens.
    Form(&'a str),
    /// An action and its parameters as JSON.
    Target(&'a str, &'a str),
}

/// The cloud, which ends with the test.
pub(crate) struct Moto {
    process: Child,
    port: u16,
}

impl Moto {
    pub(crate) fn start() -> Self {
        let program = peer("moto/bin/moto_server");
        // It needs a port; this one was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdin(Stdio::null());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let moto = Self { process, port };
        let end = Instant::now() + Duration::from_secs(120);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "moto does not listen");
            thread::park_timeout(Duration::from_millis(20));
        }
        moto
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Resets it to the beginning; it generates the same ids again.
    pub(crate) fn forget(&self) {
        for path in ["reset", "seed?a=1"] {
            let answer = self.send(&format!("POST /moto-api/{path}"), "", "");
            assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        }
    }

    /// A service's answer, without any provider. The signature is not checked, but it names the service.
    pub(crate) fn ask(&self, service: &str, question: &Question) -> String {
        let (first, headers, body) = match question {
            Question::Get(path) => (format!("GET {path}"), String::new(), String::new()),
            Question::Form(action) => {
                let headers = "Content-Type: application/x-www-form-urlencoded\r\n".to_owned();
                ("POST /".to_owned(), headers, format!("Action={action}").replace("MOTO", &self.address()))
            }
            Question::Target(target, body) => {
                let headers = format!("Content-Type: application/x-amz-json-1.1\r\nX-Amz-Target: {target}\r\n");
                ("POST /".to_owned(), headers, (*body).to_owned())
            }
        };
        let authorization = format!(
            "Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/{service}/aws4_request, \
             SignedHeaders=host, Signature=0\r\n"
        );
        self.send(&first, &(headers + &authorization), &body)
    }

    fn send(&self, first: &str, headers: &str, body: &str) -> String {
        let request = format!(
            "{first} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.port,
            body.len(),
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // There is nothing to be done if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
