//! A function.

use std::future::Future;

use crate::{Context, Inputs, Outputs, Result};

/// A function: the struct has its arguments, [`Function::Result`] its result. It changes nothing.
pub trait Function: Inputs {
    /// The result.
    type Result: Outputs;

    /// Its token: `PACKAGE:MODULE:NAME`, such as `kit:fs:readFile`.
    const TOKEN: &'static str;

    /// Calls it.
    fn call(self, cx: &Context) -> impl Future<Output = Result<Self::Result>> + Send;
}
