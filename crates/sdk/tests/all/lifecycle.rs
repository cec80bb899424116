//! A resource's life, in process and over a socket.

use outrigger_sdk::testing::{Harness, Message};
use outrigger_sdk::{PropertyMap, Value};

use crate::toys::{Count, Robot, World, owner, package, properties};

/// The same package, called both ways.
async fn both_ways(world: &World) -> [Harness; 2] {
    [Harness::new(package(world), owner()).await.unwrap(), Harness::over_socket(package(world), owner()).await.unwrap()]
}

fn robot(model: &str, arms: f64) -> PropertyMap {
    properties([("model", model.into()), ("arms", arms.into()), ("password", "sesame".into())])
}

#[tokio::test]
async fn a_whole_life() {
    let world = World::default();
    for harness in both_ways(&world).await {
        let mut made = harness.create::<Robot>("bob", robot("R2", 2.0)).await.unwrap();
        assert_eq!(made.state.id, "R2");
        assert_eq!(made.state.outputs["password"], Value::secret("sesame".into()));
        assert_eq!(made.outputs::<Robot>().unwrap().limbs, 4);
        let progress = Message { name: "bob".to_owned(), text: "screwing arms on".to_owned(), progress: true };
        assert_eq!(harness.messages(), [progress]);

        assert_eq!(format!("{:?}", harness.update(&mut made, robot("R2", 2.0)).await.unwrap()), "Same");
        assert_eq!(format!("{:?}", harness.update(&mut made, robot("R2", 4.0)).await.unwrap()), "Update");
        assert_eq!(made.outputs::<Robot>().unwrap().changes, 1);
        assert_eq!(world.lock().unwrap()["R2"], 4);

        // An arm was removed outside: the next plan adds it again.
        world.lock().unwrap().insert("R2".to_owned(), 3);
        assert!(harness.refresh(&mut made).await.unwrap());
        assert_eq!(made.state.inputs["password"], Value::secret("sesame".into()));
        assert_eq!(made.inputs::<Robot>().unwrap().arms, 3);
        assert_eq!(format!("{:?}", harness.update(&mut made, robot("R2", 4.0)).await.unwrap()), "Update");

        assert_eq!(format!("{:?}", harness.update(&mut made, robot("R3", 4.0)).await.unwrap()), "Replace");
        assert_eq!(world.lock().unwrap().keys().collect::<Vec<_>>(), ["R3"]);
        assert_eq!(harness.call(Count { arms: 1 }).await.unwrap().number, 1);

        let imported = harness.import::<Robot>("again", "R3").await.unwrap();
        assert_eq!(imported.outputs::<Robot>().unwrap().arms, 4);
        let missing = harness.import::<Robot>("again", "R9").await.unwrap_err();
        assert!(missing.to_string().contains("there is no toys:index:Robot with id `R9`"), "{missing}");

        harness.delete(made.clone()).await.unwrap();
        assert!(!harness.refresh(&mut made).await.unwrap());
        assert!(world.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_exists_after_a_failure_is_kept() {
    for harness in both_ways(&World::default()).await {
        let made = harness.create::<Robot>("bob", robot("clumsy", 2.0)).await.unwrap();
        assert_eq!((made.state.id.as_str(), made.reasons), ("clumsy", vec!["an arm fell off".to_owned()]));
        assert_eq!(made.state.outputs["password"], Value::secret("sesame".into()));
        let mut made = harness.create::<Robot>("bob", robot("R2", 2.0)).await.unwrap();
        harness.update(&mut made, robot("R2", 7.0)).await.unwrap();
        assert_eq!(made.reasons, ["seven is hard"]);
        // The inputs that did not come into effect are not kept.
        assert_eq!(made.inputs::<Robot>().unwrap().arms, 2);
        harness.delete(made).await.unwrap();
    }
}

#[tokio::test]
async fn a_user_may_stop_it() {
    for harness in both_ways(&World::default()).await {
        let stopping = async {
            while harness.messages().is_empty() {
                tokio::task::yield_now().await;
            }
            harness.cancel().await
        };
        let (made, stopped) = tokio::join!(harness.create::<Robot>("bob", robot("patient", 2.0)), stopping);
        stopped.unwrap();
        let error = made.unwrap_err().to_string();
        assert!(error.contains("cancel"), "{error}");
    }
}

#[tokio::test]
async fn what_an_older_version_stored_is_understood() {
    for harness in both_ways(&World::default()).await {
        let mut made = harness.create::<Robot>("bob", robot("R2", 2.0)).await.unwrap();
        for properties in [&mut made.state.inputs, &mut made.state.outputs] {
            let arms = properties.remove("arms").unwrap();
            properties.insert("hands".to_owned(), arms);
        }
        assert_eq!(format!("{:?}", harness.update(&mut made, robot("R2", 2.0)).await.unwrap()), "Same");
        harness.delete(made).await.unwrap();
    }
}
