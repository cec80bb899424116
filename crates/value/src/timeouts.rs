//! Timeouts of a resource's operations.

/// The user's timeouts in seconds; 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CustomTimeouts {
    /// For creating.
    pub create: f64,
    /// For updating.
    pub update: f64,
    /// For deleting.
    pub delete: f64,
    /// For reading.
    pub read: f64,
}
