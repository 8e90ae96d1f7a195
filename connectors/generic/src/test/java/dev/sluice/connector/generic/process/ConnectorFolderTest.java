package dev.sluice.connector.generic.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.config.KnownConnector;
import java.nio.file.Path;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectorFolderTest {
  private static final Path POSTGRES = Path.of("postgres", "target", "connector");
  private static final Path MARIADB = Path.of("mariadb", "target", "connector");

  @Test
  void twoConnectorsOfDifferentReleasesShareKafkasClassesOnly() throws Exception {
    ConnectorFolder postgres = new ConnectorFolder(POSTGRES);
    ConnectorFolder mariadb = new ConnectorFolder(MARIADB);
    SourceConnector first = postgres.connector(KnownConnector.POSTGRESQL.className());
    SourceConnector second = mariadb.connector(KnownConnector.MARIADB.className());
    assertThat(first.version()).isNotEqualTo(second.version());
    assertThat(postgres.loader().loadClass("io.debezium.data.Envelope"))
        .isNotSameAs(mariadb.loader().loadClass("io.debezium.data.Envelope"));
    assertThat(postgres.loader().loadClass("org.apache.kafka.connect.data.Struct"))
        .isSameAs(mariadb.loader().loadClass("org.apache.kafka.connect.data.Struct"));
  }

  @Test
  void aFolderWithAnotherConnectorNamesThatOne() {
    assertThatThrownBy(() -> new ConnectorFolder(MARIADB).connector(KnownConnector.DB2.className()))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(
            "it has io.debezium.connector.mariadb.MariaDbConnector; expected"
                + " io.debezium.connector.db2.Db2Connector");
  }

  @Test
  void aFolderWithoutJarsAndNoFolderAreRefused(@TempDir Path empty) {
    assertThatThrownBy(() -> new ConnectorFolder(empty))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("it has no jar");
    assertThatThrownBy(() -> new ConnectorFolder(empty.resolve("none")))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("it cannot be read");
  }
}
