package dev.sluice.target.yugabytedb.cluster;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The placements that a task prefers, in the syntax of YugabyteDB's driver. Immutable. */
record TopologyKeys(List<Key> keys) {
  static final TopologyKeys NONE = new TopologyKeys(List.of());

  private static final String EVERY_ZONE = "*";

  private static final Pattern KEY =
      Pattern.compile("([^.,:*\\s]+)\\.([^.,:*\\s]+)\\.([^.,:*\\s]+|\\*)(?::([1-9]|10))?");

  /**
   * One placement.
   *
   * @param preference 1 for the best
   */
  record Key(Placement placement, int preference) {
    private boolean has(Placement other) {
      return placement.cloud().equals(other.cloud())
          && placement.region().equals(other.region())
          && (placement.zone().equals(EVERY_ZONE) || placement.zone().equals(other.zone()));
    }
  }

  TopologyKeys {
    keys = List.copyOf(keys);
  }

  /** Reads {@code cloud.region.zone:preference,…}; reports each key that is wrong. */
  static TopologyKeys read(String text, Problems problems) {
    List<Key> keys = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      Matcher key = KEY.matcher(each);
      if (key.matches()) {
        keys.add(
            new Key(
                new Placement(key.group(1), key.group(2), key.group(3)),
                key.group(4) == null ? 1 : Integer.parseInt(key.group(4))));
      } else {
        problems.add(
            new Problem(
                ClusterUrl.THING,
                "its option %s has \"%s\"".formatted(ClusterUrl.TOPOLOGY_KEYS, each),
                "placements such as aws.eu-west-1.eu-west-1a:1,aws.eu-west-1.*:2",
                "Write cloud, region, and zone or *, as yb_servers() shows them; after a colon the"
                    + " preference, 1 to 10"));
      }
    }
    return new TopologyKeys(keys);
  }

  boolean isNone() {
    return keys.isEmpty();
  }

  /** The preference of a placement, 1 for the best; empty if no key matches it. */
  OptionalInt preferenceOf(Placement placement) {
    return keys.stream().filter(key -> key.has(placement)).mapToInt(Key::preference).min();
  }

  @Override
  public String toString() {
    return String.join(
        ",",
        keys.stream().map(key -> key.placement() + ":" + key.preference()).toArray(String[]::new));
  }
}
