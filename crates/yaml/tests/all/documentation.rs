//! The examples of `docs/pulumi-yaml.md` do what the page says.

use outrigger_value::Value;

use crate::stand_in::{Done, run};

const PAGE: &str = include_str!("../../../../docs/pulumi-yaml.md");

/// The example that contains a text.
fn example(holding: &str) -> Done {
    let examples: Vec<&str> = PAGE.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let found = examples.iter().find(|example| example.contains(holding)).expect("an example with that");
    let done = run(found);
    assert_eq!((done.reports(), done.result), (Vec::new(), Ok(())), "{found}");
    done
}

#[test]
fn aliases() {
    let done = example("&common");
    let object = |size: f64| {
        let entries = [("size".to_owned(), size.into()), ("tags".to_owned(), Value::List(vec!["a".into()]))];
        Some(Value::Map(entries.into()))
    };
    assert_eq!(done.output("same"), object(1.0).as_ref());
    assert_eq!(done.output("larger"), object(2.0).as_ref());
}

#[test]
fn numbers_in_text() {
    let done = example("million");
    assert_eq!(done.output("number"), Some(&Value::Number(1e6)));
    assert_eq!(done.output("text"), Some(&Value::from("1e+06 and ${million}")));
}

#[test]
fn no_example_is_left_out() {
    assert_eq!(PAGE.matches("```yaml\n").count(), 2);
}
