//! Spellings of one name: `cors_rule` in Terraform, `corsRule` as a property, `CorsRule` in a token or a type's name.

/// A Terraform name as a property: each letter after an underscore is a capital. Underscores at the beginning stay, and so does one
/// at the end; any number of them in the middle counts as one.
pub fn camel(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 1);
    let mut begun = false;
    let mut capital = false;
    for letter in name.chars() {
        if letter == '_' && begun {
            capital = true;
            continue;
        }
        begun |= letter != '_';
        result.push(if capital { letter.to_ascii_uppercase() } else { letter });
        capital = false;
    }
    // The loop drops an underscore that no letter follows.
    if name.ends_with('_') {
        result.push('_');
    }
    result
}

/// A property's name as a Terraform name, where no schema says which name it came from.
pub fn snake(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    for (at, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && at != 0 {
            result.push('_');
        }
        result.push(letter.to_ascii_lowercase());
    }
    result
}

/// A Terraform name as the last part of a token, which has neither underscores nor hyphens.
pub(crate) fn joined(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut capital = false;
    for letter in name.chars() {
        match letter {
            '_' | '-' => capital = true,
            _ if capital => {
                result.extend(letter.to_uppercase());
                capital = false;
            }
            _ => result.push(letter),
        }
    }
    result
}

/// The name with a capital first letter.
pub(crate) fn upper_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name with a small first letter.
pub(crate) fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A property's name as a part of a type's name: the first letter of each word is a capital, even after an underscore or a digit. Hyphens
/// separate words, underscores do not. Pulumi's bridge keeps the hyphens, and Pulumi then refuses the type.
pub(crate) fn title(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut begun = false;
    for letter in name.chars() {
        if letter == '-' {
            begun = false;
        } else if letter.is_alphabetic() && !begun {
            begun = true;
            result.extend(letter.to_uppercase());
        } else {
            result.push(letter);
        }
    }
    result
}

/// A function's name in Python's spelling. Several capitals in a row are one word, together with a digit or an `s` after them.
pub(crate) fn python(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut capitals = 0;
    for letter in name.chars() {
        if letter.is_uppercase() {
            if capitals == 0 && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            capitals += 1;
            word.extend(letter.to_lowercase());
            continue;
        }
        if capitals > 1 && !letter.is_ascii_digit() && letter != 's' {
            // The last of the capitals begins the next word.
            let last = word.pop();
            words.push(std::mem::take(&mut word));
            word.extend(last);
        }
        capitals = 0;
        word.push(letter);
    }
    words.push(word);
    words.join("_")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn underscores_become_capitals() {
        let names = [
            ("b64_std", "b64Std"),
            ("name", "name"),
            ("a__b", "aB"),
            ("_x_y", "_xY"),
            ("__x", "__x"),
            ("tail_", "tail_"),
            ("tail__", "tail_"),
            ("__", "___"),
            ("ipv6_2_cidr", "ipv62Cidr"),
            ("", ""),
        ];
        for (terraform, property) in names {
            assert_eq!(camel(terraform), property, "{terraform}");
        }
    }

    #[test]
    fn tokens_have_neither_underscores_nor_hyphens() {
        let names = [("_pet", "Pet"), ("s3_bucket", "s3Bucket"), ("a-b_c", "aBC"), ("a__b_", "aB"), ("3x", "3x")];
        for (terraform, name) in names {
            assert_eq!(joined(terraform), name, "{terraform}");
        }
    }

    /// The results of `cases.Title` of `golang.org/x/text`, without lowering, except for the hyphen.
    #[test]
    fn types_have_titles() {
        let names =
            [("_foo", "_Foo"), ("__fooBar", "__FooBar"), ("3x", "3X"), ("foo-bar", "FooBar"), ("_3foo", "_3Foo")];
        for (name, part) in names {
            assert_eq!(title(name), part, "{name}");
        }
    }

    #[test]
    fn python_separates_words() {
        let names = [
            ("getPublicKey", "get_public_key"),
            ("getAMIIds", "get_ami_ids"),
            ("getVPCs", "get_vpcs"),
            ("getIPv4", "get_i_pv4"),
            ("getS3Bucket", "get_s3_bucket"),
        ];
        for (name, python_name) in names {
            assert_eq!(python(name), python_name, "{name}");
        }
    }

    proptest! {
        #[test]
        fn ordinary_names_come_back(name in "[a-z][a-z0-9]{0,5}(_[a-z][a-z0-9]{0,5}){0,4}") {
            prop_assert_eq!(snake(&camel(&name)), name);
        }

        #[test]
        fn any_name_has_a_spelling(name in "\\PC{0,12}") {
            let _ = (camel(&name), snake(&name), joined(&name), title(&name), python(&name));
        }
    }
}
