#[hook(id = "replaces", kind = before_create_message)]
async fn replaces(row: Message) -> Option<Message> {
    (row.role == Role::User).then_some(row)
}
