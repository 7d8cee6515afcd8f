//! A program between an MCP client and an MCP server over standard input and output, whose hooks judge every call of a
//! tool.
//!
//! The program `hooks-mcp-guard` takes rules from files. A binary with hooks of its own needs this alone:
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
//! - Everything else passes byte for byte, in both directions, and so does a call that hooks leave as it is. Calls are judged
//!   beside each other, so one that is judged longer comes later.
//! - What two readers of JSON could understand differently is refused: a key twice, or in two spellings in a call, an
//!   envelope with other keys, names with control characters, whole numbers beyond 64 bits, texts that are no Unicode, a
//!   line break inside a line, a batch of the client, an id that waits for an answer already. A call without an id is not
//!   run. Of a server, what answers no request is left out.
//! - Rules that cannot be read, of which `hooks check` warns, or that are all switched off, and lines above 64 MiB, end the
//!   program. No process that it starts inherits its output. Told to end, it ends the processes of its rules, but for those
//!   that nobody waits for.
//!
//! Not judged: what a server says beside results, such as progress, logs, resources, prompts and requests for sampling; and
//! of a result `_meta`, binary data, links, and keys and blocks that hooks do not know.

mod message;
mod requests;
mod session;
mod streams;
mod rules;
mod program;

pub use program::main;
