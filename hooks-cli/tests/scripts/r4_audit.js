// Logs every compaction.
const fs = require("fs");
const { trigger, reason } = JSON.parse(fs.readFileSync(0, "utf8"));
fs.appendFileSync("audit.jsonl", JSON.stringify({ trigger, reason }) + "\n");
