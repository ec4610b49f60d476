"""Reports: statements, betting history, site reports, and the export of the whole ledger."""
