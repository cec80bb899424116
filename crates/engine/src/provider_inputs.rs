//! The engine's own data in a provider resource's inputs: `version` at the top, the rest under `__internal`.

use std::collections::BTreeMap;

use base64::Engine as _;
use outrigger_provider::{Parameterization, PluginDescriptor};
use outrigger_value::{PropertyMap, Urn, Value};

const INTERNAL: &str = "__internal";

/// The inputs without the engine's own key, as a plugin may see them.
pub(crate) fn public(inputs: &PropertyMap) -> PropertyMap {
    inputs.iter().filter(|(key, _)| *key != INTERNAL).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Restores the engine's own part after a plugin has checked the rest.
pub(crate) fn restore(checked: &mut PropertyMap, news: &PropertyMap) {
    for key in ["version", INTERNAL] {
        if key == INTERNAL || !checked.contains_key(key) {
            match news.get(key) {
                Some(value) => checked.insert(key.to_owned(), value.clone()),
                None => None,
            };
        }
    }
}

/// How a provider was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// By the program.
    Explicitly,
    /// By the engine, for a resource without a provider.
    ByDefault,
}

/// Writes which plugin a provider uses into its inputs.
///
/// For a parameterized package `version` at the top is the package's, except that Pulumi then overwrites it with the plugin's
/// own for an explicit provider; the value is in the state and in every call, so ours is the same.
pub(crate) fn describe(inputs: &mut PropertyMap, descriptor: &PluginDescriptor, declared: Declared) {
    let mut own = match inputs.remove(INTERNAL) {
        Some(Value::Map(map)) => map,
        _ => PropertyMap::new(),
    };
    let mut any = !own.is_empty();
    if let Some(version) = &descriptor.version {
        inputs.insert("version".to_owned(), version.as_str().into());
        any = true;
    }
    if let Some(url) = &descriptor.download_url {
        own.insert("pluginDownloadURL".to_owned(), url.as_str().into());
    }
    for (key, map) in [("pluginChecksums", &descriptor.checksums), ("envVarMappings", &descriptor.env_var_mappings)] {
        if !map.is_empty() {
            let map = map.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            own.insert(key.to_owned(), Value::Map(map));
        }
    }
    if let Some(parameterization) = &descriptor.parameterization {
        own.insert("name".to_owned(), descriptor.name.as_str().into());
        own.insert("version".to_owned(), inputs.get("version").cloned().unwrap_or(Value::Null));
        if declared == Declared::ByDefault || descriptor.version.is_none() {
            inputs.insert("version".to_owned(), parameterization.version.as_str().into());
        }
        own.insert("parameterization".to_owned(), base64(&parameterization.value).into());
    }
    if any || !own.is_empty() {
        inputs.insert(INTERNAL.to_owned(), Value::Map(own));
    }
}

/// Reads which plugin a provider of `package` uses. States of older engines keep the same keys at the top.
pub(crate) fn descriptor(package: &str, inputs: &PropertyMap) -> Result<PluginDescriptor, String> {
    let own = match inputs.get(INTERNAL) {
        Some(Value::Map(map)) => map,
        None | Some(Value::Null) => inputs,
        Some(_) => return Err(format!("`{INTERNAL}` is not an object")),
    };
    let text = |map: &PropertyMap, key: &str| match map.get(key).map(Value::bare) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is not a string")),
    };
    let table = |key: &str| match own.get(key) {
        Some(Value::Map(map)) => map
            .iter()
            .map(|(name, value)| {
                value.as_str().map(|text| (name.clone(), text.to_owned())).ok_or(format!("`{key}` is malformed"))
            })
            .collect::<Result<BTreeMap<_, _>, _>>(),
        _ => Ok(BTreeMap::new()),
    };
    let parameter = if own.contains_key("parameterization") { text(own, "parameterization")? } else { None };
    let version = text(if parameter.is_some() { own } else { inputs }, "version")?;
    let parameterization = match parameter {
        Some(encoded) => Some(Parameterization {
            name: package.to_owned(),
            version: text(inputs, "version")?.ok_or("a parameterized provider has no `version`")?,
            value: unbase64(&encoded).ok_or("`parameterization` is not base64")?,
        }),
        None => None,
    };
    let name = if std::ptr::eq(own, inputs) { None } else { text(own, "name")? };
    Ok(PluginDescriptor {
        name: name.unwrap_or_else(|| package.to_owned()),
        version,
        download_url: text(own, "pluginDownloadURL")?,
        checksums: table("pluginChecksums")?,
        parameterization,
        env_var_mappings: table("envVarMappings")?,
    })
}

/// Whether the name is one of default providers.
pub(crate) fn is_default(urn: &Urn) -> bool {
    urn.provider_package().is_some() && (urn.name() == "default" || urn.name().starts_with("default_"))
}

/// The name of the default provider for a plugin.
pub(crate) fn default_name(descriptor: &PluginDescriptor) -> String {
    let version = descriptor.parameterization.as_ref().map(|p| p.version.as_str()).or(descriptor.version.as_deref());
    let mut name = "default".to_owned();
    if let Some(version) = version {
        // A version's parts joined by underscores: dots, the pre-release dash and the build plus are all separators.
        name.push('_');
        let (core, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
        name.push_str(&core.replace('.', "_"));
        name.push_str(&rest.replace(['-', '+', '.'], "_"));
    }
    if let Some(url) = &descriptor.download_url {
        name.push('_');
        name.push_str(&qualified_name(url));
    }
    name
}

/// Turns any text into a name as Pulumi does: letters, digits and `_.-` stay, the parts are joined by `/`.
fn qualified_name(text: &str) -> String {
    let parts: Vec<String> = text
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| {
            part.chars()
                .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' })
                .collect()
        })
        .collect();
    parts.join("/")
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn unbase64(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameterized_plugin_survives_its_inputs() {
        let descriptor_in = PluginDescriptor {
            name: "terraform-provider".into(),
            version: Some("1.0.0".into()),
            parameterization: Some(Parameterization {
                name: "pet".into(),
                version: "2.1.0".into(),
                value: b"{}".to_vec(),
            }),
            ..PluginDescriptor::default()
        };
        let mut inputs = PropertyMap::new();
        describe(&mut inputs, &descriptor_in, Declared::ByDefault);
        assert_eq!(inputs.get("version"), Some(&"2.1.0".into()));
        assert_eq!(descriptor("pet", &inputs).unwrap(), descriptor_in);
        assert_eq!(default_name(&descriptor_in), "default_2_1_0");
        assert_eq!(public(&inputs).len(), 1);
        describe(&mut inputs, &descriptor_in, Declared::Explicitly);
        assert_eq!(inputs.get("version"), Some(&"1.0.0".into()));
    }

    #[test]
    fn default_names() {
        let named = |version: &str, url: Option<&str>| {
            default_name(&PluginDescriptor {
                version: Some(version.into()),
                download_url: url.map(Into::into),
                ..PluginDescriptor::default()
            })
        };
        assert_eq!(named("4.16.0-alpha.1+build", None), "default_4_16_0_alpha_1_build");
        assert_eq!(
            named("0.2.0", Some("github://api.github.com/pulumiverse")),
            "default_0_2_0_github_/api.github.com/pulumiverse"
        );
        assert_eq!(default_name(&PluginDescriptor::default()), "default");
    }
}
