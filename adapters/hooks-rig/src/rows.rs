//! The rows of rig as hooks see them, and back. Each row and each block keeps its index, so that what hooks left alone
//! goes back as it was, whatever they removed, added or moved.

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolInput, ToolResultBlock};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, Document, DocumentSourceKind, Message as Row, Text,
    ToolCall as RigCall, ToolFunction, ToolName, ToolResult as RigResult, ToolResultContent, UserContent,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The key of an index in the fields of a row or a block.
const INDEX: &str = "rig_index";

/// What hooks left has no form in rig.
const NO_FORM: &str = "hooks left content that rig has no form for";

/// A content block of rig.
pub(crate) trait Part: Clone {
    /// The block as hooks see it.
    fn shown(&self) -> Block;
    /// The block as hooks left it, if rig has a form for it.
    fn edited(&self, left: &Block) -> Option<Self>;
    /// A block of text.
    const TEXT: fn(Text) -> Self;

    fn of_text(text: &str) -> Self {
        (Self::TEXT)(Text::new(text))
    }
}

/// The arguments of a call.
pub(crate) fn input(call: &RigCall) -> ToolInput {
    match &call.function.invalid_arguments {
        Some(text) => ToolInput::parse(text.as_str()),
        None => Value::Object(call.function.arguments.clone()).into(),
    }
}

/// Any other block: its JSON, which hooks can read and remove.
fn other(part: &impl Serialize) -> Block {
    let part = serde_json::to_value(part).unwrap_or_default();
    Block::Other(json!({"type": "rig", "content": part}))
}

impl Part for UserContent {
    const TEXT: fn(Text) -> Self = Self::Text;

    fn shown(&self) -> Block {
        match self {
            Self::Text(text) => text.text.as_str().into(),
            // As text, so that what masks texts masks it too.
            Self::Document(Document { data: DocumentSourceKind::String(text), .. }) => text.as_str().into(),
            Self::ToolResult(result) => {
                let mut block = ToolResultBlock::new(result.call.to_string(), blocks(&result.content));
                block.name = Some(result.name.to_string());
                block.is_error = result.is_error;
                Block::ToolResult(block)
            }
            part => other(part),
        }
    }

    fn edited(&self, left: &Block) -> Option<Self> {
        match (self, left) {
            (Self::Text(_), Block::Text(text)) => Some(Self::of_text(&text.text)),
            (Self::Document(document), Block::Text(left)) => {
                let data = DocumentSourceKind::String(left.text.clone());
                Some(Self::Document(Document { data, ..document.clone() }))
            }
            (Self::ToolResult(result), Block::ToolResult(left)) if left.call_id == result.call.to_string() => {
                let content = parts(&result.content, &left.content).ok()?;
                Some(Self::ToolResult(RigResult { content, is_error: left.is_error, ..result.clone() }))
            }
            _ => None,
        }
    }
}

impl Part for AssistantContent {
    const TEXT: fn(Text) -> Self = Self::Text;

    fn shown(&self) -> Block {
        match self {
            Self::Text(text) => text.text.as_str().into(),
            Self::ToolCall(call) => {
                Block::ToolUse(ToolCall::new(call.id.to_string(), call.function.name.to_string(), input(call)))
            }
            part => other(part),
        }
    }

    fn edited(&self, left: &Block) -> Option<Self> {
        match (self, left) {
            (Self::Text(_), Block::Text(text)) => Some(Self::of_text(&text.text)),
            (Self::ToolCall(call), Block::ToolUse(left)) => {
                let function = ToolFunction::new(ToolName::new(left.name.as_str()).ok()?, (*left.input).clone());
                let id = if left.id == call.id.to_string() { call.id.clone() } else { CallId::from_wire(&left.id) };
                Some(Self::ToolCall(RigCall::new(id, function)))
            }
            _ => None,
        }
    }
}

impl Part for ToolResultContent {
    const TEXT: fn(Text) -> Self = Self::Text;

    fn shown(&self) -> Block {
        match self {
            Self::Text(text) => text.text.as_str().into(),
            Self::Json { value: Value::String(text) } => text.as_str().into(),
            // As text, so that what masks texts masks it too.
            Self::Json { value } => value.to_string().into(),
            part @ Self::Image(_) => other(part),
        }
    }

    fn edited(&self, left: &Block) -> Option<Self> {
        let text = left.as_text()?;
        match self {
            Self::Json { value: Value::String(_) } => Some(Self::Json { value: text.into() }),
            Self::Json { .. } => match serde_json::from_str(text) {
                Ok(value) => Some(Self::Json { value }),
                Err(_) => Some(Self::of_text(text)),
            },
            Self::Text(_) => Some(Self::of_text(text)),
            Self::Image(_) => None,
        }
    }
}

