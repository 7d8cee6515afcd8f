//! A `Halt` is an error only where there is a turn to end: at a kind within a turn, and in a hook that the turn waits for.
use hook_sdk::prelude::*;

type Refused = Result<(), Halt>;

#[hook(id = "outside_turn", kind = message_sending)]
fn outside_turn(_message: &Message) -> Result<(), Halt> {
//~                                    ^^^^^^^^^^^^^^^^
    Err(Halt::new("no"))
}

#[hook(id = "under_an_alias", kind = session_start)]
async fn under_an_alias() -> Refused {
//~                          ^^^^^^^
    Err(Halt::new("no"))
}

#[hook(id = "by_value", kind = message_received)]
fn by_value(message: Message) -> Result<Message, Halt> {
//~                              ^^^^^^^^^^^^^^^^^^^^^
    Ok(message)
}

#[hook(id = "after_the_turn", kind = [stop, turn_end])]
fn after_the_turn() -> Result<(), Halt> {
//~                    ^^^^^^^^^^^^^^^^
    Ok(())
}

#[hook(id = "nobody_waits", kind = after_create_message, run = detached)]
async fn nobody_waits() -> Result<(), Halt> {
//~                        ^^^^^^^^^^^^^^^^
    Ok(())
}

fn main() {}
