# Answers without reading its input.
import sys

print("no writing today", file=sys.stderr)
sys.exit(2)
