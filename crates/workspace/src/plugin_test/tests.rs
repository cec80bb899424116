//! A plugin in memory, without a fault and with one at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use outrigger_provider::{
    Action, ApplyRequest, CallContext, CallError, CheckFailure, CheckRequest, Checked, Configure, Diff, ErrorKind,
    ImportRequest, Imported, LogLevel, Outcome, PlanRequest, Planned, PluginInfo, Provider, ReadRequest, ReadResult,
    State, Verdict as Planning,
};
use outrigger_value::Value;
use tokio::test;

use super::*;

const SCHEMA: &str = r##"{"name": "fake", "version": "1.0.0",
    "types": {"fake:index:Colour": {"type": "string", "enum": [{"value": "red"}, {"value": "blue"}]}},
    "resources": {"fake:index:Thing": {
        "inputProperties": {
            "name": {"type": "string", "replaceOnChanges": true}, "size": {"type": "integer"},
            "colour": {"$ref": "#/types/fake:index:Colour"}, "key": {"type": "string", "secret": true}},
        "requiredInputs": ["name", "size", "colour", "key"],
        "properties": {
            "name": {"type": "string"}, "size": {"type": "integer"}, "colour": {"type": "string"},
            "key": {"type": "string", "secret": true}, "area": {"type": "integer"}},
        "required": ["name", "area"]}}}"##;

/// The plugin's defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    GarbledSchema,
    HangsInSchema,
    DanglingReference,
    RequiresUnknownProperty,
    OtherVersion,
    RefusesConfiguration,
    RefusesInputs,
    NeedsCloud,
    CompletesTwice,
    RefusesUnknown,
    PredictsWrong,
    PreviewCreates,
    PreviewUpdates,
    DiffersAfterCreate,
    ReadsOtherOutputs,
    ReadsNothing,
    StaleAfterUpdate,
    ImportLosesInput,
    CannotImport,
    SecretInClear,
    LogsSecret,
    SecondDeleteFails,
    FindsTheDeleted,
    EchoesReads,
    CannotDelete,
    CrashesInCreate,
    CrashesInUpdate,
    HangsInRead,
    HangsInCreate,
    HangsOnCancel,
    LeavesProcess,
}

/// The plugin, and the resources that it has created.
struct Fake {
    fault: Fault,
    things: Mutex<BTreeMap<String, PropertyMap>>,
    starts: AtomicUsize,
    /// Cancelled by the creation, as a user would interrupt it.
    interrupt: Vec<CancellationToken>,
}

impl Fake {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn things(&self) -> MutexGuard<'_, BTreeMap<String, PropertyMap>> {
        self.things.lock().unwrap()
    }

    fn outputs(&self, inputs: &PropertyMap) -> PropertyMap {
        let mut outputs = inputs.clone();
        if let Some(Value::Number(size)) = inputs.get("size") {
            outputs.insert("area".to_owned(), Value::Number(size * size));
        }
        if self.has(Fault::SecretInClear) {
            outputs.insert("key".to_owned(), inputs["key"].unwrap_secrets());
        }
        outputs
    }

    fn error(call: &str, kind: ErrorKind) -> CallError {
        CallError::new("fake 1.0.0", call, kind, format!("the fake does not want {call}"))
    }
}

struct Running(Arc<dyn Plugin>, Fault);

struct Process(Arc<Fake>);

#[async_trait]
impl Source for Arc<Fake> {
    fn name(&self) -> &str {
        "fake"
    }

    async fn start(&self) -> Result<Box<dyn Started>, Diagnostic> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Running(Arc::new(Process(Arc::clone(self))), self.fault)))
    }
}

#[async_trait]
impl Started for Running {
    fn plugin(&self) -> &Arc<dyn Plugin> {
        &self.0
    }

    fn package(&self) -> Option<&Parameterization> {
        None
    }

    async fn end(self: Box<Self>) -> Vec<String> {
        (self.1 == Fault::LeavesProcess)
            .then(|| "`fake` exited and left processes running.".to_owned())
            .into_iter()
            .collect()
    }
}

