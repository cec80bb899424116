//! A Terraform provider that serves the schema in the file `schema` beside it: tests use it to make up providers.
#![allow(clippy::print_stderr, reason = "a program of its own")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use http::{Request as HttpRequest, Response as HttpResponse};
use outrigger_transport::Incoming;
use outrigger_transport::goplugin::{Cookie, PluginSide};
use tokio::sync::watch;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::Service;
use tonic::server::{Grpc, UnaryService};
use tonic::{Request, Response, Status};

const COOKIE: Cookie =
    Cookie { key: "TF_PLUGIN_MAGIC_COOKIE", value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2" };

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // The name that the program was started under: a test's symlink, not the file behind it.
    let started = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let schema = match std::fs::read(started.with_file_name("schema")) {
        Ok(schema) => Bytes::from(schema),
        Err(error) => {
            eprintln!("there is no schema beside {}: {error}", started.display());
            return ExitCode::FAILURE;
        }
    };
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let listening = match PluginSide::new(COOKIE, vec![6]).listen(&environment, &mut io::stdout()).await {
        Ok(listening) => listening,
        Err(error) => {
            eprintln!("{error}");
            return error.exit_code().into();
        }
    };
    // It runs until its host asks it to end, or kills it.
    let (_open, closed) = watch::channel(());
    listening.serve(Provider(schema), closed).await;
    ExitCode::SUCCESS
}

#[derive(Clone)]
struct Provider(Bytes);

impl Service<HttpRequest<Incoming>> for Provider {
    type Response = HttpResponse<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequest<Incoming>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            if request.uri().path() != "/tfplugin6.Provider/GetProviderSchema" {
                return Ok(Status::unimplemented("only the schema is here").into_http());
            }
            Ok(Grpc::new(Raw).unary(service, request).await)
        })
    }
}

impl UnaryService<()> for Provider {
    type Response = Bytes;
    type Future = Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, _: Request<()>) -> Self::Future {
        ready(Ok(Response::new(self.0.clone())))
    }
}

/// Encodes a message as the bytes it is; requests are not read.
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = ();
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        from.advance(from.remaining());
        Ok(Some(()))
    }
}
