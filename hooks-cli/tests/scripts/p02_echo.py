# Prints its input again, like a filter.
import sys

sys.stdout.write(sys.stdin.read())
