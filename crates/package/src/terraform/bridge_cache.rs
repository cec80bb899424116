//! The directory in which Pulumi's bridge keeps downloaded providers. It is searched first, as in the bridge.

use std::path::PathBuf;

use crate::terraform::search_context::SearchContext;

/// Its path. It is a mirror in the unpacked layout.
pub(crate) fn directory(surroundings: &SearchContext) -> Option<PathBuf> {
    if let Some(directory) = surroundings.variable("PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR") {
        return Some(surroundings.absolute(directory.as_ref()));
    }
    let home = match surroundings.variable("PULUMI_HOME") {
        Some(home) => Some(surroundings.absolute(home.as_ref())),
        None => surroundings.home.as_ref().map(|home| home.join(".pulumi")),
    };
    home.map(|home| home.join("dynamic_tf_plugins"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_variables_come_before_the_home() {
        let mut around = SearchContext::empty(Path::new("/here"));
        assert_eq!(directory(&around), None);
        around.home = Some("/home/me".into());
        assert_eq!(directory(&around), Some("/home/me/.pulumi/dynamic_tf_plugins".into()));
        around.environment.insert("PULUMI_HOME".to_owned(), "/pulumi".to_owned());
        assert_eq!(directory(&around), Some("/pulumi/dynamic_tf_plugins".into()));
        around.environment.insert("PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR".to_owned(), "cache".to_owned());
        assert_eq!(directory(&around), Some("/here/cache".into()));
    }
}
