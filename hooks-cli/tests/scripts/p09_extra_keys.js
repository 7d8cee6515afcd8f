// Answers with keys that nobody knows beside one that counts.
const hookSpecificOutput = { hookEventName: "PreToolUse", mood: "good" };
console.log(JSON.stringify({ decision: "approve", confidence: 0.9, hookSpecificOutput }));
