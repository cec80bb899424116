//! Messages as JSON, in Protobuf's own form: for a log of calls, and for calls by hand. What is secret is marked in the properties
//! themselves, and hidden unless it is asked for.

use std::sync::LazyLock;

use bytes::Bytes;
use outrigger_provider::{CallContext, CallError, ErrorKind};
use outrigger_transport::codec::RawCodec;
use outrigger_transport::limited;
use outrigger_transport::tap::{self, Answers};
use outrigger_value::signature::{OUTPUT, SECRET, SIGNATURE};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, ServiceDescriptor};
use serde_json::Value;
use tonic::client::Grpc;
use tonic::{Request, Response};

use crate::connection::Connection;

/// What the protocol consists of, made by `cargo xtask codegen`.
const DESCRIPTORS: &[u8] = include_bytes!("generated/pulumirpc.bin");

/// What stands for a secret.
const HIDDEN: &str = "[secret]";

static SERVICE: LazyLock<Option<ServiceDescriptor>> = LazyLock::new(|| {
    let pool = DescriptorPool::decode(DESCRIPTORS).ok()?;
    pool.get_service_by_name("pulumirpc.ResourceProvider")
});

/// Writes the messages of a plugin down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transcript;

impl tap::Transcript for Transcript {
    fn request(&self, path: &str, message: &[u8]) -> (String, Answers) {
        let name = path.rsplit('/').next().unwrap_or_default();
        match method(name) {
            Some(method) => {
                let answer = method.output();
                let told = move |message: &[u8]| shown(&answer, message, false);
                (shown(&method.input(), message, false), Box::new(told))
            }
            None => (length(message), Box::new(length)),
        }
    }
}

impl Connection {
    /// Makes a call by its name.
    pub(crate) async fn by_hand(
        &self,
        cx: &CallContext,
        call: &str,
        request: &str,
        show_secrets: bool,
    ) -> Result<Vec<String>, CallError> {
        let unsent =
            |reason: String| self.error(call, ErrorKind::NotDone, format!("the request was not sent: {reason}"));
        let Some(method) = method(call) else {
            let names: Vec<String> = SERVICE
                .iter()
                .flat_map(|service| service.methods().map(|method| method.name().to_owned()).collect::<Vec<_>>())
                .collect();
            return Err(CallError::no_such_call(self.label(), call, names.iter().map(String::as_str)));
        };
        let mut reader = serde_json::Deserializer::from_str(request);
        let message = DynamicMessage::deserialize(method.input(), &mut reader)
            .and_then(|message| reader.end().map(|()| message))
            .map_err(|error| unsent(error.to_string()))?;
        let path = format!("/pulumirpc.ResourceProvider/{call}").parse();
        let path = path.map_err(|error| unsent(format!("{error}")))?;
        let mut channel = limited!(Grpc::new(self.channel()));
        let answered = async move {
            let message = Request::new(Bytes::from(message.encode_to_vec()));
            if !method.is_server_streaming() {
                let answer = channel.unary(message, path, RawCodec).await?.into_inner();
                return Ok(Response::new((method, vec![answer])));
            }
            let mut stream = channel.server_streaming(message, path, RawCodec).await?.into_inner();
            let mut answers = Vec::new();
            while let Some(answer) = stream.message().await? {
                answers.push(answer);
            }
            Ok(Response::new((method, answers)))
        };
        let (method, answers) = self.call(cx, call, answered).await?;
        Ok(answers.iter().map(|answer| shown(&method.output(), answer, show_secrets)).collect())
    }
}

fn method(name: &str) -> Option<MethodDescriptor> {
    SERVICE.as_ref()?.methods().find(|method| method.name() == name)
}

fn shown(descriptor: &MessageDescriptor, message: &[u8], show_secrets: bool) -> String {
    let decoded = DynamicMessage::decode(descriptor.clone(), message).ok();
    match decoded.and_then(|message| serde_json::to_value(&message).ok()) {
        Some(mut json) => {
            if !show_secrets {
                hide(&mut json);
                hide_configuration(&mut json);
            }
            json.to_string()
        }
        None => length(message),
    }
}

/// All that is said of what is not understood.
fn length(message: &[u8]) -> String {
    format!("{{\"length\":{}}}", message.len())
}

/// Hides what is inside marks.
fn hide(json: &mut Value) {
    match json {
        Value::Object(members) => {
            let signature = members.get(SIGNATURE).and_then(Value::as_str);
            let secret = match signature {
                Some(SECRET) => true,
                Some(OUTPUT) => members.get("secret").is_some_and(|flag| flag == true),
                _ => false,
            };
            if let Some(value) = members.get_mut("value").filter(|_| secret) {
                *value = HIDDEN.into();
            }
            members.values_mut().for_each(hide);
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}

/// Configurations that are texts have no marks: Configure says them a second time with marks, and the calls of components name
/// the keys.
fn hide_configuration(json: &mut Value) {
    if let Some(Value::Object(variables)) = json.get_mut("variables") {
        variables.values_mut().for_each(|value| *value = HIDDEN.into());
    }
    let keys: Vec<String> = match json.get("configSecretKeys") {
        Some(Value::Array(keys)) => keys.iter().filter_map(|key| key.as_str().map(str::to_owned)).collect(),
        _ => return,
    };
    if let Some(Value::Object(config)) = json.get_mut("config") {
        config.iter_mut().filter(|(key, _)| keys.contains(key)).for_each(|(_, value)| *value = HIDDEN.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::pulumirpc::{CheckRequest, ConfigureRequest};
    use outrigger_transport::tap::Transcript as _;
    use outrigger_value::{PropertyMap, Value as Property};

    #[test]
    fn requests_are_written_as_protobuf_does_without_secrets() {
        let how = crate::encoding::Encoding { secrets: true, ..crate::encoding::Encoding::default() };
        let properties = PropertyMap::from([
            ("length".to_owned(), Property::from(3.0)),
            ("password".to_owned(), Property::secret("canary".into())),
        ]);
        let news = Some(crate::encoding::encode(properties, how).unwrap());
        let request = CheckRequest { urn: "urn".to_owned(), news, random_seed: vec![1, 2], ..CheckRequest::default() };
        let (told, _) = Transcript.request("/pulumirpc.ResourceProvider/Check", &request.encode_to_vec());
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["urn"], "urn");
        assert_eq!(told["randomSeed"], "AQI=");
        assert_eq!(told["news"]["length"], 3.0);
        assert_eq!(told["news"]["password"]["value"], "[secret]");
    }

    #[test]
    fn texts_of_a_configuration_are_hidden() {
        let variables = [("p:config:token".to_owned(), "canary".to_owned())].into();
        let request = ConfigureRequest { variables, ..ConfigureRequest::default() };
        let (told, _) = Transcript.request("/pulumirpc.ResourceProvider/Configure", &request.encode_to_vec());
        assert!(told.contains("p:config:token") && !told.contains("canary"), "{told}");
    }

    #[test]
    fn what_is_not_known_is_told_by_its_length() {
        let (told, answers) = Transcript.request("/pulumirpc.ResourceProvider/NoSuchCall", b"abc");
        assert_eq!((told.as_str(), answers(b"de").as_str()), (r#"{"length":3}"#, r#"{"length":2}"#));
        assert_eq!(Transcript.request("/pulumirpc.ResourceProvider/Check", &[255]).0, r#"{"length":1}"#);
    }
}
