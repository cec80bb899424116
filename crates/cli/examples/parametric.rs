//! A plugin that becomes whatever package its arguments say, for the tests of `package add`: `NAME VERSION [TYPE...] [--FLAG...]`.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use outrigger_provider::{
    CallContext, CallError, Configure, ErrorKind, Parameterization, Parameterize, Plugin, PluginInfo, Provider,
};
use serde_json::json;

const NAME: &str = "parametric";
const VERSION: &str = "1.0.0";

#[derive(Default)]
struct Parametric {
    became: Mutex<Option<Parameterization>>,
}

impl Parametric {
    fn error(call: &str, message: &str) -> CallError {
        CallError::new(format!("{NAME} {VERSION}"), call, ErrorKind::NotDone, message)
    }
}

#[async_trait]
impl Plugin for Parametric {
    fn label(&self) -> String {
        format!("{NAME} {VERSION}")
    }

    async fn info(&self, _cx: &CallContext) -> Result<PluginInfo, CallError> {
        Ok(PluginInfo { version: VERSION.to_owned(), ..PluginInfo::default() })
    }

    /// As the bridge, it can become something once only.
    async fn parameterize(&self, _cx: &CallContext, request: Parameterize) -> Result<Parameterization, CallError> {
        let mut became = self.became.lock().unwrap_or_else(PoisonError::into_inner);
        if became.is_some() {
            return Err(Self::error("Parameterize", "it is a package already"));
        }
        let package = match request {
            Parameterize::Value(package) => package,
            Parameterize::Arguments(arguments) => match arguments.as_slice() {
                [name, version, types @ ..] => {
                    let value = types.join(" ").into_bytes();
                    Parameterization { name: name.clone(), version: version.clone(), value }
                }
                _ => return Err(Self::error("Parameterize", "a name and a version are wanted")),
            },
        };
        Ok(became.insert(package).clone())
    }

    async fn schema(&self, _cx: &CallContext, _package: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        let became = self.became.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Parameterization { name, version, value }) = &*became else {
            return Ok(json!({"name": NAME, "version": VERSION}).to_string().into_bytes());
        };
        let types = String::from_utf8_lossy(value);
        let resource = |ty: &str| (format!("{name}:index:{ty}"), json!({"properties": {"made": {"type": "string"}}}));
        let resources: serde_json::Map<_, _> =
            types.split_whitespace().filter(|ty| !ty.starts_with('-')).map(resource).collect();
        let parameterization = json!({
            "baseProvider": {"name": NAME, "version": VERSION},
            "parameter": STANDARD.encode(value),
        });
        let schema =
            json!({"name": name, "version": version, "resources": resources, "parameterization": parameterization});
        Ok(schema.to_string().into_bytes())
    }

    async fn configure(&self, _cx: &CallContext, _request: Configure) -> Result<Arc<dyn Provider>, CallError> {
        Err(Self::error("Configure", "nothing can be made with it"))
    }
}

fn main() -> ExitCode {
    outrigger_sdk::serve_plugin(NAME, Arc::new(Parametric::default()), std::env::args_os().skip(1))
}
