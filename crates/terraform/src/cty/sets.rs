//! Sets are compared without regard to order.

use super::Value;

/// Up to this many elements every pair is compared; beyond it a canonical form of each element is made.
const FEW: usize = 8;

/// Whether both hold the same elements, however often and in whatever order.
pub fn same_set(left: &[Value], right: &[Value]) -> bool {
    if left.len() <= FEW && right.len() <= FEW {
        return left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item));
    }
    canonical(left) == canonical(right)
}

/// The elements' canonical forms, sorted and each once.
fn canonical(items: &[Value]) -> Vec<Vec<u8>> {
    let mut forms: Vec<Vec<u8>> = items
        .iter()
        .map(|item| {
            let mut form = Vec::new();
            write(item, &mut form);
            form
        })
        .collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Equal values have equal forms and different ones different forms; nobody else reads it.
fn write(value: &Value, into: &mut Vec<u8>) {
    let mut text = |tag: u8, text: &str| {
        into.push(tag);
        into.extend_from_slice(&(text.len() as u64).to_be_bytes());
        into.extend_from_slice(text.as_bytes());
    };
    match value {
        Value::Null => into.push(0),
        Value::Unknown(_) => into.push(1),
        Value::Bool(value) => into.extend_from_slice(&[2, u8::from(*value)]),
        Value::Number(number) => text(3, &number.canonical()),
        Value::String(string) => text(4, string),
        Value::List(items) => {
            into.push(5);
            into.extend_from_slice(&(items.len() as u64).to_be_bytes());
            items.iter().for_each(|item| write(item, into));
        }
        Value::Set(items) => {
            let forms = canonical(items);
            into.push(6);
            into.extend_from_slice(&(forms.len() as u64).to_be_bytes());
            for form in forms {
                into.extend_from_slice(&(form.len() as u64).to_be_bytes());
                into.extend_from_slice(&form);
            }
        }
        Value::Map(items) => {
            into.push(7);
            into.extend_from_slice(&(items.len() as u64).to_be_bytes());
            for (name, item) in items {
                into.extend_from_slice(&(name.len() as u64).to_be_bytes());
                into.extend_from_slice(name.as_bytes());
                write(item, into);
            }
        }
        Value::Dynamic(inner) => {
            text(8, &inner.0.to_json());
            write(&inner.1, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: impl IntoIterator<Item = String>) -> Vec<Value> {
        names.into_iter().map(Value::string).collect()
    }

    #[test]
    fn order_and_repetition_do_not_count_however_large_the_set() {
        for size in [1_usize, 5, 8, 9, 40] {
            let up = set((0..size).map(|n| n.to_string()));
            let mut down = set((0..size).rev().map(|n| n.to_string()));
            assert!(same_set(&up, &down), "{size}");
            down.push(Value::string("0"));
            assert!(same_set(&up, &down), "{size}");
            down.push(Value::string("other"));
            assert!(!same_set(&up, &down) && !same_set(&down, &up), "{size}");
        }
    }

    #[test]
    fn sets_of_sets() {
        let inner = |names: [&str; 2]| Value::Set(names.map(Value::string).to_vec());
        let many: Vec<Value> = (0..20).map(|n| inner([&n.to_string(), "x"])).collect();
        let other: Vec<Value> = (0..20).rev().map(|n| inner(["x", &n.to_string()])).collect();
        assert!(same_set(&many, &other));
    }
}
