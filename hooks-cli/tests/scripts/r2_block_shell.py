# Denies commands that remove everything.
import json
import sys

if "rm -rf" in json.load(sys.stdin)["data"]["toolInput"].get("command", ""):
    print(json.dumps({"blockingError": "nothing is removed here"}))
