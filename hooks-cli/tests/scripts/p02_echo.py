# Passes on what it was given, as a filter would.
import sys

sys.stdout.write(sys.stdin.read())
