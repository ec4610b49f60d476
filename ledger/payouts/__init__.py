"""Payouts: withdrawals and large prizes, their approval, batches for the bank, and freezes."""
