package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.CapturedTables;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.catalog.PublishedNames;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task's publication: the tables whose changes the server sends. Changes of a partitioned table
 * have the leaf's name ({@code publish_via_partition_root} off): with the root's name the TRUNCATE
 * of one partition would not be sent. Each call is from one thread.
 */
public final class Publication implements CapturedTables {
  private static final Logger LOG = LoggerFactory.getLogger(Publication.class);

  private static final String NOT_ALLOWED = "42501";

  private final SourceServer server;
  private final String name;
  private final String slot;
  private final TaskMark mark;
  private final LockAttempts locks;
  private final PublishedRows rows;

  public Publication(
      SourceServer server, String name, String slot, TaskMark mark, PublishedRows rows) {
    this(server, name, slot, mark, new LockAttempts(server), rows);
  }

  /**
   * @param slot the task's slot, named in the publication's comment
   * @param rows the row filters that the publication had when the task began
   */
  public Publication(
      SourceServer server,
      String name,
      String slot,
      TaskMark mark,
      LockAttempts locks,
      PublishedRows rows) {
    this.server = server;
    this.name = name;
    this.slot = slot;
    this.mark = mark;
    this.locks = locks;
    this.rows = rows;
  }

  public String name() {
    return name;
  }

  @Override
  public String kind() {
    return "publication";
  }

  /** A slot never sends changes of tables that were not published when the change was written. */
  @Override
  public Problem missingFor(FoundRetention kept) {
    return new Problem(
        "publication " + name,
        "it does not exist, so slot "
            + kept.name()
            + " does not have the changes since it was created",
        "a publication that was created before the slot (source.take-slot)",
        "Create the publication first, then the slot; or remove source.take-slot and name"
            + " a slot that the task creates itself");
  }

  /**
   * Creates the publication with the task's mark if it does not exist, and adds missing tables.
   *
   * @param tables ordinary tables, roots of partitioned ones, or leaves
   */
  public void include(List<TableId> tables) {
    include(tables, table -> Optional.empty(), false);
  }

  /** Creates the publication with all tables of a catalog, or adds those that are missing. */
  public void include(SourceCatalog catalog) {
    include(catalog, table -> Optional.empty(), false);
  }

  @Override
  public boolean keepsFilters() {
    return true;
  }

  /**
   * Creates the publication or adds missing tables, with row filters.
   *
   * @param filterOf the row filter of a table; empty: all rows
   * @param follows whether the slot exists, so that filters must not change
   * @throws SluiceException.Fatal if a filter would change
   */
  @Override
  public void include(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    include(PublishedNames.of(catalog), filterOf, follows);
  }

  private void include(
      List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    includeAll(tables, filterOf, follows);
    try (Connection connection = server.borrow()) {
      rows.begin(connection, name);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading publication " + name, e);
    }
  }

  private void includeAll(
      List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    try (Connection connection = server.borrow()) {
      new PublishedFilters(connection, name).requireWholeRows(tables, filterOf);
      Optional<Problem> anothers = anothers(connection);
      if (anothers.isPresent()) {
        throw new SluiceException.Fatal(anothers.get());
      }
      FoundPublication found = found(connection);
      PublicationTables included = new PublicationTables(connection, name, filterOf, locks);
      if (!found.exists()) {
        included.create(tables, mark.comment(slot));
      } else if (!found.isForAllTables()) {
        included.add(tables, follows);
      }
    } catch (SQLException e) {
      throw SourceFailures.classifyOnNamedTables("creating publication " + name, e);
    }
  }

  /**
   * Adds missing tables of a catalog whose tables may have been altered since the task began. A
   * table is not added if PostgreSQL would then refuse the application's statements.
   */
  @Override
  public void includeWhatFits(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    int version;
    try (Connection connection = server.borrow()) {
      version = connection.getMetaData().getDatabaseMajorVersion();
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the server's version", e);
    }
    include(PublishedNames.publishable(catalog, version), filterOf, follows);
  }

  /**
   * Sets REPLICA IDENTITY FULL on tables without a replica identity. Called before they are
   * published: PostgreSQL refuses UPDATE and DELETE on a published table without one.
   *
   * @return the altered tables
   */
  public List<TableId> giveReplicaIdentity(SourceCatalog catalog) {
    return logOldRows(catalog, table -> false, (table, before) -> {});
  }

