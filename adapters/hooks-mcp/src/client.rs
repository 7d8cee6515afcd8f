//! A guarded call of a client.

use std::future::Future;

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::ServiceError;

use crate::guard::{GuardedCall, McpGuard};
use crate::json;

impl McpGuard {
    /// Calls a tool if it may be called. `run` makes the call, as in `|params| client.call_tool(params)`, with the
    /// arguments that hooks left.
    ///
    /// # Errors
    /// The error of `run`, unless hooks rewrite it.
    pub async fn call_tool<R: Future<Output = Result<CallToolResult, ServiceError>>>(
        &self,
        params: CallToolRequestParams,
        run: impl FnOnce(CallToolRequestParams) -> R,
    ) -> Result<CallToolResult, ServiceError> {
        let call = json::call(&params);
        let run = async |arguments| {
            let mut params = params;
            params.arguments = arguments;
            json::answer(run(params).await)
        };
        match self.call(call, run).await {
            GuardedCall::Unchanged(answer) => answer,
            GuardedCall::Changed(result) => Ok(json::result(result)),
        }
    }
}
