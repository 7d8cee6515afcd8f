// Returns a shorter command as the new input, without a decision and without the other keys.
const { command } = JSON.parse(require("fs").readFileSync(0, "utf8")).tool_input;
const updatedInput = { command: `short ${command}` };
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } }));
