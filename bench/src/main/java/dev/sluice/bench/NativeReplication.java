package dev.sluice.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** The peer: PostgreSQL's own logical replication, draining the same backlog from its own slot. */
final class NativeReplication {
  private NativeReplication() {}

  static void createSlot(Connection source, String slot) throws SQLException {
    Backlog.execute(
        source, "SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
  }

  /** Applies the whole backlog to the target; the slot must be from before the backlog. */
  static Measurement drain(
      Database source, Database target, String slot, Backlog backlog, DoubleSupplier cpu)
      throws SQLException, InterruptedException {
    try (Connection connection = target.connect()) {
      Backlog.execute(
          connection,
          "CREATE SUBSCRIPTION bench CONNECTION '"
              + source.connectionString()
              + "' PUBLICATION "
              + Backlog.PUBLICATION
              + " WITH (create_slot = false, enabled = false, copy_data = false, slot_name = '"
              + slot
              + "')");
      double cpuBefore = cpu.getAsDouble();
      long start = System.nanoTime();
      Backlog.execute(connection, "ALTER SUBSCRIPTION bench ENABLE");
      while (!Backlog.hasArrived(connection)) {
        Thread.sleep(20);
      }
      Duration wall = Duration.ofNanos(System.nanoTime() - start);
      double cpuSeconds = cpu.getAsDouble() - cpuBefore;
      Backlog.execute(
          connection,
          "ALTER SUBSCRIPTION bench DISABLE",
          "ALTER SUBSCRIPTION bench SET (slot_name = NONE)",
          "DROP SUBSCRIPTION bench");
      return new Measurement(backlog.changes(), wall, cpuSeconds);
    }
  }
}
