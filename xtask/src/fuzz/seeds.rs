//! The seeds of each target: a few valid inputs, from which the fuzzer makes others.

use anyhow::Result;
use prost::encoding::{bytes, int64};

use super::Target;
use crate::programs;

/// The first inputs of a target.
pub(super) fn of(target: Target) -> Result<Vec<Vec<u8>>> {
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    Ok(match target {
        Target::Project | Target::Program | Target::Interpolation | Target::StackConfig => {
            programs::seeds()?.into_iter().map(String::into_bytes).collect()
        }
        Target::PluginLines => texts(PLUGIN_LINES),
        Target::CtyMsgpack => CTY_MSGPACK.iter().map(|(ty, value)| [ty.as_bytes(), b"\n", value].concat()).collect(),
        Target::CtyJson => texts(CTY_JSON),
        Target::TerraformSchema => vec![schema(10), schema(11)],
        Target::Delta => texts(DELTA),
        Target::CliConfig => texts(CLI_CONFIG),
        Target::Parameter => texts(PARAMETER),
    })
}

const PLUGIN_LINES: &[&str] = &[
    "1|5|unix|/tmp/plugin1234|grpc|",
    "1|6|tcp|127.0.0.1:1234|grpc|AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA|false",
    "{\"@caller\":\"a.go:1\",\"@level\":\"warn\",\"@message\":\"slow\",\"@module\":\"provider.x\",\"@timestamp\":\"t\",\"n\":3.5,\"a\":[1]}\n",
    "[ERROR] it failed\nplain\npanic: no\n\ngoroutine 1 [running]:\n\tmain.go:1\n[INFO] still here\n{\"@level\":\"trace\"}\n",
    r#"{"x.io/a/b":{"Protocol":"grpc","ProtocolVersion":6,"Pid":7,"Test":true,"Addr":{"Network":"unix","String":"/tmp/p"}}}"#,
];