fn fields(block: &mut Block) -> Option<&mut Map<String, Value>> {
    match block {
        Block::Text(text) => Some(&mut text.extra),
        Block::ToolUse(call) => Some(&mut call.extra),
        Block::ToolResult(result) => Some(&mut result.extra),
        Block::Other(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

fn block(part: &impl Part, index: usize) -> Block {
    let mut block = part.shown();
    if let Some(fields) = fields(&mut block) {
        fields.insert(INDEX.to_owned(), index.into());
    }
    block
}

/// The blocks as hooks see them.
pub(crate) fn blocks<P: Part>(parts: &[P]) -> Vec<Block> {
    parts.iter().enumerate().map(|(index, part)| block(part, index)).collect()
}

/// The blocks as hooks left them.
pub(crate) fn parts<P: Part>(originals: &[P], left: &[Block]) -> Result<Vec<P>, String> {
    let part = |left: &Block| {
        let index = fields(&mut left.clone()).and_then(|fields| at(fields));
        match index.and_then(|index| Some((index, originals.get(index)?))) {
            Some((index, part)) if block(part, index) == *left => Some(part.clone()),
            Some((_, part)) => part.edited(left),
            None => left.as_text().map(P::of_text),
        }
    };
    left.iter().map(part).collect::<Option<_>>().ok_or_else(|| NO_FORM.to_owned())
}

/// Gives calls the ids that they have in rig: a step renames those that a call of an earlier reply has too.
pub(crate) fn name_calls(content: &mut [Block], originals: &[AssistantContent]) {
    for block in content {
        if let Block::ToolUse(call) = block
            && let Some(AssistantContent::ToolCall(original)) = at(&call.extra).and_then(|index| originals.get(index))
        {
            call.id = original.id.to_string();
        }
    }
}

fn at(fields: &Map<String, Value>) -> Option<usize> {
    fields.get(INDEX)?.as_u64()?.try_into().ok()
}

fn message(row: &Row, index: usize) -> Message {
    let mut message = match row {
        Row::System { content } => Message::new(Role::System, content.as_str()),
        Row::User { content } => Message::of(role_of(content), blocks(content)),
        Row::Assistant(turn) => Message::of(Role::Assistant, blocks(&turn.content)),
    };
    message.extra.insert(INDEX.to_owned(), index.into());
    message
}

/// rig keeps results of tools in rows of the person.
fn role_of(content: &[UserContent]) -> Role {
    let are_results = content.iter().all(|part| matches!(part, UserContent::ToolResult(_)));
    if are_results && !content.is_empty() { Role::Tool } else { Role::User }
}

/// The rows as hooks see them.
pub(crate) fn messages(rows: &[Row]) -> Messages {
    rows.iter().enumerate().map(|(index, row)| message(row, index)).collect()
}

/// The rows as hooks left them. Those without content are left out, because providers refuse them.
pub(crate) fn rows(originals: &[Row], left: &Messages) -> Result<Vec<Row>, String> {
    let rows: Vec<Row> = left.iter().map(|left| row(originals, left)).collect::<Result<_, _>>()?;
    let has_content = |row: &Row| match row {
        Row::System { content } => !content.is_empty(),
        Row::User { content } => !content.is_empty(),
        Row::Assistant(turn) => !turn.content.is_empty(),
    };
    Ok(rows.into_iter().filter(has_content).collect())
}

fn row(originals: &[Row], left: &Message) -> Result<Row, String> {
    let original =
        at(&left.extra).and_then(|index| Some((originals.get(index)?, message(originals.get(index)?, index))));
    Ok(match &original {
        Some((row, seen)) if seen == left => (*row).clone(),
        Some((_, seen)) if seen.role != left.role => return Err("hooks changed the role of a row".to_owned()),
        Some((Row::User { content }, _)) => Row::User { content: parts(content, &left.content)? },
        Some((Row::Assistant(turn), _)) => {
            Row::Assistant(turn.clone().with_content(parts(&turn.content, &left.content)?))
        }
        _ => match left.role {
            Role::System | Role::Developer => Row::System { content: left.text().into_owned() },
            Role::Assistant => Row::Assistant(AssistantMessage::new(parts(&[], &left.content)?)),
            Role::User => Row::User { content: parts(&[], &left.content)? },
            _ => return Err(NO_FORM.to_owned()),
        },
    })
}

/// The text of a prompt, and the prompt with another text.
pub(crate) fn prompt_text(prompt: &Row) -> String {
    message(prompt, 0).text().into_owned()
}

pub(crate) fn with_text(prompt: &Row, text: &str) -> Row {
    let Row::User { content } = prompt else { return Row::user(text) };
    let rest = content.iter().filter(|part| part.shown().as_text().is_none()).cloned();
    Row::User { content: std::iter::once(UserContent::of_text(text)).chain(rest).collect() }
}
