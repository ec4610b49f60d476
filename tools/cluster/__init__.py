"""A rehearsal of Racecard on a cluster: `make cluster`."""
