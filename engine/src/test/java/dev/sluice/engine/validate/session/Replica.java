package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.lane.ChangeObserver;
import dev.sluice.sink.touched.TouchedKeys;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;

/**
 * A small replication: applies the source's transactions in the order of their commits, some of
 * them in one transaction of the target with the checkpoint row, and records their keys before.
 */
final class Replica implements AutoCloseable {
  private final TouchedKeys keys;
  private final Connection log;
  private final Connection target;
  private final PGReplicationStream stream;
  private final Thread thread = new Thread(this::run, "replica");
  private final Random random = new Random(7);
  private volatile boolean closed;
  private volatile boolean held;
  private volatile Position applied = Position.ZERO;
  private volatile Exception failure;

  Replica(String source, String targetUrl, String slot, TouchedKeys keys) throws SQLException {
    this.keys = keys;
    Properties properties = new Properties();
    properties.setProperty("replication", "database");
    properties.setProperty("assumeMinServerVersion", "13");
    properties.setProperty("preferQueryMode", "simple");
    log = DriverManager.getConnection(source, properties);
    target = DriverManager.getConnection(targetUrl);
    try (Statement statement = target.createStatement()) {
      statement.execute("SET session_replication_role = replica");
    }
    target.setAutoCommit(false);
    stream =
        log.unwrap(PGConnection.class)
            .getReplicationAPI()
            .replicationStream()
            .logical()
            .withSlotName(slot)
            .withSlotOption("proto_version", "1")
            .withSlotOption("publication_names", "everything")
            .withSlotOption("messages", "true")
            .start();
    thread.start();
  }

  /** Stops applying until it goes on; what is decoded waits. */
  void hold(boolean wanted) {
    held = wanted;
  }

  Position applied() {
    if (failure != null) {
      throw new IllegalStateException("the replica failed", failure);
    }
    return applied;
  }

  private void run() {
    PgOutput output = new PgOutput();
    List<PgOutput.Transaction> window = new ArrayList<>();
    try {
      while (!closed) {
        ByteBuffer message = held ? null : stream.readPending();
        if (message != null) {
          output
              .read(message)
              .ifPresent(
                  transaction -> {
                    record(transaction);
                    window.add(transaction);
                  });
        }
        if (!window.isEmpty() && (message == null || window.size() > random.nextInt(30))) {
          apply(window);
          window.clear();
        } else if (message == null) {
          Thread.sleep(1);
        }
      }
    } catch (SQLException | InterruptedException | RuntimeException e) {
      if (!closed) {
        failure = e;
      }
    }
  }

  private void record(PgOutput.Transaction transaction) {
    ChangeObserver observer = keys.of(transaction.end());
    transaction.changes().forEach(observer::observe);
    observer.complete();
  }

  private void apply(List<PgOutput.Transaction> window) throws SQLException {
    try (Statement statement = target.createStatement()) {
      for (PgOutput.Transaction transaction : window) {
        for (ChangeEvent change : transaction.changes()) {
          for (String sql : statements(change)) {
            statement.addBatch(sql);
          }
        }
      }
      Position end = window.get(window.size() - 1).end().position();
      statement.addBatch("UPDATE control.checkpoint SET position = '" + end + "'");
      statement.executeBatch();
      target.commit();
      applied = end;
      stream.setFlushedLSN(org.postgresql.replication.LogSequenceNumber.valueOf(end.toString()));
    }
  }

  private static List<String> statements(ChangeEvent change) {
    if (change instanceof Truncate truncate) {
      return truncate.tables().stream().map(t -> "TRUNCATE " + t.table().quoted()).toList();
    }
    RowChange row = (RowChange) change;
    RowSchema schema = row.schema();
    String table = schema.table().quoted();
    List<String> names = schema.columns().stream().map(c -> TableId.quote(c.name())).toList();
    if (row.row() == null) {
      return List.of("DELETE FROM " + table + where(schema, row.match()));
    }
    List<String> columns = new ArrayList<>();
    List<String> values = new ArrayList<>();
    List<String> sets = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (!row.row().isUnchanged(i)) {
        String value = literal(row.row().text(i));
        columns.add(names.get(i));
        values.add(value);
        sets.add(names.get(i) + " = " + value);
      }
    }
    return List.of(
        row.match() == null
            ? "INSERT INTO %s (%s) VALUES (%s)"
                .formatted(table, String.join(", ", columns), String.join(", ", values))
            : "UPDATE %s SET %s%s"
                .formatted(table, String.join(", ", sets), where(schema, row.match())));
  }

  private static String where(RowSchema schema, Row match) {
    int[] key = schema.key();
    List<String> conditions = new ArrayList<>();
    for (int i = 0; i < match.columns(); i++) {
      String name = schema.columns().get(schema.hasKey() ? key[i] : i).name();
      String value = match.text(i);
      conditions.add(TableId.quote(name) + (value == null ? " IS NULL" : " = " + literal(value)));
    }
    return " WHERE " + String.join(" AND ", conditions);
  }

  private static String literal(String text) {
    return text == null ? "NULL" : "'" + text.replace("'", "''") + "'";
  }

  @Override
  public void close() throws SQLException {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    stream.close();
    log.close();
    target.close();
  }
}
