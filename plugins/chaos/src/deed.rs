//! What can be done wrong, and when.

use std::collections::BTreeMap;

/// The moment before and around the port line; every other moment is the name of a call.
pub(crate) const START: &str = "start";

/// Something that a plugin must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Ends the process with code 3 and a last word.
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
    /// Writes 100 MB to each of standard output and standard error, and goes on.
    Flood,
    /// The same without a line break.
    FloodUnbroken,
    /// The same with every byte there is.
    FloodBinary,
    /// Takes 256 MB of memory and uses the processor for a while, and goes on.
    Gorge,
    /// Prints words instead of a port, or answers bytes that are no message.
    Garbage,
    /// Prints a number that is no port.
    PortInvalid,
    /// Prints a port on which nobody listens.
    PortClosed,
    /// Prints a port on which somebody speaks HTTP/1.1.
    PortForeign,
    /// Prints a port on which somebody listens who never says anything.
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
    /// Answers an error with the code for "unknown".
    Refuse,
    /// The same with a megabyte of words.
    RefuseAtLength,
    /// Answers that the resource exists but is not ready, with 22 MB of properties in the trailers.
    PartialLarge,
    /// Answers compressed, which nobody asked for.
    Compressed,
    /// Answers with an HTTP error of a proxy.
    BadGateway,
    /// Answers with a page of HTML.
    Html,
    /// Answers a message that ends in its middle.
    Truncated,
    /// Answers half a message and then nothing more.
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
    /// Takes the call back without an answer.
    Reset,
    /// Closes the connection and lives on.
    Disconnect,
    /// Answers a message without any field.
    Empty,
    /// Answers 300 MB.
    Huge,
    /// Announces an answer one byte above the limit.
    TooLarge,
    /// Answers an object with a signature that nobody knows.
    Unsigned,
    /// Answers a secret without a value.
    SecretWithoutValue,
    /// Answers an object in an object in an object, 10,000 times.
    Deep,
    /// Answers a number that is not one.
    NotANumber,
    /// Answers a value that is not known outside a preview.
    UnknownOutput,
    /// Answers without an id.
    NoId,
    /// Answers with another id.
    OtherId,
    /// Answers enumerations with numbers that nobody knows.
    UnknownEnum,
}

use Deed::*;

/// The words of the plan's text.
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
    /// Whether it can be done at a moment.
    fn fits(self, moment: &str) -> bool {
        let of_start = matches!(self, PortInvalid | PortClosed | PortForeign | PortMute | PortTwice | PortThenExit)
            || matches!(self, LineEndless | CloseOutput | Daemonize | Deaf);
        let of_both = matches!(self, Exit | Segfault | Hang | Child | Escape | EscapeWithOutput | Garbage)
            || matches!(self, Flood | FloodUnbroken | FloodBinary | Gorge);
        if moment == START { of_start || of_both } else { CALLS.contains(&moment) && !of_start }
    }
}

/// Which deeds are done at which moments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan(BTreeMap<String, Vec<Deed>>);

impl Plan {
    /// Reads `MOMENT=DEED` entries with semicolons between.
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

    /// What is done at a moment, in the order in which it was written.
    pub(crate) fn at(&self, moment: &str) -> &[Deed] {
        self.0.get(moment).map(Vec::as_slice).unwrap_or_default()
    }
}
