package dev.sluice.connector.mariadb.capture.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CreateTextTest {
  private static final TableId TABLE = new TableId("shop", "t");

  private static CreatedTable read(String text, boolean ownEngine) throws NotFollowed {
    return CreateText.read(
        TABLE,
        new LoggedStatement(
            "shop",
            text,
            false,
            true,
            true,
            new LoggedStatement.Run(0, new SqlMode(true, true, ownEngine), false, true, false)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CREATE TABLE t LIKE u                                               | does not say its columns
          CREATE TABLE t (LIKE u)                                             | it has LIKE
          CREATE TABLE t AS SELECT 1                                          | does not say its columns
          SET STATEMENT max_statement_time = 1 FOR CREATE TABLE t (id INT)    | other words
          CREATE TABLE t (id INT)                                             | no primary key
          CREATE TABLE t (id INT PRIMARY KEY, PRIMARY KEY (id))               | declared in another way
          CREATE TABLE t (id INT, PRIMARY KEY (v))                            | not declared once
          CREATE TABLE t (id INT, ID INT PRIMARY KEY)                         | two columns
          CREATE TABLE t (a VARCHAR(9), PRIMARY KEY (a(3)))                   | more than columns
          CREATE TABLE t (id INT NULL PRIMARY KEY)                            | declared NULL
          CREATE TABLE t (id INT PRIMARY KEY, INDEX (id))                     | it has INDEX
          CREATE TABLE t (id INT PRIMARY KEY, v INT UNIQUE)                   | it has UNIQUE
          CREATE TABLE t (id INT PRIMARY KEY, v INT CHECK (v > 0))            | it has CHECK
          CREATE TABLE t (id INT PRIMARY KEY, v INT REFERENCES u (id))        | it has REFERENCES
          CREATE TABLE t (id INT PRIMARY KEY, CONSTRAINT c CHECK (id > 0))    | it has CHECK
          CREATE TABLE t (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES u (id)) | it has FOREIGN
          CREATE TABLE t (id INT PRIMARY KEY, v INT AS (id + 1))              | more than a type
          CREATE TABLE t (id INT PRIMARY KEY, v INT DEFAULT (1 + 1))          | more than a type
          CREATE TABLE t (id INT PRIMARY KEY, v INT INVISIBLE)                | more than a type
          CREATE TABLE t (id INT PRIMARY KEY, v TIMESTAMP)                    | about NULL
          CREATE TABLE t (id INT PRIMARY KEY, v DATETIME ON UPDATE CURRENT_TIMESTAMP) | ON UPDATE
          CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY)      | without an identity
          CREATE TABLE t (id SERIAL PRIMARY KEY)                              | not known here
          CREATE TABLE t (id INT PRIMARY KEY) ENGINE = MyISAM                 | another engine
          CREATE TABLE t (id INT PRIMARY KEY) CHARACTER SET = binary          | are bytes
          CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5) CHARACTER SET binary) | more than a type
          CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY HASH (id)          | PARTITION
          CREATE TABLE t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING          | WITH
          CREATE TABLE t (id INT PRIMARY KEY, p INT, PERIOD FOR p (a, b))     | PERIOD
          CREATE TABLE t (id INT PRIMARY KEY) IGNORE SELECT 1 AS id           | IGNORE
          CREATE TABLE t (id INT PRIMARY KEY                                  | do not end
          CREATE TABLE t (id INT /*!50000 PRIMARY KEY */)                     | may have executed
          """)
  void whatIsNotCertainIsRefusedWithItsReason(String text, String reason) {
    assertThatThrownBy(() -> read(text, true))
        .isInstanceOf(NotFollowed.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE shop.t (id INT, CONSTRAINT p PRIMARY KEY (ID)) COMMENT 'a, b', ENGINE InnoDB",
        "CREATE TABLE IF NOT EXISTS `t` (`id` int NOT NULL PRIMARY KEY) ENGINE='InnoDB'",
        "CREATE OR REPLACE TABLE t (id INT, PRIMARY KEY (id)) engine=innodb ROW_FORMAT=DYNAMIC"
      })
  void theEngineIsCertainIfTheServerHadNoOtherChoice(String text) throws NotFollowed {
    assertThat(read(text, true).ofInnodb()).isTrue();
    assertThat(read(text, false).ofInnodb()).isFalse();
    assertThat(read(text, true).definition().keyNames()).containsExactly("id");
  }

  /** For PostgreSQL it is an interval. */
  @Test
  void aTimeIsToldByItsIdentityAndOtherTypesAreTheirOwn() throws NotFollowed {
    assertThat(
            read("CREATE TABLE t (id INT PRIMARY KEY, a TIME, b TIME(3), c DATE)", true)
                .definition()
                .columns())
        .extracting(ColumnDefinition::type, ColumnDefinition::typeIdentity)
        .containsExactly(
            tuple("integer", "integer"),
            tuple("interval(0)", "time(0) without time zone"),
            tuple("interval(3)", "time(3) without time zone"),
            tuple("date", "date"));
  }

  @Test
  void textsWithoutACharacterSetAreDoubtful() throws NotFollowed {
    String columns =
        "CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b CHAR(3) CHARSET latin1, c ENUM('x'), d BLOB)";
    assertThat(read(columns, true).doubtful()).containsExactlyInAnyOrder("a", "c");
    assertThat(read(columns + " COLLATE = utf8mb4_bin", true).doubtful()).isEmpty();
  }
}
