//! Time limits.

use std::time::Duration;

use crate::dial::CONNECT_BUDGET;

/// Time limits where the caller sets no deadline. Create, update, delete and read have no entry: only the user limits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// From the start of a process to its port line. Pulumi waits forever here.
    pub start: Duration,
    /// Connecting and the first call, together; Pulumi's budget.
    pub connect: Duration,
    /// The plugin's following calls, until it is ready for use.
    pub handshake: Duration,
    /// A schema.
    pub schema: Duration,
    /// Checking inputs, and checking and comparing configurations.
    pub check: Duration,
    /// Planning a change.
    pub plan: Duration,
    /// Configuring, which often logs in somewhere.
    pub configure: Duration,
    /// The answer to Cancel when a plugin is ended.
    pub cancel: Duration,
    /// From SIGINT to SIGKILL.
    pub grace: Duration,
    /// The answers to Cancel when the user interrupts, all together.
    pub cancel_all: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            connect: CONNECT_BUDGET,
            handshake: Duration::from_secs(30),
            schema: Duration::from_secs(120),
            check: Duration::from_secs(300),
            plan: Duration::from_secs(600),
            configure: Duration::from_secs(300),
            cancel: Duration::from_secs(5),
            grace: Duration::from_secs(5),
            cancel_all: Duration::from_secs(30),
        }
    }
}
