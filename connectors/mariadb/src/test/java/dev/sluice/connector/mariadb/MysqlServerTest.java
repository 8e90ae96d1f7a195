package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a task of another type gets from a MySQL server. */
@OnMysql
class MysqlServerTest {

  @Test
  void aTaskOfTypeMariadbIsRefused() {
    MariadbSource source =
        new MariadbSource(
            "wrong",
            new MariadbConfig(
                new Endpoint(
                    MariadbConfig.TYPE,
                    "127.0.0.1",
                    Servers.shared().port(),
                    "test",
                    "root",
                    Secret.NONE,
                    Map.of())));
    assertThat(
            source
                .checks()
                .problems(TableMappings.EVERYTHING, (TableId any) -> true, true)
                .toString())
        .contains("it is a server of MySQL, and source.type is mariadb");
    assertThatThrownBy(source::identity)
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("it is a server of MySQL");
  }
}
