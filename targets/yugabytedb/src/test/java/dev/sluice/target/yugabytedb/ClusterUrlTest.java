package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.FreePort;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import org.junit.jupiter.api.Test;

class ClusterUrlTest {
  @Test
  void furtherHostsFollowTheFirstOneAndOtherOptionsStay() {
    assertThat(ClusterUrl.ofDriver("jdbc:yugabytedb://a:5433/shop"))
        .isEqualTo("jdbc:postgresql://a:5433/shop");
    assertThat(
            ClusterUrl.ofDriver(
                "jdbc:yugabytedb://a:5433/shop?hosts=b%3A5434%2Cc&sslmode=verify-full"))
        .isEqualTo("jdbc:postgresql://a:5433,b:5434,c:5433/shop?sslmode=verify-full");
  }

  @Test
  void whatIsNoHostIsRefused() {
    for (String wrong : new String[] {"b%20c", "b%2F..", "b%3Ax", "b%2C", ""}) {
      assertThatThrownBy(() -> ClusterUrl.ofDriver("jdbc:yugabytedb://a:5433/shop?hosts=" + wrong))
          .as(wrong)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("option hosts");
    }
  }

  @Test
  void theNextHostIsTriedIfOneIsAway() throws Exception {
    YugabyteLab database = YugabyteLab.database();
    try (TargetConnection connection = connect(database)) {
      assertThat(connection.exists("SELECT 1")).isTrue();
    } finally {
      database.drop();
    }
  }

  private static TargetConnection connect(YugabyteLab database) throws Exception {
    String url =
        "jdbc:yugabytedb://127.0.0.1:%d/postgres?hosts=127.0.0.1%%3A%d"
            .formatted(FreePort.find(), database.port());
    return new TargetServer(
            YugabyteDialect.INSTANCE, new TargetLogin(url, "postgres", null, "test", 50))
        .connect();
  }
}
