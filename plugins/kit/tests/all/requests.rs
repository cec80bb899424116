//! `kit:http:Request` and `kit:httpGet`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use outrigger_provider::Verdict;
use outrigger_value::Value;
use serde_json::json;

use crate::server::{Reply, Server};
use crate::stage::{Stage, is_secret, text};

const REQUEST: &str = "kit:http:Request";

#[tokio::test]
async fn comes_is_read_changes_and_goes() {
    let version = Arc::new(AtomicUsize::new(1));
    let current = Arc::clone(&version);
    let server = Server::new(move |request, count| match request.line.as_str() {
        line if line.starts_with("DELETE") => Reply::new(204, "", ""),
        _ => {
            let body = format!("version {}", current.load(Ordering::SeqCst));
            Reply::new(200, &format!("X-Count: {count}\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"), body)
        }
    })
    .await;
    let stage = Stage::new().await;
    let inputs = |header: &str| json!({"url": server.url("/a?b=c"), "headers": {"X-Mine": header}, "delete": {}});
    let made = stage.create(REQUEST, inputs("1")).await.unwrap();
    assert_eq!(
        (text(&made.outputs, "responseBody"), &made.outputs["status"]),
        ("version 1".into(), &Value::Number(200.0))
    );
    let Value::Map(headers) = &made.outputs["responseHeaders"] else { panic!("{made:?}") };
    assert_eq!((text(headers, "x-count"), text(headers, "set-cookie")), ("0".to_owned(), "a, b".to_owned()));
    assert!(is_secret(headers, "set-cookie") && !is_secret(headers, "x-count"));
    let first = &server.arrived()[0];
    assert_eq!(first.line, "GET /a?b=c HTTP/1.1");
    for header in [format!("host: {}", server.address), "x-mine: 1".to_owned(), "user-agent: outrigger-kit/".to_owned()]
    {
        assert!(first.headers.contains(&header), "{}", first.headers);
    }

    assert_eq!(stage.read(REQUEST, &made).await.unwrap().unwrap(), made, "a header that always differs is no drift");
    version.store(2, Ordering::SeqCst);
    let drifted = stage.read(REQUEST, &made).await.unwrap().unwrap();
    assert_eq!(text(&drifted.outputs, "responseBody"), "version 2");

    assert_eq!(stage.verdict(REQUEST, &made, inputs("1")).await, Verdict::Same);
    assert_eq!(stage.verdict(REQUEST, &made, inputs("2")).await, Verdict::Update);
    let changed = stage.update(REQUEST, &made, inputs("2")).await.unwrap();
    assert_eq!(text(&changed.outputs, "responseBody"), "version 2");
    let elsewhere = json!({"url": server.url("/other"), "headers": {"X-Mine": "2"}, "delete": {}});
    assert_eq!(stage.verdict(REQUEST, &changed, elsewhere).await, Verdict::Replace);

    stage.delete(REQUEST, &changed).await.unwrap();
    let last = server.arrived().pop().unwrap();
    assert_eq!(last.line, "DELETE /a?b=c HTTP/1.1");
    assert!(last.headers.contains("x-mine: 2"));
}

#[tokio::test]
async fn what_is_not_idempotent_needs_a_word() {
    let server = Server::new(|request, _| Reply::new(201, "", request.body.to_uppercase())).await;
    let stage = Stage::new().await;
    let inputs = |allow| json!({"url": server.url("/"), "method": "post", "body": "made", "allowNonIdempotent": allow});
    let refusals = stage.refusals(REQUEST, inputs(false)).await;
    assert!(
        matches!(refusals.as_slice(), [(property, why)] if property == "method" && why.contains("allowNonIdempotent"))
    );
    let made = stage.create(REQUEST, inputs(true)).await.unwrap();
    assert_eq!(text(&made.outputs, "responseBody"), "MADE");
    assert_eq!(stage.read(REQUEST, &made).await.unwrap().unwrap(), made);
    assert_eq!(server.arrived().len(), 1, "reading sends it no second time");
    stage.delete(REQUEST, &made).await.unwrap();
    assert_eq!(server.arrived().len(), 1, "there is nothing to send");
}

