package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.type.CharacterSet;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FollowedDdlTest {
  private static final FollowedDdl DDL = ddl("заказы");

  private static FollowedDdl ddl(String table) {
    return ddl(Flavour.MARIADB, table);
  }

  private static FollowedDdl ddl(Flavour flavour, String table) {
    return new FollowedDdl(
        flavour,
        KnownTables.byTheLog(
            new CaptureScope(
                new SourceCatalog(List.of()),
                Set.of(new TableId("shop", table)),
                true,
                any -> true,
                any -> false),
            false),
        NewTables.known());
  }

  @Test
  void aStatementWhoseNamesCannotBeReadStopsTheCaptureUnlessItIsHarmless() {
    assertThatThrownBy(() -> DDL.changesBy(statement("TRUNCATE TABLE ??", false)))
        .hasMessageContaining("TRUNCATE in a character set that cannot be read");
    assertThat(DDL.changesBy(statement("GRANT SELECT ON ?? TO somebody", false))).isEmpty();
    assertThat(DDL.changesBy(statement("TRUNCATE TABLE other", true))).isEmpty();
    assertThat(DDL.changesBy(statement("TRUNCATE TABLE заказы", true))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE t (id INT)",
        "/*!50000 CREATE TABLE IF NOT EXISTS t (id INT) */",
        "CREATE TABLE /*!99999 IF NOT EXISTS */ t (id INT)"
      })
  void aTableThatMayHaveBeenCreatedIsAlwaysAnotherOne(String create) {
    FollowedDdl ddl = ddl("t");
    assertThat(ddl.changesBy(statement(create, true))).hasSize(1);
    assertThat(ddl.changesBy(statement(create, true))).hasSize(1);
  }

  @Test
  void aTableThatACreationLeftIsThereWhenTheNextOneComes() {
    FollowedDdl ddl = ddl("t");
    String create = "/* of the application */ create table if not exists t (id INT)";
    assertThat(ddl.changesBy(statement(create, true))).hasSize(1);
    assertThat(ddl.changesBy(statement(create, true))).isEmpty();
    assertThat(ddl.changesBy(statement("-- first\n# second\n" + create, true))).isEmpty();
    assertThat(ddl.changesBy(statement("DROP TABLE t", true))).hasSize(1);
    assertThat(ddl.changesBy(statement(create, true))).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          (id INT)                                             | no primary key
          (id INT KEY)                                         | more than a type
          (id INT, PRIMARY KEY (id DESC))                      | more than columns
          (id VARCHAR(9), PRIMARY KEY (id(3)))                 | more than columns
          (id INT PRIMARY KEY, ID INT)                         | two columns
          (id INT PRIMARY KEY, v INT AS (id + 1))              | more than a type
          (id INT PRIMARY KEY, v INT DEFAULT (id + 1))         | more than a type
          (id INT PRIMARY KEY, v TIMESTAMP)                    | different things
          (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)      | without an identity
          (id INT PRIMARY KEY, v INT REFERENCES p (id))        | more than a type
          (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES p (id) ON DELETE CASCADE) | foreign key
          (id INT PRIMARY KEY) ENGINE=MyISAM                   | another engine
          (id INT PRIMARY KEY, v CHAR(3)) DEFAULT CHARSET = binary | texts are bytes
          (id INT PRIMARY KEY) WITH SYSTEM VERSIONING          | WITH
          (id INT PRIMARY KEY) PARTITION BY HASH (id)          | PARTITION
          LIKE p                                               | its columns
          (id INT PRIMARY KEY) /*!50000 ENGINE=MyISAM */       | a comment
          """)
  void aTableIsNotMadeAgainByWordsThatAreNotCertain(String definition, String reason) {
    ChangeEvent change = ddl("t").changesBy(statement("CREATE TABLE t " + definition, true)).get(0);
    assertThat(((Definition) change).changes().changes().get(0).obstacle())
        .contains("is another one now, and ", reason);
  }

  @Test
  void aTableOfMysqlIsMadeAgainIfTheLogSaysThatTheEngineDidIt() {
    String create = "CREATE TABLE t (id INT PRIMARY KEY, KEY k (id))";
    for (boolean withXid : List.of(true, false)) {
      FollowedDdl ddl = ddl(Flavour.MYSQL, "t");
      ddl.changesBy(statement("DROP TABLE t", true));
      LoggedStatement made =
          new LoggedStatement(
              "shop",
              create,
              false,
              true,
              true,
              new LoggedStatement.Run(0, true, true, false, withXid));
      assertThat(
              ((Definition) ddl.changesBy(made).get(0))
                  .changes().changes().stream().allMatch(change -> change.obstacle() == null))
          .isEqualTo(withXid);
    }
  }

  @Test
  void aStatementIsReadInTheCharacterSetOfItsSession() {
    byte[] bytes = "TRUNCATE TABLE заказы".getBytes(Charset.forName("windows-1251"));
    assertThat(CharacterSet.textOf("cp1251", bytes)).contains("TRUNCATE TABLE заказы");
    assertThat(CharacterSet.textOf("utf8mb4", bytes)).isEmpty();
    assertThat(CharacterSet.textOf("big5", bytes)).isEmpty();
    assertThat(CharacterSet.textOf("big5", "COMMIT".getBytes(Charset.forName("US-ASCII"))))
        .contains("COMMIT");
  }

  private static LoggedStatement statement(String text, boolean exact) {
    return new LoggedStatement(
        "shop", text, false, true, exact, new LoggedStatement.Run(0, true, true, false, true));
  }
}