#[async_trait]
impl Plugin for Process {
    fn label(&self) -> String {
        "fake 1.0.0".to_owned()
    }

    async fn info(&self, _: &CallContext) -> Result<PluginInfo, CallError> {
        let version = if self.0.has(Fault::OtherVersion) { "2.0.0" } else { "v1.0.0" };
        Ok(PluginInfo { version: version.to_owned(), ..PluginInfo::default() })
    }

    async fn schema(&self, _: &CallContext, _: Option<&Parameterization>) -> Result<Vec<u8>, CallError> {
        let text = match self.0.fault {
            Fault::HangsInSchema => std::future::pending().await,
            Fault::GarbledSchema => "{\"name\": ".to_owned(),
            Fault::DanglingReference => SCHEMA.replace("#/types/fake:index:Colour", "#/types/fake:index:Color"),
            Fault::RequiresUnknownProperty => SCHEMA.replace(r#""required": ["name""#, r#""required": ["nam""#),
            _ => SCHEMA.to_owned(),
        };
        Ok(text.into_bytes())
    }

    async fn configure(&self, _: &CallContext, _: Configure) -> Result<Arc<dyn Provider>, CallError> {
        if self.0.has(Fault::RefusesConfiguration) {
            return Err(Fake::error("Configure", ErrorKind::NotDone));
        }
        Ok(Arc::new(Process(Arc::clone(&self.0))))
    }

    async fn cancel(&self, _: &CallContext) -> Result<(), CallError> {
        if self.0.has(Fault::HangsOnCancel) { std::future::pending().await } else { Ok(()) }
    }
}

#[async_trait]
impl Provider for Process {
    fn label(&self) -> String {
        "fake 1.0.0".to_owned()
    }

    async fn check(&self, cx: &CallContext, request: CheckRequest) -> Result<Checked, CallError> {
        let mut checked = Checked { inputs: request.news, failures: Vec::new() };
        let unknown = checked.inputs.values().any(Value::contains_unknown);
        if self.0.has(Fault::RefusesInputs) || self.0.has(Fault::RefusesUnknown) && unknown {
            checked.failures.push(CheckFailure::new("name", "it is not a nice name"));
        }
        if self.0.has(Fault::CompletesTwice)
            && let Some(Value::String(name)) = checked.inputs.get("name")
        {
            let longer = format!("{name}-x");
            checked.inputs.insert("name".to_owned(), longer.into());
        }
        if self.0.has(Fault::LogsSecret)
            && let Some(Value::String(key)) = checked.inputs.get("key").map(Value::bare)
        {
            cx.log.log(LogLevel::Info, None, &format!("the key is {key}"), false);
        }
        Ok(checked)
    }

    async fn plan(&self, _: &CallContext, request: PlanRequest) -> Result<Planned, CallError> {
        let inputs = request.inputs.unwrap();
        let mut predicted = self.0.outputs(&inputs);
        if self.0.has(Fault::PredictsWrong) {
            predicted.insert("area".to_owned(), Value::Number(1.0));
        }
        let same = request.prior.as_ref().is_some_and(|prior| {
            !self.0.has(Fault::DiffersAfterCreate)
                && outrigger_value::diff::properties(&prior.inputs, &inputs).is_empty()
        });
        let changed_keys = vec!["size".to_owned()];
        let verdict = match (&request.prior, same) {
            (None, _) => Planning::Create,
            (_, true) => Planning::Same,
            _ => Planning::Update,
        };
        let id = || inputs["name"].as_str().unwrap_or_default().to_owned();
        match verdict {
            Planning::Create if request.predict && self.0.has(Fault::PreviewCreates) && !id().is_empty() => {
                self.0.things().insert(id(), inputs.clone());
            }
            Planning::Update if request.predict && self.0.has(Fault::PreviewUpdates) => {
                self.0.things().insert(id(), inputs.clone());
            }
            _ => {}
        }
        Ok(Planned { verdict, diff: Diff { changed_keys, ..Diff::default() }, predicted: Some(predicted) })
    }

