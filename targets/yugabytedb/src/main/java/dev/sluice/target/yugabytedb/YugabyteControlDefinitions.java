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
 * A definition may stay although its transaction was undone, so a table may be there without its
 * index. An index that is made in a transaction misses what others write meanwhile; one that is made
 * outside of it and fails stays, and is INVALID. So is one that another session makes at this moment:
 * who asks what a table lacks has the lock of who makes it.
 */
/**
 * Control tables as PostgreSQL's; their indexes are made outside of transactions. Stateless,
 * threadsafe.
 */
final class YugabyteControlDefinitions implements ControlDefinitions {
  /** The indexes of a table but that of its key. */
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

  /** Never: without a lock on them, another task could begin in tables that are dropped. */
  @Override
  public boolean dropIfEmpty(Connection session, List<TableId> tables, Optional<TableId> along) {
    return false;
  }
}
