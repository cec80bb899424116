//! Messages on their way in and out.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstDecoder, ProstEncoder};

/// What a buffer has room for at first. Most messages are smaller than tonic's usual 8 KiB, which an allocator does not have at
/// hand and which every call would ask for twice; larger messages make their room.
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
