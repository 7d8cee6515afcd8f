// Continues the turn until the last message in the transcript says that everything is done.
const fs = require("fs");
const { transcript_path } = JSON.parse(fs.readFileSync(0, "utf8"));
const lines = fs.readFileSync(transcript_path, "utf8").split("\n").filter((line) => line.includes('"role":"assistant"'));
const said = lines.length ? JSON.parse(lines.pop()).message.content.map((block) => block.text).join("") : "";
if (!said.includes("all is done")) console.log(JSON.stringify({ decision: "block", reason: "finish the list" }));
