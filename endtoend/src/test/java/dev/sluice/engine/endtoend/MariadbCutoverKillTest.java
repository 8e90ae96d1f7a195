package dev.sluice.engine.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.engine.MovedSides;
import dev.sluice.engine.ToMariadb;

/** The applications of a PostgreSQL database are moved to MariaDB. */
class MariadbCutoverKillTest extends CutoverKills {

  @Override
  MovedSides servers() {
    assumeTrue(EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    return ToMariadb.start();
  }
}
