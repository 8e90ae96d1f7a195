#!/bin/bash
# The target: a role that may write; also the shop's tables if SHOP_TABLES is not "no" (the default).
set -euo pipefail
psql -q -v ON_ERROR_STOP=1 -v password="$SLUICE_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE sluice LOGIN PASSWORD :'password';
GRANT CREATE ON DATABASE shop TO sluice;
GRANT SET ON PARAMETER session_replication_role TO sluice;
SQL
[ "${SHOP_TABLES:-no}" = no ] ||
  psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c 'SET ROLE sluice' -f /shop/tables.sql
