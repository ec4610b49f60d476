"""Accounts, transfers, postings, and holds: the core of the ledger."""
