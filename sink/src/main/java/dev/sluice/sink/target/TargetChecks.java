package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.CutoverRecord;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.source.SharedCluster;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks that the target can take a task's tables, and returns all problems at once. Stateless. */
public final class TargetChecks {

  /**
   * A target table that the task will write.
   *
   * @param source its source table, for messages
   * @param columns the columns of the rows
   * @param computed generated columns of the source, whose values are not transferred
   * @param beforeImages columns with the earlier values of others; a full load does not write them
   * @param nulled columns that get NULL in place of some values, as the task file says
   * @param recomputed columns of the rows that the target may compute as the source does
   * @param created whether the task creates the table; then its columns are not checked
   */
  public record Expected(
      TableId target,
      TableId source,
      List<Column> columns,
      Set<String> computed,
      Set<String> beforeImages,
      Set<String> nulled,
      Set<String> recomputed,
      boolean created) {
    public Expected {
      recomputed = Set.copyOf(recomputed);
      columns = List.copyOf(columns);
      computed = Set.copyOf(computed);
      beforeImages = Set.copyOf(beforeImages);
      nulled = Set.copyOf(nulled);
    }

    /** Without before-image columns, and with the values that the source has. */
    public Expected(
        TableId target,
        TableId source,
        List<Column> columns,
        Set<String> computed,
        boolean created) {
      this(target, source, columns, computed, Set.of(), Set.of(), Set.of(), created);
    }
  }

  /**
   * The problems found. Fix them in this order. Immutable.
   *
   * @param failure why the target could not be asked; empty if it could
   * @param problems problems other than missing tables and columns
   * @param missingTables tables that do not exist
   * @param missingColumns columns that a target table lacks, has in addition, or defines
   *     differently
   */
  public record Findings(
      Optional<SluiceException> failure,
      List<Problem> problems,
      List<Problem> missingTables,
      List<Problem> missingColumns) {
    public Findings {
      problems = List.copyOf(problems);
      missingTables = List.copyOf(missingTables);
      missingColumns = List.copyOf(missingColumns);
    }

    public boolean isReachable() {
      return failure.isEmpty();
    }

    public List<Problem> all() {
      return Stream.of(problems, missingTables, missingColumns).flatMap(List::stream).toList();
    }
  }

  private TargetChecks() {}

