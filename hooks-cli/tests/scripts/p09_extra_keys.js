// Answers with unknown keys and one that counts.
const hookSpecificOutput = { hookEventName: "PreToolUse", mood: "good" };
console.log(JSON.stringify({ decision: "approve", confidence: 0.9, hookSpecificOutput }));