#[tokio::test]
async fn tries_again_and_then_gives_up() {
    let stage = Stage::new().await;
    let server =
        Server::new(|_, count| if count < 2 { Reply::new(500, "", "oh") } else { Reply::new(200, "", "ok") }).await;
    let inputs = json!({"url": server.url("/"), "retries": 2, "retryDelay": 0.01});
    assert_eq!(text(&stage.create(REQUEST, inputs).await.unwrap().outputs, "responseBody"), "ok");
    assert_eq!(server.arrived().len(), 3);
    assert!(stage.said().iter().any(|line| line.contains("trying again in 0.02 seconds")), "{:?}", stage.said());

    let server = Server::new(|_, _| Reply::new(503, "", "<p>down\n for  now</p>")).await;
    let inputs = json!({"url": server.url("/x"), "retries": 1, "retryDelay": 0.01});
    let failed = stage.create(REQUEST, inputs).await.unwrap_err().message;
    for part in [
        "GET http://127.0.0.1",
        "/x: ",
        "answered 503 Service Unavailable; 2xx is expected",
        "<p>down for now</p>",
        "attempt 2 of 2",
    ] {
        assert!(failed.contains(part), "{failed}");
    }

    let server = Server::new(|_, _| Reply::new(404, "", "")).await;
    let failed = stage.create(REQUEST, json!({"url": server.url("/")})).await.unwrap_err().message;
    assert!(failed.contains("404 Not Found"), "{failed}");
    assert_eq!(server.arrived().len(), 1, "it will not be there the next time, either");
    let made = stage.create(REQUEST, json!({"url": server.url("/"), "expectedStatus": ["404"]})).await.unwrap();
    assert_eq!(made.outputs["status"], Value::Number(404.0));
    let mut state = made;
    state.inputs.remove("expectedStatus");
    assert_eq!(stage.read(REQUEST, &state).await.unwrap(), None, "what is not found is gone");
}

#[tokio::test]
async fn a_post_without_an_answer_is_in_doubt_and_not_repeated() {
    let server = Server::new(|_, _| Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec())).await;
    let stage = Stage::new().await;
    let inputs = |method| json!({"url": server.url("/"), "method": method, "allowNonIdempotent": true, "retries": 1, "retryDelay": 0});
    let failed = stage.create(REQUEST, inputs("POST")).await.unwrap_err();
    assert!(failed.in_doubt && failed.message.contains("the connection to `127.0.0.1` failed"), "{}", failed.message);
    assert_eq!(server.arrived().len(), 1);
    let failed = stage.create(REQUEST, inputs("PUT")).await.unwrap_err();
    assert!(!failed.in_doubt, "it can be repeated: {}", failed.message);
    assert_eq!(server.arrived().len(), 3);
}