  /**
   * Checks the target and each table.
   *
   * @param own the schemas of Sluice's own tables
   */
  public static Findings check(TargetServer server, List<String> own, List<Expected> tables) {
    Optional<SluiceException> failure = Optional.empty();
    List<Problem> problems = new ArrayList<>();
    List<Problem> missingTables = new ArrayList<>();
    List<Problem> missingColumns = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
      ServerChecks checks = connection.dialect().checks();
      problems.addAll(checks.database(connection, server));
      for (String schema : own) {
        checks
            .schema(
                connection,
                server,
                schema,
                "control schema " + schema,
                schema.equals(CutoverRecord.SCHEMA)
                    ? "a schema in which the target remembers a cutover"
                    : "a schema in which the task keeps its checkpoint")
            .ifPresent(problems::add);
      }
      Set<String> schemas = new TreeSet<>();
      tables.stream()
          .filter(Expected::created)
          .forEach(table -> schemas.add(table.target().schema()));
      for (String schema : schemas) {
        checks
            .schema(
                connection,
                server,
                schema,
                "target schema " + schema,
                "a schema in which the task creates its tables")
            .ifPresent(problems::add);
      }
      TargetCatalog catalog = new TargetCatalog();
      for (Expected expected : tables) {
        TargetTableProblems.withoutKey(connection.dialect(), expected.target(), expected.columns())
            .ifPresent(problems::add);
        checks.name(connection, expected.target()).ifPresent(problems::add);
        Optional<TargetTable> table = catalog.table(connection, expected.target());
        if (table.isPresent()) {
          if (expected.created()) {
            checks.dropping(connection, server, expected.target()).ifPresent(problems::add);
          } else {
            problems.addAll(checks.rights(server, table.get()));
            problems.addAll(table.get().unfit());
            TargetTableProblems.firing(connection, server, table.get()).ifPresent(problems::add);
            TargetColumnChecks columns = new TargetColumnChecks(connection.dialect().columnFixes());
            problems.addAll(columns.refusedNulls(expected, table.get()));
            missingColumns.addAll(columns.problems(expected, table.get()));
          }
        } else if (!expected.created()) {
          missingTables.add(
              TargetTableProblems.missing(server.dialect(), expected.target(), expected.source()));
        }
      }
    } catch (SluiceException e) {
      failure = Optional.of(e);
    } catch (SQLException e) {
      failure = Optional.of(server.errors().classify("check the target", e));
    }
    failure.ifPresent(e -> problems.add(unreachable(server, e)));
    return new Findings(failure, problems, missingTables, missingColumns);
  }

  /**
   * The problems that keep a table of the target from being dropped and made again: what the user
   * may not do with it, or cannot see of it. Empty if the target has no such table.
   */
  public static List<Problem> ofTableToDrop(TargetServer server, TableId id) {
    try (TargetConnection connection = server.borrow()) {
      Optional<TargetTable> table = new TargetCatalog().table(connection, id);
      if (table.isEmpty()) {
        return List.of();
      }
      List<Problem> problems =
          new ArrayList<>(connection.dialect().checks().rights(server, table.get()));
      problems.addAll(table.get().unfit());
      return problems;
    } catch (SQLException e) {
      throw server.errors().classify("read the definition of " + id, e);
    }
  }

  /**
   * The right of the server that comparisons lack; empty if they have it, or the server does not
   * answer, which is reported elsewhere. Asked by a new session: an older one keeps the rights that
   * it began with.
   */
  public static Optional<Problem> ofComparison(TargetServer server) {
    try (TargetConnection connection = server.connect()) {
      return connection.dialect().checks().comparison(connection, server);
    } catch (SluiceException | SQLException e) {
      return Optional.empty();
    }
  }

  /**
   * What a user should know of the target's server.
   *
   * @throws SluiceException if the target does not answer
   */
  public static List<String> notes(TargetServer server) {
    try (TargetConnection connection = server.borrow()) {
      return connection.dialect().checks().notes(connection);
    } catch (SQLException e) {
      throw server.errors().classify("read the settings of the target", e);
    }
  }

  /**
   * The cluster to which the target belongs; empty if it belongs to none.
   *
   * @throws SluiceException if the target does not answer
   */
  public static Optional<SharedCluster> cluster(TargetServer server) {
    try (TargetConnection connection = server.borrow()) {
      return connection.dialect().checks().cluster(connection);
    } catch (SQLException e) {
      throw server.errors().classify("read the cluster of the target", e);
    }
  }

  /**
   * Checks the target of a task that writes nothing but control tables.
   *
   * @param expected what the schema is for, for messages
   */
  public static List<Problem> ofControlSchema(TargetServer server, String schema, String expected) {
    try (TargetConnection connection = server.borrow()) {
      return connection
          .dialect()
          .checks()
          .schema(connection, server, schema, "control schema " + schema, expected)
          .stream()
          .toList();
    } catch (SluiceException e) {
      return List.of(unreachable(server, e));
    } catch (SQLException e) {
      return List.of(unreachable(server, server.errors().classify("check the target", e)));
    }
  }

  /**
   * The problems of names of tables that the server has under other names.
   *
   * @throws SluiceException if the target does not answer
   */
  public static List<Problem> ofNames(TargetServer server, List<TableId> tables) {
    List<Problem> problems = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
      for (TableId table : tables) {
        connection.dialect().checks().name(connection, table).ifPresent(problems::add);
      }
      return problems;
    } catch (SQLException e) {
      throw server.errors().classify("check the names of tables", e);
    }
  }

  /** Whether the server refuses the login because the password is wrong or missing. */
  public static boolean refusesPassword(TargetServer server) {
    try {
      server.connect().close();
      return false;
    } catch (SluiceException e) {
      return server.dialect().checks().isOfPassword(e);
    }
  }

  private static Problem unreachable(TargetServer server, SluiceException failure) {
    return new Problem(
        "target " + server,
        failure.getMessage(),
        "a session for applying changes",
        server.dialect().checks().fixOfUnreachable(failure));
  }
}
