package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.TargetTable;

/** Names in statements of PostgreSQL. Stateless. */
final class PostgresNames {
  private PostgresNames() {}

  /** The table in a FROM clause: with its partitions, without tables that inherit from it. */
  static String rows(TargetTable table) {
    return table.partitioned() ? table.id().quoted() : "ONLY " + table.id().quoted();
  }
}
