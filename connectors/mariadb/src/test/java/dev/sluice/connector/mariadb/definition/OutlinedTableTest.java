package dev.sluice.connector.mariadb.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.SourceDatabase;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.server.ValuePolicy.ImpossibleDate;
import dev.sluice.connector.mariadb.server.ValuePolicy.ZeroCharacter;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables without SQL, for targets with types of their own. */
class OutlinedTableTest {
  @BeforeAll
  static void requireBinaries() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
  }

  @Test
  void datesThatMayBecomeNullAcceptIt() {
    try (SourceDatabase database =
        new SourceDatabase(
            "CREATE TABLE t (k date, d date NOT NULL, at datetime NOT NULL, n int NOT NULL,"
                + " PRIMARY KEY (k))")) {
      assertThat(notNull(database, ValuePolicy.REFUSE)).containsExactly("k", "d", "at", "n");
      assertThat(notNull(database, new ValuePolicy(ImpossibleDate.NULL, ZeroCharacter.REFUSE)))
          .containsExactly("k", "n");
    }
  }

  private static List<String> notNull(SourceDatabase database, ValuePolicy values) {
    TableOutline outline =
        database
            .source(values)
            .reader()
            .outlines(new DefinitionRequest(List.of(database.table("t")), name -> name, 16, false))
            .get(0);
    return outline.columns().stream()
        .filter(OutlinedColumn::notNull)
        .map(OutlinedColumn::name)
        .toList();
  }
}
