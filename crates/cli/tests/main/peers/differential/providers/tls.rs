use serde_json::{Value, json};

use super::Listed;
use crate::peers::differential::introduction;
use crate::peers::differential::talk::{Talk, UNKNOWN, plain};

pub(super) const SCENARIOS: &[Listed] = &[
    ("tls", "introduction", |talk| introduction(talk, json!({}))),
    ("tls", "configuration", configuration),
    ("tls", "lives", lives),
    ("tls", "certificates", certificates),
];

fn configuration(talk: &mut Talk) {
    talk.parameterize();
    let urn = talk.provider_urn();
    for news in [
        json!({"proxies": [{"url": "http://127.0.0.1:9"}]}),
        json!({"proxies": "[{\"url\":\"http://127.0.0.1:9\",\"username\":\"a\"}]"}),
        json!({"proxies": "not JSON"}),
        json!({"proxies": [{"url": "http://127.0.0.1:9", "fromEnv": true}]}),
        json!({"proxies": [{"nothing": 1}]}),
        json!({"proxies": ""}),
        json!({"proxies": UNKNOWN}),
        json!({"proxies": [{"url": UNKNOWN}]}),
        json!({"proxy": []}),
    ] {
        talk.call("CheckConfig", json!({"urn": urn, "news": news}));
    }
    let (old, new) = (
        json!({"proxies": "[{\"url\":\"http://127.0.0.1:9\"}]"}),
        json!({"proxies": "[{\"url\":\"http://127.0.0.1:8\"}]"}),
    );
    talk.call("DiffConfig", json!({"urn": urn, "olds": old, "news": new, "oldInputs": old}));
    talk.call("DiffConfig", json!({"urn": urn, "olds": old, "news": {}, "oldInputs": old}));
    talk.configure(old);
    talk.method("terraformConfig", json!({"__self__": "a"}));
    talk.method("nothing", json!({"__self__": "a"}));
}

fn lives(talk: &mut Talk) {
    talk.begin(json!({}));
    talk.life(
        "PrivateKey",
        "ed",
        &[
            json!({"algorithm": "ED25519"}),
            json!({"algorithm": "ECDSA", "ecdsaCurve": "P256"}),
            json!({"algorithm": "ECDSA"}),
        ],
    );
    for inputs in
        [json!({"algorithm": "NONE"}), json!({"algorithm": UNKNOWN}), json!({"algorithm": "RSA", "rsaBits": UNKNOWN})]
    {
        let mut key = talk.resource("PrivateKey", "mistaken");
        key.check(inputs.clone());
        key.inputs = inputs;
        key.preview();
    }
}

fn key(talk: &mut Talk) -> Value {
    let mut key = talk.resource("PrivateKey", "key");
    key.check(json!({"algorithm": "ECDSA", "ecdsaCurve": "P256"}));
    key.create();
    plain(&key.state)["privateKeyPem"].clone()
}

fn certificates(talk: &mut Talk) {
    talk.begin(json!({}));
    let pem = key(talk);
    talk.invoke("getPublicKey", json!({"privateKeyPem": pem}));
    talk.invoke("getPublicKey", json!({"privateKeyPem": "none"}));
    talk.invoke("getPublicKey", json!({}));
    let request = json!({"privateKeyPem": pem, "subjects": [{"commonName": "a.example", "streetAddresses": ["1 Street"]}], "dnsNames": ["a.example"]});
    talk.life(
        "CertRequest",
        "request",
        &[
            request.clone(),
            json!({"privateKeyPem": pem, "dnsNames": ["b.example", "c.example"], "ipAddresses": ["127.0.0.1"]}),
        ],
    );
    let authority = json!({
        "privateKeyPem": pem, "validityPeriodHours": 24, "isCaCertificate": true,
        "allowedUses": ["cert_signing", "digital_signature"], "subjects": [{"commonName": "authority"}],
    });
    let mut later = authority.clone();
    later["earlyRenewalHours"] = json!(2);
    talk.life("SelfSignedCert", "authority", &[authority.clone(), later]);
    let mut signer = talk.resource("SelfSignedCert", "signer");
    signer.check(authority);
    signer.create();
    let certificate = plain(&signer.state)["certPem"].clone();
    let mut wanted = talk.resource("CertRequest", "wanted");
    wanted.check(request);
    wanted.create();
    let wanted = plain(&wanted.state)["certRequestPem"].clone();
    let signed = json!({
        "certRequestPem": wanted, "caPrivateKeyPem": pem, "caCertPem": certificate,
        "validityPeriodHours": 12, "allowedUses": ["server_auth"],
    });
    let mut longer = signed.clone();
    longer["validityPeriodHours"] = json!(13);
    talk.life("LocallySignedCert", "signed", &[signed, longer]);
    talk.invoke("getCertificate", json!({"content": certificate}));
    let mut unknown = talk.resource("SelfSignedCert", "unknown");
    unknown.check(json!({"privateKeyPem": UNKNOWN, "validityPeriodHours": 1, "allowedUses": [UNKNOWN, "any"], "subjects": [{"commonName": UNKNOWN}]}));
    unknown.preview();
    unknown.check(json!({"privateKeyPem": "none", "validityPeriodHours": 1, "allowedUses": ["flying"], "subjects": [{"commonName": "a"}, {"commonName": "b"}]}));
}
