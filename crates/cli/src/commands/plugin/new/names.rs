//! The names in a new plugin's crate: package, resource, module.

use outrigger_diagnostic::Diagnostic;

use super::FILES;

/// Names that a module cannot have: Rust's keywords, the files of Cargo, and crates that the root of the new one names.
const NO_MODULES: &str = "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe \
    unsized use virtual where while yield lib main alloc core std outrigger_sdk";

/// The names that are filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Names {
    /// The package: `weather`.
    pub(super) package: String,
    /// The resource's struct: `Weather`.
    pub(super) resource: String,
    /// The resource's module: `weather`.
    pub(super) module: String,
}

impl Names {
    /// Without a name, the resource is called like the package, if the crate can have such a struct.
    pub(super) fn new(package: &str, resource: Option<&str>) -> Result<Self, Diagnostic> {
        check_package(package)?;
        let resource = match resource {
            Some(given) => check_resource(given)?.to_owned(),
            None => {
                let name: String = package.split('-').map(capitalized).collect();
                if is_taken(&name) { format!("{name}Resource") } else { name }
            }
        };
        let mut module = snake(&resource);
        if NO_MODULES.split_whitespace().any(|name| name == module) {
            module.push_str("_resource");
        }
        Ok(Self { package: package.to_owned(), resource, module })
    }

    /// A text of the template with the names in it.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("PLUGIN_NAME", &self.package)
            .replace("RESOURCE_NAME", &self.resource)
            .replace("RESOURCE_MODULE", &self.module)
    }
}

/// Checks that a name is valid for a package, an executable and a crate.
fn check_package(name: &str) -> Result<(), Diagnostic> {
    let fits = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
        && !name.ends_with('-')
        && name != "pulumi";
    if fits {
        return Ok(());
    }
    Err(Diagnostic::error("plugin-name-invalid", format!("`{name}` cannot be the name of a plugin"))
        .detail("A name has lowercase letters, digits and hyphens, begins with a letter, and is not `pulumi`.")
        .hint("Choose another, such as `kit`: the executable is then called `pulumi-resource-kit`."))
}

/// Checks that a name is valid for a resource type and a struct.
fn check_resource(name: &str) -> Result<&str, Diagnostic> {
    let refused = |reason: &str| {
        Err(Diagnostic::error("plugin-name-invalid", format!("`{name}` cannot be the name of a resource"))
            .detail(reason)
            .hint("Choose another, such as `Forecast`: programs then write `type: PLUGIN:Forecast`."))
    };
    match name {
        _ if !name.starts_with(|first: char| first.is_ascii_uppercase())
            || !name.chars().all(|letter| letter.is_ascii_alphanumeric()) =>
        {
            refused("A name begins with a capital letter, and has only letters and digits.")
        }
        _ if is_taken(name) => refused("The crate's code uses this name for something else."),
        _ => Ok(name),
    }
}

/// Whether a name is used in the template's code.
fn is_taken(name: &str) -> bool {
    let code = FILES.iter().filter(|(path, _)| path.ends_with(".rs")).flat_map(|(_, text)| text.lines());
    let mut words = code
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
    words.any(|word| word == name)
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `MyKit` as `my_kit`, `HTTPServer` as `http_server`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_lowercase = at > 0 && !letters[at - 1].is_ascii_uppercase();
        let before_lowercase = at > 0 && letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (after_lowercase || before_lowercase) {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_and_its_module_follow_the_package() {
        for (package, resource, module) in [
            ("weather", "Weather", "weather"),
            ("my-kit2", "MyKit2", "my_kit2"),
            ("a-2b--c", "A2bC", "a2b_c"),
            ("type", "Type", "type_resource"),
            ("gen", "Gen", "gen_resource"),
            ("main", "Main", "main_resource"),
            ("outrigger-sdk", "OutriggerSdk", "outrigger_sdk_resource"),
            ("self", "SelfResource", "self_resource"),
            ("result", "ResultResource", "result_resource"),
            ("settings", "SettingsResource", "settings_resource"),
            ("stack", "StackResource", "stack_resource"),
            ("path", "PathResource", "path_resource"),
        ] {
            let names = Names::new(package, None).unwrap();
            assert_eq!((&*names.resource, &*names.module), (resource, module), "{package}");
        }
        let names = Names::new("weather", Some("HTTPServer2Go")).unwrap();
        assert_eq!((&*names.resource, &*names.module), ("HTTPServer2Go", "http_server2_go"));
        assert_eq!(
            names.fill("RESOURCE_MODULE::RESOURCE_NAMEArgs of PLUGIN_NAME"),
            "http_server2_go::HTTPServer2GoArgs of weather"
        );
    }

    #[test]
    fn names_that_fit_nowhere_are_refused() {
        for name in ["", "Kit", "2kit", "kit-", "a_b", "a/b", "pulumi", "é"] {
            assert!(Names::new(name, None).is_err(), "{name}");
        }
        for name in
            ["", "weather", "2Day", "My-Kit", "A b", "É", "Self", "Result", "Option", "String", "Settings", "Harness"]
        {
            assert_eq!(Names::new("weather", Some(name)).unwrap_err().code, "plugin-name-invalid", "{name}");
        }
    }
}
