//! Terraform names used as tokens: `random_pet`, or `random:random_pet`.

use outrigger_schema::Package;

/// Where to look up a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Resources,
    /// Data sources have a `get` before their names.
    Functions,
}

/// A Terraform name without its package: `random` and `pet`.
pub(super) fn split(written: &str) -> Option<(&str, &str)> {
    written.split_once('_').filter(|(package, rest)| !written.contains(':') && !package.is_empty() && !rest.is_empty())
}

/// The rest of a Terraform name as the bridge names a resource.
pub(super) fn title(rest: &str) -> String {
    let words = rest.split('_').filter_map(|word| word.split_at_checked(1));
    words.map(|(first, more)| first.to_ascii_uppercase() + more).collect()
}

/// A package's token for a Terraform name, in its shortest form. `None` if there is no such token, or several.
pub(super) fn token(package: &Package, table: Table, written: &str) -> Option<String> {
    let name = written.rsplit(':').next().filter(|name| name.contains('_'))?;
    let rest = name.strip_prefix(package.name()).and_then(|rest| rest.strip_prefix('_'));
    let rest = rest.or_else(|| name.split_once('_').map(|(_, rest)| rest)).map(squashed)?;
    let whole = squashed(name);
    let tokens: Vec<&str> = match table {
        Table::Resources => package.resource_tokens().collect(),
        Table::Functions => package.function_tokens().collect(),
    };
    // A name may include its module, as `aws_s3_bucket` does, or omit it, as `aws_instance` does.
    let rank = |token: &&str| {
        let (module, last) = parts(token)?;
        let last = squashed(last);
        let last = if table == Table::Functions { last.strip_prefix("get").unwrap_or(&last) } else { &last };
        match module {
            "" if last == rest || last == whole => Some(0),
            _ if squashed(module) + last == rest => Some(1),
            _ => (last == rest).then_some(2),
        }
    };
    let best = tokens.iter().filter_map(rank).min()?;
    let mut found = tokens.iter().filter(|token| rank(token) == Some(best));
    let token = *found.next().filter(|_| found.next().is_none())?;
    let (module, last) = parts(token)?;
    let name = package.name();
    let resolves = |short: &String| {
        let resolved = match table {
            Table::Resources => package.resolve_resource(short),
            Table::Functions => package.resolve_function(short),
        };
        resolved.as_deref() == Some(token)
    };
    let shorter = [format!("{name}:{last}"), format!("{name}:{module}:{last}")].into_iter().find(resolves);
    Some(shorter.unwrap_or_else(|| token.to_owned()))
}

/// The module of a token, without `index` and without the file after it, and the name.
fn parts(token: &str) -> Option<(&str, &str)> {
    let (_, rest) = token.split_once(':')?;
    let (module, last) = rest.split_once(':').unwrap_or(("", rest));
    let module = module.split('/').next().unwrap_or_default();
    Some((if module == "index" { "" } else { module }, last))
}

fn squashed(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        let resources = [
            "cloud:index/pet:Pet",
            "cloud:index/cloudId:CloudId",
            "cloud:s3/bucket:Bucket",
            "cloud:gcs/bucket:Bucket",
            "cloud:ec2/instance:Instance",
        ];
        let table =
            |tokens: &[&str]| tokens.iter().map(|token| format!("\"{token}\": {{}}")).collect::<Vec<_>>().join(",");
        let schema = format!(
            r#"{{"name": "cloud", "version": "1.0.0", "meta": {{"moduleFormat": "(.*)(?:/[^/]*)"}},
                "resources": {{{}}}, "functions": {{{}}}}}"#,
            table(&resources),
            table(&["cloud:ec2/getImage:getImage"])
        );
        Package::parse(schema.into_bytes()).unwrap()
    }

    #[test]
    fn names_are_found_as_the_bridge_or_pulumis_own_provider_has_them() {
        let package = package();
        let cases = [
            ("cloud_pet", Some("cloud:Pet")),
            ("cloud:cloud_pet", Some("cloud:Pet")),
            ("cloud:index:cloud_id", Some("cloud:CloudId")),
            ("cloud_s3_bucket", Some("cloud:s3:Bucket")),
            ("cloud_instance", Some("cloud:ec2:Instance")),
            ("cloud_bucket", None),
            ("cloud_nothing", None),
            ("cloud:Pet", None),
        ];
        for (written, expected) in cases {
            assert_eq!(token(&package, Table::Resources, written).as_deref(), expected, "{written}");
        }
        assert_eq!(token(&package, Table::Functions, "cloud_image").as_deref(), Some("cloud:ec2:getImage"));
    }

    #[test]
    fn a_name_has_a_package_and_words() {
        assert_eq!(split("random_pet_name"), Some(("random", "pet_name")));
        assert_eq!(title("pet_name"), "PetName");
        assert_eq!(title("_é_a"), "A");
        for written in ["pet", "_pet", "random_", "random:random_pet"] {
            assert_eq!(split(written), None, "{written}");
        }
    }
}
