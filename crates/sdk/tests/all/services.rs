//! A resource of a service that is busy, slow, and lists in pages: the guide's examples of retries, waiting, paging and names.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use outrigger_provider::Verdict;
use outrigger_sdk::testing::Harness;
use outrigger_sdk::{
    Backoff, Context, Created, Error, Function, Inputs, Outputs, Package, PropertyMap, Resource, Result, State,
};

use crate::toys::properties;

/// A service that is too busy for the first calls, and whose servers take some looks to be ready.
#[derive(Default)]
struct Service {
    busy: u32,
    slow: u32,
    calls: AtomicU32,
    looks: AtomicU32,
}

struct Busy;

impl Service {
    async fn create(&self, _name: &str) -> Result<String, Busy> {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls < self.busy { Err(Busy) } else { Ok("server-1".to_owned()) }
    }

    async fn is_ready(&self, _id: &str) -> Result<bool> {
        Ok(self.looks.fetch_add(1, Ordering::Relaxed) >= self.slow)
    }

    async fn list(&self, cursor: Option<String>) -> Result<(Vec<String>, Option<String>)> {
        Ok(match cursor {
            None => (vec!["a".to_owned(), "b".to_owned()], Some("c".to_owned())),
            Some(name) => (vec![name], None),
        })
    }
}

#[derive(Inputs)]
struct ServerArgs {
    /// The name. Without one, the server is called like the resource, with random digits behind.
    #[outrigger(autoname, replace)]
    name: String,
    /// The region.
    #[outrigger(replace, default = "north")]
    region: String,
}

/// A server.
#[derive(Outputs)]
struct Server {
    /// The name.
    name: String,
}

impl Resource for Server {
    type Inputs = ServerArgs;
    const TOKEN: &'static str = "cloud:index:Server";

    async fn create(cx: &Context, inputs: ServerArgs) -> Result<Created<Self>> {
        let service = cx.config::<Arc<Service>>()?;
        let id = cx
            .retry(Backoff::default(), || async {
                service.create(&inputs.name).await.map_err(|Busy| Error::new("the service is busy").transient())
            })
            .await?;
        let slowly = Backoff::new(Duration::from_secs(2), Duration::from_secs(20)).within(Duration::from_secs(600));
        let ready = cx.wait_until(slowly, || async { Ok(service.is_ready(&id).await?.then_some(())) }).await;
        let server = Self { name: inputs.name };
        match ready {
            Ok(()) => Ok(Created::new(id, server)),
            Err(error) => Err(error.created(id, server)),
        }
    }

    async fn delete(_: &Context, _: State<Self>) -> Result<()> {
        Ok(())
    }
}

/// Lists the servers.
#[derive(Inputs)]
struct Servers {}

#[derive(Outputs)]
struct Listed {
    /// Their names.
    names: Vec<String>,
}

impl Function for Servers {
    type Result = Listed;
    const TOKEN: &'static str = "cloud:index:servers";

    async fn call(self, cx: &Context) -> Result<Listed> {
        let service = cx.config::<Arc<Service>>()?;
        Ok(Listed { names: cx.pages(|cursor| service.list(cursor)).await? })
    }
}

fn package(service: &Arc<Service>) -> Package {
    let service = Arc::clone(service);
    Package::new("cloud", "1.0.0")
        .connect(move |(), _| {
            let service = Arc::clone(&service);
            async move { Ok(service) }
        })
        .resource::<Server>()
        .function::<Servers>()
}

async fn harness(service: &Arc<Service>) -> Harness {
    Harness::new(package(service), PropertyMap::new()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn busy_services_are_called_again_and_slow_ones_waited_for() {
    let service = Arc::new(Service { busy: 2, slow: 4, ..Service::default() });
    let harness = harness(&service).await;
    let made = harness.create::<Server>("web", PropertyMap::new()).await.unwrap();
    assert_eq!((made.state.id.as_str(), made.reasons.len()), ("server-1", 0));
    assert_eq!((service.calls.load(Ordering::Relaxed), service.looks.load(Ordering::Relaxed)), (3, 5));
    assert_eq!(harness.call(Servers {}).await.unwrap().names, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn patience_ends_with_the_last_error_and_with_what_exists() {
    let busy = harness(&Arc::new(Service { busy: u32::MAX, ..Service::default() })).await;
    let text = busy.create::<Server>("web", PropertyMap::new()).await.unwrap_err().to_string();
    assert!(text.contains("gave up after ") && text.ends_with(" in 300 s: the service is busy"), "{text}");

    let slow = harness(&Arc::new(Service { slow: u32::MAX, ..Service::default() })).await;
    let made = slow.create::<Server>("web", PropertyMap::new()).await.unwrap();
    assert_eq!(made.state.id, "server-1");
    assert!(made.reasons[0].ends_with(" in 600 s: it is not ready"), "{:?}", made.reasons);
}

#[tokio::test(start_paused = true)]
async fn a_resource_keeps_the_name_that_it_got() {
    let harness = harness(&Arc::default()).await;
    let mut made = harness.create::<Server>("web", PropertyMap::new()).await.unwrap();
    let name = made.outputs::<Server>().unwrap().name;
    assert!(name.starts_with("web-") && name.len() == "web-1234567".len(), "{name}");
    assert_eq!(harness.update(&mut made, PropertyMap::new()).await.unwrap(), Verdict::Same);

    let named = properties([("name", "mine".into())]);
    let planned = harness.plan(&made, named.clone()).await.unwrap();
    assert_eq!(planned.verdict, Verdict::Replace);
    let checked = harness.check::<Server>("web", named).await.unwrap();
    assert_eq!(checked.inputs["name"], "mine".into());

    let schema: serde_json::Value = serde_json::from_slice(&harness.schema().await.unwrap()).unwrap();
    let server = &schema["resources"]["cloud:index:Server"];
    assert_eq!(
        (&server["requiredInputs"], &server["required"]),
        (&serde_json::json!([]), &serde_json::json!(["name"]))
    );
}
