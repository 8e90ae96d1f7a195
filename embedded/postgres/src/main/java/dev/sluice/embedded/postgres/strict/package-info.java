/**
 * A proxy in front of a PostgreSQL server that behaves as strictly as YugabyteDB, for tests: it
 * refuses what YugabyteDB refuses and injects its errors. Imports nothing of Sluice.
 */
package dev.sluice.embedded.postgres.strict;
