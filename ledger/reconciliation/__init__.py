"""Proof that no penny is lost: balances anew from transfers, and transfers anew from what happened."""
