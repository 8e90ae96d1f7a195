package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.embedded.FreePort;
import dev.sluice.embedded.postgres.strict.ListedServer;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions on servers of one cluster, which are proxies before one server. */
class ClusterSessionsTest {
  private static final String ZONE_A = "aws.eu.eu-a";
  private static final String ZONE_B = "aws.eu.eu-b";
  private static final String FAR = "aws.us.us-a";

  private final List<TargetConnection> open = new ArrayList<>();
  private final List<StrictProxy> proxies = new ArrayList<>();
  private YugabyteLab database;

  @BeforeEach
  void start() throws SQLException {
    database = YugabyteLab.database();
  }

  @AfterEach
  void stop() throws Exception {
    open.forEach(TargetConnection::close);
    for (StrictProxy proxy : proxies) {
      proxy.close();
    }
    database.drop();
  }

  @Test
  void eachServerThatTheClusterNamesGetsItsPartOfTheSessions() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B, FAR);
    connect(9, url(servers.get(0), "load-balance=true"));
    assertThat(servers).extracting(StrictProxy::connections).containsExactly(3, 3, 3);
  }

  @Test
  void theServerThatHasFewerSessionsGetsTheNextOne() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B);
    String url = url(servers.get(0), "load-balance=true");
    connect(6, url);
    for (TargetConnection each : List.copyOf(open)) {
      if (each.jdbc().getMetaData().getURL().contains(":" + servers.get(1).port() + "/")) {
        each.close();
        open.remove(each);
      }
    }
    awaitConnections(servers.get(1), 0);
    connect(2, url);
    assertThat(servers).extracting(StrictProxy::connections).containsExactly(3, 2);
  }

  @Test
  void preferredPlacementsGetAllSessionsWhileOneOfTheirServersAnswers() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B, FAR);
    String url =
        url(servers.get(2), "load-balance=true&topology-keys=" + ZONE_A + "%3A1%2Caws.eu.*%3A2");
    connect(2, url);
    assertThat(servers).extracting(StrictProxy::connections).containsExactly(2, 0, 0);
    servers.get(0).close();
    connect(2, url);
    assertThat(servers.get(1).connections()).isEqualTo(2);
    servers.get(1).close();
    connect(2, url);
    assertThat(servers.get(2).connections()).isEqualTo(2);
  }

  @Test
  void sessionsOfAServerThatEndsGoToTheOthers() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B);
    String url = url(servers.get(0), "load-balance=true&failed-host-reconnect-delay-secs=60");
    connect(4, url);
    servers.get(0).close();
    connect(4, url);
    assertThat(servers.get(1).connections()).isEqualTo(6);
  }

  /** The port of one is listed that never answers. */
  @Test
  void aServerThatOnlyTheClusterKnowsAndThatDoesNotAnswerIsLeft() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A);
    servers
        .get(0)
        .list(
            List.of(
                ListedServer.primary(FreePort.find(), ZONE_A),
                ListedServer.primary(servers.get(0).port(), FAR)));
    connect(3, url(servers.get(0), "load-balance=true&topology-keys=" + ZONE_A));
    assertThat(servers.get(0).connections()).isEqualTo(3);
  }

  @Test
  void copiesForReadersGetNoSession() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B);
    for (StrictProxy each : servers) {
      each.list(
          List.of(
              ListedServer.primary(servers.get(0).port(), ZONE_A),
              new ListedServer(servers.get(1).port(), "read_replica", ZONE_B)));
    }
    connect(4, url(servers.get(0), "load-balance=true"));
    assertThat(servers).extracting(StrictProxy::connections).containsExactly(4, 0);
  }

  @Test
  void serversThatJoinGetSessionsOnceTheyAreAskedForAgain() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A);
    String url = url(servers.get(0), "load-balance=true&yb-servers-refresh-interval=0");
    connect(2, url);
    StrictProxy joined = proxy();
    List<ListedServer> listed =
        List.of(
            ListedServer.primary(servers.get(0).port(), ZONE_A),
            ListedServer.primary(joined.port(), ZONE_B));
    servers.get(0).list(listed);
    joined.list(listed);
    connect(2, url);
    assertThat(joined.connections()).isEqualTo(2);
  }

  @Test
  void withoutLoadBalanceTheHostsAreTriedInTheirOrder() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A, ZONE_B);
    connect(
        3,
        "jdbc:yugabytedb://127.0.0.1:%d/postgres?hosts=127.0.0.1%%3A%d%%2C127.0.0.1%%3A%d"
            .formatted(FreePort.find(), servers.get(1).port(), servers.get(0).port()));
    assertThat(servers).extracting(StrictProxy::connections).containsExactly(0, 3);
  }

  /** Of a load, in the number of workers. */
  @Test
  void asManyWorkersLoadAsSuitTheServersOfTheClusterAndTheSource() throws Exception {
    List<StrictProxy> servers = cluster(ZONE_A);
    TargetServer target = server(url(servers.get(0), "load-balance=true"));
    assertThat(new YugabyteLoadDialect().usualWorkers(target)).hasValue(4);
    servers
        .get(0)
        .list(
            List.of(
                ListedServer.primary(1, ZONE_A),
                ListedServer.primary(2, ZONE_A),
                ListedServer.primary(3, ZONE_B)));
    assertThat(new YugabyteLoadDialect().usualWorkers(target)).hasValue(8);
  }

  @Test
  void ifTheServersCannotBeCountedAsManyWorkersLoadAsByDefault() throws Exception {
    StrictProxy server = cluster(ZONE_A).get(0);
    server.failEach("select count");
    assertThat(new YugabyteLoadDialect().usualWorkers(server(url(server, "load-balance=true"))))
        .isEmpty();
  }

  /** Proxies that list each other. */
  private List<StrictProxy> cluster(String... placements) throws Exception {
    List<StrictProxy> servers = new ArrayList<>();
    List<ListedServer> listed = new ArrayList<>();
    for (String placement : placements) {
      StrictProxy proxy = proxy();
      servers.add(proxy);
      listed.add(ListedServer.primary(proxy.port(), placement));
    }
    servers.forEach(each -> each.list(listed));
    return servers;
  }

  private StrictProxy proxy() throws Exception {
    StrictProxy proxy = new StrictProxy(YugabyteLab.postgresPort(), 0);
    proxies.add(proxy);
    return proxy;
  }

  private static String url(StrictProxy server, String options) {
    return "jdbc:yugabytedb://127.0.0.1:%d/postgres?%s".formatted(server.port(), options);
  }

  /** Opens so many; the session that has asked for the servers has ended before this returns. */
  private void connect(int sessions, String url) {
    TargetServer target = server(url);
    for (int i = 0; i < sessions; i++) {
      open.add(target.connect());
    }
    await("only open sessions are connected")
        .until(() -> proxies.stream().mapToInt(StrictProxy::connections).sum() <= open.size());
  }

  private static void awaitConnections(StrictProxy proxy, int connections) {
    await("connections").until(() -> proxy.connections() == connections);
  }

  private static TargetServer server(String url) {
    return new TargetServer(
        YugabyteDialect.INSTANCE, new TargetLogin(url, "postgres", null, "test", 50));
  }
}
