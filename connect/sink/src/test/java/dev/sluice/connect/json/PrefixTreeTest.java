package dev.sluice.connect.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

final class PrefixTreeTest {
  private final PrefixTree<String> tree = new PrefixTree<>();

  @Property(tries = 500, shrinking = ShrinkingMode.OFF)
  void eachRecordIsFoundByItsStartAndNoOther(@ForAll long seed) {
    Random random = new Random(seed);
    PrefixTree<String> known = new PrefixTree<>();
    Map<String, String> starts = new HashMap<>();
    for (int i = 0; i < random.nextInt(40); i++) {
      String start = start(random);
      if (starts.putIfAbsent(start, "value of " + start) == null) {
        known.add(bytes(start), starts.get(start));
      }
    }
    assertThat(known.size()).isEqualTo(starts.size());
    starts.forEach((start, value) -> assertThat(known.find(bytes(start + "a:b"))).isEqualTo(value));
    for (int i = 0; i < 40; i++) {
      String start = start(random);
      assertThat(known.find(bytes(start + random.nextInt(9)))).isEqualTo(starts.get(start));
      assertThat(known.find(bytes(start.substring(0, start.length() - 1)))).isNull();
    }
  }

  @Test
  void aStartOfAnotherStartIsNoneOfItsOwn() {
    tree.add(bytes("ab:"), "one");
    assertThatThrownBy(() -> tree.add(bytes("ab:c"), "two")).hasMessageContaining("BUG");
    assertThatThrownBy(() -> tree.add(bytes("ab"), "two")).hasMessageContaining("BUG");
  }

  @Test
  void nothingIsFoundAfterItWasCleared() {
    tree.add(bytes("ab:"), "one");
    tree.clear();
    assertThat(tree.find(bytes("ab:1"))).isNull();
    assertThat(tree.size()).isZero();
  }

  /** Ends in a colon and has no other, so that none is the start of another. */
  private static String start(Random random) {
    StringBuilder start = new StringBuilder();
    for (int i = 0; i < random.nextInt(6); i++) {
      start.append((char) ('a' + random.nextInt(3)));
    }
    return start.append(':').toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
