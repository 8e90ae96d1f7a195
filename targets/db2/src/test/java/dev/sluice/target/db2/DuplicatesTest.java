package dev.sluice.target.db2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.ColumnFit.Verdict;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server takes for duplicates is known before the first row. */
class DuplicatesTest {
  private Connection admin;
  private TargetTable table;

  @BeforeEach
  void open() throws SQLException {
    admin = Db2Lab.admin();
    Db2Lab.run(
        admin,
        "CREATE SCHEMA twice",
        "CREATE TABLE twice.item (word VARCHAR(20) NOT NULL, fixed CHAR(3) NOT NULL,"
            + " ticket VARCHAR(36) NOT NULL, code INTEGER, part INTEGER, alone INTEGER,"
            + " sure INTEGER NOT NULL, PRIMARY KEY (word, fixed, ticket))",
        "CREATE UNIQUE INDEX twice.once ON twice.item (code)",
        "CREATE UNIQUE INDEX twice.pair ON twice.item (part, sure)",
        "CREATE INDEX twice.plain ON twice.item (alone)");
    try (TargetConnection connection = Db2Lab.target(Db2Lab.embedded().port()).connect()) {
      table =
          connection
              .dialect()
              .catalog()
              .table(connection.jdbc(), new TableId("twice", "item"))
              .orElseThrow();
    }
  }

  @AfterEach
  void close() throws SQLException {
    Db2Lab.run(admin, "DROP TABLE twice.item", "DROP SCHEMA twice RESTRICT");
    admin.close();
  }

  @Test
  void textsThatDifferInTrailingSpacesAreNamedAndRefused() throws SQLException {
    assertThat(judged("word", "text", false))
        .contains("texts with more bytes than its length, a text that differs from another")
        .doesNotContain("NULL");
    assertThat(judged("fixed", "character(3)", false)).doesNotContain("spaces");
    assertThat(judged("ticket", "uuid", false)).isEmpty();
    Db2Lab.run(admin, insert("'a', 'f', 't', 1, 1, 1, 1"));
    assertThatThrownBy(() -> Db2Lab.run(admin, insert("'a ', 'f', 't', 2, 2, 2, 2")))
        .isInstanceOfSatisfying(
            SQLException.class, failure -> assertThat(failure.getSQLState()).isEqualTo("23505"));
  }

  @Test
  void aSecondNullInAUniqueIndexIsNamedAndRefused() throws SQLException {
    assertThat(judged("code", "integer", true)).isEqualTo("a second NULL (unique index once)");
    assertThat(judged("part", "integer", true))
        .isEqualTo("a second NULL beside equal values of the other columns (unique index pair)");
    assertThat(judged("alone", "integer", true)).as("an index that is not unique").isEmpty();
    assertThat(judged("code", "integer", false)).as("the source has no NULL").isEmpty();
    assertThat(judged("sure", "integer", true)).as("the target takes no NULL").isEmpty();
    Db2Lab.run(admin, insert("'a', 'f', 't', NULL, 1, NULL, 1"));
    assertThatThrownBy(() -> Db2Lab.run(admin, insert("'b', 'f', 't', NULL, 2, NULL, 2")))
        .isInstanceOf(SQLException.class);
    Db2Lab.run(admin, insert("'b', 'f', 't', 2, NULL, NULL, 2"));
    assertThatThrownBy(() -> Db2Lab.run(admin, insert("'c', 'f', 't', 3, NULL, NULL, 2")))
        .isInstanceOf(SQLException.class);
    Db2Lab.run(admin, insert("'c', 'f', 't', 3, NULL, NULL, 3"));
  }

  @Test
  void aColumnThatIsForOtherValuesStaysUnfit() {
    assertThat(
            Db2Dialect.INSTANCE
                .columnFit()
                .orElseThrow()
                .of(
                    new Column("code", "text", true, false),
                    table,
                    table.column("code").orElseThrow()))
        .isInstanceOf(Verdict.Unfit.class);
  }

  /** The values that are not kept; empty if all are. */
  private String judged(String column, String type, boolean nullable) {
    Verdict verdict =
        Db2Dialect.INSTANCE
            .columnFit()
            .orElseThrow()
            .of(
                new Column(column, type, nullable, false),
                table,
                table.column(column).orElseThrow());
    return verdict instanceof Verdict.Except except ? except.values() : "";
  }

  private static String insert(String values) {
    return "INSERT INTO twice.item VALUES (" + values + ")";
  }
}
