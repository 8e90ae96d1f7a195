package dev.sluice.connector.mariadb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MariadbFailuresTest {
  @ParameterizedTest(name = "error {0}")
  @ValueSource(ints = {6, 20, 1040, 1205, 1213})
  void whatThePassingOfTimeMendsIsTriedAgain(int number) {
    assertThat(classified(number)).isInstanceOf(SluiceException.Retryable.class);
  }

  @ParameterizedTest(name = "error {0}")
  @ValueSource(ints = {0, 1064, 1142, 1146})
  void whatAUserMustMendIsNot(int number) {
    assertThat(classified(number)).isInstanceOf(SluiceException.Fatal.class);
  }

  @Test
  void aTableWhoseFirstUseFailsIsReadAgainForABoundedTime() throws Exception {
    try (SourceDatabase source =
            new SourceDatabase("CREATE TABLE t (name varchar(9) CHARACTER SET latin1)");
        Statement statement = source.connection.createStatement()) {
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "ALTER TABLE t ADD g varchar(9) AS (if(name > 'a', concat(name, '-'), if(name > 'b', '€Ж', '-')))"))
          .isInstanceOf(SQLException.class);
      List<SQLException> failures = new ArrayList<>();
      boolean read = false;
      // Others use the server meanwhile, so this use may not be the first one.
      for (int i = 0; i < 100 && (failures.isEmpty() || !read); i++) {
        try {
          DatabaseTables.read(source.connection, source.name);
          read = true;
          statement.execute("FLUSH TABLES t");
        } catch (SQLException e) {
          failures.add(e);
        }
      }
      assertThat(read).isTrue();
      assertThat(failures)
          .isNotEmpty()
          .extracting(error -> MariadbFailures.classify("read", error))
          .hasOnlyElementsOfType(SluiceException.Unexplained.class);
    }
  }

  @Test
  void aMessageHasWhatWasTriedAndNoNumberOfTheConnection() {
    SQLException error = new SQLException("(conn=7) no table", "42S02", 1146);
    assertThat(MariadbFailures.classify("read shop.orders", error))
        .hasMessage("could not read shop.orders: no table (error 1146, SQLSTATE 42S02)");
  }

  private static SluiceException classified(int number) {
    return MariadbFailures.classify("read", new SQLException("text", "HY000", number));
  }
}
