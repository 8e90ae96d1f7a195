package dev.sluice.connector.comparison.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servers say that no test starts: clusters of Galera, and groups of MySQL. */
class ClusterMemberTest {

  @Test
  void aServerByItselfIsNoMember() {
    assertThat(ClusterMember.of(Map.of())).isEmpty();
    assertThat(ClusterMember.of(Map.of("wsrep_on", "OFF", "group_replication_group_name", "")))
        .isEmpty();
  }

  @Test
  void aMemberInOrderHasNoProblem() {
    ClusterMember node =
        member(
            "wsrep_on", "ON",
            "wsrep_cluster_status", "Primary",
            "wsrep_ready", "ON",
            "wsrep_cluster_size", "3",
            "pxc_strict_mode", "MASTER");
    assertThat(node.problems("target")).isEmpty();
    assertThat(node.words())
        .isEqualTo("a node of Galera (wsrep_on is ON, wsrep_cluster_size is 3)");
    assertThat(node.kind().conflict()).isEqualTo(1213);
    ClusterMember member =
        member(
            "group_replication_group_name", "b",
            "group_replication_single_primary_mode", "OFF",
            "member_state", "ONLINE");
    assertThat(member.problems("target")).isEmpty();
    assertThat(member.words()).isEqualTo("a member of Group Replication (with several primaries)");
    assertThat(member.kind().conflict()).isEqualTo(3101);
  }

  @ParameterizedTest
  @CsvSource({
    "wsrep_on, ON, wsrep_cluster_status, non-Primary",
    "wsrep_on, ON, wsrep_cluster_status, Disconnected",
    "wsrep_on, ON, wsrep_ready, OFF",
    "wsrep_on, ON, pxc_strict_mode, ENFORCING",
    "group_replication_group_name, b, member_state, RECOVERING",
    "group_replication_group_name, b, member_state, OFFLINE"
  })
  void aMemberThatIsNotInOrderIsRefusedWithWhatItSays(
      String sign, String on, String name, String value) {
    assertThat(member(sign, on, name, value).problems("target x"))
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("target x", name, value);
  }

  @Test
  void eachProblemOfAMemberIsNamed() {
    assertThat(
            member("wsrep_on", "ON", "wsrep_cluster_status", "non-Primary", "wsrep_ready", "OFF")
                .problems("x"))
        .hasSize(2);
  }

  @Test
  void membersOfOneClusterSayTheSameAndOthersDoNot() {
    assertThat(member("wsrep_on", "ON").identity()).isEmpty();
    assertThat(member("wsrep_on", "ON", "wsrep_cluster_state_uuid", "a").identity())
        .isPresent()
        .isEqualTo(member("wsrep_on", "ON", "wsrep_cluster_state_uuid", "a").identity())
        .isNotEqualTo(member("wsrep_on", "ON", "wsrep_cluster_state_uuid", "b").identity())
        .isNotEqualTo(member("group_replication_group_name", "a").identity());
  }

  /** The user may have no right to ask for it. */
  @Test
  void aMemberWhoseStateIsNotKnownIsSaidToBeSo() {
    ClusterMember member = member("group_replication_group_name", "b");
    assertThat(member.problems("target")).isEmpty();
    assertThat(member.words()).contains("with one primary", "its state is not known");
  }

  private static ClusterMember member(String... said) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < said.length; i += 2) {
      values.put(said[i], said[i + 1]);
    }
    return ClusterMember.of(values).orElseThrow();
  }
}
