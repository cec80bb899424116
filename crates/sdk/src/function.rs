//! A function.

use std::future::Future;

use crate::{Context, Inputs, Outputs, Result};

/// A function: the struct is what it takes, [`Function::Result`] what it answers. It changes nothing.
pub trait Function: Inputs {
    /// What it answers.
    type Result: Outputs;

    /// Its token: `PACKAGE:MODULE:NAME`, such as `kit:fs:readFile`.
    const TOKEN: &'static str;

    /// Calls it.
    fn call(self, cx: &Context) -> impl Future<Output = Result<Self::Result>> + Send;
}