#[tokio::test]
async fn a_server_that_hangs_is_waited_for_so_long_and_no_longer() {
    let server = Server::new(|_, _| Reply::Silence).await;
    let stage = Stage::new().await;
    let begun = Instant::now();
    let inputs = json!({"url": server.url("/"), "timeout": 0.2, "retries": 1, "retryDelay": 0.01});
    let failed = stage.create(REQUEST, inputs).await.unwrap_err().message;
    assert!(failed.contains("no complete answer within 0.2 seconds"), "{failed}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(server.arrived().len(), 2);
}

#[tokio::test]
async fn a_cancelled_run_waits_for_no_server() {
    let server = Server::new(|_, _| Reply::Silence).await;
    let stage = Stage::new().await;
    let cancel = async {
        while server.arrived().is_empty() {
            tokio::task::yield_now().await;
        }
        stage.cx.cancel.cancel();
    };
    let inputs = json!({"url": server.url("/"), "timeout": 600});
    let (failed, ()) = tokio::join!(stage.create(REQUEST, inputs), cancel);
    assert!(failed.unwrap_err().message.contains("cancelled"));
}

#[tokio::test]
async fn nobody_there() {
    let stage = Stage::new().await;
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let inputs = json!({"url": format!("http://127.0.0.1:{port}/"), "retries": 0});
    let failed = stage.create(REQUEST, inputs).await.unwrap_err();
    assert!(failed.message.contains(&format!("connecting to `127.0.0.1`, port {port}, failed")), "{}", failed.message);
    assert!(!failed.in_doubt);
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let stage = Stage::new().await;
    let server = Server::new(|_, _| Reply::Endless).await;
    let failed = stage.create(REQUEST, json!({"url": server.url("/")})).await.unwrap_err().message;
    assert!(failed.contains("larger than `bodyLimit`, 1048576 bytes"), "{failed}");
    assert_eq!(server.arrived().len(), 1, "it would not be smaller the next time");
    let server = Server::new(|_, _| Reply::new(200, "", [0xff, 0])).await;
    let made = stage.create(REQUEST, json!({"url": server.url("/")})).await.unwrap();
    assert_eq!(text(&made.outputs, "responseBodyBase64"), "/wA=");
    assert!(!made.outputs.contains_key("responseBody"));
}

#[tokio::test]
async fn redirects_are_followed_without_what_is_confidential() {
    let stage = Stage::new().await;
    let other = Server::new(|_, _| Reply::new(200, "", "arrived")).await;
    let elsewhere = other.url("/end");
    let server = Server::new(move |request, _| match request.line.split(' ').nth(1).unwrap() {
        "/a/start" => Reply::new(302, "Location: next?x\r\n", ""),
        "/a/next?x" => Reply::new(307, &format!("Location: {elsewhere}\r\n"), ""),
        "/loop" => Reply::new(301, "Location: /loop\r\n", ""),
        "/form" => Reply::new(303, "Location: /result\r\n", ""),
        "/result" => Reply::new(200, "", "result"),
        _ => Reply::new(302, "Location: ftp://nowhere\r\n", ""),
    })
    .await;
    let inputs = json!({
        "url": server.url("/a/start"),
        "headers": {"Authorization": "me", "X-Key": {"$secret": "canary"}, "X-Plain": "p"},
    });
    let made = stage.create(REQUEST, inputs).await.unwrap();
    assert_eq!(text(&made.outputs, "responseBody"), "arrived");
    assert!(server.arrived()[1].headers.contains("x-key: canary"), "the same server may see it");
    let headers = &other.arrived()[0].headers;
    assert!(
        headers.contains("x-plain: p") && !headers.contains("canary") && !headers.contains("authorization"),
        "{headers}"
    );

    let before = server.arrived().len();
    let failed = stage.create(REQUEST, json!({"url": server.url("/loop")})).await.unwrap_err().message;
    assert!(failed.contains("redirected more than 10 times"), "{failed}");
    assert_eq!(server.arrived().len() - before, 11);
    let failed = stage.create(REQUEST, json!({"url": server.url("/ftp")})).await.unwrap_err().message;
    assert!(failed.contains("not to a URL"), "{failed}");
    let inputs = json!({"url": server.url("/loop"), "followRedirects": false, "expectedStatus": ["3xx"]});
    assert_eq!(stage.create(REQUEST, inputs).await.unwrap().outputs["status"], Value::Number(301.0));
    let form = json!({"url": server.url("/form"), "method": "POST", "body": "x", "allowNonIdempotent": true});
    assert_eq!(text(&stage.create(REQUEST, form).await.unwrap().outputs, "responseBody"), "result");
    assert_eq!(server.arrived().pop().unwrap().line, "GET /result HTTP/1.1");
}

#[tokio::test]
async fn secure_connections_need_trust() {
    let stage = Stage::new().await;
    let server = Server::secure(|_, _| Reply::new(200, "", "safe")).await;
    let port = server.address.rsplit(':').next().unwrap();
    let url = format!("https://localhost:{port}/");
    let trusted = json!({"url": url, "caCertificate": server.certificate, "retries": 0});
    assert_eq!(text(&stage.create(REQUEST, trusted).await.unwrap().outputs, "responseBody"), "safe");
    let failed = stage.create(REQUEST, json!({"url": url})).await.unwrap_err().message;
    assert!(failed.contains("no secure connection to `localhost`") && failed.contains("certificate"), "{failed}");
    assert!(!failed.contains("attempt"), "trying again does not help: {failed}");
    let other = json!({"url": format!("https://127.0.0.1:{port}/"), "caCertificate": server.certificate, "retries": 0});
    let failed = stage.create(REQUEST, other).await.unwrap_err().message;
    assert!(failed.contains("not valid for name"), "{failed}");
    let plain = Server::new(|_, _| Reply::new(200, "", "")).await;
    let inputs = json!({"url": plain.url("/").replace("http", "https"), "retries": 0, "timeout": 5});
    let failed = stage.create(REQUEST, inputs).await.unwrap_err().message;
    assert!(failed.contains("secure connection") || failed.contains("no complete answer"), "{failed}");
}

#[tokio::test]
async fn secrets_stay_secret() {
    let stage = Stage::new().await;
    let server = Server::new(|request, _| match request.line.contains("fail") {
        true => Reply::new(500, "", "canary"),
        false => Reply::new(200, "", "canary"),
    })
    .await;
    for inputs in [
        json!({"url": server.url("/"), "secretResponse": true}),
        json!({"url": {"$secret": server.url("/canary")}}),
        json!({"url": server.url("/"), "method": "PUT", "body": {"$secret": "canary"}}),
    ] {
        assert!(is_secret(&stage.create(REQUEST, inputs).await.unwrap().outputs, "responseBody"));
    }
    let inputs = json!({"url": {"$secret": server.url("/fail/canary")}, "retries": 1, "retryDelay": 0});
    let failed = stage.create(REQUEST, inputs).await.unwrap_err().message;
    assert!(failed.contains("GET [secret]") && !failed.contains("canary"), "{failed}");
    assert!(stage.said().iter().all(|line| !line.contains("canary")), "{:?}", stage.said());
    let refusals =
        stage.refusals(REQUEST, json!({"url": {"$secret": "canary"}, "headers": {"X": {"$secret": "canary\n"}}})).await;
    assert!(!refusals.is_empty() && !format!("{refusals:?}").contains("canary"), "{refusals:?}");
}

#[tokio::test]
async fn a_deletion_may_find_nothing() {
    let stage = Stage::new().await;
    let server = Server::new(|request, _| match request.line.as_str() {
        "POST /gone HTTP/1.1" => Reply::new(410, "", ""),
        "POST /refuse HTTP/1.1" => Reply::new(403, "", "no"),
        _ => Reply::new(200, "", ""),
    })
    .await;
    let inputs = |path: &str| {
        json!({
            "url": server.url("/"),
            "allowNonIdempotent": true,
            "delete": {"url": server.url(path), "method": "POST", "body": "bye"},
        })
    };
    let made = stage.create(REQUEST, inputs("/gone")).await.unwrap();
    stage.delete(REQUEST, &made).await.unwrap();
    assert_eq!(server.arrived().pop().unwrap().body, "bye");
    let made = stage.create(REQUEST, inputs("/refuse")).await.unwrap();
    let failed = stage.delete(REQUEST, &made).await.unwrap_err().message;
    assert!(failed.contains("the request `delete`") && failed.contains("403 Forbidden"), "{failed}");
    let refusals = stage.refusals(REQUEST, json!({"url": server.url("/"), "delete": {"method": "POST"}})).await;
    assert_eq!(refusals[0].0, "delete.method");
}

#[tokio::test]
async fn mistakes_are_found_before_anything_is_sent() {
    let stage = Stage::new().await;
    let base = || json!({"url": "http://localhost/"});
    for (name, wrong) in [
        ("url", json!("localhost")),
        ("method", json!("BAD METHOD")),
        ("method", json!("CONNECT")),
        ("headers", json!({"Bad Name": "x"})),
        ("headers", json!({"X": "a\nb"})),
        ("headers", json!({"Content-Length": "7"})),
        ("expectedStatus", json!(["okay"])),
        ("timeout", json!(0)),
        ("retryDelay", json!(-1)),
        ("bodyLimit", json!(100_000_000)),
        ("caCertificate", json!("no certificate")),
    ] {
        let mut inputs = base();
        inputs[name] = wrong;
        let refusals = stage.refusals(REQUEST, inputs).await;
        assert!(matches!(refusals.as_slice(), [(property, _)] if property == name), "{name}: {refusals:?}");
    }
}

#[tokio::test]
async fn the_function_fetches() {
    let stage = Stage::new().await;
    let server = Server::new(|request, _| match request.line.contains("none") {
        true => Reply::new(404, "", "nothing"),
        false => Reply::new(200, "", "fetched"),
    })
    .await;
    let fetched = stage.invoke("kit:index:httpGet", json!({"url": server.url("/")})).await.unwrap();
    assert_eq!((text(&fetched, "body"), &fetched["status"]), ("fetched".to_owned(), &Value::Number(200.0)));
    let fetched = stage.invoke("kit:index:httpGet", json!({"url": server.url("/"), "secret": true})).await.unwrap();
    assert!(is_secret(&fetched, "body"));
    let failed = stage.invoke("kit:index:httpGet", json!({"url": server.url("/none")})).await.unwrap_err();
    assert!(failed.contains("404 Not Found") && failed.contains("nothing"), "{failed}");
    assert!(stage.invoke("kit:index:httpGet", json!({"url": "x"})).await.unwrap_err().contains("`url`: "));
}
