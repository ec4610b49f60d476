"""Reading the books at length: statements, betting history, house reports, the whole ledger for other programs."""
