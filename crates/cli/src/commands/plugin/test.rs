//! `outrigger plugin test`.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use outrigger_diagnostic::Diagnostic;
use outrigger_value::PropertyMap;
use outrigger_workspace::Tested;
use outrigger_workspace::plugin_test::{self, Options, Report};

use crate::commands::parameters::Parameters;
use crate::environment::Environment;
use crate::failure::{Exit, Failure};
use crate::interruption::{next, signals};
use crate::operation::runtime;
use crate::output::{data, talk};
use crate::render::plugin_test::{document, junit, line, summary};

/// Test a plugin with real calls.
///
/// Starts any plugin that Outrigger can run, a Pulumi provider, a plugin of the SDK or a Terraform provider, and looks at its schema. Then it creates a real
/// resource of each type, reads, imports, updates and deletes it, and checks the answers. It asks no question. What it creates is deleted at the end, after
/// Ctrl-C too; what could not be deleted is listed with its id.
///
/// Inputs are made up from the schema where none are given; a resource that refuses them is skipped. The plugin works in an empty directory. A plugin that
/// needs configuration is tested no further than its schema, unless `--config` is given or its environment variables are set.
#[derive(Args, Debug)]
pub(crate) struct Test {
    /// A plugin, as `NAME`, `NAME@VERSION` or the path of its executable.
    #[arg(value_name = "PLUGIN")]
    plugin: String,
    #[command(flatten)]
    parameters: Parameters,
    /// A value of the plugin's configuration. May be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    config: Vec<(String, String)>,
    /// Test this type of resource only. May be given several times.
    #[arg(long, value_name = "TYPE")]
    resource: Vec<String>,
    /// A YAML file with inputs: for each type a list of one or two objects, the inputs to create with and to update with. A secret is `{fn::secret: TEXT}`.
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// How long each call may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Print the whole report as JSON.
    #[arg(short, long, conflicts_with = "junit")]
    json: bool,
    /// Also write the report to this file, as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    if key.is_empty() { Err("the key is missing".to_owned()) } else { Ok((key.to_owned(), value.to_owned())) }
}

impl Test {
    pub(crate) fn run(self, environment: &Environment) -> Result<(), Failure> {
        let mut options = Options::new(Arc::default());
        options.config =
            self.config.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect::<PropertyMap>();
        options.resources = self.resource;
        options.deadline = Duration::from_secs(self.timeout);
        options.redaction = Arc::clone(&environment.redaction);
        if let Some(file) = &self.inputs {
            let text = fs::read_to_string(environment.directory.join(file)).map_err(|error| {
                Diagnostic::error("plugin-test-inputs", "the inputs of a test cannot be read")
                    .detail(format!("{}: {error}", file.display()))
                    .hint("Correct the path behind `--inputs`.")
            })?;
            options.inputs = plugin_test::inputs(&file.display().to_string(), &text)?;
        }
        // Before anything is created: if the report cannot be written, nothing is left behind.
        let file = self.junit.map(|path| environment.directory.join(path));
        if let Some(path) = &file {
            File::create(path).map_err(|error| unwritten(path, &error))?;
        }
        let tested = Tested::new(environment, &self.plugin, self.parameters.given(), Arc::clone(&options.output))?;
        let mut printed = Ok(());
        let mut ended = |check: &plugin_test::Check| {
            if !self.json && printed.is_ok() {
                printed = data(&line(check));
            }
        };
        let report = runtime()?.block_on(async {
            tokio::select! {
                report = plugin_test::test(&tested, &options, &mut ended) => report,
                never = interruption(&options) => never,
            }
        })?;
        if let Some(path) = &file {
            fs::write(path, junit(&report)).map_err(|error| unwritten(path, &error))?;
        }
        if self.json {
            data(&format!("{:#}", document(&report)))?;
        } else {
            printed?;
            data(&format!("\n{}", summary(&report)))?;
        }
        if options.stop.is_cancelled() {
            return Err(Failure::said(Exit::Cancelled));
        }
        let [_, failed, _] = report.counts();
        if failed == 0 { Ok(()) } else { Err(Failure::said(Exit::Failed)) }
    }
}

/// Stops the test at the first signal, gives up its calls at the second, and ends at the third. Without handlers a signal ends the process.
#[expect(
    clippy::exit,
    reason = "who interrupts for the third time does not want to wait for a plugin that does not start"
)]
async fn interruption(options: &Options) -> Result<Report, Diagnostic> {
    if let Ok(mut signals) = signals() {
        next(&mut signals).await;
        talk("\nStopping: the created resources are deleted. Interrupt again to abandon the call under way.");
        options.stop.cancel();
        next(&mut signals).await;
        options.abort.cancel();
        // The keeper ends the plugin.
        next(&mut signals).await;
        std::process::exit(i32::from(Exit::Cancelled.code()));
    }
    std::future::pending().await
}

fn unwritten(path: &std::path::Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("output", format!("`{}` cannot be written", path.display()))
        .detail(error.to_string())
        .hint("Name a file in a directory that exists and may be written to.")
}