    async fn apply(&self, _: &CallContext, request: ApplyRequest) -> Outcome {
        let ApplyRequest { action, prior, inputs, .. } = request;
        match action {
            Action::Create if self.0.has(Fault::NeedsCloud) => {
                return Outcome::NotDone(Fake::error("Create", ErrorKind::NotDone));
            }
            Action::Create if self.0.has(Fault::CrashesInCreate) => {
                return Outcome::Unknown { error: Fake::error("Create", ErrorKind::Crashed), last: None };
            }
            Action::Update if self.0.has(Fault::CrashesInUpdate) => {
                return Outcome::Unknown { error: Fake::error("Update", ErrorKind::Crashed), last: prior };
            }
            Action::Create if self.0.has(Fault::HangsInCreate) => {
                self.0.interrupt.iter().for_each(CancellationToken::cancel);
                std::future::pending().await
            }
            Action::Delete => {
                let gone = self.0.things().remove(&prior.unwrap().id).is_none();
                if self.0.has(Fault::CannotDelete) || gone && self.0.has(Fault::SecondDeleteFails) {
                    return Outcome::NotDone(Fake::error("Delete", ErrorKind::NotDone));
                }
                return Outcome::Done(State::default());
            }
            _ => {}
        }
        for interrupt in &self.0.interrupt {
            interrupt.cancel();
        }
        let id = inputs["name"].as_str().unwrap().to_owned();
        let stale = action == Action::Update && self.0.has(Fault::StaleAfterUpdate);
        if !stale {
            self.0.things().insert(id.clone(), inputs.clone());
        }
        let outputs = self.0.outputs(&inputs);
        Outcome::Done(State { id, inputs, outputs, ..State::default() })
    }

    async fn read(&self, _: &CallContext, request: ReadRequest) -> Result<ReadResult, CallError> {
        if self.0.has(Fault::HangsInRead) {
            std::future::pending().await
        }
        let mut state = request.state;
        let never = state.id.contains("-never-");
        let found = self.0.things().get(&state.id).cloned();
        let inputs = match found {
            Some(_) if self.0.has(Fault::ReadsNothing) => return Ok(ReadResult::Gone),
            Some(inputs) => inputs,
            None if self.0.has(Fault::EchoesReads) || self.0.has(Fault::FindsTheDeleted) && !never => {
                state.inputs.clone()
            }
            None => return Ok(ReadResult::Gone),
        };
        state.outputs = self.0.outputs(&inputs);
        state.inputs = inputs;
        if self.0.has(Fault::ReadsOtherOutputs) {
            state.outputs.insert("area".to_owned(), Value::Number(7.0));
        }
        Ok(ReadResult::Found { state, inputs_known: true, unchanged: false })
    }

    async fn import(&self, _: &CallContext, request: ImportRequest) -> Result<Imported, CallError> {
        if self.0.has(Fault::CannotImport) {
            return Err(Fake::error("Read", ErrorKind::NotDone));
        }
        let mut inputs = self.0.things()[&request.id].clone();
        let outputs = self.0.outputs(&inputs);
        if self.0.has(Fault::ImportLosesInput) {
            inputs.remove("size");
        }
        let state = State { id: request.id, inputs, outputs, ..State::default() };
        Ok(Imported { resources: vec![("fake:index:Thing".to_owned(), state)] })
    }
}

fn fake(fault: Fault) -> Arc<Fake> {
    Arc::new(Fake { fault, things: Mutex::default(), starts: AtomicUsize::new(0), interrupt: Vec::new() })
}

fn names(report: &Report, wanted: fn(&Verdict) -> bool) -> BTreeSet<&'static str> {
    report.checks.iter().filter(|check| wanted(&check.verdict)).map(|check| check.name).collect()
}

async fn tested(fake: &Arc<Fake>, options: &Options) -> Report {
    let mut count = 0;
    let report = super::test(fake, options, &mut |_| count += 1).await.unwrap();
    assert_eq!(count, report.checks.len());
    report
}

