//! The misdeeds and their moments.

use std::collections::BTreeMap;

/// The moment before and around the port line; every other moment is the name of a call.
pub(crate) const START: &str = "start";

/// Something that a plugin must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Ends the process with code 3 and a message.
    Exit,
    /// Ends the process by a signal.
    Segfault,
    /// Never answers; at the start, never prints a port.
    Hang,
    /// Starts a child in its own group.
    Child,
    /// Starts a child in a session of its own.
    Escape,
    /// The same, and the child holds standard output.
    EscapeWithOutput,
    /// Writes 100 MB to each of standard output and standard error, and continues.
    Flood,
    /// Writes the same without a line break.
    FloodUnbroken,
    /// Writes the same with every possible byte.
    FloodBinary,
    /// Takes 256 MB of memory, keeps the processor busy for a while, and continues.
    Gorge,
    /// Prints words instead of a port, or answers bytes that are not a message.
    Garbage,
    /// Prints a number that is not a port.
    PortInvalid,
    /// Prints a port that is closed.
    PortClosed,
    /// Prints a port that speaks HTTP/1.1.
    PortForeign,
    /// Prints a port that accepts connections but never answers.
    PortMute,
    /// Prints a second port after the right one.
    PortTwice,
    /// Prints a megabyte without a line break.
    LineEndless,
    /// Closes standard output after the port.
    CloseOutput,
    /// Ends after the port.
    PortThenExit,
    /// A child prints the port and serves; the parent ends.
    Daemonize,
    /// Does not end on SIGINT or SIGTERM.
    Deaf,
    /// Returns an error with the code for "unknown".
    Refuse,
    /// Returns the same error with a message of one megabyte.
    RefuseAtLength,
    /// Answers that the resource exists but is not ready, with 22 MB of properties in the trailers.
    PartialLarge,
    /// Answers compressed without being asked to.
    Compressed,
    /// Answers with a proxy's HTTP error.
    BadGateway,
    /// Answers with a page of HTML.
    Html,
    /// Answers a truncated message.
    Truncated,
    /// Answers half a message and then stalls.
    Stall,
    /// Answers one byte at a time.
    Trickle,
    /// Answers after half a second.
    Late,
    /// Answers the same twice.
    Twice,
    /// Answers without a message.
    NoMessage,
    /// Answers without a final status.
    NoStatus,
    /// Resets the call without an answer.
    Reset,
    /// Closes the connection and stays alive.
    Disconnect,
    /// Answers a message without any field.
    Empty,
    /// Answers 300 MB.
    Huge,
    /// Announces an answer one byte above the limit.
    TooLarge,
    /// Answers an object with an unknown signature.
    Unsigned,
    /// Answers a secret without a value.
    SecretWithoutValue,
    /// Answers objects nested 10,000 deep.
    Deep,
    /// Answers NaN.
    NotANumber,
    /// Answers an unknown value outside a preview.
    UnknownOutput,
    /// Answers without an id.
    NoId,
    /// Answers with a different id.
    OtherId,
    /// Answers enumerations with unknown numbers.
    UnknownEnum,
}

use Deed::*;

/// The names of deeds in a plan.
const DEEDS: [(&str, Deed); 47] = [
    ("exit", Exit),
    ("segfault", Segfault),
    ("hang", Hang),
    ("child", Child),
    ("escape", Escape),
    ("escape-with-output", EscapeWithOutput),
    ("flood", Flood),
    ("flood-unbroken", FloodUnbroken),
    ("flood-binary", FloodBinary),
    ("gorge", Gorge),
    ("garbage", Garbage),
    ("port-invalid", PortInvalid),
    ("port-closed", PortClosed),
    ("port-foreign", PortForeign),
    ("port-mute", PortMute),
    ("port-twice", PortTwice),
    ("line-endless", LineEndless),
    ("close-output", CloseOutput),
    ("port-then-exit", PortThenExit),
    ("daemonize", Daemonize),
    ("deaf", Deaf),
    ("refuse", Refuse),
    ("refuse-at-length", RefuseAtLength),
    ("partial-large", PartialLarge),
    ("compressed", Compressed),
    ("bad-gateway", BadGateway),
    ("html", Html),
    ("truncated", Truncated),
    ("stall", Stall),
    ("trickle", Trickle),
    ("late", Late),
    ("twice", Twice),
    ("no-message", NoMessage),
    ("no-status", NoStatus),
    ("reset", Reset),
    ("disconnect", Disconnect),
    ("empty", Empty),
    ("huge", Huge),
    ("too-large", TooLarge),
    ("unsigned", Unsigned),
    ("secret-without-value", SecretWithoutValue),
    ("deep", Deep),
    ("not-a-number", NotANumber),
    ("unknown-output", UnknownOutput),
    ("no-id", NoId),
    ("other-id", OtherId),
    ("unknown-enum", UnknownEnum),
];

/// The calls that can go wrong.
const CALLS: [&str; 16] = [
    "Handshake",
    "GetPluginInfo",
    "GetSchema",
    "CheckConfig",
    "DiffConfig",
    "Configure",
    "Check",
    "Diff",
    "Create",
    "Update",
    "Delete",
    "Read",
    "Invoke",
    "Call",
    "Construct",
    "Cancel",
];

impl Deed {
    /// Whether it is possible at a moment.
    fn fits(self, moment: &str) -> bool {
        let of_start = matches!(self, PortInvalid | PortClosed | PortForeign | PortMute | PortTwice | PortThenExit)
            || matches!(self, LineEndless | CloseOutput | Daemonize | Deaf);
        let of_both = matches!(self, Exit | Segfault | Hang | Child | Escape | EscapeWithOutput | Garbage)
            || matches!(self, Flood | FloodUnbroken | FloodBinary | Gorge);
        if moment == START { of_start || of_both } else { CALLS.contains(&moment) && !of_start }
    }
}

/// The deeds for each moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan(BTreeMap<String, Vec<Deed>>);

impl Plan {
    /// Parses `MOMENT=DEED` entries separated by semicolons.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut plan = Self::default();
        for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            let known = entry.split_once('=').and_then(|(moment, name)| {
                DEEDS.iter().find(|(known, _)| *known == name).map(|(_, deed)| (moment.to_owned(), *deed))
            });
            let fitting = known.filter(|(moment, deed)| deed.fits(moment));
            let (moment, deed) = fitting.ok_or_else(|| format!("`{entry}` is not a MOMENT=DEED that can be done"))?;
            plan.0.entry(moment).or_default().push(deed);
        }
        Ok(plan)
    }

    /// The deeds for a moment, in the order written.
    pub(crate) fn at(&self, moment: &str) -> &[Deed] {
        self.0.get(moment).map(Vec::as_slice).unwrap_or_default()
    }
}
