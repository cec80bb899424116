//! Schemas of Terraform providers, in the host's cache.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use outrigger_bridge::{Bridge, BridgeOptions, Terraform};
use outrigger_host::{Host, HostOptions};
use outrigger_provider::{CallContext, Parameterize, Plugin, PluginDescriptor};
use outrigger_transport::{
    Deadlines, LaunchRequest, Launcher, Origin, Process, Resolved, Resolver, StartError, Unresolved,
};

use crate::support::place::peer;

/// A provider in a directory of its own.
struct At(PathBuf);

#[async_trait]
impl Resolver for At {
    async fn resolve(&self, _: &PluginDescriptor) -> Result<Resolved, Unresolved> {
        Ok(Resolved::program(self.0.clone(), Origin::Installed))
    }
}

/// Starts programs, then replaces each executable, as every upgrade does.
struct Upgraded {
    launcher: Arc<dyn Launcher>,
    by: Option<PathBuf>,
}

#[async_trait]
impl Launcher for Upgraded {
    async fn launch(&self, request: LaunchRequest) -> Result<Arc<dyn Process>, StartError> {
        let program = request.program.clone();
        let process = self.launcher.launch(request).await?;
        if let Some(by) = &self.by {
            fs::rename(by, program).unwrap();
        }
        Ok(process)
    }
}

/// How many schemas a bridge caches, with or without its provider's executable replaced while it runs.
async fn kept(is_replaced: bool) -> usize {
    let root = tempfile::tempdir().unwrap();
    let (program, by) = (root.path().join("terraform-provider-random"), root.path().join("newer"));
    fs::copy(peer("terraform/terraform-provider-random"), &program).unwrap();
    fs::write(&by, b"\x7fELF that is newer").unwrap();
    let cache = root.path().join("cache");
    let host = Host::new(HostOptions { cache_directory: Some(cache.clone()), ..HostOptions::default() }).unwrap();
    let (resolver, version) = (Arc::new(At(program)), "1.0.0".to_owned());
    let bridge = Bridge::new(BridgeOptions {
        terraform: Terraform { resolver, version, tls: true, strict: false, log_level: None, call_log: None },
        launcher: Arc::new(Upgraded { launcher: host.launcher(), by: is_replaced.then_some(by) }),
        schemas: host.schemas(),
        environment: Vec::new(),
        directory: root.path().to_owned(),
        deadlines: Deadlines::default(),
        lasting: false,
    });
    let cx = CallContext::background();
    let arguments = Parameterize::Arguments(vec!["hashicorp/random".to_owned()]);
    bridge.parameterize(&cx, arguments).await.unwrap();
    bridge.close(&cx).await;
    fs::read_dir(cache.join("schemas")).into_iter().flatten().count()
}

#[tokio::test]
async fn a_schema_is_kept() {
    assert_eq!(kept(false).await, 1);
}

#[tokio::test]
async fn a_schema_is_not_kept_for_a_program_that_was_replaced_meanwhile() {
    assert_eq!(kept(true).await, 0);
}
