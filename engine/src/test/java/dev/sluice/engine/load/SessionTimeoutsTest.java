package dev.sluice.engine.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A load's transactions last for hours, and a session waits for hours beside them. */
class SessionTimeoutsTest {
  private static final String SET =
      """
      DO $$
      DECLARE known text;
      BEGIN
        FOR known IN SELECT name FROM pg_settings WHERE name IN ('statement_timeout',
            'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
            'transaction_timeout') LOOP
          EXECUTE format('ALTER DATABASE %I SET %I = ''1h''', current_database(), known);
        END LOOP;
      END $$
      """;

  private static final String LEFT =
      "SELECT string_agg(name, ',') FROM pg_settings WHERE source = 'database'"
          + " AND name ~ '_timeout$' AND setting <> '0'";

  @ParameterizedTest
  @EnumSource(Direction.class)
  void timeoutsOfTheDatabaseDoNotApplyToSluicesSessions(Direction direction) throws SQLException {
    try (TwoDatabases databases = new TwoDatabases(direction)) {
      databases.onBoth(SET);
      try (Connection ofSource = databases.sourceServer().connect();
          TargetConnection ofTarget = databases.target().connect()) {
        assertThat(left(ofSource)).isNull();
        assertThat(left(ofTarget.jdbc())).isNull();
      }
    }
  }

  private static String left(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(LEFT)) {
      row.next();
      return row.getString(1);
    }
  }
}
