//! The journal as the engine sees it, with the oracle behind it: every record that becomes durable is checked at once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use outrigger_diagnostic::Diagnostic;
use outrigger_state::{Journal, Record};

use super::fault::Fault;
use super::world::{Inner, World};

/// A journal that makes many records durable at once, in call order.
pub(crate) struct Ledger {
    world: Arc<World>,
    store: Arc<dyn Journal>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(u64, Record)>,
    /// Every caller gets the answer to its own record, whichever caller had it written.
    answers: BTreeMap<u64, Result<(), Diagnostic>>,
    next: u64,
}

impl Queue {
    /// The parts of a record share one answer: if one is refused, all are.
    fn answered(&mut self, number: u64, answer: Result<(), Diagnostic>) {
        let known = self.answers.remove(&number).unwrap_or(Ok(()));
        self.answers.insert(number, known.and(answer));
    }
}

impl Ledger {
    pub(crate) fn new(world: Arc<World>, store: Arc<dyn Journal>) -> Arc<Self> {
        Arc::new(Self { world, store, queue: Mutex::default() })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes every queued record durable.
    async fn flush(&self) {
        loop {
            let next = self.queue().waiting.pop_front();
            let Some((number, record)) = next else { return };
            // After the power has failed, only the first interrupted record may be on the disk.
            self.world.lock().in_flight.get_or_insert_with(|| record.clone());
            let answer = self.store.append(record.clone()).await;
            match &answer {
                Ok(()) => self.world.lock().written(&record),
                Err(diagnostic) if diagnostic.code != "state-io" => {
                    let mut world = self.world.lock();
                    world.in_flight = None;
                    world.refused.push(Record { begin: Vec::new(), ..record });
                }
                Err(_) => {}
            }
            self.queue().answered(number, answer);
            if self.world.fault == Some(Fault::Torn) {
                self.world.schedule.pause().await;
            }
        }
    }

    /// The parts in which a record is really written.
    fn parts(&self, mut record: Record) -> Vec<Record> {
        match self.world.fault {
            Some(Fault::LostEnd) => record.end.clear(),
            Some(Fault::LostBegin) => record.begin.clear(),
            Some(Fault::LostEntry) if record.put.len() > 1 => drop(record.put.remove(0)),
            Some(Fault::Torn) => {
                let end = std::mem::take(&mut record.end);
                return vec![Record { end, ..Record::default() }, record];
            }
            _ => {}
        }
        vec![record]
    }
}

#[async_trait]
impl Journal for Ledger {
    async fn append(&self, record: Record) -> Result<(), Diagnostic> {
        if self.world.lock().preview {
            self.world.lock().violated("preview", "a record was written");
        }
        let parts = self.parts(record);
        let number = {
            let mut queue = self.queue();
            queue.next += 1;
            let number = queue.next;
            queue.waiting.extend(parts.into_iter().map(|part| (number, part)));
            number
        };
        if self.world.fault == Some(Fault::EarlyAnswer) && self.world.percent(50) {
            return Ok(());
        }
        self.world.schedule.pauses(2).await;
        self.flush().await;
        let answer = self.queue().answers.remove(&number).unwrap_or(Ok(()));
        answer?;
        self.world.schedule.pauses(1).await;
        Ok(())
    }
}

impl Inner {
    fn written(&mut self, record: &Record) {
        self.in_flight = None;
        self.durable(record);
    }

    /// Handles a durable record: the state that it leaves must be valid, since a checkpoint may be written now.
    pub(crate) fn durable(&mut self, record: &Record) {
        let before = |key| self.shadow.entries.get(key);
        let mut released = Vec::new();
        for old in record.remove.iter().filter_map(before) {
            released.extend(old.id.clone().filter(|_| old.retain_on_delete));
        }
        for (key, new) in &record.put {
            let Some(old) = before(key) else { continue };
            if old.id != new.id || new.pending_replacement {
                released.extend(old.id.clone().filter(|_| old.retain_on_delete));
            }
        }
        self.cloud.released.extend(released);
        self.records.push(record.clone());
        self.shadow.apply(record);
        let ends: Vec<u64> = record.end.iter().map(|id| id.0).collect();
        let begins: Vec<u64> = record.begin.iter().map(|(id, _)| id.0).collect();
        let removes: Vec<u64> = record.remove.iter().map(|key| key.0).collect();
        let puts: Vec<String> = record
            .put
            .iter()
            .map(|(key, new)| {
                let marks = [("delete", new.delete), ("pending", new.pending_replacement)];
                let marks: Vec<&str> = marks.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
                format!("{}={} {} {}", key.0, new.urn, new.id.as_deref().unwrap_or("-"), marks.join(" "))
            })
            .collect();
        self.note(format!("  durable: end {ends:?} remove {removes:?} put {puts:?} begin {begins:?}"));
        if let Err(rule) = self.shadow.ordered() {
            self.violated("integrity", rule);
        }
    }
}
