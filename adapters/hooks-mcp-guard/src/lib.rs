//! A program between an MCP client and an MCP server over standard input and output, whose hooks judge every call of a
//! tool.
//!
//! The program `hooks-mcp-guard` takes rules from files, which may name the hooks of `hooks-prebuilt` (its feature
//! `prebuilt`, on by default). A binary with hooks of its own needs this alone; it takes rules too, and hooks of a crate that
//! is a [library](hook_sdk::library) run only if rules name them:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     hooks_mcp_guard::main()
//! }
//! ```
//!
//! In the settings of a client, it stands in front of the command of the server:
//!
//! ```json
//! { "mcpServers": { "files": { "command": "hooks-mcp-guard",
//!     "args": ["--name", "files", "--rules", "hooks.json", "--", "npx", "@modelcontextprotocol/server-filesystem", "."] } } }
//! ```
//!
//! # Guarantees
//!
//! - A call of a tool reaches the server only if the hooks let it, with the arguments that they left, and the client reads
//!   its result as they left it. `hooks_mcp` says what is carried.
//! - Everything else passes byte for byte, in both directions, and so does a call that hooks leave as it is; but blank lines
//!   are left out, and a batch of the server comes as single lines. Calls are judged beside each other, so one that is judged
//!   longer comes later.
//! - What two readers of JSON could understand differently is refused. In every message: a key of the envelope twice or in two
//!   spellings, a method with control characters, what is no JSON or no UTF-8, a line break inside a line. Of the client also:
//!   a batch, other keys in the envelope, an id that waits for an answer already. In a call also: any key twice, or in two
//!   spellings, a name with white space around it or with what is not seen, texts that are no Unicode, and numbers that readers
//!   round: whole ones beyond 64 bits, and others that no writer of floating-point numbers prints, such as one of twenty
//!   digits. Whole numbers of 64 bits pass, although JavaScript rounds them above 2^53. A call without an id is not run.
//! - An answer to a call, if any hook judges results, and a list of tools with `--tool`, is withheld for the same reasons,
//!   except that keys in two spellings are those of the protocol, such as `content`: others may be data. The client and
//!   standard error are told why. Of a server, what answers no request is left out.
//! - Rules that cannot be read, of which `hooks check` warns, that are all switched off, or of which none can run for a tool of
//!   the server, a file whose rules at an event name tools of other servers alone, in matchers or in parameters of hooks, and
//!   lines above 64 MiB, end the program. What rules say to the person, failures of hooks, and rules and parameters that name
//!   the server and none of the tools that it lists, are told on standard error, up to 80 times. No process that it starts
//!   inherits its output. Told to end, it ends the processes of its rules, but for those that nobody waits for.
//!
//! Not judged: what a server says beside results, such as progress, logs, resources, prompts and requests for sampling; and
//! of a result binary data, links, and keys and types of blocks that hooks do not know.

mod message;
mod requests;
mod streams;
mod session;
mod rules;
mod program;

pub use program::main;
