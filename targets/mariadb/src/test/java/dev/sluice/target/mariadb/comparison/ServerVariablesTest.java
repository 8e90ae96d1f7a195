package dev.sluice.target.mariadb.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.target.mariadb.MariadbLab;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The identity of a server of any supported version can be read. */
class ServerVariablesTest {

  @Test
  void aVariableThatTheServerDoesNotHaveIsNoError() throws SQLException {
    try (Connection session = MariadbLab.embedded().connect();
        Statement statement = session.createStatement()) {
      assertThat(MariadbComparisonTarget.variable(statement, "server_uid_of_later")).isEmpty();
      assertThat(MariadbComparisonTarget.variable(statement, "version")).isPresent();
    }
  }
}
