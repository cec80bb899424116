//! Functions.

use outrigger_provider::{CallContext, CallError, Invoke, Invoked};

use crate::connection::Connection;
use crate::encoding::{Decoding, Unknowns, decode};
use crate::features::Features;
use crate::generated::pulumirpc::InvokeRequest;
use crate::plugin::failures;
use crate::secrecy;

/// Calls a function. Unknown arguments are left out; a plugin that does not support secrets gets bare arguments, and then its whole answer is
/// secret if one of them was.
pub(crate) async fn invoke(
    connection: &Connection,
    features: Features,
    cx: &CallContext,
    request: Invoke,
) -> Result<Invoked, CallError> {
    const CALL: &str = "Invoke";
    let conceal = !features.secrets && secrecy::has_secrets(&request.arguments);
    let args = connection
        .encode(request.arguments, features.encoding(false))
        .map_err(|error| connection.unsendable(CALL, &error))?;
    let message = InvokeRequest { tok: request.token, args: Some(args), preview: request.preview };
    let answer = connection.call(cx, CALL, connection.client().invoke(message)).await?;
    let how = Decoding { unknowns: Unknowns::Reject, outputs: false };
    let mut result =
        decode(answer.r#return.unwrap_or_default(), how).map_err(|error| connection.garbage(CALL, &error))?;
    if conceal {
        secrecy::conceal_all(&mut result);
    }
    Ok(Invoked { result, failures: failures(answer.failures) })
}
