//! Examples of every command, shown in its help. A test parses each of them with the command line.

/// The examples of a command: the line to type, and its effect.
type Examples = &'static [(&'static str, &'static str)];

/// Examples by command.
pub(crate) const EXAMPLES: &[(&str, Examples)] = &[
    (
        "new",
        &[
            ("outrigger new random --dir shop --stack dev", "A project in the new directory shop, with a stack"),
            ("outrigger new --list", "Show the templates"),
        ],
    ),
    (
        "up",
        &[
            ("outrigger up", "Preview, confirm, apply"),
            ("outrigger up --yes --diff", "Apply without asking, and show every property that changes"),
            ("outrigger up --target '**::database'", "Only the resource called database"),
            ("outrigger up --config size=large", "Set a configuration value first, and save it in the stack's file"),
            ("outrigger up --yes --json-events", "Print events, for another program"),
        ],
    ),
    (
        "preview",
        &[
            ("outrigger preview --diff", "Every property that would change"),
            ("outrigger preview --json", "Print the same JSON document as pulumi"),
            ("outrigger preview --expect-no-changes", "Fail, with exit code 7, if anything would change"),
        ],
    ),
    (
        "refresh",
        &[
            ("outrigger refresh --preview-only", "Show changes made outside the program, and save nothing"),
            ("outrigger refresh --yes --clear-pending-creates", "Remove the pending creations of an interrupted run"),
        ],
    ),
    (
        "destroy",
        &[
            ("outrigger destroy --preview-only", "Only show what would be deleted"),
            ("outrigger destroy --yes --remove", "Delete everything, then the stack itself"),
        ],
    ),
    ("cancel", &[("outrigger cancel --stack dev", "Release the lock of a stack whose run has ended")]),
    (
        "stack",
        &[
            ("outrigger stack", "The selected stack, its resources and outputs"),
            ("outrigger stack --show-urns", "The same, with the URNs that --target takes"),
        ],
    ),
    (
        "stack init",
        &[
            ("outrigger stack init prod", "Create the stack prod and select it"),
            ("outrigger stack init prod --copy-config-from dev", "Create it with the configuration of dev"),
        ],
    ),
    (
        "stack ls",
        &[
            ("outrigger stack ls", "The stacks of this project"),
            ("outrigger stack ls --all --json", "The stacks of all projects, as JSON"),
        ],
    ),
    ("stack select", &[("outrigger stack select dev --create", "Select dev, and create it if it does not exist")]),
    (
        "stack output",
        &[
            ("outrigger stack output url", "One output, ready for a script"),
            ("outrigger stack output --json --show-secrets", "All of them, with secrets in clear"),
        ],
    ),
    ("stack export", &[("outrigger stack export --file state.json", "Save the state to a file")]),
    ("stack import", &[("outrigger stack import --file state.json", "Restore the state from a file")]),
    (
        "stack history",
        &[
            ("outrigger stack history --page-size 10", "The last ten commands that changed the stack"),
            ("outrigger stack history --json", "All of them, as JSON"),
        ],
    ),
    ("stack graph", &[("outrigger stack graph graph.dot", "Write a graph; `dot -Tsvg graph.dot` draws it")]),
    ("stack tag ls", &[("outrigger stack tag ls", "All tags of the selected stack")]),
    ("stack tag get", &[("outrigger stack tag get owner", "One tag's value")]),
    ("stack tag set", &[("outrigger stack tag set owner platform", "Set a tag")]),
    ("stack tag rm", &[("outrigger stack tag rm owner", "Remove a tag")]),
    ("stack rename", &[("outrigger stack rename staging", "Rename the selected stack to staging")]),
    (
        "stack change-secrets-provider",
        &[
            ("outrigger stack change-secrets-provider passphrase", "Choose another passphrase"),
            (
                "outrigger stack change-secrets-provider passphrase < new-passphrase.txt",
                "In a script; PULUMI_CONFIG_PASSPHRASE is the old one",
            ),
        ],
    ),
    ("stack unselect", &[("outrigger stack unselect", "Clear the selected stack")]),
    ("stack rm", &[("outrigger stack rm dev --yes", "Remove the stack dev, which has no resources")]),
    (
        "config",
        &[
            ("outrigger config", "Every value; secrets are hidden"),
            ("outrigger config --show-secrets --json", "Every value, with secrets in clear, as JSON"),
        ],
    ),
    (
        "config set",
        &[
            ("outrigger config set aws:region eu-west-1", "A value of the package aws"),
            ("outrigger config set --secret token < token.txt", "A secret, which is stored encrypted"),
            ("outrigger config set --path 'servers[0].size' large", "A value inside a structured value"),
        ],
    ),
    ("config get", &[("outrigger config get aws:region", "One value, a secret one in clear")]),
    (
        "config set-all",
        &[("outrigger config set-all --plaintext size=large --secret token=abc", "Two values in one change")],
    ),
    (
        "config cp",
        &[
            ("outrigger config cp --dest prod", "Copy every value of the selected stack to prod"),
            ("outrigger config cp --stack dev --dest prod token", "Copy one, a secret encrypted with the key of prod"),
        ],
    ),
    ("config rm-all", &[("outrigger config rm-all size token", "Remove two values in one change")]),
    ("config rm", &[("outrigger config rm token", "Remove a value")]),
    ("output", &[("outrigger output url", "Show one output, for a script")]),
    ("state list", &[("outrigger state list '**:s3/bucket:Bucket::*'", "List the URNs of all buckets")]),
    ("state show", &[("outrigger state show logs", "Show the inputs and outputs of the resource `logs`")]),
    ("state delete", &[("outrigger state delete logs", "Remove a bucket from the state; the bucket stays")]),
    ("state protect", &[("outrigger state protect --all", "Protect everything in the stack from being deleted")]),
    ("state unprotect", &[("outrigger state unprotect logs", "Allow a bucket to be deleted")]),
    ("state taint", &[("outrigger state taint web", "Have the next `up` replace an instance")]),
    ("state untaint", &[("outrigger state untaint --all", "Remove the mark from every resource")]),
    ("state rename", &[("outrigger state rename logs archive", "Rename a bucket to archive, as the program does now")]),
    (
        "plugin schema",
        &[
            ("outrigger plugin schema random@4.16.0", "The package schema of a plugin"),
            (
                "outrigger plugin schema terraform-provider hashicorp/random",
                "The package schema of a Terraform provider",
            ),
            ("outrigger plugin schema --terraform ./terraform-provider-random", "The provider's own schema"),
        ],
    ),
    (
        "plugin new",
        &[
            ("outrigger plugin new weather", "Write a crate with the resource weather:Weather"),
            (
                "outrigger plugin new weather --resource Forecast --sdk https://example.com/outrigger.git --rev 4f1c2ab --workflow",
                "Write a crate to be pushed, with a workflow that releases it",
            ),
        ],
    ),
    (
        "plugin pack",
        &[
            ("outrigger plugin pack", "Pack the output of `cargo build --release` into dist"),
            (
                "outrigger plugin pack --platform linux-amd64 --platform linux-arm64",
                "Fail unless both platforms were built",
            ),
            (
                "outrigger plugin pack ./pulumi-resource-weather --out release",
                "Pack one executable, wherever it was built",
            ),
        ],
    ),
    (
        "plugin test",
        &[
            (
                "outrigger plugin test ./target/debug/pulumi-resource-shelf --config directory=/tmp/notes",
                "Test every resource of a plugin that was just built",
            ),
            (
                "outrigger plugin test random --resource random:RandomPet --junit report.xml",
                "One resource, with a report for a build server",
            ),
            (
                "outrigger plugin test --inputs inputs.yaml --json terraform-provider hashicorp/random",
                "A Terraform provider, with inputs from a file",
            ),
        ],
    ),
    (
        "plugin call",
        &[
            ("outrigger plugin call random GetPluginInfo", "A call without a request"),
            (
                "outrigger plugin call --terraform hashicorp/time CallFunction '{\"name\": \"duration_parse\", \"arguments\": [\"1h\"]}'",
                "A function of a Terraform provider",
            ),
            (
                "outrigger plugin call --terraform ./terraform-provider-local OpenEphemeralResource - < request.json",
                "A request from a file",
            ),
        ],
    ),
    (
        "package add",
        &[
            ("outrigger package add random@4.16.0", "The package of a plugin, in this version"),
            (
                "outrigger package add terraform-provider hashicorp/random '~> 3.6'",
                "A package from a plugin with parameters",
            ),
            (
                "outrigger package add terraform-provider -- hashicorp/aws --include aws_s3_bucket",
                "With flags among the parameters",
            ),
        ],
    ),
    (
        "package info",
        &[
            ("outrigger package info kit", "The resources and functions of a package"),
            ("outrigger package info kit fs:File", "One resource, with an example"),
            (
                "outrigger package info terraform-provider hashicorp/random random_string",
                "A resource by its Terraform name, of a provider outside the project",
            ),
            ("outrigger package info kit --output-dir docs --format html", "Pages for a site"),
        ],
    ),
    (
        "install",
        &[("outrigger install", "Write lock files after a checkout without `sdks`, and report missing plugins")],
    ),
    (
        "login",
        &[
            ("outrigger login file://~/state", "Store state in a directory"),
            ("outrigger login --local", "Store it in your home directory"),
        ],
    ),
    ("logout", &[("outrigger logout", "Log out of a backend")]),
    ("whoami", &[("outrigger whoami --verbose", "The user and the backend")]),
    ("about", &[("outrigger about", "Print the details for a bug report")]),
    (
        "explain",
        &[("outrigger explain stack-locked", "Show its meaning and the fix"), ("outrigger explain", "List every code")],
    ),
    (
        "completion",
        &[
            ("outrigger completion bash > ~/.local/share/bash-completion/completions/outrigger", "For bash"),
            ("outrigger completion zsh > ~/.zfunc/_outrigger", "For zsh, with ~/.zfunc in its fpath"),
            ("outrigger completion fish > ~/.config/fish/completions/outrigger.fish", "For fish"),
        ],
    ),
    ("version", &[("outrigger version", "The version alone, on a line")]),
];

/// The examples of the command at a path such as `stack init`.
pub(crate) fn examples(path: &str) -> Examples {
    EXAMPLES.iter().find(|(known, _)| *known == path).map_or(&[], |(_, examples)| examples)
}
