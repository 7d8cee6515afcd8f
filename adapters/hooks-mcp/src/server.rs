//! A server behind a guard.

use std::borrow::Cow;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientNotification, ClientRequest, ErrorData, ProtocolVersion, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};

use crate::guard::{GuardedCall, McpGuard};
use crate::json;

/// A server whose tools are guarded, whatever its handler and its transport.
///
/// It is a [`Service`] as the server is, so `serve` starts it on any transport, and a factory of the streamable HTTP
/// service may return it.
#[derive(Clone, Debug)]
pub struct GuardedServer<S> {
    server: S,
    guard: McpGuard,
}

impl McpGuard {
    /// Puts the guard in front of a server.
    pub fn serve<S: Service<RoleServer>>(self, server: S) -> GuardedServer<S> {
        GuardedServer { server, guard: self }
    }
}

impl<S: Service<RoleServer>> GuardedServer<S> {
    async fn call(&self, request: CallToolRequest, cx: RequestContext<RoleServer>) -> Result<ServerResult, ErrorData> {
        let call = json::call(&request.params).id(cx.id.to_string()).cancellation(cx.ct.clone());
        // From this version on, each result says of what type it is.
        let newest = ProtocolVersion::V_2026_07_28;
        let is_typed = cx.protocol_version().is_some_and(|version| version.as_str() >= newest.as_str());
        let run = async |arguments| {
            let mut request = request;
            request.params.arguments = arguments;
            json::answer(self.server.handle_request(ClientRequest::CallToolRequest(request), cx).await)
        };
        match self.guard.call(call, run).await {
            GuardedCall::Unchanged(answer) => answer,
            GuardedCall::Changed(result) => {
                let mut result = json::result(result);
                if is_typed {
                    result.result_type.get_or_insert_default();
                }
                Ok(ServerResult::CallToolResult(result))
            }
        }
    }
}

impl<S: Service<RoleServer>> Service<RoleServer> for GuardedServer<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        match request {
            ClientRequest::CallToolRequest(request) => self.call(request, cx).await,
            // What a handler of custom requests may take for a call, but cannot be read as one.
            ClientRequest::CustomRequest(request) if is_call(&request.method) => {
                Err(ErrorData::invalid_params("this call of a tool cannot be read, so it is not run", None))
            }
            request => {
                let mut result = self.server.handle_request(request, cx).await?;
                if let ServerResult::ListToolsResult(list) = &mut result {
                    list.tools.retain(|tool| self.guard.is_offered(&tool.name));
                }
                Ok(result)
            }
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        cx: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match &notification {
            ClientNotification::CustomNotification(custom) if is_call(&custom.method) => {
                Err(ErrorData::invalid_request("a call of a tool needs an id", None))
            }
            _ => self.server.handle_notification(notification, cx).await,
        }
    }

    fn get_info(&self) -> ServerConfig {
        self.server.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.server.supported_protocol_versions()
    }
}

fn is_call(method: &str) -> bool {
    method.trim().eq_ignore_ascii_case("tools/call")
}
