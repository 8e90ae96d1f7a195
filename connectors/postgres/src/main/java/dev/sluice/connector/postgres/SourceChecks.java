package dev.sluice.connector.postgres;

import dev.sluice.config.Problem;
import dev.sluice.config.SourceConfig;
import dev.sluice.config.TableId;
import dev.sluice.config.TableMappings;
import dev.sluice.connector.postgres.CatalogTable.Kind;
import dev.sluice.connector.postgres.CatalogTable.Persistence;
import dev.sluice.connector.postgres.CatalogTable.ReplicaIdentity;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Looks at a source before a task runs and names everything that is in the way. Changes nothing.
 * Used by one thread.
 */
public final class SourceChecks {
  private final SourceConfig config;
  private final SourceConnections connections;
  private final Publication publication;
  private final ReplicationSlot slot;

  SourceChecks(
      SourceConfig config,
      SourceConnections connections,
      Publication publication,
      ReplicationSlot slot) {
    this.config = config;
    this.connections = connections;
    this.publication = publication;
    this.slot = slot;
  }

  /**
   * All problems at once.
   *
   * @param capture whether changes are to be followed; else the tables are only read
   */
  public List<Problem> problems(TableMappings mappings, boolean capture) {
    try (Connection connection = connections.open()) {
      List<Problem> problems = new ArrayList<>();
      SourceCatalog catalog = SourceCatalog.read(connection, mappings::selects);
      ServerChecks server = new ServerChecks(connection, config, slot);
      problems.addAll(server.problemsOfReading());
      if (capture) {
        problems.addAll(server.problemsOfCapture());
        problems.addAll(publicationProblems(connection, catalog));
      }
      problems.addAll(selectionProblems(mappings, catalog));
      int version = connection.getMetaData().getDatabaseMajorVersion();
      for (CatalogTable table : catalog.relations()) {
        problems.addAll(tableProblems(table, capture, version));
      }
      return problems;
    } catch (SQLException e) {
      return List.of(ConnectionProblem.of(config.endpoint(), e));
    }
  }

  /**
   * What keeps tables from being followed by a task that runs.
   *
   * @param tables decides by the name of the root
   */
  public List<Problem> problemsOf(Predicate<TableId> tables) {
    try (Connection connection = connections.open()) {
      SourceCatalog catalog = SourceCatalog.read(connection, tables);
      List<Problem> problems = new ArrayList<>(publicationProblems(connection, catalog));
      int version = connection.getMetaData().getDatabaseMajorVersion();
      for (CatalogTable table : catalog.relations()) {
        problems.addAll(tableProblems(table, true, version));
      }
      return problems;
    } catch (SQLException e) {
      throw SourceFailures.classify("looking at the source's tables", e);
    }
  }

  /** What is worth knowing and keeps nothing from running. */
  public List<String> notes(TableMappings mappings) {
    try (Connection connection = connections.open()) {
      List<String> notes = new ArrayList<>();
      if (setting(connection, "max_slot_wal_keep_size").equals("-1")) {
        notes.add(
            "max_slot_wal_keep_size is -1: while Sluice is stopped the source keeps all its log for the slot "
                + slot.name()
                + "; watch its disk");
      }
      for (CatalogTable table : SourceCatalog.read(connection, mappings::selects).tables()) {
        List<String> generated =
            table.columns().stream()
                .filter(CatalogColumn::generated)
                .map(CatalogColumn::name)
                .toList();
        if (!generated.isEmpty()) {
          notes.add(
              "table "
                  + table.table()
                  + ": the generated columns "
                  + generated
                  + " are not copied; the target computes them");
        }
      }
      return notes;
    } catch (SQLException e) {
      throw SourceFailures.classify("looking at the source's settings", e);
    }
  }

