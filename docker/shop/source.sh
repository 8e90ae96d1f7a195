#!/bin/bash
# The source: the shop with some rows, and the role that reads it and its log.
set -euo pipefail
psql -q -v ON_ERROR_STOP=1 -v password="$SLUICE_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE sluice LOGIN REPLICATION PASSWORD :'password';
GRANT CREATE ON DATABASE shop TO sluice;
SET ROLE sluice;
\i /shop/tables.sql
INSERT INTO shop.customers SELECT i, 'customer' || i || '@example.org', i, repeat(md5(i::text), 100) FROM generate_series(1, 1000) i;
INSERT INTO shop.orders SELECT i, 1 + i % 1000 FROM generate_series(1, 5000) i;
INSERT INTO shop.lines SELECT i, n, 'item ' || (i + n) % 97, n, 1.5 * n FROM generate_series(1, 5000) i, generate_series(1, 3) n;
INSERT INTO shop.baskets SELECT i, ARRAY[i, i + 1] FROM generate_series(1, 500) i;
RESET ROLE;
CREATE SEQUENCE shop.next_order START 5001;
CREATE SEQUENCE shop.next_customer START 1001;
SQL
