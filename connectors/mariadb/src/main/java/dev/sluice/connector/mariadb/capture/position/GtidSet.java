package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/*
 * As text: UUID:1-5:7:tag:1-3,UUID:1-4711, where a tag counts for the numbers after it.
 *
 * In the log, at the beginning of a file: how many 8 | of each the server 16 | how many ranges 8 | of each
 * the first number 8 | the number after the last one 8. If there are tags, the first and the last of the
 * first eight bytes are 1, what is between is how many, and after each server its tag follows.
 */
/** Transactions of MySQL: of each server and tag ranges of numbers. Not threadsafe. */
public final class GtidSet {
  private static final int SHIFT_OF_FORMAT = 56;
  private static final long COUNT_WITH_TAGS = 0xFFFF_FFFF_FFFFL;

  private record Origin(UUID server, String tag) implements Comparable<Origin> {
    static Origin of(MysqlGtid gtid) {
      return new Origin(gtid.server(), gtid.tag());
    }

    @Override
    public int compareTo(Origin other) {
      int byServer = server.compareTo(other.server);
      return byServer == 0 ? tag.compareTo(other.tag) : byServer;
    }
  }

  /** The last number of each range by its first one. No two ranges touch each other. */
  private final Map<Origin, TreeMap<Long, Long>> ranges = new TreeMap<>();

  /**
   * Reads what {@link #toString} or a server writes.
   *
   * @throws IllegalArgumentException if it is not of that form
   */
  public static GtidSet parse(String text) {
    GtidSet set = new GtidSet();
    for (String each : text.split(",")) {
      if (each.isBlank()) {
        continue;
      }
      String[] parts = each.strip().split(":", -1);
      UUID server = UUID.fromString(parts[0]);
      String tag = "";
      for (int i = 1; i < parts.length; i++) {
        if (parts[i].isEmpty() || !Character.isDigit(parts[i].charAt(0))) {
          tag = parts[i];
          continue;
        }
        String[] range = parts[i].split("-", 2);
        set.add(
            new Origin(server, tag),
            Long.parseLong(range[0]),
            Long.parseLong(range[range.length - 1]));
      }
    }
    return set;
  }

  /** Reads the body of the event at the beginning of a file. */
  public static GtidSet read(LogBytes body) {
    GtidSet set = new GtidSet();
    long first = body.number(8);
    boolean tagged = first >>> SHIFT_OF_FORMAT != 0;
    long count = tagged ? first >>> 8 & COUNT_WITH_TAGS : first;
    for (long i = 0; i < count; i++) {
      UUID server = new UUID(backwards(body), backwards(body));
      String tag = tagged ? body.text((int) MysqlTransaction.packed(body)) : "";
      long pairs = body.number(8);
      for (long pair = 0; pair < pairs; pair++) {
        long from = body.number(8);
        set.add(new Origin(server, tag), from, body.number(8) - 1);
      }
    }
    return set;
  }

  /** Eight bytes, the highest first. */
  static long backwards(LogBytes body) {
    return Long.reverseBytes(body.number(8));
  }

  /**
   * Adds one.
   *
   * @return whether it was not there
   */
  public boolean add(MysqlGtid gtid) {
    boolean isNew = !contains(gtid);
    if (isNew) {
      add(Origin.of(gtid), gtid.number(), gtid.number());
    }
    return isNew;
  }

  /** Adds all of another set, and returns this one. */
  public GtidSet addAll(GtidSet other) {
    other.ranges.forEach((origin, theirs) -> theirs.forEach((from, to) -> add(origin, from, to)));
    return this;
  }

  private void add(Origin origin, long from, long to) {
    TreeMap<Long, Long> own = ranges.computeIfAbsent(origin, any -> new TreeMap<>());
    Map.Entry<Long, Long> before = own.floorEntry(from);
    boolean touches = before != null && before.getValue() >= from - 1;
    long first = touches ? before.getKey() : from;
    long last = touches ? Math.max(to, before.getValue()) : to;
    Map.Entry<Long, Long> next = own.higherEntry(first);
    while (next != null && next.getKey() <= last + 1) {
      last = Math.max(last, next.getValue());
      own.remove(next.getKey());
      next = own.higherEntry(first);
    }
    own.put(first, last);
  }

  public boolean contains(MysqlGtid gtid) {
    TreeMap<Long, Long> own = ranges.get(Origin.of(gtid));
    Map.Entry<Long, Long> range = own == null ? null : own.floorEntry(gtid.number());
    return range != null && range.getValue() >= gtid.number();
  }

  /** What another set does not have, as a set of its own. */
  public GtidSet without(GtidSet other) {
    GtidSet left = new GtidSet();
    ranges.forEach(
        (origin, own) -> {
          TreeMap<Long, Long> theirs = other.ranges.getOrDefault(origin, new TreeMap<>());
          own.forEach((from, to) -> left.addWithout(origin, from, to, theirs));
        });
    return left;
  }

  private void addWithout(Origin origin, long from, long to, TreeMap<Long, Long> theirs) {
    long at = from;
    while (at <= to) {
      Map.Entry<Long, Long> covering = theirs.floorEntry(at);
      if (covering != null && covering.getValue() >= at) {
        at = covering.getValue() + 1;
      } else {
        Long next = theirs.higherKey(at);
        long last = next == null ? to : Math.min(to, next - 1);
        add(origin, at, last);
        at = last + 1;
      }
    }
  }

  public boolean isEmpty() {
    return first().isEmpty();
  }

  /** Any of them: the lowest of the first server. */
  Optional<MysqlGtid> first() {
    return ranges.entrySet().stream()
        .filter(each -> !each.getValue().isEmpty())
        .findFirst()
        .map(
            each ->
                new MysqlGtid(
                    each.getKey().server(), each.getKey().tag(), each.getValue().firstKey()));
  }

  /** How many they are. */
  public long size() {
    return ranges.values().stream()
        .flatMap(each -> each.entrySet().stream())
        .mapToLong(range -> range.getValue() - range.getKey() + 1)
        .sum();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    UUID server = null;
    for (Map.Entry<Origin, TreeMap<Long, Long>> each : ranges.entrySet()) {
      Origin origin = each.getKey();
      if (!origin.server().equals(server)) {
        text.append(text.isEmpty() ? "" : ",").append(origin.server());
        server = origin.server();
      }
      if (!origin.tag().isEmpty()) {
        text.append(':').append(origin.tag());
      }
      each.getValue()
          .forEach(
              (from, to) -> {
                text.append(':').append(from);
                if (to > from) {
                  text.append('-').append(to);
                }
              });
    }
    return text.toString();
  }
}
