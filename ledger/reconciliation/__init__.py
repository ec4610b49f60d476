"""Reconciliation: balances computed again from transfers, and transfers from the events and rows that explain them."""