  private List<Problem> publicationProblems(Connection connection, SourceCatalog catalog)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    Set<TableId> missing = new TreeSet<>();
    catalog.published().forEach(table -> missing.add(table.table()));
    if (publication.exists(connection)) {
      missing.removeAll(publication.tables(connection));
      publicationShape(connection).ifPresent(problems::add);
    } else {
      createRight(connection).ifPresent(problems::add);
    }
    for (TableId table : missing) {
      if (!catalog.table(table).map(CatalogTable::owned).orElse(true)) {
        problems.add(
            new Problem(
                "table " + table,
                "it belongs to another user, so " + user() + " cannot publish it",
                "the table in publication " + publication.name(),
                "As its owner run: ALTER PUBLICATION %s ADD TABLE ONLY %s; (CREATE PUBLICATION first where there is none), or GRANT the owner's role to %s"
                    .formatted(
                        TableId.quote(publication.name()), table.quoted(), TableId.quote(user()))));
      }
    }
    return problems;
  }

  private Optional<Problem> publicationShape(Connection connection) throws SQLException {
    try (var statement =
        connection.prepareStatement(
            """
            SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate, pubviaroot
            FROM pg_catalog.pg_publication WHERE pubname = ?
            """)) {
      statement.setString(1, publication.name());
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next() || rows.getBoolean(1) && !rows.getBoolean(2)) {
          return Optional.empty();
        }
        return Optional.of(
            new Problem(
                "publication " + publication.name(),
                rows.getBoolean(2)
                    ? "it publishes partitions as their root"
                    : "it leaves operations out",
                "insert, update, delete, truncate, each partition under its own name",
                "Run: ALTER PUBLICATION %s SET (publish = 'insert, update, delete, truncate', publish_via_partition_root = false);"
                    .formatted(TableId.quote(publication.name()))));
      }
    }
  }

  private Optional<Problem> createRight(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')")) {
      rows.next();
      if (rows.getBoolean(1)) {
        return Optional.empty();
      }
      return Optional.of(
          new Problem(
              "publication " + publication.name(),
              "it does not exist, and " + user() + " may not create it",
              "the privilege CREATE on database " + config.endpoint().database(),
              "Run: GRANT CREATE ON DATABASE %s TO %s;"
                  .formatted(TableId.quote(config.endpoint().database()), TableId.quote(user()))));
    }
  }

  private List<Problem> selectionProblems(TableMappings mappings, SourceCatalog catalog) {
    List<Problem> problems = new ArrayList<>();
    for (TableId named : mappings.explicitTables()) {
      if (catalog.table(named).isEmpty()) {
        problems.add(
            new Problem(
                "table " + named,
                "it does not exist in database " + config.endpoint().database(),
                "a table, since a selection rule names it",
                "Create it, or mend the rule's schema-name and table-name (they are case-sensitive)"));
      }
    }
    if (catalog.tables().isEmpty() && problems.isEmpty()) {
      problems.add(
          new Problem(
              "table-mappings",
              "they select no table of database "
                  + config.endpoint().database()
                  + ": "
                  + mappings.selection(),
              "at least one table",
              "Mend the selection rules; schema and table names are case-sensitive"));
    }
    return problems;
  }

  private List<Problem> tableProblems(CatalogTable table, boolean capture, int version) {
    List<Problem> problems = new ArrayList<>();
    String thing = "table " + table.table();
    if (!table.selectable()) {
      problems.add(
          new Problem(
              thing,
              user() + " may not read it",
              "the privilege SELECT",
              "Run: GRANT SELECT ON %s TO %s; and GRANT USAGE ON SCHEMA %s TO %s;"
                  .formatted(
                      table.table().quoted(),
                      TableId.quote(user()),
                      TableId.quote(table.table().schema()),
                      TableId.quote(user()))));
    }
    if (table.rowSecurity()) {
      problems.add(
          new Problem(
              thing,
              "its row-level security may hide rows from " + user(),
              "a user who sees every row",
              "Run: ALTER ROLE %s BYPASSRLS; or load as the table's owner without FORCE ROW LEVEL SECURITY"
                  .formatted(TableId.quote(user()))));
    }
    if (!capture) {
      return problems;
    }
    if (table.kind() == Kind.FOREIGN || table.persistence() != Persistence.LOGGED) {
      problems.add(
          new Problem(
              thing,
              "its changes are not in the log, it is "
                  + (table.kind() == Kind.FOREIGN ? "a foreign table" : "unlogged"),
              "a logged table",
              table.kind() == Kind.FOREIGN
                  ? "Exclude it by a selection rule"
                  : "Run: ALTER TABLE %s SET LOGGED; or exclude it by a selection rule"
                      .formatted(table.table().quoted())));
      return problems;
    }
    if (table.kind() == Kind.ORDINARY
        && !table.hasReplicaIdentity()
        && !config.replicaIdentityFull()) {
      problems.add(
          new Problem(
              thing,
              "it has no replica identity: the log would not tell which row an UPDATE or DELETE means, and PostgreSQL would refuse the application's own",
              "a primary key, or REPLICA IDENTITY USING INDEX or FULL",
              "Run: ALTER TABLE %s REPLICA IDENTITY FULL; or let Sluice do it by the task file's replica-identity-full"
                  .formatted(table.table().quoted())));
    }
    fullWithGenerated(table, version).ifPresent(problems::add);
    sameNames(table).ifPresent(problems::add);
    return problems;
  }

  /**
   * From version 18 on PostgreSQL refuses the application's own UPDATE and DELETE on a published
   * table whose replica identity FULL includes generated columns, since those are not published.
   */
  private Optional<Problem> fullWithGenerated(CatalogTable table, int version) {
    boolean full =
        table.replicaIdentity() == ReplicaIdentity.FULL
            || !table.hasReplicaIdentity() && config.replicaIdentityFull();
    if (version < 18 || table.kind() != Kind.ORDINARY || !full || !table.hasGeneratedColumns()) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            "table " + table.table(),
            "REPLICA IDENTITY FULL with generated columns: PostgreSQL 18 and newer would refuse the application's own UPDATE and DELETE once it is published",
            "a replica identity without generated columns",
            table.hasKey()
                ? "Run: ALTER TABLE %s REPLICA IDENTITY DEFAULT;".formatted(table.table().quoted())
                : "Give it a primary key without generated columns and REPLICA IDENTITY DEFAULT, drop its generated columns, or exclude it by a selection rule"));
  }

  /** Debezium cannot tell columns apart that differ by case only. */
  private Optional<Problem> sameNames(CatalogTable table) {
    Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    return table.columns().stream()
        .map(CatalogColumn::name)
        .filter(name -> !seen.add(name))
        .findFirst()
        .map(
            name ->
                new Problem(
                    "table " + table.table(),
                    "two of its columns differ by case only: " + name,
                    "column names that differ otherwise",
                    "Rename one of them, or exclude the table by a selection rule"));
  }

  private String user() {
    return config.endpoint().user();
  }

  static String setting(Connection connection, String name) throws SQLException {
    try (var statement =
        connection.prepareStatement("SELECT pg_catalog.current_setting(?, true)")) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        String value = rows.getString(1);
        return value == null ? "" : value;
      }
    }
  }
}
