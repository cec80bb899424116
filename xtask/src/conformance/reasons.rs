//! Why some projects do not agree. A project that differs and is not listed here is a finding.

/// The known reason for a project's difference.
pub(super) fn reason(project: &str) -> Option<&'static str> {
    const COMPONENT: &str =
        "has a component resource of a package, which is refused by name, line and column: not there yet";
    Some(match project {
        "l2-component-component-resource-ref"
        | "l2-component-program-resource-ref"
        | "l2-explicit-providers"
        | "l2-namespaced-provider"
        | "l2-parameterized-resource"
        | "l2-parameterized-resource-twice" => COMPONENT,
        "l2-failed-create" => {
            "fails by intent; what is independent of the failure is started at once here and not in `pulumi`, where it may or may \
             not have been started before the failure"
        }
        "l2-resource-asset-archive" => {
            "reads an archive from the network, which the tests do not have: both sides fail"
        }
        _ => return None,
    })
}
