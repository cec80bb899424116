//! A provider of the size that people use: 2021's for AWS, on the old SDK. There is no cloud here, so nothing is made.

use serde_json::json;

use super::Listed;
use crate::differential::talk::{Talk, UNKNOWN};

pub(super) const SCENARIOS: &[Listed] = &[("aws", "schema", schema), ("aws", "previews", previews)];

fn schema(talk: &mut Talk) {
    talk.parameterize();
    talk.call("GetSchema", json!({}));
    talk.call("GetMapping", json!({"key": "terraform"}));
}

fn previews(talk: &mut Talk) {
    let config = json!({
        "region": "us-east-1", "accessKey": "a", "secretKey": "b", "skipCredentialsValidation": true, "skipMetadataApiCheck": true,
        "skipRequestingAccountId": true, "skipGetEc2Platforms": true, "s3ForcePathStyle": true,
        "endpoints": [{"s3": "http://127.0.0.1:9", "sqs": "http://127.0.0.1:9"}],
        "defaultTags": {"tags": {"a": "b"}},
    });
    talk.begin(config);
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
