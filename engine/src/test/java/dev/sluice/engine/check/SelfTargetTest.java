package dev.sluice.engine.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SharedCluster;
import dev.sluice.engine.check.SelfTarget.Kinship;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is said of source and target that may be members of one cluster, which no test starts. */
class SelfTargetTest {
  private static final SharedCluster SOURCE = new SharedCluster("a group", Set.of("1", "2"));

  private static final List<String> SAME = List.of("shop.item", "shop.event into shop.account");

  @Test
  void twoGroupsOfOneNameAreANoteWithTheTablesThatWouldBeLoadedIntoThemselves() {
    for (Set<String> others : List.of(Set.of("3", "4"), Set.<String>of())) {
      TaskChecks.Findings found = found(new SharedCluster("a group", others), SAME);
      assertThat(found.problems()).isEmpty();
      assertThat(found.notes())
          .singleElement()
          .asString()
          .contains(
              "the same group of servers",
              "group_replication_group_name",
              "have none in common or cannot be read",
              "never run it then",
              "shop.item, shop.event into shop.account");
    }
  }

  @Test
  void membersOfOneGroupAreRefusedWithTheTables() {
    TaskChecks.Findings found = found(new SharedCluster("a group", Set.of("2", "3")), SAME);
    assertThat(found.notes()).isEmpty();
    assertThat(found.problems())
        .singleElement()
        .extracting(Problem::found)
        .asString()
        .contains("members of one cluster", "shop.item, shop.event into shop.account");
  }

  @Test
  void nothingIsSaidOfOtherClustersNorWithoutATableOfBothSides() {
    for (TaskChecks.Findings found :
        List.of(
            found(new SharedCluster("another group", Set.of("1", "2")), SAME),
            found(new SharedCluster("a group", Set.of("3")), List.of()),
            found(SOURCE, List.of()))) {
      assertThat(found.problems()).isEmpty();
      assertThat(found.notes()).isEmpty();
    }
  }

  @Test
  void ofManyTablesTheFirstAreNamedAndTheOthersCounted() {
    List<String> many = IntStream.range(10, 32).mapToObj(i -> "shop.t" + i).toList();
    assertThat(found(new SharedCluster("a group", Set.of()), many).notes().get(0))
        .endsWith("shop.t28, shop.t29 and 2 more");
  }

  private static TaskChecks.Findings found(SharedCluster target, List<String> same) {
    CheckReport report = new CheckReport();
    SelfTarget.report(report, Kinship.of(SOURCE, target), same);
    return report.build("a task");
  }
}
