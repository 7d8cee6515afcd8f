//! `hooks inspect`: the page as a server on this machine.

use hooks_inspect::Inspector;
use tokio::net::TcpListener;

use crate::args::InspectArgs;
use crate::exit::Exit;
#[cfg(not(feature = "store"))]
use crate::inputs::usage_error;
use crate::output::Output;
use crate::program::Program;
use crate::replay::refuse_others;
use crate::report::page;
use crate::style::{BAD, styled};
use crate::wait::{block_on, signal};

pub(crate) fn inspect(program: &Program, args: &InspectArgs) -> Output {
    if let Err(refused) = refuse_others(args.recording.as_slice()) {
        return refused;
    }
    block_on("page", || async move {
        match serve(program, args).await {
            Ok(output) | Err(output) => output,
        }
    })
}

async fn serve(program: &Program, args: &InspectArgs) -> Result<Output, Output> {
    let failed =
        |error: &dyn std::fmt::Display| Output::trouble(format!("{}: {error}", styled(BAD, "error")), Exit::FAILURE);
    let files: Vec<_> = args.recording.iter().cloned().collect();
    let mut inspector = Inspector::new(page(program, &files));
    if let Some(file) = &args.recording {
        inspector = inspector.recording(file);
    }
    #[cfg(feature = "store")]
    if let Some(url) = &args.store {
        let store = hooks_store::OpenOptions::new().existing().open(url).await.map_err(|error| failed(&error))?;
        inspector = inspector.store(store);
    }
    #[cfg(not(feature = "store"))]
    if args.store.is_some() {
        return Err(usage_error("this program was built without the feature `store`"));
    }
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await.map_err(|error| failed(&error))?;
    let ready = |address: &str| {
        // A closed standard error is no reason to stop.
        let _ = std::io::Write::write_all(&mut anstream::stderr(), format!("{address}\nCtrl-C ends it\n").as_bytes());
    };
    tokio::select! {
        ended = inspector.serve(listener, ready) => Err(failed(&ended.err().map_or_else(|| "the server ended".to_owned(), |error| error.to_string()))),
        number = signal() => Ok(Output::new(String::new(), Exit::signal(number))),
    }
}
