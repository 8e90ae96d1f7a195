package dev.sluice.connector.mariadb.capture.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.statement.SqlMode;
import dev.sluice.connector.mariadb.type.CharacterSet;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FollowedDdlTest {
  private static final FollowedDdl DDL = ddl("заказы");

  private static FollowedDdl ddl(String table) {
    return new FollowedDdl(
        KnownTables.byTheLog(
            new CaptureScope(
                new SourceCatalog(List.of()),
                Set.of(new TableId("shop", table)),
                true,
                any -> true,
                any -> false),
            false),
        NewNames.known(any -> false));
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
  void aTableThatIsThereByTheLogIsAnotherOneIfTheServerMadeIt() {
    FollowedDdl ddl = ddl("t");
    String create = "/* of the application */ create table if not exists t (id INT)";
    assertThat(obstacle(ddl, create)).contains("is another one now");
    assertThat(obstacle(ddl, create)).contains("need not be in the log");
    assertThat(obstacle(ddl, "-- first\n# second\n" + create)).contains("is another one now");
    assertThat(ddl.changesBy(statement("DROP TABLE t", true))).hasSize(1);
    assertThat(obstacle(ddl, create)).contains("is another one now");
  }

  private static String obstacle(FollowedDdl ddl, String text) {
    return ((Definition) ddl.changesBy(statement(text, true)).get(0))
        .changes()
        .changes()
        .get(0)
        .obstacle();
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
        "shop",
        text,
        false,
        true,
        exact,
        new LoggedStatement.Run(0, new SqlMode(true, true, true), false, true, false));
  }
}
