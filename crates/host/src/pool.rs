//! The running plugins, and which of them are free. Starting and ending them is the host's task.

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use outrigger_diagnostic::Diagnostic;
use outrigger_provider::{Configure, PluginDescriptor};

use crate::ProjectOptions;
use crate::running::Running;

/// A start that several callers may wait for.
pub(crate) type Start = Shared<BoxFuture<'static, Result<Arc<Running>, Diagnostic>>>;

/// A plugin, and the project that it works for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wanted {
    pub(crate) project: Arc<ProjectOptions>,
    pub(crate) descriptor: PluginDescriptor,
}

/// Identifies a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotId(u64);

/// One plugin that is running or starting.
struct Slot {
    id: SlotId,
    leased: bool,
    /// Still running, but not leased again.
    retired: bool,
    start: Start,
}

/// Which free plugins are acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Any, but preferably one that was never configured, so that configured ones stay for the requests that they fit.
    Any,
    /// One that was never configured.
    Unconfigured,
}

/// All plugins of a host.
#[derive(Default)]
pub(crate) struct Pool {
    slots: HashMap<Wanted, Vec<Slot>>,
    count: u64,
}

impl Pool {
    /// Leases a free plugin, if any.
    pub(crate) fn lease_free(&mut self, wanted: &Wanted, want: Want) -> Option<(SlotId, Start)> {
        let slots = self.slots.get_mut(wanted)?;
        let fresh = slots.iter().position(|slot| slot.is_free() && !slot.is_configured());
        let any = || slots.iter().position(Slot::is_free).filter(|_| want == Want::Any);
        let index = fresh.or_else(any)?;
        slots.get_mut(index).map(Slot::lease)
    }

    /// Leases the free plugin that was configured with this request.
    pub(crate) fn lease_configured(&mut self, wanted: &Wanted, request: &Configure) -> Option<(SlotId, Arc<Running>)> {
        let slots = self.slots.get_mut(wanted)?;
        slots.iter_mut().filter(|slot| slot.is_free()).find_map(|slot| {
            let running =
                slot.running().filter(|running| running.is_alive() && running.configured_with(request).is_some())?;
            slot.leased = true;
            Some((slot.id, running))
        })
    }

    /// Any plugin that is running or starting, for a call that needs no lease.
    pub(crate) fn any(&self, wanted: &Wanted) -> Option<(SlotId, Start)> {
        let slots = self.slots.get(wanted)?;
        let usable = |slot: &&Slot| match slot.start.peek() {
            Some(Ok(running)) => running.is_alive() && !slot.retired,
            Some(Err(_)) => false,
            None => true,
        };
        slots.iter().find(usable).map(|slot| (slot.id, slot.start.clone()))
    }

    /// Adds a plugin that is starting.
    pub(crate) fn add(
        &mut self,
        wanted: &Wanted,
        leased: bool,
        start: BoxFuture<'static, Result<Arc<Running>, Diagnostic>>,
    ) -> (SlotId, Start) {
        self.count += 1;
        let slot = Slot { id: SlotId(self.count), leased, retired: false, start: start.shared() };
        let answer = (slot.id, slot.start.clone());
        self.slots.entry(wanted.clone()).or_default().push(slot);
        answer
    }

    /// Makes a leased plugin free again.
    pub(crate) fn free(&mut self, wanted: &Wanted, id: SlotId) {
        let slot = self.slots.get_mut(wanted).and_then(|slots| slots.iter_mut().find(|slot| slot.id == id));
        if let Some(slot) = slot {
            slot.leased = false;
        }
    }

    /// Keeps a plugin from being leased again. It stays in the pool, so that it is ended with the others.
    pub(crate) fn retire(&mut self, wanted: &Wanted, id: SlotId) {
        let slot = self.slots.get_mut(wanted).and_then(|slots| slots.iter_mut().find(|slot| slot.id == id));
        if let Some(slot) = slot {
            slot.retired = true;
        }
    }

    /// Removes a plugin whose start failed or that has ended.
    pub(crate) fn remove(&mut self, wanted: &Wanted, id: SlotId) {
        if let Some(slots) = self.slots.get_mut(wanted) {
            slots.retain(|slot| slot.id != id);
        }
    }

    /// All running plugins, leased or not.
    pub(crate) fn running(&self) -> Vec<Arc<Running>> {
        self.slots.values().flatten().filter_map(Slot::running).collect()
    }

    /// Removes everything.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }
}

impl Slot {
    fn lease(&mut self) -> (SlotId, Start) {
        self.leased = true;
        (self.id, self.start.clone())
    }

    fn is_free(&self) -> bool {
        !self.leased && !self.retired
    }

    fn running(&self) -> Option<Arc<Running>> {
        self.start.peek().and_then(|outcome| outcome.as_ref().ok()).map(Arc::clone)
    }

    fn is_configured(&self) -> bool {
        self.running().is_some_and(|running| running.is_configured())
    }
}