  /**
   * Sets REPLICA IDENTITY FULL also on tables whose complete old rows are needed.
   *
   * @param wholeRows tests the name of the root: whether complete old rows are needed
   * @param noted called with a table's replica identity before it is changed
   */
  @Override
  public List<TableId> logOldRows(
      SourceCatalog catalog, Predicate<TableId> wholeRows, BiConsumer<TableId, String> noted) {
    return new ReplicaIdentities(server, locks, true).giveFull(catalog, wholeRows, noted);
  }

  /** The filter changes that {@link #include} would refuse for a running task; changes nothing. */
  public List<Problem> changedFilters(
      Connection connection, List<TableId> tables, Function<TableId, Optional<RowFilter>> filterOf)
      throws SQLException {
    try {
      new PublishedFilters(connection, name).require(tables, filterOf, true);
      return List.of();
    } catch (SluiceException.Fatal e) {
      return e.problems();
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        // A missing right to alter it is another check's problem.
        return List.of();
      }
      throw e;
    }
  }

  /**
   * Drops the publication if this task created it. One of the user or of another task stays.
   *
   * @return whether it was dropped
   */
  @Override
  public boolean drop() {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement()) {
      FoundPublication found = found(connection);
      if (!found.exists()) {
        return false;
      }
      Optional<String> comment = found.comment();
      if (!mark.isIn(comment.orElse(""))) {
        LOG.info(
            "publication {} is not dropped, this task did not create it: {}",
            name,
            comment.orElse("-"));
        return false;
      }
      locks.run(
          "altering publication " + name,
          connection,
          () -> statement.execute("DROP PUBLICATION " + TableId.quote(name)));
      return true;
    } catch (SQLException e) {
      throw SourceFailures.classify("dropping publication " + name, e);
    }
  }

  /** The problem that another task created the publication; empty if not. */
  @Override
  public Optional<Problem> anothers() {
    try (Connection connection = server.borrow()) {
      return anothers(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading publication " + name, e);
    }
  }

  /** The same check over the given connection. */
  public Optional<Problem> anothers(Connection connection) throws SQLException {
    return found(connection)
        .comment()
        .filter(mark::isAnothersIn)
        .map(
            comment ->
                new Problem(
                    "publication " + name,
                    "another task made it: \"" + comment + "\"",
                    "a publication that this task or a user created",
                    "Do not drop that one; set source.publication-name and source.slot-name of this"
                        + " task to other names. If the other task no longer exists and nothing"
                        + " reads its slot, drop that slot and this publication by hand"));
  }

  @Override
  public boolean exists() {
    try (Connection connection = server.borrow()) {
      return found(connection).exists();
    } catch (SQLException e) {
      throw SourceFailures.classify("reading publication " + name, e);
    }
  }

  /**
   * The catalog's tables that are not published. In short attempts: the view that lists them locks
   * each table for a moment, and would wait for an application's DDL without end.
   */
  @Override
  public List<TableId> lacking(SourceCatalog catalog) {
    try (Connection connection = server.borrow()) {
      Set<TableId> published =
          new LockAttempts(server)
              .read("reading publication " + name, connection, () -> found(connection).tables());
      return catalog.published().stream()
          .map(CatalogTable::table)
          .filter(table -> !published.contains(table))
          .toList();
    } catch (SQLException e) {
      throw SourceFailures.classify("reading publication " + name, e);
    }
  }

  @Override
  public Problem notCaptured(TableId table) {
    return new Problem(
        "table " + table,
        "is selected, but publication %s does not have it: its changes are not captured"
            .formatted(name),
        "a publication of all selected tables",
        "Run: ALTER PUBLICATION %s ADD TABLE ONLY %s; then make the tables equal again by difference with sluice stop, sluice resync and sluice run, or copy this one again with sluice reload"
            .formatted(TableId.quote(name), table.quoted()));
  }

  /**
   * The problems by which the publication sends less of the selected tables than when the task
   * began to read it.
   */
  @Override
  public List<Problem> leavingOut(TableMappings mappings) {
    try (Connection connection = server.borrow()) {
      List<Problem> problems =
          new ArrayList<>(PublicationShape.problem(connection, name).stream().toList());
      problems.addAll(
          rows.problems(
              connection, name, mappings::selects, table -> mappings.filter(table).isPresent()));
      return problems;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading publication " + name, e);
    }
  }

  /** What the source's catalog says of it. */
  public FoundPublication found(Connection connection) {
    return new FoundPublication(connection, name);
  }
}
