package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** A server that stores names in lower case takes any case in statements, and logs that. */
class LowerCaseNamesTest {

  @Test
  void changesAndStatementsAreThoseOfTheTableInWhateverCaseTheyNameIt() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (EmbeddedServer server = Servers.builder().setting("lower-case-table-names", "1").start();
        LogFixture fixture =
            new LogFixture(server, "CREATE TABLE Orders (Id INT PRIMARY KEY)").capturing();
        JournalReader reader = fixture.reader()) {
      String other = fixture.database.toUpperCase(Locale.ROOT);
      fixture.execute("INSERT INTO ORDERS VALUES (1)", "TRUNCATE TABLE " + other + ".OrderS");
      List<Transaction> read = reader.read(2);
      assertThat(MariadbCaptureTest.texts(read.get(0))).containsExactly("+(1)");
      assertThat(read.get(1).changes())
          .containsExactly(new Truncate(List.of(new Emptied(fixture.table("orders"), null))));
      fixture.execute("ALTER TABLE " + other + ".ORDERS ADD x INT AUTO_INCREMENT UNIQUE");
      assertThat(HazardsTest.onlyChange(reader.read(1).get(0)).table())
          .isEqualTo(fixture.table("orders"));
    }
  }
}
