package dev.sluice.engine.binlog;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Random names of tables and columns, each once; many would end a statement that quotes badly. */
final class BinlogNames {
  private static final List<String> PARTS =
      List.of(
          "a",
          "Name",
          "UPPER",
          "two words",
          "ümläut",
          "名前",
          "quo\"te",
          "it's",
          "back`tick",
          "%s",
          "per%cent",
          "under_score",
          "$1",
          "?",
          "{d",
          "--",
          "/*",
          "*/",
          "a\\b",
          "dot.ted",
          "select",
          "key",
          "semi;colon",
          "tab\tbed",
          "#",
          "@x",
          "x=1",
          "(a,b)",
          "[a]",
          "~",
          "ſ");

  private final Set<String> used = new HashSet<>();
  private final Random random;

  BinlogNames(Random random) {
    this.random = random;
  }

  String next() {
    String name = PARTS.get(random.nextInt(PARTS.size()));
    if (random.nextInt(3) == 0) {
      name += PARTS.get(random.nextInt(PARTS.size()));
    }
    // The server compares names of columns without case.
    while (!used.add(name.toLowerCase(Locale.ROOT))) {
      name += used.size();
    }
    return name;
  }
}
