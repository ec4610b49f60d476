"""Checkpoints: published Merkle roots over the heads of all streams, and proofs against them."""
