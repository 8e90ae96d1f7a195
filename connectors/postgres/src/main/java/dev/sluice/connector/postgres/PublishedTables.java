package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.capture.SourceTable;
import dev.sluice.connector.postgres.capture.SourceTables;
import dev.sluice.connector.postgres.catalog.PublishedNames;
import dev.sluice.connector.postgres.catalog.SourceTableReader;
import dev.sluice.connector.postgres.ddl.DefinitionReports;
import dev.sluice.connector.postgres.ddl.KnownDefinitions;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes tables while their changes are decoded. With the event triggers: as they were at the
 * position of a change; else as the catalog has them now, or had them when the capture began. Owned
 * by the thread that decodes the log.
 */
final class PublishedTables implements SourceTables {
  private static final String LEAVES =
      """
      SELECT n.nspname, c.relname
      FROM pg_catalog.pg_class r
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      CROSS JOIN LATERAL pg_catalog.pg_partition_tree(r.oid) t
      JOIN pg_catalog.pg_class c ON c.oid = t.relid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE t.isleaf AND rn.nspname = ? AND r.relname = ?
      """;

  private static final Logger LOG = LoggerFactory.getLogger(PublishedTables.class);

  private final SourceServer server;
  private final String task;
  private final Optional<DefinitionReports> messages;
  private final Predicate<TableId> selected;
  private final Predicate<TableId> oldRowsWanted;

  /** The tables that are captured; empty: all that are published. */
  private final Set<TableId> captured;

  private final Map<TableId, SourceTable> remembered = new HashMap<>();
  private final Set<TableId> reported = new HashSet<>();

  /**
   * @param messages reads the event triggers' reports; empty if they are not installed
   * @param selected tests the name of the root
   * @param oldRowsWanted tests the name of the root: whether its updates carry the old row
   */
  PublishedTables(
      SourceServer server,
      String task,
      SourceCatalog atBegin,
      Optional<DefinitionReports> messages,
      Predicate<TableId> selected,
      Predicate<TableId> oldRowsWanted) {
    this.server = server;
    this.task = task;
    this.messages = messages;
    this.selected = selected;
    this.oldRowsWanted = oldRowsWanted;
    // The publication is the filter. One that the user created may have tables that are not
    // selected; a fixed list would exclude tables and partitions that are created later.
    this.captured =
        messages.isPresent() || PublishedNames.hasRoots(atBegin)
            ? Set.of()
            : atBegin.published().stream().map(CatalogTable::table).collect(Collectors.toSet());
    atBegin.published().forEach(this::remember);
  }

  @Override
  public boolean isCaptured(TableId published) {
    return captured.isEmpty() || captured.contains(published);
  }

  @Override
  public Optional<SourceTable> describe(TableId table, Position position) {
    try (Connection connection = server.borrow()) {
      if (messages.isPresent()) {
        return KnownDefinitions.describe(connection, task, table, position).map(this::asSelected);
      }
      inCatalog(connection, table).ifPresent(this::remember);
      return Optional.ofNullable(remembered.get(table));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the columns and the key of table " + table, e);
    }
  }

  @Override
  public String typeName(int type, int modifier) {
    try (Connection connection = server.borrow();
        var statement =
            connection.prepareStatement("SELECT pg_catalog.format_type(?::pg_catalog.oid, ?)")) {
      statement.setString(1, Integer.toUnsignedString(type));
      statement.setInt(2, modifier);
      try (var row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the name of type " + type, e);
    }
  }

  @Override
  public Optional<Column> inCatalog(TableId table, String column) {
    try (Connection connection = server.borrow()) {
      return inCatalog(connection, table)
          .flatMap(
              found ->
                  found.rowColumns().stream()
                      .filter(each -> each.name().equals(column))
                      .findFirst());
    } catch (SQLException e) {
      throw SourceFailures.classify("reading column %s of table %s".formatted(column, table), e);
    }
  }

  /** In short attempts: describing a partition locks it, and waits while it is altered. */
  private Optional<CatalogTable> inCatalog(Connection connection, TableId table)
      throws SQLException {
    return new LockAttempts(server)
        .read(
            "reading the columns and the key of table " + table,
            connection,
            () -> SourceTableReader.table(connection, table));
  }

  private void remember(CatalogTable table) {
    remembered.put(table.table(), SourceTable.of(table, selected.test(table.root())));
  }

  /** The selection rules may have changed since the task began to replicate the table. */
  private SourceTable asSelected(SourceTable known) {
    if (!selected.test(known.root())) {
      return known.notFollowed();
    }
    if (!known.followed() && reported.add(known.table())) {
      LOG.warn(
          "table {} is published but not replicated by this task: its changes are skipped",
          known.table());
    }
    return known;
  }

  /**
   * True without the event triggers: a table that the catalog no longer has may have been a
   * partition of a selected table, so its own name must not exclude it.
   */
  @Override
  public boolean mayFollow(TableId unknown) {
    return messages.isEmpty() || selected.test(unknown);
  }

  @Override
  public boolean wantsOldRows(TableId root) {
    return oldRowsWanted.test(root);
  }

  @Override
  public Optional<Definition> definition(int relation, String report) {
    return messages.flatMap(reader -> reader.read(relation, report));
  }

  @Override
  public Set<TableId> leavesOf(TableId root, Position position) {
    try (Connection connection = server.borrow();
        var statement = connection.prepareStatement(LEAVES)) {
      if (messages.isPresent()) {
        return KnownDefinitions.leavesOf(connection, root, position);
      }
      statement.setString(1, root.schema());
      statement.setString(2, root.name());
      Set<TableId> leaves = new HashSet<>();
      new LockAttempts(server)
          .run(
              "reading the partitions of table " + root,
              connection,
              () -> {
                try (var rows = statement.executeQuery()) {
                  while (rows.next()) {
                    leaves.add(new TableId(rows.getString(1), rows.getString(2)));
                  }
                }
              });
      return leaves;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the partitions of table " + root, e);
    }
  }
}
