//! A provider of realistic size: 2021's for AWS, on the old SDK, with a cloud on this machine for a few of its resources.

use serde_json::{Value, json};

use super::Listed;
use crate::peers::differential::talk::{Talk, UNKNOWN};

pub(super) const SCENARIOS: &[Listed] =
    &[("aws", "schema", schema), ("aws", "previews", previews), ("aws", "lives", lives)];

/// A provider that contacts only these endpoints.
fn config(endpoints: Value) -> Value {
    json!({
        "region": "us-east-1", "accessKey": "a", "secretKey": "b", "skipCredentialsValidation": true, "skipMetadataApiCheck": true,
        "skipRequestingAccountId": true, "skipGetEc2Platforms": true, "s3ForcePathStyle": true,
        "endpoints": [endpoints], "defaultTags": {"tags": {"a": "b"}},
    })
}

fn schema(talk: &mut Talk) {
    talk.parameterize();
    talk.call("GetSchema", json!({}));
    talk.call("GetMapping", json!({"key": "terraform"}));
}

fn previews(talk: &mut Talk) {
    talk.begin(config(json!({"s3": "http://127.0.0.1:9", "sqs": "http://127.0.0.1:9"})));
    for (kind, inputs) in [
        ("S3Bucket", json!({})),
        ("S3Bucket", json!({"bucketPrefix": "p", "versioning": {"enabled": true}, "tags": {"k": "v"}})),
        (
            "S3Bucket",
            json!({
                "bucket": "b", "acl": "private", "forceDestroy": true,
                "corsRules": [{"allowedMethods": ["GET"], "allowedOrigins": ["*"], "maxAgeSeconds": 3000}],
                "lifecycleRules": [{"enabled": true, "expiration": {"days": 90}, "transitions": [{"days": 30, "storageClass": "GLACIER"}]}],
                "grants": [{"type": "Group", "permissions": ["READ"], "uri": "u"}],
                "serverSideEncryptionConfiguration": {"rule": {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}},
            }),
        ),
        ("SqsQueue", json!({"name": "q", "fifoQueue": false, "delaySeconds": 5, "policy": UNKNOWN})),
        ("SqsQueue", json!({"namePrefix": "q", "visibilityTimeoutSeconds": "30"})),
        (
            "SecurityGroup",
            json!({
                "ingresses": [{"fromPort": 1, "toPort": 2, "protocol": "tcp", "cidrBlocks": ["10.0.0.0/8"]}],
                "egresses": [{"fromPort": 0, "toPort": 0, "protocol": "-1", "securityGroups": [UNKNOWN]}], "vpcId": UNKNOWN,
            }),
        ),
        (
            "Instance",
            json!({"ami": "a", "instanceType": "t3.micro", "rootBlockDevice": {"volumeSize": 8}, "ebsBlockDevices": [{"deviceName": "d"}], "userData": "u"}),
        ),
        (
            "Instance",
            json!({"ami": UNKNOWN, "instanceType": UNKNOWN, "metadataOptions": {"httpTokens": "required"}, "subnetId": UNKNOWN}),
        ),
        (
            "IamRole",
            json!({"assumeRolePolicy": "{\"Version\":\"2012-10-17\",\"Statement\":[]}", "inlinePolicies": [{"name": "p", "policy": "{}"}]}),
        ),
        ("IamRole", json!({"assumeRolePolicy": "not JSON"})),
        (
            "DynamodbTable",
            json!({"hashKey": "h", "attributes": [{"name": "h", "type": "S"}], "billingMode": "PAY_PER_REQUEST", "ttl": {"attributeName": "t"}}),
        ),
        ("SsmParameter", json!({"type": "SecureString", "value": "v"})),
        ("SsmParameter", json!({"type": "Nothing"})),
    ] {
        let mut resource = talk.resource(kind, "tried");
        resource.check(inputs);
        resource.preview();
    }
}

fn policy(action: &str) -> String {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]}).to_string()
}

fn trust(service: &str) -> String {
    let principal = json!({"Service": service});
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}]})
        .to_string()
}

fn lives(talk: &mut Talk) {
    let cloud = talk.cloud();
    talk.begin(config(json!({"s3": cloud, "iam": cloud, "ssm": cloud, "cloudwatchlogs": cloud, "sts": cloud})));
    talk.invoke("getCallerIdentity", json!({}));
    talk.life(
        "SsmParameter",
        "limit",
        &[
            json!({"name": "/shop/limit", "type": "SecureString", "value": "one"}),
            json!({"name": "/shop/limit", "type": "SecureString", "value": "two", "description": "d", "tags": {"k": "v"}}),
            json!({"name": "/shop/other", "type": "String", "value": "three"}),
        ],
    );
    talk.life(
        "S3Bucket",
        "files",
        &[
            json!({"bucket": "shop-files", "acl": "private", "versioning": {"enabled": true}, "tags": {"stage": "one"}}),
            json!({
                "bucket": "shop-files", "acl": "private", "versioning": {"enabled": false}, "tags": {"stage": "two"},
                "lifecycleRules": [{"id": "old", "enabled": true, "expiration": {"days": 90}}],
                "serverSideEncryptionConfiguration": {"rule": {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}},
            }),
            json!({"bucket": "other-files", "forceDestroy": true}),
        ],
    );
    talk.life(
        "CloudwatchLogGroup",
        "logs",
        &[json!({"name": "/shop/web", "retentionInDays": 7}), json!({"name": "/shop/web", "tags": {"k": "v"}})],
    );
    talk.life(
        "IamPolicy",
        "general",
        &[
            json!({"name": "general", "policy": policy("s3:ListBucket")}),
            json!({"name": "general", "policy": policy("s3:*")}),
        ],
    );
    role(talk);
    for (kind, id) in [("SsmParameter", "/no/such"), ("S3Bucket", "no-such"), ("IamRole", "nobody")] {
        let mut nothing = talk.resource(kind, "nothing");
        nothing.id = id.to_owned();
        nothing.import();
    }
    talk.invoke("getSsmParameter", json!({"name": "/no/such"}));
}

/// A role, and its policy, which lives while the role does.
fn role(talk: &mut Talk) {
    let inputs = json!({"name": "worker", "description": "one", "assumeRolePolicy": trust("ec2.amazonaws.com")});
    let mut role = talk.resource("IamRole", "worker");
    role.check(inputs);
    role.preview();
    role.create();
    role.diff_same();
    role.refresh();
    role.import();
    role.change(json!({"name": "worker", "description": "two", "assumeRolePolicy": trust("lambda.amazonaws.com"), "tags": {"k": "v"}}));
    let (id, state, inputs) = (role.id.clone(), role.state.clone(), role.inputs.clone());
    talk.life(
        "IamRolePolicy",
        "reads",
        &[
            json!({"name": "reads", "role": "worker", "policy": policy("s3:GetObject")}),
            json!({"name": "reads", "role": "worker", "policy": policy("s3:PutObject")}),
            json!({"name": "writes", "role": "worker", "policy": policy("s3:PutObject")}),
        ],
    );
    talk.invoke("getIamRole", json!({"name": "worker"}));
    let mut role = talk.resource("IamRole", "worker");
    (role.id, role.state, role.inputs) = (id, state, inputs);
    role.delete();
    // It is gone.
    role.refresh();
}
