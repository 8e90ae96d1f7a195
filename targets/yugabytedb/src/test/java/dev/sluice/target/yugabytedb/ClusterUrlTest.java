package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterUrlTest {
  @Test
  void furtherHostsFollowTheFirstOneAndOtherOptionsStay() {
    assertThat(ClusterUrl.ofDriver("jdbc:yugabytedb://a:5433/shop", 1))
        .isEqualTo("jdbc:postgresql://a:5433/shop");
    assertThat(
            ClusterUrl.ofDriver(
                "jdbc:yugabytedb://a:5433/shop?hosts=b%3A5434%2Cc&sslmode=verify-full", 1))
        .isEqualTo("jdbc:postgresql://a:5433,b:5434,c:5433/shop?sslmode=verify-full");
  }

  @Test
  void whatIsNoHostIsRefused() {
    for (String wrong : new String[] {"b%20c", "b%2F..", "b%3Ax", "b%2C", ""}) {
      assertThatThrownBy(
              () -> ClusterUrl.ofDriver("jdbc:yugabytedb://a:5433/shop?hosts=" + wrong, 0))
          .as(wrong)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("option hosts");
    }
  }

  @Test
  void sessionsAreSpreadOverAllHostsOnRequestOnly() {
    String url = "jdbc:yugabytedb://a:5433/shop?hosts=b,c&load-balance=%s&sslmode=require";
    assertThat(
            IntStream.range(0, 4)
                .mapToObj(turn -> ClusterUrl.ofDriver(url.formatted("true"), turn)))
        .containsExactly(
            "jdbc:postgresql://a:5433,b:5433,c:5433/shop?sslmode=require",
            "jdbc:postgresql://b:5433,c:5433,a:5433/shop?sslmode=require",
            "jdbc:postgresql://c:5433,a:5433,b:5433/shop?sslmode=require",
            "jdbc:postgresql://a:5433,b:5433,c:5433/shop?sslmode=require");
    assertThat(ClusterUrl.ofDriver(url.formatted("false"), 1))
        .isEqualTo("jdbc:postgresql://a:5433,b:5433,c:5433/shop?sslmode=require");
  }

  @Test
  void eachServerGetsItsPartOfTheSessionsAndThoseOfOneThatEndsGoToTheOthers() throws Exception {
    YugabyteLab database = YugabyteLab.database();
    StrictProxy gone = new StrictProxy(YugabyteLab.postgresPort(), 0);
    List<TargetConnection> open = new ArrayList<>();
    try (StrictProxy stays = new StrictProxy(YugabyteLab.postgresPort(), 0)) {
      String url =
          "jdbc:yugabytedb://127.0.0.1:%d/postgres?hosts=127.0.0.1%%3A%d&load-balance=true"
              .formatted(gone.port(), stays.port());
      for (int i = 0; i < 6; i++) {
        open.add(connect(url));
      }
      assertThat(gone.connections()).isEqualTo(3);
      assertThat(stays.connections()).isEqualTo(3);
      gone.close();
      for (int i = 0; i < 4; i++) {
        open.add(connect(url));
      }
      assertThat(stays.connections()).isEqualTo(7);
    } finally {
      gone.close();
      open.forEach(TargetConnection::close);
      database.drop();
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
    return connect(
        "jdbc:yugabytedb://127.0.0.1:%d/postgres?hosts=127.0.0.1%%3A%d"
            .formatted(FreePort.find(), database.port()));
  }

  private static TargetConnection connect(String url) {
    return new TargetServer(
            YugabyteDialect.INSTANCE, new TargetLogin(url, "postgres", null, "test", 50))
        .connect();
  }
}
