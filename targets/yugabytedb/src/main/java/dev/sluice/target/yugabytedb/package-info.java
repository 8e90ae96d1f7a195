/**
 * The dialect of YugabyteDB: PostgreSQL's, without what YugabyteDB lacks. Imports {@code sink},
 * {@code load}, and what both have for PostgreSQL.
 */
package dev.sluice.target.yugabytedb;
