package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.catalog.PublishedNames;
import dev.sluice.connector.postgres.catalog.SourceTableReader;
import dev.sluice.connector.postgres.load.LoadRules;
import dev.sluice.connector.postgres.publication.Publication;
import dev.sluice.connector.postgres.server.ConnectionProblem;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.PostgresConfig;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Checks a source before a task runs and returns all problems. Changes nothing. What it reads of
 * the selected tables counts for all its checks: another round of checks needs another object. Used
 * by one thread.
 */
public final class PostgresChecks implements SourceChecks {
  private final PostgresConfig config;
  private final SourceServer server;
  private final Publication publication;
  private final ReplicationSlot slot;
  private final LockAttempts locks;
  private final SelectionChecks selection;
  private final CheckedTables checked = new CheckedTables();

  public PostgresChecks(
      PostgresConfig config, SourceServer server, Publication publication, ReplicationSlot slot) {
    this(config, server, publication, slot, new LockAttempts(server));
  }

  public PostgresChecks(
      PostgresConfig config,
      SourceServer server,
      Publication publication,
      ReplicationSlot slot,
      LockAttempts locks) {
    this.config = config;
    this.server = server;
    this.publication = publication;
    this.slot = slot;
    this.locks = locks;
    this.selection = new SelectionChecks(config);
  }

  /**
   * All problems at once.
   *
   * @param followed the selected tables that the task replicates; only these are checked
   * @param capture whether changes are replicated; else the tables are only loaded
   */
  @Override
  public List<Problem> problems(
      TableMappings mappings, Predicate<TableId> followed, boolean capture) {
    return problems(mappings, followed, capture, false);
  }

  /**
   * The problems of a task that has begun and replicates DDL. Problems of single tables are
   * tolerated, see {@link #tolerated}.
   */
  @Override
  public List<Problem> problemsOfBegun(TableMappings mappings, Predicate<TableId> followed) {
    return problems(mappings, followed, true, true);
  }

  private List<Problem> problems(
      TableMappings mappings, Predicate<TableId> followed, boolean capture, boolean begun) {
    return named(
        connection -> {
          List<Problem> problems = new ArrayList<>();
          List<CatalogTable> views = SelectionChecks.views(connection, mappings);
          problems.addAll(
              selection.problems(mappings, checked.selected(connection, mappings), views, capture));
          SourceCatalog catalog = checked.followed(connection, mappings, followed);
          SourceServerChecks ofServer = new SourceServerChecks(connection, config, slot);
          problems.addAll(ofServer.problemsOfReading());
          if (capture) {
            problems.addAll(ofServer.problemsOfCapture());
            problems.addAll(
                new PublicationChecks(connection, config, publication).problems(catalog));
          }
          if (!begun) {
            problems.addAll(ownProblems(connection, mappings, catalog, capture));
          }
          problems.addAll(
              new RuleChecks(connection, config, mappings, capture).problems(catalog.tables()));
          return problems;
        });
  }

  @Override
  public List<Problem> changedFilters(TableMappings mappings, Predicate<TableId> followed) {
    return named(
        connection ->
            changedFilters(connection, mappings, checked.followed(connection, mappings, followed)));
  }

  private List<Problem> changedFilters(
      Connection connection, TableMappings mappings, SourceCatalog catalog) throws SQLException {
    return publication.found(connection).exists() && slot.state(connection).isPresent()
        ? publication.changedFilters(connection, PublishedNames.of(catalog), mappings::filter)
        : List.of();
  }

  /** A check over one connection; it may run several times. */
  private interface Check<T> {
    T at(Connection connection) throws SQLException;
  }

  /** In short attempts: describing partitions and trying a filter lock tables. */
  private <T> T run(Check<T> check) throws SQLException {
    try (Connection connection = server.borrow()) {
      return locks.read("checking the source's tables", connection, () -> check.at(connection));
    }
  }

  /** The same; a table that stays locked is a problem, too. */
  private List<Problem> named(Check<List<Problem>> check) {
    try {
      return run(check);
    } catch (SluiceException.Retryable e) {
      return List.of(
          new Problem(
              "source " + config.endpoint(),
              e.getMessage(),
              "tables that are not locked for long",
              "Find out what keeps these transactions open, and try again when they have ended"));
    } catch (SQLException e) {
      return List.of(ConnectionProblem.of(config.endpoint(), e));
    }
  }

