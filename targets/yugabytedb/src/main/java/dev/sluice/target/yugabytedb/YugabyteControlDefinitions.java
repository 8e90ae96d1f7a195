package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.control.ControlDefinitions;
import dev.sluice.sink.target.control.ControlShape;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Control tables as PostgreSQL's. Stateless, threadsafe. */
final class YugabyteControlDefinitions implements ControlDefinitions {
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
    return postgres.create(table, shape);
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
