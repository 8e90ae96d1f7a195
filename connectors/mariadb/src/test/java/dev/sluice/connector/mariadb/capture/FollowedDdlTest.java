package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.type.CharacterSet;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FollowedDdlTest {
  private static final FollowedDdl DDL =
      new FollowedDdl(
          new KnownTables(
              new CaptureScope(
                  new SourceCatalog(List.of()),
                  Set.of(new TableId("shop", "заказы")),
                  true,
                  table -> true,
                  table -> false),
              false,
              Optional.empty(),
              Optional::empty));

  @Test
  void aStatementWhoseNamesCannotBeReadStopsTheCaptureUnlessItIsHarmless() {
    assertThatThrownBy(() -> DDL.changesBy(statement("TRUNCATE TABLE ??", false)))
        .hasMessageContaining("TRUNCATE in a character set that cannot be read");
    assertThat(DDL.changesBy(statement("GRANT SELECT ON ?? TO somebody", false))).isEmpty();
    assertThat(DDL.changesBy(statement("TRUNCATE TABLE other", true))).isEmpty();
    assertThat(DDL.changesBy(statement("TRUNCATE TABLE заказы", true))).hasSize(1);
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
        "shop", text, false, true, exact, new LoggedStatement.Run(0, true, true, false));
  }
}
