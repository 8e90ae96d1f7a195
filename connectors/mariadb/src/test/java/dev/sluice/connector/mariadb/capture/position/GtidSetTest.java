package dev.sluice.connector.mariadb.capture.position;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GtidSetTest {
  private static final String A = "aaaaaaaa-0000-0000-0000-000000000001";
  private static final String B = "bbbbbbbb-0000-0000-0000-000000000002";

  @Test
  void aSetIsReadAsAServerWritesIt() {
    String text = A + ":1-5:7:tag:1-3:zz:9";
    GtidSet set = GtidSet.parse(text + ",\n" + B + ":4711");
    assertThat(set.contains(MysqlGtid.parse(A + ":5"))).isTrue();
    assertThat(set.contains(MysqlGtid.parse(A + ":6"))).isFalse();
    assertThat(set.contains(MysqlGtid.parse(A + ":tag:3"))).isTrue();
    assertThat(set.contains(MysqlGtid.parse(B + ":tag:3"))).isFalse();
    assertThat(set.size()).isEqualTo(11);
    assertThat(GtidSet.parse(set.toString()).without(set).isEmpty()).isTrue();
    assertThat(set.without(GtidSet.parse("")).toString()).isEqualTo(set.toString());
    assertThat(set.toString()).contains(text, B + ":4711");
  }

  @Test
  void rangesThatComeInAnyOrderGrowTogether() {
    Random random = new Random(1);
    List<Long> numbers = new ArrayList<>();
    for (long number = 1; number <= 60; number++) {
      numbers.add(number);
    }
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(numbers, random);
      GtidSet set = new GtidSet();
      Set<Long> expected = new TreeSet<>();
      for (long number : numbers) {
        assertThat(set.add(gtid(number))).isTrue();
        assertThat(set.add(gtid(number))).isFalse();
        expected.add(number);
        assertThat(set.size()).isEqualTo(expected.size());
        GtidSet odd = new GtidSet();
        expected.stream().filter(each -> each % 2 == 1).forEach(each -> odd.add(gtid(each)));
        assertThat(set.without(odd).size())
            .isEqualTo(expected.stream().filter(each -> each % 2 == 0).count());
        assertThat(odd.without(set).isEmpty()).isTrue();
      }
      assertThat(set.toString()).isEqualTo(A + ":1-60");
    }
  }

  @Test
  void aBookmarkIsReadAsItIsWrittenAndNotFromTheTextOfAnother() {
    String text = A + ":tag:3@1700000000000000;" + A + ":1-5:tag:1-3";
    assertThat(LogBookmark.parse(text).orElseThrow()).isInstanceOf(GtidSetBookmark.class);
    assertThat(LogBookmark.parse(text).orElseThrow().toString()).isEqualTo(text);
    assertThat(LogBookmark.parse("0-1-4711@5;0-1-4711").orElseThrow())
        .isInstanceOf(GtidBookmark.class);
    for (String other : List.of("", "x", A + ":4@1;" + A + ":1-3", A + ":x@1;", "@;")) {
      assertThat(LogBookmark.parse(other)).as(other).isEmpty();
    }
  }

  private static MysqlGtid gtid(long number) {
    return new MysqlGtid(UUID.fromString(A), "", number);
  }
}
