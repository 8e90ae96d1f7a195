package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.catalog.DatabaseSequences;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbForeignKey;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.catalog.MysqlExpression;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads the definitions from which a target creates the tables. Owned by the connection's thread.
 */
public final class MariadbDefinitionReader {
  private static final String CHECKS =
      """
      SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = ? ORDER BY TABLE_NAME, CONSTRAINT_NAME
      """;

  private static final String CHECKS_OF_MYSQL =
      """
      SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE
      FROM information_schema.CHECK_CONSTRAINTS c
      JOIN information_schema.TABLE_CONSTRAINTS t
        ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME
        AND t.CONSTRAINT_TYPE = 'CHECK' AND t.ENFORCED = 'YES'
      WHERE c.CONSTRAINT_SCHEMA = ? ORDER BY t.TABLE_NAME, c.CONSTRAINT_NAME
      """;

  private static final String TRIGGERS =
      """
      SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS
      WHERE TRIGGER_SCHEMA = ? ORDER BY EVENT_OBJECT_TABLE, TRIGGER_NAME
      """;

  /** The check that the type JSON has. */
  private static final String JSON = "json_valid(";

  private final Connection connection;
  private final String database;
  private final DefinitionRequest request;
  private final ValuePolicy values;

  /**
   * @param values for values that PostgreSQL does not have
   */
  public MariadbDefinitionReader(
      Connection connection, String database, DefinitionRequest request, ValuePolicy values) {
    this.connection = connection;
    this.database = database;
    this.request = request;
    this.values = values;
  }

  /**
   * The definitions of the tables, without constraints.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public TableDefinitions tables() {
    try {
      DatabaseTables catalog = DatabaseTables.read(connection, database);
      Set<DefinitionStatement> needed = new LinkedHashSet<>();
      SequenceDefaults sequences = sequences(catalog);
      List<MariadbTable> requested = requested(catalog);
      List<DefinitionStatement> made = new ArrayList<>();
      List<DefinitionStatement> details = new ArrayList<>();
      List<CompletionStep> steps = new ArrayList<>();
      RelationNames names = new RelationNames(catalog.tables(), sequences.names(), request);
      for (MariadbTable table : requested) {
        TableDdl ddl =
            new TableDdl(table, target(table.table()), names, sequences, values, generated(table));
        needed.add(ddl.schema());
        made.addAll(ddl.made());
        details.addAll(ddl.comments());
        steps.addAll(new IndexDdl(table, target(table.table()), names).steps());
      }
      needed.addAll(sequences.made(requested));
      return new TableDefinitions(
          List.copyOf(needed),
          made,
          details,
          steps.stream().filter(step -> step.kind() == Kind.KEY).toList(),
          steps.stream().filter(step -> step.kind() != Kind.KEY).toList());
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the definitions of tables", e);
    }
  }

  /**
   * The steps for the constraints of the tables, and for what is not created.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public List<CompletionStep> constraints() {
    try {
      DatabaseTables catalog = DatabaseTables.read(connection, database);
      Constraints constraints = readConstraints();
      SequenceDefaults sequences = sequences(catalog);
      List<CompletionStep> found = new ArrayList<>();
      for (MariadbTable table : requested(catalog)) {
        ConstraintDdl ddl = new ConstraintDdl(table, target(table.table()));
        for (MariadbForeignKey key : constraints.foreignKeysOf(table)) {
          found.addAll(
              ddl.foreignKey(key, catalog.table(key.referenced()), target(key.referenced())));
        }
        for (String[] check : constraints.checksOf(table)) {
          found.addAll(ddl.check(check[1], check[2]));
        }
        for (String[] trigger : constraints.triggersOf(table)) {
          found.add(ddl.trigger(trigger[1]));
        }
        found.addAll(
            ddl.notMade(sequences, column -> request.ordinary().test(table.table(), column)));
      }
      return placed(found);
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the constraints of tables", e);
    }
  }

  private GeneratedColumns generated(MariadbTable table) {
    return GeneratedColumns.of(table)
        .without(column -> request.ordinary().test(table.table(), column));
  }

  /**
   * The tables for a target with types and statements of its own.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public List<TableOutline> outlines() {
    try {
      DatabaseTables catalog = DatabaseTables.read(connection, database);
      Constraints constraints = readConstraints();
      SequenceDefaults sequences = sequences(catalog);
      List<TableOutline> outlines = new ArrayList<>();
      for (MariadbTable table : requested(catalog)) {
        List<OtherObject> others = new ArrayList<>();
        for (String[] check : constraints.checksOf(table)) {
          others.add(new OtherObject("check", check[1], check[2]));
        }
        for (String[] trigger : constraints.triggersOf(table)) {
          others.add(new OtherObject("trigger", trigger[1], "as SHOW CREATE TRIGGER prints it"));
        }
        outlines.add(
            new OutlinedTable(table, request.targetOf(), sequences, values)
                .with(constraints.foreignKeysOf(table), others));
      }
      return outlines;
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the definitions of tables", e);
    }
  }

  /**
   * Constraints and triggers of tables.
   *
   * @param checks each with its table, its name and its expression
   * @param triggers each with its table and its name
   */
  private record Constraints(
      List<MariadbForeignKey> foreignKeys, List<String[]> checks, List<String[]> triggers) {

    List<MariadbForeignKey> foreignKeysOf(MariadbTable table) {
      return foreignKeys.stream().filter(key -> key.table().equals(table.table())).toList();
    }

    /** The checks of a table, without those that mark columns of MariaDB's JSON. */
    List<String[]> checksOf(MariadbTable table) {
      return of(table, checks).filter(check -> !check[2].startsWith(JSON)).toList();
    }

    List<String[]> triggersOf(MariadbTable table) {
      return of(table, triggers).toList();
    }

    private static Stream<String[]> of(MariadbTable table, List<String[]> all) {
      return all.stream().filter(each -> each[0].equals(table.table().name()));
    }
  }

  private Constraints readConstraints() throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    return new Constraints(
        MariadbForeignKey.read(connection, database),
        checks(query),
        query.rows(TRIGGERS, database));
  }

  private List<String[]> checks(MariadbQuery query) throws SQLException {
    if (query.flavour() == Flavour.MARIADB) {
      return query.rows(CHECKS, database);
    }
    List<String[]> checks = query.rows(CHECKS_OF_MYSQL, database);
    checks.forEach(check -> check[2] = MysqlExpression.of(check[2]));
    return checks;
  }

  /** Orders the steps: two that lock tables at the same time could deadlock. */
  private static List<CompletionStep> placed(List<CompletionStep> found) {
    List<CompletionStep> placed = new ArrayList<>();
    for (CompletionStep step :
        found.stream().sorted(Comparator.comparing(CompletionStep::kind)).toList()) {
      placed.add(step.at(step.kind() == Kind.VALIDATION ? Integer.MAX_VALUE : placed.size()));
    }
    return placed;
  }

  private SequenceDefaults sequences(DatabaseTables catalog) throws SQLException {
    return new SequenceDefaults(
        DatabaseSequences.read(connection, database, catalog).states(), request.targetOf());
  }

  private List<MariadbTable> requested(DatabaseTables catalog) {
    List<MariadbTable> tables = new ArrayList<>();
    for (TableId name : request.tables()) {
      tables.add(
          catalog
              .table(name)
              .orElseThrow(
                  () -> new SluiceException.Overtaken("table " + name + " was dropped", null)));
    }
    return tables;
  }

  private TableId target(TableId source) {
    return request.targetOf().apply(source);
  }
}
