"""Money on its way out: withdrawals and large prizes, who decides about them, batches for the bank, and freezes."""
