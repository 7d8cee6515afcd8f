# Continues the turn until the last message in the transcript says that everything is done.
import json
import sys

with open(json.load(sys.stdin)["transcript_path"]) as transcript:
    lines = [json.loads(line) for line in transcript if '"role":"assistant"' in line]
said = "".join(block["text"] for block in lines[-1]["message"]["content"]) if lines else ""
if "all is done" not in said:
    print(json.dumps({"decision": "block", "reason": "finish the list"}))
