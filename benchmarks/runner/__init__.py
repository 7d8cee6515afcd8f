"""Builds the programs of the benchmarks, runs them in turn and writes what they said. Standard library only."""
