package dev.sluice.connector.comparison.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SharedCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servers say that no test starts: clusters of Galera, and groups of MySQL. */
class ClusterMemberTest {

  @Test
  void aServerByItselfIsNoMember() {
    assertThat(ClusterMember.of(Map.of(), Map.of())).isEmpty();
    assertThat(find("wsrep_on", "OFF", "group_replication_group_name", "")).isEmpty();
    for (String id : List.of("", "00000000-0000-0000-0000-000000000000")) {
      for (String on : List.of("OFF", "ON")) {
        assertThat(
                find(
                    "wsrep_on", on,
                    "wsrep_provider", "none",
                    "wsrep_cluster_status", "Disconnected",
                    "wsrep_cluster_size", "0",
                    "wsrep_cluster_state_uuid", id,
                    "wsrep_ready", "OFF"))
            .isEmpty();
      }
      assertThat(
              find(
                  "wsrep_on", "OFF",
                  "wsrep_provider", "/usr/lib/galera/libgalera_smm.so",
                  "wsrep_cluster_status", "Disconnected",
                  "wsrep_cluster_state_uuid", id))
          .isEmpty();
    }
  }

  /** Percona's manual gives wsrep_on to sessions only. */
  @Test
  void aNodeOfPerconaIsOneWithoutSayingThatItsClusterIsOn() {
    ClusterMember node =
        member(
            "wsrep_provider", "/usr/lib64/galera4/libgalera_smm.so",
            "wsrep_cluster_status", "Primary",
            "wsrep_cluster_state_uuid", "a",
            "wsrep_ready", "ON",
            "pxc_strict_mode", "MASTER");
    assertThat(node.kind()).isEqualTo(ClusterMember.Kind.GALERA);
    assertThat(node.problems("target")).isEmpty();
    assertThat(
            member(
                    "wsrep_provider", "/usr/lib64/galera4/libgalera_smm.so",
                    "wsrep_cluster_status", "Disconnected")
                .problems("target"))
        .hasSize(1);
  }

  /** The plugin and the name of the group stay in the configuration. */
  @Test
  void aServerThatRunsOutsideOfItsFormerGroupIsNoMemberUnlessItJustLeftIt() {
    assertThat(outside("OFF")).isEmpty();
    assertThat(outside("ON").orElseThrow().problems("x"))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("OFFLINE", "UNINSTALL PLUGIN group_replication");
  }

  private static Optional<ClusterMember> outside(String readOnly) {
    return ClusterMember.of(
        Map.of(
            "group_replication_group_name", "b", "server_uuid", "1", "super_read_only", readOnly),
        Map.of("1", "OFFLINE"));
  }

  @Test
  void aMemberInOrderHasNoProblem() {
    ClusterMember node =
        member(
            "wsrep_on", "ON",
            "wsrep_cluster_status", "Primary",
            "wsrep_ready", "ON",
            "wsrep_cluster_size", "3",
            "pxc_strict_mode", "PERMISSIVE");
    assertThat(node.problems("target")).isEmpty();
    assertThat(node.words()).isEqualTo("a node of Galera (wsrep_cluster_size is 3)");
    assertThat(node.kind().conflict()).isEqualTo(1213);
    ClusterMember member =
        ClusterMember.of(
                Map.of(
                    "group_replication_group_name", "b",
                    "group_replication_single_primary_mode", "OFF",
                    "server_uuid", "1"),
                Map.of("1", "ONLINE", "2", "RECOVERING"))
            .orElseThrow();
    assertThat(member.problems("target")).isEmpty();
    assertThat(member.words()).isEqualTo("a member of Group Replication (with several primaries)");
    assertThat(member.kind().conflict()).isEqualTo(3101);
  }

  @ParameterizedTest
  @CsvSource({
    "wsrep_on, ON, wsrep_cluster_status, non-Primary",
    "wsrep_on, ON, wsrep_cluster_status, Disconnected",
    "wsrep_on, ON, wsrep_ready, OFF",
    "wsrep_on, ON, pxc_strict_mode, ENFORCING"
  })
  void aMemberThatIsNotInOrderIsRefusedWithWhatItSays(
      String sign, String on, String name, String value) {
    assertThat(member(sign, on, name, value).problems("target x"))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("target x", name, value);
  }

  @ParameterizedTest
  @CsvSource({"1, RECOVERING", "1, ERROR", "'', ERROR"})
  void aMemberOfAGroupThatIsNotOnlineIsRefused(String id, String state) {
    ClusterMember member =
        ClusterMember.of(
                Map.of("group_replication_group_name", "b", "server_uuid", "1"), Map.of(id, state))
            .orElseThrow();
    assertThat(member.problems("target x"))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("target x", "member_state is " + state);
  }

  @Test
  void eachProblemOfAMemberIsNamed() {
    assertThat(
            member("wsrep_on", "ON", "wsrep_cluster_status", "non-Primary", "wsrep_ready", "OFF")
                .problems("x"))
        .hasSize(2);
  }

  @Test
  void nodesOfOneClusterSayTheSameAndOthersDoNot() {
    assertThat(member("wsrep_on", "ON").cluster()).isEmpty();
    SharedCluster node = cluster(member("wsrep_on", "ON", "wsrep_cluster_state_uuid", "a"));
    assertThat(node.is(cluster(member("wsrep_cluster_state_uuid", "a")))).isTrue();
    assertThat(node.is(cluster(member("wsrep_cluster_state_uuid", "b")))).isFalse();
    assertThat(node.hasNameOf(cluster(group("a", "1")))).isFalse();
  }

  @Test
  void membersOfOneGroupAreToldByEachOtherAndNotByTheNameOfTheGroupWhichMayBeCopied() {
    SharedCluster member = cluster(group("b", "1", "2"));
    assertThat(member.is(cluster(group("b", "2", "1")))).isTrue();
    assertThat(List.of(cluster(group("b", "3", "4")), cluster(group("b"))))
        .allMatch(member::hasNameOf)
        .noneMatch(member::is);
    assertThat(cluster(group("b")).is(cluster(group("b")))).isFalse();
    assertThat(member.hasNameOf(cluster(group("c", "1", "2")))).isFalse();
  }

  /** A member, with the ids that its list has, its own first. */
  private static ClusterMember group(String name, String... ids) {
    Map<String, String> states = new HashMap<>();
    for (String id : ids) {
      states.put(id, "ONLINE");
    }
    return ClusterMember.of(
            Map.of(
                "group_replication_group_name",
                name,
                "server_uuid",
                ids.length == 0 ? "9" : ids[0]),
            states)
        .orElseThrow();
  }

  private static SharedCluster cluster(ClusterMember member) {
    return member.cluster().orElseThrow();
  }

  /** The user may have no right to ask for it. */
  @Test
  void aMemberWhoseStateIsNotKnownIsSaidToBeSo() {
    ClusterMember member = member("group_replication_group_name", "b");
    assertThat(member.problems("target")).isEmpty();
    assertThat(member.words()).contains("with one primary", "its state is not known");
  }

  private static ClusterMember member(String... said) {
    return find(said).orElseThrow();
  }

  private static Optional<ClusterMember> find(String... said) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < said.length; i += 2) {
      values.put(said[i], said[i + 1]);
    }
    return ClusterMember.of(values, Map.of());
  }
}
