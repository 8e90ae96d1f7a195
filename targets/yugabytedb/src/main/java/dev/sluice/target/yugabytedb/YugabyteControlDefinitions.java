package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/*
 * The effect of DDL may stay although its transaction was rolled back, so a table may exist without
 * its index. An index that is created in a transaction misses rows that others write meanwhile. One
 * that is created outside of a transaction and fails stays, and is INVALID. An index that another
 * session is creating looks the same, so both the check for missing indexes and the creation hold
 * one lock.
 */
/**
 * Control tables like PostgreSQL's, but indexes are created outside of transactions. Stateless,
 * threadsafe.
 */
final class YugabyteControlDefinitions implements ControlDefinitions {
  /** The indexes of a table without that of its key. */
  private static final String INDEXES =
      """
      SELECT c.relname, i.indisvalid
      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
      JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE n.nspname = ? AND t.relname = ? AND NOT i.indisprimary
      """;

  private final ControlDefinitions postgres;

  YugabyteControlDefinitions(ControlDefinitions postgres) {
    this.postgres = postgres;
  }

  @Override
  public boolean hasTable(Connection session, TableId table) throws SQLException {
    return postgres.hasTable(session, table);
  }

  @Override
  public List<String> create(TableId table, ControlShape shape) {
    return postgres.create(
        table, new ControlShape(shape.columns(), shape.key(), List.of(), shape.oftenUpdated()));
  }

  @Override
  public List<String> lacking(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    if (shape.index().isEmpty()) {
      return List.of();
    }
    List<String> statements = new ArrayList<>();
    try (PreparedStatement query = session.prepareStatement(INDEXES)) {
      query.setString(1, table.schema());
      query.setString(2, table.name());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          if (row.getBoolean(2)) {
            return List.of();
          }
          statements.add("DROP INDEX " + new TableId(table.schema(), row.getString(1)).quoted());
        }
      }
    }
    statements.add(
        "CREATE INDEX %s ON %s (%s)"
            .formatted(
                TableId.quote(table.name() + "_index"),
                table.quoted(),
                shape.index().stream().map(TableId::quote).collect(Collectors.joining(", "))));
    return statements;
  }

  @Override
  public List<String> renew(Connection session, TableId table, ControlShape shape)
      throws SQLException {
    return postgres.renew(session, table, shape);
  }

  @Override
  public boolean hasSchema(Connection session, String schema) throws SQLException {
    return postgres.hasSchema(session, schema);
  }

  @Override
  public List<String> createSchema(String schema) {
    return postgres.createSchema(schema);
  }

  @Override
  public boolean isOwnAndEmpty(Connection session, String schema) throws SQLException {
    return postgres.isOwnAndEmpty(session, schema);
  }

  /**
   * Never drops them: without a lock on the tables, another task could begin to use them at that
   * moment.
   */
  @Override
  public boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along) {
    return false;
  }
}
