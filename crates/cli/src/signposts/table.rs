//! Every word of `pulumi` and `terraform` that does not exist here. One test has the command line reject each of them, another finds missing ones;
//! the pages `docs/parity-*.md` are generated from it.

use super::Answer::{self, Is, Text};

const CLOUD: Answer = Text("This belongs to Pulumi Cloud, which is not supported yet.");
const ESC: Answer = Text("Pulumi ESC is not supported yet.");
const LANGUAGES: Answer = Text("Programs in other languages cannot be run yet.");
const NEO: Answer = Text("Pulumi Neo is an assistant of Pulumi Cloud, which is not supported yet.");
const PLANS: Answer =
    Text("Plans cannot be saved or followed yet. `outrigger up` shows the changes and asks before it applies them.");
const POLICIES: Answer = Text("Policy packs are not supported yet.");
const CONFIG: Answer = Text("Set the value with `outrigger config set` once the project exists.");
const EXCLUDE: Answer = Text("Resources cannot be excluded yet. `--target` names those to work on.");
const SECRETS: Answer = Text("New stacks use `passphrase`; `outrigger stack init --secrets-provider` names it.");
const TRACES: Answer = Text("Traces are not exported. `-vv` logs every call of a plugin.");
const PROFILES: Answer = Text("Profiles of the program itself are not written.");
const REMOVE_PLUGIN: Answer = Text("Remove the plugin's folder below `~/.pulumi/plugins`, or run `pulumi plugin rm`.");
const STATE_FILE: Answer =
    Text("The backend stores the state: `outrigger login` chooses it, `outrigger stack export` writes a copy.");
const VARIABLES: Answer = Text("Variables are the stack's configuration: `outrigger config set KEY VALUE`.");
const COLORS: Answer = Text("`dot` takes colors as options, such as `-Ecolor=blue`.");
const TYPE: Answer = Text("Write the name behind the package: `outrigger package info kit fs:File`.");
const TESTS: Answer = Text("There are no test files.");

