package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.CutoverRecord;
import dev.sluice.connector.api.Column;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks that the target can take a task's tables, and returns all problems at once. Stateless. */
public final class TargetChecks {

  private static final String OWNED =
      """
      SELECT pg_has_role(c.relowner, 'USAGE'), pg_get_userbyid(c.relowner)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ?::text AND c.relname = ?::text
      """;

  /**
   * A target table that the task will write.
   *
   * @param source its source table, for messages
   * @param columns the columns of the rows
   * @param computed generated columns of the source, whose values are not transferred
   * @param beforeImages columns with the earlier values of others; a full load does not write them
   * @param created whether the task creates the table; then its columns are not checked
   */
  public record Expected(
      TableId target,
      TableId source,
      List<Column> columns,
      Set<String> computed,
      Set<String> beforeImages,
      boolean created) {
    public Expected {
      columns = List.copyOf(columns);
      computed = Set.copyOf(computed);
      beforeImages = Set.copyOf(beforeImages);
    }

    /** Without before-image columns. */
    public Expected(
        TableId target,
        TableId source,
        List<Column> columns,
        Set<String> computed,
        boolean created) {
      this(target, source, columns, computed, Set.of(), created);
    }
  }

  /**
   * The problems found. Fix them in this order. Immutable.
   *
   * @param isReachable whether the target could be reached
   * @param problems problems other than missing tables and columns
   * @param missingTables tables that do not exist
   * @param missingColumns columns that a target table lacks, has in addition, or defines
   *     differently
   */
  public record Findings(
      boolean isReachable,
      List<Problem> problems,
      List<Problem> missingTables,
      List<Problem> missingColumns) {
    public Findings {
      problems = List.copyOf(problems);
      missingTables = List.copyOf(missingTables);
      missingColumns = List.copyOf(missingColumns);
    }

    public List<Problem> all() {
      return Stream.of(problems, missingTables, missingColumns).flatMap(List::stream).toList();
    }
  }

  private static final String WRONG_PASSWORD = "28P01";
  private static final String NO_PASSWORD = "08004";

  private TargetChecks() {}

  /**
   * Checks the target and each table.
   *
   * @param own the schemas of Sluice's own tables
   */
  public static Findings check(TargetServer server, List<String> own, List<Expected> tables) {
    boolean reachable = true;
    List<Problem> problems = new ArrayList<>();
    List<Problem> missingTables = new ArrayList<>();
    List<Problem> missingColumns = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
      DatabaseChecks database = new DatabaseChecks(connection, server);
      problems.addAll(database.session());
      for (String schema : own) {
        database
            .schema(
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
        database
            .schema(
                schema, "target schema " + schema, "a schema in which the task creates its tables")
            .ifPresent(problems::add);
      }
      TargetCatalog catalog = new TargetCatalog();
      for (Expected expected : tables) {
        Optional<TargetTable> table = catalog.table(connection, expected.target());
        if (table.isPresent()) {
          if (expected.created()) {
            checkOwned(connection, server, expected.target(), problems);
          } else {
            checkTable(connection, server, expected, table.get(), problems);
            missingColumns.addAll(TargetColumnChecks.problems(expected, table.get()));
          }
        } else if (!expected.created()) {
          missingTables.add(missing(expected));
        }
      }
    } catch (SluiceException e) {
      reachable = false;
      problems.add(unreachable(server, e));
    } catch (SQLException e) {
      reachable = false;
      problems.add(unreachable(server, server.errors().classify("check the target", e)));
    }
    return new Findings(reachable, problems, missingTables, missingColumns);
  }

  /** Whether the server refuses the login because the password is wrong or missing. */
  public static boolean refusesPassword(TargetServer server) {
    try {
      server.connect().close();
      return false;
    } catch (SluiceException e) {
      // 08004: the driver has no password to send.
      return e.getCause() instanceof SQLException cause
          && (WRONG_PASSWORD.equals(cause.getSQLState())
              || NO_PASSWORD.equals(cause.getSQLState()));
    }
  }

  /** The statement that lets a user's sessions switch off foreign keys, triggers and rules. */
  public static String grantReplicaRole(String user) {
    return "GRANT SET ON PARAMETER session_replication_role TO %s (as a superuser, PostgreSQL 15 and newer; before, the user must be one)"
        .formatted(TableId.quote(user));
  }

  /** Checks that this user may drop a table that the task creates again. */
  private static void checkOwned(
      TargetConnection connection, TargetServer server, TableId table, List<Problem> problems)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(OWNED)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        if (row.next() && !row.getBoolean(1)) {
          problems.add(
              new Problem(
                  "target table " + table,
                  "belongs to " + row.getString(2) + ", so " + server.user() + " cannot drop it",
                  "a table that the task may drop and create",
                  "Drop it, run: ALTER TABLE %s OWNER TO %s, or set another TargetTablePrepMode"
                      .formatted(table.quoted(), TableId.quote(server.user()))));
        }
      }
    }
  }

  private static void checkTable(
      TargetConnection connection,
      TargetServer server,
      Expected expected,
      TargetTable table,
      List<Problem> problems) {
    String thing = "target table " + table.id();
    List<String> missing = new ArrayList<>(table.missingPrivileges());
    if (!table.canTruncate()) {
      missing.add("TRUNCATE");
    }
    if (!missing.isEmpty()) {
      String rights = String.join(", ", missing);
      problems.add(
          new Problem(
              thing,
              "no right to " + rights,
              "SELECT, INSERT, UPDATE, DELETE and TRUNCATE",
              grant(rights + " ON " + table.id().quoted(), server)));
    }
    if (table.rowSecurity()) {
      problems.add(
          new Problem(
              thing,
              "its row-level security holds for " + server.user(),
              "a user who sees and writes every row",
              "ALTER ROLE %s BYPASSRLS, or load as the table's owner without FORCE ROW LEVEL SECURITY"
                  .formatted(TableId.quote(server.user()))));
    }
    if (!connection.replicaRole() && !table.firing().isEmpty()) {
      problems.add(
          new Problem(
              thing,
              "has " + String.join(", ", table.firing()),
              "the right to switch them off while changes are applied",
              grantReplicaRole(server.user())));
    }
  }

  /** The problem that triggers, rules or foreign keys cannot be switched off. */
  public static Problem wouldFire(TargetTable table, String user) {
    return new Problem(
        "target table " + table.id(),
        "has " + String.join(", ", table.firing()) + ", which would act on applied changes",
        "the right to switch them off for the session",
        grantReplicaRole(user));
  }

  private static Problem missing(Expected expected) {
    return new Problem(
        "target table " + expected.target(),
        "does not exist, or is not a table",
        "a table for the rows of " + expected.source(),
        "Create it, let the task create it with TargetTablePrepMode DROP_AND_CREATE, or deselect "
            + expected.source()
            + " out of the selection");
  }

  private static Problem unreachable(TargetServer server, SluiceException failure) {
    String state = failure.getCause() instanceof SQLException e ? e.getSQLState() : "";
    String fix;
    if (state == null || state.startsWith("08")) {
      fix = "Check that the server runs and can be reached from here, and check the url";
    } else if (state.startsWith("28")) {
      fix = "Check user, password and the server's pg_hba.conf";
    } else if (state.equals("3D000")) {
      fix = "Create the database, or name another one in the url";
    } else {
      fix = "Act on the server's message";
    }
    return new Problem(
        "target " + server, failure.getMessage(), "a session for applying changes", fix);
  }

  static String grant(String what, TargetServer server) {
    return "GRANT " + what + " TO " + TableId.quote(server.user());
  }
}
