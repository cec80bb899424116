//! A cloud that answers like AWS's parameter store, at once.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The existing parameters, by name.
type Parameters = Arc<Mutex<BTreeMap<String, Parameter>>>;

struct Parameter {
    kind: Value,
    value: Value,
}

/// Starts it and returns its address. It ends with this process.
pub(super) fn start() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let parameters = Parameters::default();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let parameters = Arc::clone(&parameters);
            // A client that disconnects in the middle of a request gets no answer.
            thread::spawn(move || drop(serve(&connection, &parameters)));
        }
    });
    Ok(address)
}

/// Answers requests one after the other until the connection ends.
fn serve(connection: &TcpStream, parameters: &Parameters) -> Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    while let Some((call, body)) = request(&mut reader)? {
        let (status, answer) = match answer(&call, &body, parameters) {
            Some(answer) => ("200 OK", answer),
            None => {
                ("400 Bad Request", json!({"__type": "ParameterNotFound", "message": "there is no such parameter"}))
            }
        };
        let answer = answer.to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        let mut connection = connection;
        connection.write_all(&[head.as_bytes(), answer.as_bytes()].concat())?;
    }
    Ok(())
}

/// Reads the name of the call and its body.
fn request(reader: &mut impl BufRead) -> Result<Option<(String, Value)>> {
    let (mut call, mut length, mut line) = (String::new(), 0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            if line == "\r\n" {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-amz-target" => value.rsplit('.').next().unwrap_or_default().clone_into(&mut call),
            "content-length" => length = value.trim().parse().context("an odd length")?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((call, serde_json::from_slice(&body)?)))
}

/// `None` if there is no such parameter.
fn answer(call: &str, body: &Value, parameters: &Parameters) -> Option<Value> {
    let mut parameters = parameters.lock().unwrap_or_else(PoisonError::into_inner);
    let filtered = body.pointer("/ParameterFilters/0/Values/0");
    let name = body.get("Name").or(filtered).or(body.get("ResourceId"))?.as_str()?;
    if call == "PutParameter" {
        let parameter = Parameter { kind: body.get("Type")?.clone(), value: body.get("Value")?.clone() };
        parameters.insert(name.to_owned(), parameter);
        return Some(json!({"Version": 1, "Tier": "Standard"}));
    }
    if call == "DeleteParameter" {
        return parameters.remove(name).map(|_| json!({}));
    }
    let Parameter { kind, value } = parameters.get(name)?;
    let mut found = json!({
        "Name": name, "Type": kind, "Version": 1, "DataType": "text", "Tier": "Standard", "LastModifiedDate": 1_700_000_000,
        "ARN": format!("arn:aws:ssm:eu-central-1:123456789012:parameter{name}"),
    });
    match call {
        "GetParameter" => {
            found["Value"] = value.clone();
            Some(json!({"Parameter": found}))
        }
        "DescribeParameters" => Some(json!({"Parameters": [found]})),
        "ListTagsForResource" => Some(json!({"TagList": []})),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_lives_and_dies() {
        let parameters = Parameters::default();
        let named = json!({"Name": "/a"});
        assert_eq!(answer("GetParameter", &named, &parameters), None);
        let put = json!({"Name": "/a", "Type": "String", "Value": "v"});
        assert!(answer("PutParameter", &put, &parameters).is_some());
        let found = answer("GetParameter", &named, &parameters).unwrap_or_default();
        assert_eq!(found.pointer("/Parameter/Value"), Some(&json!("v")));
        assert!(answer("DeleteParameter", &named, &parameters).is_some());
        assert_eq!(answer("DeleteParameter", &named, &parameters), None);
    }

    #[test]
    fn a_request_is_read_whole() {
        let text =
            "POST / HTTP/1.1\r\nX-Amz-Target: AmazonSSM.GetParameter\r\nContent-Length: 13\r\n\r\n{\"Name\":\"/a\"}";
        let mut reader = text.as_bytes();
        let read = request(&mut reader).ok().flatten();
        assert_eq!(read, Some(("GetParameter".to_owned(), json!({"Name": "/a"}))));
        assert!(request(&mut reader).is_ok_and(|read| read.is_none()));
    }
}