/// Commands by their whole path; flags after the path of one of our commands, or alone if every command has the same answer.
pub(super) const TABLE: &[(&str, Answer)] = &[
    // Commands of both.
    (
        "console",
        Text(
            "There is no console. `outrigger stack output` shows values, `outrigger plugin call` calls a function of a provider.",
        ),
    ),
    (
        "import",
        Text("There is no `import` command yet. Set the option `import: ID` of a resource and run `outrigger up`."),
    ),
    // Pulumi's commands.
    ("about env", Text("The variables are not listed; `--help` names a variable beside the flag that it stands for.")),
    ("api", CLOUD),
    ("config env", ESC),
    ("config refresh", Text("`outrigger stack history --json` has the configuration of earlier updates.")),
    ("convert", Text("Programs cannot be converted yet. `pulumi convert --language yaml` writes one that works here.")),
    ("deployment", CLOUD),
    (
        "do",
        Text("A resource cannot be created without a program. `outrigger plugin call` makes one call to a provider."),
    ),
    ("env", ESC),
    ("esc", ESC),
    ("insights", CLOUD),
    ("logs", Text("Logs of resources are not collected. `-v` shows what a command does.")),
    ("neo", NEO),
    ("org", CLOUD),
    ("package delete", Text("Packages cannot be published yet, and so there are none to delete.")),
    (
        "package gen-sdk",
        Text("SDKs cannot be generated yet. `pulumi package gen-sdk` takes the output of `outrigger plugin schema`."),
    ),
    ("package get-mapping", Text("Use `outrigger plugin call NAME GetMapping '{\"key\": \"terraform\"}'`.")),
    ("package get-schema", Is("plugin schema")),
    ("package new", Text("`outrigger plugin new` creates a plugin in Rust.")),
    ("package publish", Text("There is no registry. `outrigger plugin pack` creates the archives of a release.")),
    (
        "plugin install",
        Text("Plugins cannot be installed yet. `pulumi plugin install` installs them where `outrigger` finds them."),
    ),
    ("plugin remove", REMOVE_PLUGIN),
    ("plugin rm", REMOVE_PLUGIN),
    ("plugin run", Text("Use `outrigger plugin call` to call a plugin.")),
    ("policy", POLICIES),
    (
        "project",
        Text("Projects are folders with a `Pulumi.yaml`; `outrigger stack ls --all` lists the stacks of all of them."),
    ),
    ("project new", Is("new")),
    ("schema", Text("The schema of a plugin is shown by `outrigger plugin schema`.")),
    ("schema check", Text("Use `outrigger plugin test`, which checks the schema of a plugin first.")),
    ("stack drift", Text("Drift is not watched. `outrigger refresh --preview-only` shows it.")),
    ("stack get", Is("stack")),
    (
        "stack history events",
        Text("Events of earlier updates are not stored. `outrigger up --event-log FILE` writes those of a run."),
    ),
    ("stack schedule", CLOUD),
    ("stack webhook", CLOUD),
    (
        "state edit",
        Text("Edit the file that `outrigger stack export` writes, and import it with `outrigger stack import`."),
    ),
    ("state move", Text("Resources cannot be moved to another stack yet. `pulumi state move` does it.")),
    ("state repair", Text("A state cannot be repaired yet. `pulumi state repair` does it.")),
    (
        "state upgrade",
        Text("Only the present layout of a backend is supported. `pulumi state upgrade` upgrades older ones."),
    ),
    (
        "template",
        Text("Templates of Pulumi Cloud are not supported yet. `outrigger new --list` shows the supported ones."),
    ),
    ("watch", Text("There is no `watch` command yet. Run `outrigger up` after a change.")),
    // Terraform's commands.
    ("apply", Is("up")),
    ("fmt", Text("Programs are YAML: any formatter of YAML will do.")),
    ("force-unlock", Is("cancel")),
    ("get", Text("There are no modules to get. `outrigger package add` adds a package to the project.")),
    ("graph", Is("stack graph")),
    (
        "init",
        Text(
            "Use `outrigger new` to create a project, `outrigger stack init` to create a stack, and `outrigger package \
             add` to add a provider.",
        ),
    ),
    ("metadata", Text("Functions of a provider are shown by `outrigger package info`.")),
    ("modules", Text("There are no modules. A component of a plugin groups resources.")),
    ("plan", Is("preview")),
    (
        "providers",
        Text("`outrigger plugin ls` lists providers, `outrigger package info` shows the documentation of one."),
    ),
    ("providers lock", Text("`outrigger install` writes the lock files of the project's packages.")),
    ("providers mirror", Text("Mirrors are read, not written. `terraform providers mirror` creates one.")),
    ("providers schema", Is("plugin schema --terraform")),
    ("show", Text("`outrigger stack` shows the resources of a stack, `outrigger state show` one of them in full.")),
    ("state mv", Is("state rename")),
    ("state pull", Is("stack export")),
    ("state push", Is("stack import")),
    (
        "state replace-provider",
        Text("The program says which provider manages a resource: change its type or its option `provider`."),
    ),
    ("state rm", Is("state delete")),
    ("taint", Is("state taint")),
    ("test", Text("There is no `test` command. `outrigger check` finds mistakes in a program.")),
    ("untaint", Is("state untaint")),
    ("workspace", Is("stack")),
    ("workspace delete", Is("stack rm")),
    ("workspace list", Is("stack ls")),
    ("workspace new", Is("stack init")),
    ("workspace select", Is("stack select")),
    ("workspace show", Is("stack --show-name")),
    // Flags of Pulumi's.
    ("--attach-debugger", LANGUAGES),
    ("--debug", Text("Use `-v`, or `-vv` for every call of a plugin.")),
    (
        "--disable-integrity-checking",
        Text("The state is always checked. `pulumi state repair` repairs one that is broken."),
    ),
    ("--exclude", EXCLUDE),
    ("--exclude-dependents", EXCLUDE),
    ("--exclude-protected", Text("Protected resources are never deleted, but they end the command with an error.")),
    (
        "--fully-qualify-stack-names",
        Text("A stack's name is the same everywhere: `file://` backends have no organizations."),
    ),
    (
        "--import-file",
        Text(
            "A file for `import` cannot be written yet. Set the option `import: ID` of a resource and run `outrigger up`.",
        ),
    ),
    ("--logflow", Text("Plugins log through `outrigger`; `-vv` logs every call of a plugin.")),
    ("--memprofilerate", PROFILES),
    ("--neo", NEO),
    ("--organization", Text("A `file://` backend has no organizations.")),
    ("--otel-traces", TRACES),
    ("--output", Is("--json")),
    ("--plan", PLANS),
    ("--policy-pack", POLICIES),
    ("--policy-pack-config", POLICIES),
    ("--profiling", PROFILES),
    ("--replace", Text("Use `outrigger state taint NAME`, then `outrigger up`.")),
    ("--run-program", LANGUAGES),
    ("--save-plan", PLANS),
    ("--secrets-provider", SECRETS),
    ("--show-config", Text("`outrigger config` shows the configuration.")),
    ("--show-policy-remediations", POLICIES),
    ("--show-replacement-steps", Text("A replacement is one row; `--event-log` writes each of its steps.")),
    ("--skip-config-validation", Text("The configuration is always checked against the project file.")),
    ("--strict", PLANS),
    ("--suppress-outputs", Text("Outputs are shown at the end of a run; `--json-events` prints them separately.")),
    (
        "--target-dependents",
        Text("Name dependents with another `--target`; a pattern such as `'**::web-*'` names many."),
    ),
    ("--target-replace", Text("Use `outrigger state taint NAME`, then `outrigger up --target NAME`.")),
    ("--tracing", TRACES),
    ("--urns", Text("`outrigger stack --show-urns` shows the URNs of a stack's resources.")),
    ("about --stack", Text("`outrigger stack` shows the stack.")),
    ("about --transitive", LANGUAGES),
    ("config --open", ESC),
    ("config get --open", ESC),
    ("config set --raw", Text("A value is taken as it is; `--path` sets a value inside another.")),
    ("config set --type", Text("The project file declares types: `config: {KEY: {type: integer}}`.")),
    ("config set-all --json", Text("Give each value with `--plaintext KEY=VALUE` or `--secret KEY=VALUE`.")),
    ("install --no-dependencies", LANGUAGES),
    ("install --no-plugins", Text("Plugins cannot be installed yet.")),
    ("install --parallel", Text("Plugins cannot be installed yet.")),
    ("install --reinstall", Text("Plugins cannot be installed yet.")),
    ("install --use-language-version-tools", LANGUAGES),
    ("login --default-org", CLOUD),
    ("login --insecure", CLOUD),
    ("login --interactive", CLOUD),
    ("login --oidc-expiration", CLOUD),
    ("login --oidc-org", CLOUD),
    ("login --oidc-team", CLOUD),
    ("login --oidc-token", CLOUD),
    ("login --oidc-user", CLOUD),
    ("new --ai", NEO),
    ("new --config", CONFIG),
    ("new --config-path", CONFIG),
    ("new --force", Text("Files are never overwritten. Use an empty directory: `outrigger new --dir DIRECTORY`.")),
    ("new --language", LANGUAGES),
    ("new --list-templates", Is("--list")),
    ("new --offline", Text("Templates come with `outrigger`; the network is not used.")),
    ("new --runtime-options", Text("The project file has them: `runtime: {name: yaml, options: {}}`.")),
    ("new --template-mode", Text("Templates come with `outrigger`; `outrigger new --list` shows them.")),
    ("package add --language", LANGUAGES),
    ("package info --function", TYPE),
    ("package info --module", Text("`outrigger package info` lists all modules of a package.")),
    ("package info --resource", TYPE),
    ("preview --message", Text("A preview is not part of the history; `outrigger up --message` is.")),
    (
        "stack --output",
        Text("`outrigger stack export` has everything as JSON, `outrigger stack output --json` the outputs."),
    ),
    ("stack export --version", Text("Earlier versions of the state are in `.pulumi/backups` of the backend.")),
    ("stack graph --dependency-edge-color", COLORS),
    ("stack graph --dot-fragment", COLORS),
    ("stack graph --parent-edge-color", COLORS),
    ("stack init --teams", CLOUD),
    (
        "stack init --yes",
        Text("The command asks only for a new passphrase, and only if PULUMI_CONFIG_PASSPHRASE is not set."),
    ),
    ("stack ls --tag", Text("Stacks cannot be chosen by their tags. `outrigger stack tag ls` shows the tags of one.")),
    // Flags of Terraform's.
    ("--auto-approve", Is("--yes")),
    ("--allow-missing", Text("A resource that is missing in the state is an error.")),
    ("--backup", Text("A backup of the state is always kept, in `.pulumi/backups` of the backend.")),
    ("--chdir", Is("--cwd")),
    ("--compact-warnings", Text("Warnings are always shown with their reasons.")),
    ("--detailed-exitcode", Text("Use `--expect-no-changes`: the exit code is 7 if there are changes.")),
    ("--dry-run", Text("The command shows the change and asks before it applies it.")),
    (
        "--generate-config-out",
        Text("Programs cannot be generated yet. `pulumi import` writes YAML for a resource that it imports."),
    ),
    ("--ignore-remote-version", Text("State has no version of the program that wrote it.")),
    ("--input", Text("`-input=false` is `--non-interactive` here.")),
    ("--lock", Text("A stack is always locked. `outrigger cancel` releases a lock that was left behind.")),
    (
        "--lock-timeout",
        Text("A command does not wait for a lock. `outrigger cancel` releases one that was left behind."),
    ),
    ("--no-color", Is("--color never")),
    ("--no-tests", TESTS),
    ("--out", PLANS),
    ("--parallelism", Is("--parallel")),
    ("--refresh-only", Text("Use `outrigger refresh`, with `--preview-only` to change nothing.")),
    ("--state", STATE_FILE),
    ("--state-out", STATE_FILE),
    ("--test-directory", TESTS),
    ("--var", VARIABLES),
    ("--var-file", Text("Variables are the stack's configuration: `outrigger config set-all --plaintext KEY=VALUE`.")),
    ("cancel --force", Is("--yes")),
    ("preview --destroy", Text("Use `outrigger destroy --preview-only`.")),
    ("stack graph --draw-cycles", Text("Programs with cycles are rejected; `outrigger check` finds them.")),
    ("stack graph --module-depth", Text("There are no modules.")),
    ("stack graph --plan", PLANS),
    ("stack graph --type", Text("The graph is that of the state. `outrigger preview` shows what would change.")),
    ("state list --id", Text("`outrigger stack --show-ids` shows the ids of all resources.")),
    ("output --raw", Text("`outrigger output NAME` prints one value as it is.")),
    ("stack output --raw", Text("`outrigger stack output NAME` prints one value as it is.")),
    ("stack select --or-create", Is("--create")),
    ("up --destroy", Text("Use `outrigger destroy`.")),
    ("version --json", Text("`outrigger about --json` has the version.")),
];
