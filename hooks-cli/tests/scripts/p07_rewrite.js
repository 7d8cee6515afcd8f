// Puts a shorter command in the place of the input; says nothing of a permission, and drops the other keys.
const { command } = JSON.parse(require("fs").readFileSync(0, "utf8")).tool_input;
const updatedInput = { command: `short ${command}` };
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } }));