/// Names of checks.
type Names = Vec<&'static str>;

#[test(start_paused = true)]
async fn each_fault_is_found_by_its_check_and_nothing_is_left() {
    let failed = |check: &'static str| ([check].to_vec(), vec![]);
    let skipped = |checks: &[&'static str]| (vec![], checks.to_vec());
    let later = ["unknown inputs", "preview", "drift", "import", "secrets", "gone"];
    let table: Vec<(Fault, (Names, Names))> = vec![
        (Fault::None, skipped(&[])),
        (Fault::DanglingReference, (vec!["schema"], vec!["lifecycle", "check"].into_iter().chain(later).collect())),
        (Fault::GarbledSchema, failed("schema")),
        (Fault::HangsInSchema, failed("schema")),
        (Fault::CrashesInUpdate, failed("lifecycle")),
        (Fault::RequiresUnknownProperty, failed("schema")),
        (Fault::OtherVersion, failed("schema")),
        (Fault::RefusesConfiguration, skipped(&["configure"])),
        (
            Fault::RefusesInputs,
            skipped(&["lifecycle", "check", "unknown inputs", "preview", "drift", "import", "secrets", "gone"]),
        ),
        (Fault::NeedsCloud, skipped(&["lifecycle", "preview", "drift", "import", "secrets", "gone"])),
        (Fault::CompletesTwice, (vec!["check", "import"], vec![])),
        (Fault::RefusesUnknown, failed("unknown inputs")),
        (Fault::PredictsWrong, failed("preview")),
        (Fault::PreviewCreates, failed("preview")),
        (Fault::PreviewUpdates, failed("preview")),
        (Fault::DiffersAfterCreate, (vec!["drift", "import", "lifecycle"], vec![])),
        (Fault::ReadsOtherOutputs, failed("drift")),
        (Fault::ReadsNothing, failed("drift")),
        (Fault::StaleAfterUpdate, failed("drift")),
        (Fault::ImportLosesInput, failed("import")),
        (Fault::CannotImport, skipped(&["import"])),
        (Fault::SecretInClear, failed("secrets")),
        (Fault::LogsSecret, failed("secrets")),
        (Fault::SecondDeleteFails, failed("gone")),
        (Fault::FindsTheDeleted, failed("gone")),
        (Fault::EchoesReads, skipped(&["gone"])),
        (Fault::CannotDelete, (vec!["lifecycle"], vec!["gone"])),
        (Fault::CrashesInCreate, (vec!["lifecycle"], vec!["preview", "drift", "import", "secrets", "gone"])),
        (Fault::HangsInCreate, (vec!["lifecycle"], vec!["preview", "drift", "import", "secrets", "gone"])),
        (Fault::HangsInRead, (vec!["drift", "gone"], vec![])),
        (Fault::HangsOnCancel, failed("cancel")),
        (Fault::LeavesProcess, failed("cancel")),
    ];
    let mut others = Vec::new();
    for (fault, (failing, skipping)) in table {
        let fake = fake(fault);
        let options = Options::new(Arc::default());
        let report = tested(&fake, &options).await;
        let is = |names: Vec<&'static str>| names.into_iter().collect::<BTreeSet<_>>();
        let came = (
            names(&report, |verdict| matches!(verdict, Verdict::Failed(_))),
            names(&report, |verdict| matches!(verdict, Verdict::Skipped(_))),
        );
        if came != (is(failing), is(skipping)) {
            others.push((fault, came));
        }
        assert!(fake.things().is_empty(), "{fault:?}: {:?}", fake.things());
        let shown = format!("{report:?}");
        assert!(!shown.contains(&format!("key-{}", options.suffix)), "{fault:?}: {shown}");
        let doubtful = matches!(fault, Fault::CrashesInCreate | Fault::HangsInCreate | Fault::CannotDelete);
        assert_eq!(report.left.len(), usize::from(doubtful), "{fault:?}: {:?}", report.left);
        let lost = [
            Fault::HangsInSchema,
            Fault::CrashesInCreate,
            Fault::CrashesInUpdate,
            Fault::HangsInCreate,
            Fault::HangsInRead,
        ];
        assert_eq!(fake.starts.load(Ordering::Relaxed) > 1, lost.contains(&fault), "{fault:?}");
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test(start_paused = true)]
async fn a_reason_names_the_call_the_answer_and_what_to_do() {
    let report = tested(&fake(Fault::ReadsOtherOutputs), &Options::new(Arc::default())).await;
    let drift = report.checks.iter().find(|check| check.name == "drift").unwrap();
    let Verdict::Failed(reason) = &drift.verdict else { panic!("{drift:?}") };
    assert_eq!((reason.call, drift.resource.as_deref()), ("Read", Some("fake:index:Thing")));
    assert_eq!(reason.answer, "Outputs differ.\n`area`: created 64, read 7");
    assert!(reason.hint.ends_with('.'), "{reason:?}");
    assert_eq!((report.plugin.as_str(), report.counts()), ("fake 1.0.0", [10, 1, 0]));
}

#[test(start_paused = true)]
async fn inputs_that_were_given_have_to_work() {
    let given = |text: &str| inputs("i.yaml", text).unwrap();
    let good = "fake:Thing:\n- {name: a, size: 3, colour: red, key: opensesame}\n- {name: a, size: 4, colour: red, key: opensesame}\n";
    let options = Options { inputs: given(good), ..Options::new(Arc::default()) };
    let plugin = fake(Fault::None);
    assert_eq!(tested(&plugin, &options).await.counts(), [11, 0, 0]);
    for fault in [Fault::NeedsCloud, Fault::RefusesInputs] {
        let report = tested(&fake(fault), &options).await;
        assert_eq!(
            names(&report, |verdict| matches!(verdict, Verdict::Failed(_))),
            BTreeSet::from(["lifecycle"]),
            "{report:#?}"
        );
    }
    let options = Options { inputs: given("fake:Thin: [{}]"), ..Options::new(Arc::default()) };
    let error = super::test(&plugin, &options, &mut |_| {}).await.unwrap_err();
    assert_eq!((error.code, plugin.things().len()), ("plugin-test-type", 0));
    let config = PropertyMap::from([("region".to_owned(), "x".into())]);
    let options = Options { config, ..Options::new(Arc::default()) };
    let report = tested(&fake(Fault::RefusesConfiguration), &options).await;
    assert_eq!(names(&report, |verdict| matches!(verdict, Verdict::Failed(_))), BTreeSet::from(["configure"]));
}

#[test(start_paused = true)]
async fn an_interrupted_test_deletes_what_it_created_and_begins_nothing_new() {
    let options = Options::new(Arc::default());
    let interrupt = vec![options.stop.clone()];
    let plugin =
        Arc::new(Fake { fault: Fault::None, things: Mutex::default(), starts: AtomicUsize::new(0), interrupt });
    let report = tested(&plugin, &options).await;
    assert!(plugin.things().is_empty() && report.left.is_empty(), "{report:#?}");
    let skipped =
        names(&report, |verdict| matches!(verdict, Verdict::Skipped(reason) if reason.answer.contains("interrupted")));
    assert_eq!(skipped, BTreeSet::from(["lifecycle", "drift", "import", "gone"]), "{report:#?}");
}

#[test(start_paused = true)]
async fn a_test_that_is_interrupted_twice_gives_up_the_call_under_way_and_names_what_may_exist() {
    let options = Options::new(Arc::default());
    let interrupt = vec![options.stop.clone(), options.abort.clone()];
    let (fault, things, starts) = (Fault::HangsInCreate, Mutex::default(), AtomicUsize::new(0));
    let report = tested(&Arc::new(Fake { fault, things, starts, interrupt }), &options).await;
    assert_eq!((report.counts()[1], report.left.len()), (0, 1), "{report:#?}");
    assert_eq!(report.left[0].id, None);
}
