// Denies if the input has keys of another host.
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (["user_prompt", "tool_output", "turn_id"].some((key) => key in given)) process.exit(2);
