// Denies commands that remove everything.
const { toolInput } = JSON.parse(require("fs").readFileSync(0, "utf8")).data;
if ((toolInput.command ?? "").includes("rm -rf")) console.log('{"blockingError": "nothing is removed here"}');