/// Types and their values.
const CTY_MSGPACK: &[(&str, &[u8])] = &[
    (r#""string""#, b"\xa3abc"),
    (r#""number""#, b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a"),
    (r#""number""#, b"\xd9\x1e123456789012345678901234567890"),
    (r#"["list","bool"]"#, b"\x93\xc3\xc2\xc0"),
    (r#"["set","number"]"#, b"\x93\x01\xd1\xff\x00\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
    (r#"["map","string"]"#, b"\x82\xa1a\xa1b\xa1c\xd4\x00\x00"),
    (r#"["tuple",["string",["list","number"]]]"#, b"\x92\xa1a\x91\x07"),
    (r#"["object",{"a":"string","b":["set",["object",{"c":"number"}]]}]"#, b"\x82\xa1a\xa1x\xa1b\x91\x81\xa1c\x05"),
    (r#""dynamic""#, b"\x92\xc4\x11[\"list\",\"string\"]\x91\xa1a"),
    (r#""string""#, b"\xc7\x09\x0c\x82\x01\xc2\x02\xa4http"),
    (r#""number""#, b"\xc7\x07\x0c\x82\x03\x92\x01\xc3\x06\x09"),
];

const CTY_JSON: &[&str] = &[
    "\"string\"\n\"abc\"",
    "\"number\"\n0.1000000000000000055511151231257827021181583404541015625",
    "\"number\"\n\"1e30\"",
    "[\"list\",\"bool\"]\n[true,\"false\",null]",
    "[\"set\",\"number\"]\n[1,-2.5,18446744073709551616]",
    "[\"map\",\"string\"]\n{\"a\":\"b\",\"c\":5,\"d\":true}",
    "[\"tuple\",[\"string\",[\"list\",\"number\"]]]\n[\"a\",[7]]",
    "[\"object\",{\"a\":\"string\",\"b\":[\"set\",[\"object\",{\"c\":\"number\"}]]}]\n{\"a\":\"x\",\"b\":[{\"c\":5},{}]}",
    "\"dynamic\"\n{\"value\":[\"a\"],\"type\":[\"list\",\"string\"]}",
];

const DELTA: &[&str] = &[
    // States.
    r#"{"id":"a","flag":true,"number":[1,2.5,null],"tags":{"a":"b"},"any":{"value":"x","type":"string"},"pair":["a",1]}"#,
    r#"{"points":[{"x_y":1,"z":["a"]}],"site":{"a":{"port":80,"hosts":["h"]}},"one":[{"port":1,"hosts":[]}],"timeouts":{"create":"5m"}}"#,
    r#"{"rule":[{"port":1,"hosts":["a"],"deep":[{"port":2}]},{"deep":[]}],"one":[],"timeouts":null}"#,
    // Outputs.
    r#"{"flag":true,"numbers":[1,2],"tags":{"a":"b"},"one":{"port":1},"__meta":"{\"private_state\":\"eA==\",\"schema_version\":\"3\"}"}"#,
    r#"{"flag":true,"numbers":["1",2],"tags":{"a":{"$secret":"b"}},"one":{"port":1},"gone":1,"__pulumi_raw_state_delta":{"obj":{
      "renamed":{"numbers":"number"},"ignored":["gone"],"ps":{"id":{"replace":{"raw":"x"}},"numbers":{"arr":{"el":{"0":{"num":{}}}}},
      "tags":{"map":{}},"one":{"plu":{"i":{"obj":{}}}}}}}}"#,
];

const CLI_CONFIG: &[&str] = &[
    "plugin_cache_dir = \"$HOME/cache\" // kept\ncredentials \"x.io\" { token = \"t\" }\nsurprise = 1\nprovider_installation {\n  \
     dev_overrides {\n    \"hashicorp/random\" = \"/src/random\"\n  }\n  filesystem_mirror {\n    path = \"/mirror\"\n    \
     include = [\"x.io/*/*\"]\n    exclude = [\"x.io/a/b\"]\n  }\n  direct {}\n}\n",
    "provider_installation {\n  network_mirror { url = \"https://x.io/\" }\n  oci_mirror {\n    \
     repository_template = \"x.io/${namespace}/${type}\"\n    shape = \"odd\"\n  }\n}\n/* more */ plugin_cache_dir = <<-END\n /x\n END\n",
    r#"{"provider_installation": [{"filesystem_mirror": {"path": "/m\u00e4", "include": ["*/*/*"]}, "direct": {}}]}"#,
];

const PARAMETER: &[&str] = &[
    ">= 1.2, < 2.0.0, != 1.5.1",
    "~> 3.1.4-beta.1+build",
    "hashicorp/random",
    "x.io:8080/a/b",
    "hashicorp/random\n~> 3.6\n--include\nrandom_pet,random_id\n--provider-name=mine",
    "./bin/terraform-provider-x\n--exclude\na",
    r#"{"remote":{"url":"x.io/a/b","version":"1.2.3"},"includes":["a"],"excludes":["b"],"providerName":"c"}"#,
    r#"{"local":{"path":"./a\u0026b/terraform-provider-x"}}"#,
];

/// A provider's answer with a member of every kind. `write_only` is the number of that field, which differs between the protocols.
fn schema(write_only: u32) -> Vec<u8> {
    let described = |name: &str, ty: &str, flags: &[u32]| {
        let flags: Vec<Vec<u8>> = flags.iter().map(|flag| number(*flag, 1)).collect();
        [text(1, name), text(2, ty), text(3, "What `it_is`."), flags.concat()].concat()
    };
    let attribute = |name: &str, ty: &str, flags: &[u32]| field(2, &described(name, ty, flags));
    let block = |members: &[Vec<u8>]| [number(1, 2), field(2, &members.concat())].concat();
    let nested = |name: &str, nesting: i64, most: i64, members: &[Vec<u8>]| {
        field(3, &[text(1, name), field(2, &members.concat()), number(3, nesting), number(5, most)].concat())
    };
    let entry = |kind: u32, name: &str, value: &[u8]| field(kind, &[text(1, name), field(2, value)].concat());
    let port = attribute("port", "\"number\"", &[5, 7]);
    let members = [
        attribute("id", "\"string\"", &[5, 6]),
        attribute("name", "\"string\"", &[4, 9]),
        attribute("zone", "[\"set\",[\"object\",{\"a_b\":\"string\"}]]", &[5, write_only]),
        attribute("tags", "[\"map\",\"string\"]", &[6]),
        attribute("any", "\"dynamic\"", &[5]),
        nested("rule", 3, 1, &[port.clone(), nested("deep", 2, 0, std::slice::from_ref(&port))]),
        nested("timeouts", 1, 0, &[attribute("create", "\"string\"", &[5])]),
    ];
    // Attributes with attributes exist only in protocol 6.
    let inside = [field(1, &described("port", "\"number\"", &[5])), number(3, 4)].concat();
    let site = field(2, &[text(1, "site"), field(10, &inside), number(5, 1)].concat());
    let newer = if write_only == 11 { site } else { Vec::new() };
    let parameter = |name: &str| [text(1, name), text(2, "\"string\""), number(3, 1)].concat();
    let function = [
        field(1, &parameter("first")),
        field(2, &parameter("rest")),
        field(3, &text(1, "[\"list\",\"number\"]")),
        text(4, "It counts."),
    ];
    [
        field(1, &block(&[attribute("region", "\"string\"", &[5])])),
        entry(2, "test_thing", &block(&[members.concat(), newer])),
        entry(3, "test_thing", &block(&members)),
        field(4, &[number(1, 2), text(2, "a warning")].concat()),
        number(100, 1),
        field(6, &number(1, 1)),
        entry(7, "count_all", &function.concat()),
        entry(8, "test_key", &block(std::slice::from_ref(&port))),
        entry(9, "test_list", &block(std::slice::from_ref(&port))),
        entry(11, "test_act", &field(1, &block(&[port]))),
    ]
    .concat()
}

fn text(number: u32, text: &str) -> Vec<u8> {
    field(number, text.as_bytes())
}

/// A Protobuf field with bytes.
fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    bytes::encode(number, &content.to_vec(), &mut written);
    written
}

fn number(number: u32, value: i64) -> Vec<u8> {
    let mut written = Vec::new();
    int64::encode(number, &value, &mut written);
    written
}
