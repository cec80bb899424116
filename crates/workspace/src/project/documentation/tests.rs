use super::*;

const SCHEMA: &str = r##"{"name": "shop", "version": "1.2.0", "description": "A shop.", "publisher": "Us", "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
  "config": {"variables": {"region": {"type": "string", "description": "Where."}, "zone": {"type": "string"}}},
  "provider": {"inputProperties": {"region": {"type": "string"}, "zone": {"type": "string"}}, "requiredInputs": ["zone"]},
  "types": {
    "shop:index/Loop:Loop": {"type": "object", "properties": {"": {"type": "string"}, "again": {"$ref": "#/types/shop:index/Loop:Loop"}, "kind": {"$ref": "#/types/shop:index/Kind:Kind"}}},
    "shop:index/Kind:Kind": {"type": "string", "enum": [{"value": "a", "description": "First."}, {"value": "b"}]}},
  "resources": {
    "shop:index/item:Item": {"description": "An item. More.", "requiredInputs": ["size"],
      "inputProperties": {"loop": {"$ref": "#/types/shop:index/Loop:Loop"}, "size": {"type": "integer", "replaceOnChanges": true, "description": "How big."}},
      "properties": {"size": {"type": "integer"}, "key": {"type": "string", "secret": true}}, "methods": {"count": "shop:index/item:Item/count"}},
    "shop:a/thing:Thing": {}, "shop:b/thing:Thing": {}, "shop:b/:": {}},
  "functions": {"shop:index/item:Item/count": {"inputs": {"properties": {"__self__": {"$ref": "#/resources/shop:index%2Fitem:Item"}, "of": {"type": "string"}}}, "outputs": {"properties": {"n": {"type": "integer"}}}},
    "shop:b/getItem:getItem": {"returnType": {"type": "array", "items": {"type": "string"}}}}}"##;

fn documentation() -> Documentation {
    let package = Arc::new(Package::parse(SCHEMA.as_bytes().to_vec()).unwrap());
    let mapping = r#"{"resources": {"shop_item": {"tok": "shop:index/item:Item"}}, "dataSources": {"shop_item": {"tok": "shop:b/getItem:getItem"}}}"#;
    let names = Names::parse(mapping.as_bytes().to_vec());
    Documentation { package, names, plugin: used(&PluginDescriptor::named("shop", None), None), add: None }
}

/// The blocks as lines, for looking at them.
fn lines(blocks: &[Block]) -> Vec<String> {
    let row = |row: &PropertyRow| {
        format!("{}: {} ({}) {}", row.name, plain(&row.ty), plain(&row.marks), lines(&row.description).join(" "))
    };
    let line = |block: &Block| match block {
        Block::Heading { text, .. } => vec![format!("# {}", plain(text))],
        Block::Paragraph(text) | Block::Item { text, .. } => vec![plain(text)],
        Block::Code { text, .. } => text.lines().map(str::to_owned).collect(),
        Block::Properties(rows) => rows.iter().map(row).collect(),
        Block::Members(members) => members.iter().map(|member| format!("{} {}", member.name, member.summary)).collect(),
    };
    blocks.iter().flat_map(line).collect()
}

#[test]
fn a_name_is_found_in_every_form_that_has_one_meaning() {
    let documentation = documentation();
    for written in ["Item", "item", "shop:Item", "shop:index:Item", "shop:index/item:Item", "shop_item", "SHOP:ITEM"] {
        assert_eq!(
            documentation.find(written).unwrap(),
            Subject::Resource("shop:index/item:Item".to_owned()),
            "{written}"
        );
    }
    for written in ["getItem", "getitem", "data.shop_item", "shop:b:getItem", "b:getItem"] {
        assert_eq!(documentation.find(written).unwrap().token(), "shop:b/getItem:getItem", "{written}");
    }
    assert_eq!(documentation.find("loop").unwrap(), Subject::Type("shop:index/Loop:Loop".to_owned()));
    let unknown = documentation.find("Itm").unwrap_err();
    assert_eq!(
        (unknown.code, unknown.detail.unwrap().starts_with("The nearest names are: shop:Item, ")),
        ("package-info-type", true)
    );
    let ambiguous = documentation.find("thing").unwrap_err();
    assert_eq!(ambiguous.detail.as_deref(), Some("Among them are: shop:a:Thing, shop:b:Thing"));
    for nothing in ["", ":", "::", "shop:", "/"] {
        let _error_or_the_nameless_one = documentation.find(nothing);
    }
}

#[test]
fn the_overview_lists_members_by_module() {
    let shown = lines(&documentation().overview("built in").unwrap());
    let expected = [
        "# shop",
        "Version: 1.2.0",
        "Plugin: built in",
        "Publisher: Us",
        "A shop.",
        "# Configuration",
        "shop:zone: string (required) ",
        "shop:region: string () Where.",
        "# Resources",
        "shop:Item An item.",
        "# Resources of a",
        "shop:a:Thing ",
        "# Functions of b",
        "shop:b:getItem ",
    ];
    let mut rest = shown.iter();
    for line in expected {
        assert!(rest.any(|shown| shown == line), "`{line}` is missing or out of order in {shown:#?}");
    }
}

#[test]
fn a_page_has_everything_once() {
    let documentation = documentation();
    let shown = lines(&documentation.page(&Subject::Resource("shop:index/item:Item".to_owned())).unwrap());
    let expected = [
        "# shop:Item",
        "Resource shop:index/item:Item, in Terraform shop_item",
        "An item. More.",
        "# Example",
        "resources:",
        "  item:",
        "    type: shop:Item",
        "    properties:",
        "      size: 1",
        "# Arguments",
        "size: integer (required, replaces) How big.",
        "loop: Loop () ",
        "# Outputs",
        "key: string (secret) ",
        "id: string () ",
        "Arguments are outputs as well.",
        "# Methods",
        "# count",
        "# Arguments",
        "of: string () ",
        "# Results",
        "n: integer () ",
        "# Types",
        "# Loop",
        ": string () ",
        "again: Loop () ",
        "kind: Kind () ",
        "# Kind",
        "a: string () First.",
        "b: string () ",
    ];
    assert_eq!(shown, expected);
    let function = lines(&documentation.page(&documentation.find("getItem").unwrap()).unwrap());
    assert!(function.ends_with(&["# Results".to_owned(), "list of string".to_owned()]), "{function:#?}");
    for subject in documentation.subjects() {
        documentation.page(&subject).unwrap();
    }
}

#[test]
fn words_are_quoted_for_a_shell() {
    let words = |words: &[&str]| shell(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(words(&["a/b", "~> 3.6"]), "a/b '~> 3.6'");
    assert_eq!(words(&["a/b", "--include", "it's", ""]), "-- a/b --include 'it'\\''s' ''");
}