  /**
   * What {@link #problemsOfBegun} skips: problems of tables that were altered since the task began.
   */
  @Override
  public List<Problem> tolerated(TableMappings mappings, Predicate<TableId> followed) {
    try {
      return run(
          connection ->
              ownProblems(
                  connection, mappings, checked.followed(connection, mappings, followed), true));
    } catch (SQLException e) {
      throw SourceFailures.classify("checking the source's tables", e);
    }
  }

  /** The problems of the selected views, which are only loaded. */
  @Override
  public List<Problem> problemsOfViews(TableMappings mappings) {
    if (!mappings.includesViews()) {
      return List.of();
    }
    return named(connection -> problemsOfViews(connection, mappings));
  }

  private List<Problem> problemsOfViews(Connection connection, TableMappings mappings)
      throws SQLException {
    TableMappings ofViews = mappings.ofViews();
    List<CatalogTable> views = SelectionChecks.views(connection, mappings);
    SourceTableChecks ofTables =
        new SourceTableChecks(config, false, connection.getMetaData().getDatabaseMajorVersion());
    List<Problem> problems = new ArrayList<>();
    for (TableId named : ofViews.explicitTables()) {
      // A name that may be a table as well was checked together with the tables.
      if (!mappings.explicitTables().contains(named) && !SelectionChecks.names(named, views)) {
        problems.add(selection.missing(named, "view"));
      }
    }
    views.forEach(view -> problems.addAll(ofTables.problems(view)));
    problems.addAll(new RuleChecks(connection, config, ofViews, false).problems(views));
    return problems;
  }

  /** The problems of the tables, and of the mapping rules for them. */
  private List<Problem> tableProblems(
      Connection connection, TableMappings mappings, SourceCatalog catalog, boolean capture)
      throws SQLException {
    List<Problem> problems = ownProblems(connection, mappings, catalog, capture);
    List<Problem> ofRules =
        new RuleChecks(connection, config, mappings, capture).problems(catalog.tables());
    problems.addAll(ofRules);
    if (capture && ofRules.isEmpty()) {
      problems.addAll(changedFilters(connection, mappings, catalog));
    }
    return problems;
  }

  /** The problems of the tables without regard to rules. */
  private List<Problem> ownProblems(
      Connection connection, TableMappings mappings, SourceCatalog catalog, boolean capture)
      throws SQLException {
    int version = connection.getMetaData().getDatabaseMajorVersion();
    SourceTableChecks ofTables = new SourceTableChecks(config, capture, version);
    BeforeImageChecks ofImages = new BeforeImageChecks(config, mappings, capture, version);
    List<Problem> problems = new ArrayList<>();
    for (CatalogTable table : catalog.relations()) {
      problems.addAll(ofTables.problems(table));
      problems.addAll(ofImages.problems(table));
    }
    return problems;
  }

  /**
   * The problems that prevent a running task from replicating tables.
   *
   * @param tables tests the name of the root
   */
  @Override
  public List<Problem> problemsOf(TableMappings mappings, Predicate<TableId> tables) {
    try {
      return run(
          connection -> {
            SourceCatalog catalog = SourceTableReader.tables(connection, tables);
            List<Problem> problems =
                new ArrayList<>(
                    new PublicationChecks(connection, config, publication).problems(catalog));
            problems.addAll(tableProblems(connection, mappings, catalog, true));
            return problems;
          });
    } catch (SQLException e) {
      throw SourceFailures.classify("checking the source's tables", e);
    }
  }

  @Override
  public List<Problem> problemsOfLoadRules(TableMappings mappings, Collection<TableId> tables) {
    return LoadRules.problems(server, mappings.parallelLoad(), tables);
  }

  /** Notes for the user; they do not prevent a start. */
  @Override
  public List<String> notes(TableMappings mappings) {
    try {
      return run(connection -> notes(connection, mappings));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's settings", e);
    }
  }

  private List<String> notes(Connection connection, TableMappings mappings) throws SQLException {
    return new PostgresNotes(connection, config, mappings)
        .of(
            checked.selected(connection, mappings).tables(),
            SelectionChecks.views(connection, mappings),
            slot.name());
  }
}
