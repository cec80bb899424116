use serde_json::json;

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN};

pub(super) const SCENARIOS: &[Listed] =
    &[("time", "introduction", |talk| introduction(talk, json!({}))), ("time", "lives", lives)];

fn lives(talk: &mut Talk) {
    talk.begin(json!({}));
    let base = "2020-02-12T06:36:13Z";
    talk.life(
        "Static",
        "given",
        &[json!({"rfc3339": base}), json!({"rfc3339": "2021-01-01T00:00:00Z", "triggers": {"a": "b"}})],
    );
    talk.life("Static", "now", &[json!({}), json!({"triggers": {"a": "b"}})]);
    talk.life(
        "Offset",
        "offset",
        &[
            json!({"baseRfc3339": base, "offsetDays": 7}),
            json!({"baseRfc3339": base, "offsetDays": 8, "offsetMonths": 2}),
            json!({"baseRfc3339": base, "offsetYears": -3, "triggers": {"x": "y"}}),
        ],
    );
    talk.life(
        "Rotating",
        "rotating",
        &[
            json!({"rfc3339": "2099-01-01T00:00:00Z", "rotationDays": 30}),
            json!({"rfc3339": "2099-01-01T00:00:00Z", "rotationMonths": 1}),
        ],
    );
    talk.life("Rotating", "expired", &[json!({"rfc3339": base, "rotationHours": 1})]);
    talk.life(
        "Sleep",
        "sleep",
        &[json!({"createDuration": "1ms"}), json!({"createDuration": "2ms", "destroyDuration": "1ms"})],
    );
    for (kind, inputs) in [
        ("Static", json!({"rfc3339": "yesterday"})),
        ("Static", json!({"rfc3339": UNKNOWN})),
        ("Offset", json!({"baseRfc3339": base})),
        ("Offset", json!({"baseRfc3339": UNKNOWN, "offsetDays": 1})),
        ("Offset", json!({"offsetDays": UNKNOWN})),
        ("Rotating", json!({})),
        ("Sleep", json!({"createDuration": "long"})),
    ] {
        let mut resource = talk.resource(kind, "mistaken");
        resource.check(inputs.clone());
        resource.inputs = inputs;
        resource.preview();
    }
    let mut fixed = talk.resource("Static", "imported");
    fixed.id = base.to_owned();
    fixed.import();
    fixed.id = "never".to_owned();
    fixed.import();
    let mut offset = talk.resource("Offset", "imported");
    offset.id = format!("{base},,,7,,,");
    offset.import();
}
