package dev.sluice.connector.mariadb.capture;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.connector.mariadb.Servers;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/** The same with MySQL. */
class MysqlLoggedValuesTest extends LoggedValuesTest {

  @BeforeTry
  void useMysql() {
    assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    Servers.use(true);
  }

  @AfterTry
  void useMariadb() {
    Servers.use(false);
  }
}
