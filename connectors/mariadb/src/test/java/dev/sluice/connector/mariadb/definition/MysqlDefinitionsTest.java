package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.MariadbSource;
import dev.sluice.connector.mariadb.OnMysql;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a real PostgreSQL says of tables that were made by the definitions of a real MySQL. */
@OnMysql
class MysqlDefinitionsTest {
  private static final String COLUMNS =
      """
      SELECT concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, CASE WHEN a.attidentity <> '' THEN 'IDENTITY' END,
        pg_get_expr(d.adbin, d.adrelid))
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = '%s.t'::regclass AND a.attnum > 0 ORDER BY a.attnum
      """;

  private static final String CONSTRAINTS =
      """
      SELECT concat(conname, ' ', pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE conrelid = '%s.t'::regclass AND contype <> 'n' ORDER BY conname
      """;

  private static final String INDEXES =
      """
      SELECT regexp_replace(indexdef, ' ON .* USING btree', '') FROM pg_indexes
      WHERE schemaname = '%s' AND tablename = 't' ORDER BY indexname
      """;

  private static final String COMMENTS =
      """
      SELECT concat(objsubid, ' ', description) FROM pg_description
      WHERE objoid = '%s.t'::regclass ORDER BY objsubid
      """;

  private static final String[] TABLES = {
    "CREATE TABLE other (a int, b int, PRIMARY KEY (a, b))",
    """
    CREATE TABLE t (
      id int unsigned AUTO_INCREMENT PRIMARY KEY COMMENT 'a "number" of it''s own',
      tiny tinyint(1) NOT NULL DEFAULT 1,
      big bigint unsigned DEFAULT 18446744073709551615,
      price decimal(10,2) NOT NULL DEFAULT '9.90',
      name varchar(20) CHARACTER SET latin1 DEFAULT 'it''s \\\\ "so"',
      blank varchar(5) NOT NULL DEFAULT '',
      kind enum('a','b') DEFAULT 'b',
      flags bit(4) DEFAULT b'101',
      made datetime(3) DEFAULT CURRENT_TIMESTAMP(3),
      changed timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
      day date DEFAULT (curdate()),
      computed double DEFAULT (1 + 2),
      code binary(4),
      doc json,
      at geometry,
      twice int AS (tiny * 2) STORED,
      half int AS (tiny / 2) VIRTUAL,
      a int, b int,
      UNIQUE KEY by_name (name, kind DESC),
      KEY by_part (name(3)),
      KEY by_upper ((upper(name))),
      CONSTRAINT positive CHECK (price > 0 AND kind <> 'c'),
      CONSTRAINT loose CHECK (tiny > 5) NOT ENFORCED,
      CONSTRAINT hard CHECK (length(name) > 0),
      CONSTRAINT of_other FOREIGN KEY (a, b) REFERENCES other (a, b)
    ) COMMENT 'a table'
    """
  };

  @Test
  void tablesHaveTheirTypesDefaultsKeysIndexesConstraintsAndComments() throws SQLException {
    try (SourceDatabase database = new SourceDatabase(TABLES);
        EmbeddedPostgres postgres = EmbeddedPostgres.start();
        Connection target = postgres.connect();
        Statement statement = target.createStatement()) {
      List<CompletionStep> constraints = make(database, statement);
      String name = database.name;
      assertThat(strings(statement, COLUMNS.formatted(name)))
          .containsExactly(
              "id bigint NOT NULL IDENTITY",
              "tiny smallint NOT NULL 1",
              "big numeric(20,0) '18446744073709551615'::numeric",
              "price numeric(10,2) NOT NULL 9.90",
              "name character varying(20) 'it''s \\ \"so\"'::character varying",
              "blank character varying(5) NOT NULL ''::character varying",
              "kind text 'b'::text",
              "flags bit(4) '0101'::\"bit\"",
              "made timestamp(3) without time zone LOCALTIMESTAMP(3)",
              "changed timestamp(0) with time zone CURRENT_TIMESTAMP(0)",
              "day date CURRENT_DATE",
              "computed double precision",
              "code bytea",
              "doc json",
              "at bytea",
              "twice integer",
              "half integer",
              "a integer",
              "b integer");
      assertThat(strings(statement, CONSTRAINTS.formatted(name)))
          .containsExactly(
              "of_other FOREIGN KEY (a, b) REFERENCES %s.other(a, b)".formatted(name),
              "positive CHECK (((price > (0)::numeric) AND (kind <> 'c'::text)))",
              "t_pkey PRIMARY KEY (id)");
      assertThat(strings(statement, INDEXES.formatted(name)))
          .containsExactlyInAnyOrder(
              "CREATE UNIQUE INDEX t_pkey (id)",
              "CREATE UNIQUE INDEX t_by_name (name, kind DESC)",
              "CREATE INDEX t_by_part (\"left\"((name)::text, 3))",
              "CREATE INDEX t_of_other (a, b)");
      assertThat(strings(statement, COMMENTS.formatted(name)))
          .containsExactly("0 a table", "1 a \"number\" of it's own");
      assertThat(skipped(constraints))
          .anyMatch(text -> text.contains("hard") && text.contains("by hand"))
          .anyMatch(text -> text.contains("expression of") && text.contains("twice"))
          .anyMatch(text -> text.contains("expression of") && text.contains("half"))
          .anyMatch(text -> text.contains("default of") && text.contains("computed"))
          .anyMatch(text -> text.contains("update of") && text.contains("changed"))
          .noneMatch(text -> text.contains("loose"));
    }
  }

  private static List<CompletionStep> make(SourceDatabase database, Statement statement) {
    MariadbSource source = database.source();
    List<TableId> tables =
        source.catalog(any -> true).tables().stream().map(each -> each.table()).toList();
    DefinitionRequest request = new DefinitionRequest(tables, name -> name, 16, false);
    TableDefinitions definitions = source.reader().definitions(request);
    definitions.needed().forEach(each -> run(statement, each));
    definitions.tables().forEach(each -> run(statement, each));
    definitions.details().forEach(each -> run(statement, each));
    assertThat(skipped(definitions.rest())).anyMatch(text -> text.contains("upper"));
    List<CompletionStep> steps = new ArrayList<>(definitions.keys());
    steps.addAll(definitions.rest());
    List<CompletionStep> constraints = source.reader().constraints(request);
    steps.addAll(constraints);
    steps.stream()
        .filter(step -> step.skipped().isEmpty())
        .forEach(step -> step.statements().forEach(each -> run(statement, each)));
    return constraints;
  }

  private static List<String> skipped(List<CompletionStep> steps) {
    return steps.stream()
        .filter(step -> step.skipped().isPresent())
        .map(step -> step.name() + ": " + step.skipped().orElseThrow())
        .toList();
  }

  private static void run(Statement statement, DefinitionStatement each) {
    try {
      if (!each.unless().isEmpty() && !strings(statement, each.unless()).isEmpty()) {
        return;
      }
      statement.execute(each.sql());
    } catch (SQLException e) {
      throw new IllegalStateException(each.thing() + ": " + e.getMessage(), e);
    }
  }

  private static List<String> strings(Statement statement, String query) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }
}
