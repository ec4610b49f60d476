"""Packs: files with the events of archived streams, their store, and the reads of single streams."""
