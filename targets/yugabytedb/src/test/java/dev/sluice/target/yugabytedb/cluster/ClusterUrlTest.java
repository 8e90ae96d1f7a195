package dev.sluice.target.yugabytedb.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClusterUrlTest {
  private static final String SHOP = "jdbc:yugabytedb://a:5433/shop";

  @Test
  void furtherHostsFollowTheFirstOneAndOtherOptionsStay() {
    assertThat(ofDriver(SHOP)).isEqualTo("jdbc:postgresql://a:5433/shop");
    assertThat(ofDriver(SHOP + "?hosts=b%3A5434%2Cc&sslmode=verify-full"))
        .isEqualTo("jdbc:postgresql://a:5433,b:5434,c:5433/shop?sslmode=verify-full");
  }

  @Test
  void aUrlOfAnotherDatabaseIsLeftAsItIs() {
    assertThat(ClusterUrl.read("jdbc:postgresql://a:5433/shop")).isEmpty();
  }

  @Test
  void sessionsAreSpreadOnRequestOnly() {
    assertThat(read(SHOP).spread()).isEmpty();
    assertThat(read(SHOP + "?load-balance=false").spread()).isEmpty();
    assertThat(read(SHOP + "?load-balance=true").spread())
        .contains(
            new Spread(TopologyKeys.NONE, false, Duration.ofSeconds(300), Duration.ofSeconds(5)));
    assertThat(ofDriver(SHOP + "?hosts=b&load-balance=true"))
        .isEqualTo("jdbc:postgresql://a:5433,b:5433/shop");
  }

  @Test
  void theOptionsOfYugabytesDriverSayHowSessionsAreSpread() {
    Spread spread =
        read(SHOP
                + "?load-balance=true&topology-keys=aws.eu.eu-a%3A1%2Caws.eu.*%3A3"
                + "&fallback-to-topology-keys-only=true&yb-servers-refresh-interval=0"
                + "&failed-host-reconnect-delay-secs=60")
            .spread()
            .orElseThrow();
    assertThat(spread.keys().preferenceOf(new Placement("aws", "eu", "eu-a"))).hasValue(1);
    assertThat(spread.keys().preferenceOf(new Placement("aws", "eu", "eu-b"))).hasValue(3);
    assertThat(spread.keys().preferenceOf(new Placement("aws", "us", "eu-a"))).isEmpty();
    assertThat(spread.keysOnly()).isTrue();
    assertThat(spread.refresh()).isZero();
    assertThat(spread.leave()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void whatIsNoHostIsRefused() {
    for (String wrong : new String[] {"b%20c", "b%2F..", "b%3Ax", "b%2C", ""}) {
      assertThatThrownBy(() -> ClusterUrl.read(SHOP + "?hosts=" + wrong))
          .as(wrong)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("option hosts");
    }
  }

  @Test
  void whatIsNoPlacementIsRefused() {
    for (String wrong :
        new String[] {"aws", "aws.eu", "aws.*.a", "aws.eu.a%3A0", "aws.eu.a%3A11", "aws.eu.a%2C"}) {
      assertThatThrownBy(() -> ClusterUrl.read(SHOP + "?load-balance=true&topology-keys=" + wrong))
          .as(wrong)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("option topology-keys");
    }
  }

  @Test
  void optionsWithoutEffectAreRefused() {
    assertThatThrownBy(() -> ClusterUrl.read(SHOP + "?topology-keys=aws.eu.a"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("load-balance is not true");
    assertThatThrownBy(
            () -> ClusterUrl.read(SHOP + "?load-balance=true&fallback-to-topology-keys-only=true"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("there is no topology-keys");
  }

  @Test
  void allProblemsAreSaidAtOnce() {
    assertThatThrownBy(
            () ->
                ClusterUrl.read(
                    SHOP
                        + "?hosts=b%2Fc&load-balance=true&topology-keys=aws%2Ceu"
                        + "&yb-servers-refresh-interval=601&failed-host-reconnect-delay-secs=-1"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("\"b/c\"")
        .hasMessageContaining("\"aws\"")
        .hasMessageContaining("\"eu\"")
        .hasMessageContaining("0 to 600")
        .hasMessageContaining("\"-1\"");
  }

  private static ClusterUrl read(String url) {
    return ClusterUrl.read(url).orElseThrow();
  }

  private static String ofDriver(String url) {
    ClusterUrl read = read(url);
    return read.ofDriver(read.hosts());
  }
}
