package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.CatalogTable.Persistence;
import dev.sluice.connector.postgres.catalog.FullIdentity;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks that a table of the source can be loaded and replicated. Pure. */
final class SourceTableChecks {
  private final PostgresConfig config;
  private final boolean capture;
  private final int version;
  private final String user;

  /**
   * @param capture whether changes are replicated; else the tables are only loaded
   * @param version the server's major one
   */
  SourceTableChecks(PostgresConfig config, boolean capture, int version) {
    this.config = config;
    this.capture = capture;
    this.version = version;
    this.user = config.endpoint().user();
  }

  List<Problem> problems(CatalogTable table) {
    List<Problem> problems = new ArrayList<>();
    String thing = (table.kind() == Kind.VIEW ? "view " : "table ") + table.table();
    if (!table.selectable()) {
      problems.add(
          new Problem(
              thing,
              user + " may not read it",
              "the privilege SELECT",
              "Run: GRANT SELECT ON %s TO %s; and GRANT USAGE ON SCHEMA %s TO %s;"
                  .formatted(
                      table.table().quoted(),
                      TableId.quote(user),
                      TableId.quote(table.table().schema()),
                      TableId.quote(user))));
    }
    if (table.rowSecurity()) {
      problems.add(
          new Problem(
              thing,
              "its row-level security may hide rows from " + user,
              "a user who sees every row",
              "Run: ALTER ROLE %s BYPASSRLS; or load as the table's owner without FORCE ROW LEVEL SECURITY"
                  .formatted(TableId.quote(user))));
    }
    if (table.kind() == Kind.FOREIGN) {
      problems.add(
          new Problem(
              thing,
              "it is a foreign table: its rows are on another server, and are not loaded",
              "a table of this server",
              table.isPartition()
                  ? "Detach it, or exclude %s by a selection rule".formatted(table.root())
                  : "Exclude it by a selection rule"));
      return problems;
    }
    if (!capture) {
      return problems;
    }
    if (table.persistence() != Persistence.LOGGED) {
      problems.add(
          new Problem(
              thing,
              "it is unlogged: its changes are not in the log",
              "a logged table",
              "Run: ALTER TABLE %s SET LOGGED; or exclude it by a selection rule"
                  .formatted(table.table().quoted())));
      return problems;
    }
    if (table.kind() == Kind.ORDINARY
        && !table.identifiesOldRows()
        && !config.replicaIdentityFull()) {
      problems.add(
          new Problem(
              thing,
              "it has no replica identity: the log would not identify the row of an UPDATE or DELETE, and PostgreSQL would refuse the application's own",
              "a primary key, or REPLICA IDENTITY USING INDEX or FULL",
              "Run: ALTER TABLE %s REPLICA IDENTITY FULL; or let Sluice do it by source.replica-identity-full: true in the task file"
                  .formatted(table.table().quoted())));
    }
    fullWithGenerated(table).ifPresent(problems::add);
    return problems;
  }

  /**
   * From version 18 on PostgreSQL refuses the application's own UPDATE and DELETE on a published
   * table whose replica identity FULL includes generated columns, since those are not published.
   */
  private Optional<Problem> fullWithGenerated(CatalogTable table) {
    boolean full =
        table.oldRow() == OldRow.ALL_COLUMNS
            || !table.identifiesOldRows() && config.replicaIdentityFull();
    if (table.kind() != Kind.ORDINARY || !full || !FullIdentity.isRefused(table, version)) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            "table " + table.table(),
            "REPLICA IDENTITY FULL with generated columns: " + FullIdentity.WRITERS_REFUSED,
            "a replica identity without generated columns",
            table.hasKey()
                ? "Run: ALTER TABLE %s REPLICA IDENTITY DEFAULT;".formatted(table.table().quoted())
                : "Give it a primary key without generated columns and REPLICA IDENTITY DEFAULT, drop its generated columns, or exclude it by a selection rule"));
  }
}
