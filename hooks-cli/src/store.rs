//! What an agent stores in a database: background runs, dispatches, questions, conversations.

mod commands;
mod upkeep;
mod text;
mod transfer;

use std::io;

use crate::args::StoreCommand;
use crate::output::Output;

pub(crate) fn store(command: &StoreCommand, as_json: bool, out: &mut (dyn io::Write + Send)) -> Output {
    match command {
        StoreCommand::Runs(args) => commands::runs(args, as_json),
        StoreCommand::Dispatches(args) => commands::dispatches(args, as_json),
        StoreCommand::Retry(args) => commands::retry(args, as_json),
        StoreCommand::Questions(args) => commands::questions(args, as_json),
        StoreCommand::Answer(args) => commands::answer(args, as_json),
        StoreCommand::Conversations(args) => commands::conversations(args, as_json),
        StoreCommand::Export(args) => transfer::export(args, out),
        StoreCommand::Import(args) => transfer::import(args, as_json),
        StoreCommand::Stats(args) => upkeep::stats(args, as_json),
        StoreCommand::Cancel(args) => upkeep::cancel(args, as_json),
        StoreCommand::PutOff(args) => upkeep::put_off(args, as_json),
        StoreCommand::Delete(args) => upkeep::delete(args, as_json),
        StoreCommand::Clean(args) => upkeep::clean(args, as_json),
        StoreCommand::Vacuum(args) => upkeep::vacuum(args, as_json),
        StoreCommand::Check(args) => upkeep::check(args, as_json),
        StoreCommand::Migrate(args) => upkeep::migrate(args, as_json),
    }
}
