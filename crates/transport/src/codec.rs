//! Encoding and decoding of messages.

use std::marker::PhantomData;

use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_prost::{ProstDecoder, ProstEncoder};

/// The initial size of a buffer. Most messages are smaller than tonic's usual 8 KiB, which an allocator does not have at hand and which every
/// call would request twice; the buffer grows for larger messages.
const ROOM: usize = 512;

/// How much is gathered before it is sent: tonic's usual.
const GATHERED: usize = 32 * 1024;

/// The codec of all clients and servers, which generated code names as `crate::codec::SmallCodec`.
pub struct SmallCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallCodec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallCodec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::new(ROOM, GATHERED))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstDecoder::new(BufferSettings::new(ROOM, GATHERED))
    }
}

/// A codec for messages that stay raw bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawCodec;

/// The encoder and decoder of [`RawCodec`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RawMessages;

impl Codec for RawCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = RawMessages;
    type Decoder = RawMessages;

    fn encoder(&mut self) -> RawMessages {
        RawMessages
    }

    fn decoder(&mut self) -> RawMessages {
        RawMessages
    }
}

impl Encoder for RawMessages {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for RawMessages {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        let length = buffer.remaining();
        Ok(Some(buffer.copy_to_bytes(length)))
    }
}
