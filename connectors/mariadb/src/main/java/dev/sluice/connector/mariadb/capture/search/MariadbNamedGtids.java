package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.AwaitedGtids;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.Gtid;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The last transaction of each domain that a target has, as in MariaDB's {@code gtid_binlog_pos}.
 * The target also has all earlier transactions of that domain, and none of a domain that is not
 * named. Immutable.
 */
record MariadbNamedGtids(List<Gtid> last) implements NamedGtids {
  private static final Pattern FORM =
      Pattern.compile("[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,18}(,[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,18})*");

  MariadbNamedGtids {
    last = List.copyOf(last);
  }

  static Optional<MariadbNamedGtids> parse(String text) {
    String list = text.replaceAll("\\s", "");
    if (!FORM.matcher(list).matches()) {
      return Optional.empty();
    }
    List<Gtid> gtids = Gtid.parseAll(list);
    Set<Long> domains = new HashSet<>();
    return gtids.stream().allMatch(each -> domains.add(each.domain()))
        ? Optional.of(new MariadbNamedGtids(gtids))
        : Optional.empty();
  }

  /** Empty: the search of the log finds such transactions. */
  @Override
  public Optional<String> unfit(LogServer server) {
    return Optional.empty();
  }

  @Override
  public String before(String file, LogBeginnings beginnings, LogServer server) {
    return shown(beginnings.gtidsBefore(file));
  }

  @Override
  public Optional<GtidBoundary> from(String file, LogBeginnings beginnings, LogServer server) {
    List<Gtid> before = beginnings.gtidsBefore(file);
    Map<Long, Gtid> open = new TreeMap<>();
    last.forEach(each -> open.put(each.domain(), each));
    // A file's list has the newest transaction of each domain after the others of that domain.
    Map<Long, Gtid> newest = new TreeMap<>();
    before.forEach(each -> newest.put(each.domain(), each));
    for (Gtid each : before) {
      if (isOutOfOrder(each, newest)) {
        return Optional.empty();
      }
    }
    for (Gtid each : newest.values()) {
      Gtid wanted = open.get(each.domain());
      if (each.equals(wanted)) {
        open.remove(each.domain());
      } else if (wanted == null || before.stream().anyMatch(other -> isFrom(wanted, other))) {
        return Optional.empty();
      }
    }
    return Optional.of(new Boundary(open, newest));
  }

  /**
   * Whether servers have written in its domain at the same time, so that its place is in an earlier
   * file.
   */
  private static boolean isOutOfOrder(Gtid each, Map<Long, Gtid> newest) {
    Gtid last = newest.get(each.domain());
    return !each.equals(last) && each.number() >= last.number();
  }

  /** Whether it is the wanted transaction or a later one. */
  private static boolean isFrom(Gtid wanted, Gtid other) {
    return other.isOfSameOrigin(wanted) && other.number() >= wanted.number();
  }

  private static String shown(Iterable<Gtid> gtids) {
    StringBuilder text = new StringBuilder();
    gtids.forEach(each -> text.append(text.isEmpty() ? "" : ",").append(each));
    return text.isEmpty() ? "no transaction" : text.toString();
  }

  @Override
  public Optional<String> unfitToStop(LogServer server) {
    return Optional.empty();
  }

  @Override
  public AwaitedGtids awaited(String file, LogBeginnings beginnings, LogServer server) {
    Awaited awaited = new Awaited();
    last.forEach(each -> awaited.open.put(each.domain(), each));
    List<Gtid> before = beginnings.gtidsBefore(file);
    for (Gtid wanted : last) {
      if (before.stream().anyMatch(other -> isFrom(wanted, other))) {
        awaited.open.remove(wanted.domain());
      }
    }
    before.forEach(awaited::read);
    return awaited;
  }

  private final class Awaited implements AwaitedGtids {
    private final Map<Long, Gtid> open = new TreeMap<>();

    /** Numbers of a domain rise, so a number that was passed cannot come any more. */
    @Override
    public void read(Gtid gtid) {
      Gtid wanted = open.get(gtid.domain());
      if (gtid.equals(wanted)) {
        open.remove(gtid.domain());
      } else if (wanted != null && gtid.number() >= wanted.number()) {
        throw notReached("the log has %s, and before it no %s".formatted(gtid, wanted));
      }
    }

    @Override
    public boolean isEmpty() {
      return open.isEmpty();
    }
  }

  @Override
  public String toString() {
    return last.stream().map(Gtid::toString).collect(Collectors.joining(","));
  }

  static final class Boundary extends GtidBoundary {
    /** For each domain, the last wanted transaction until it is read. */
    private final Map<Long, Gtid> open;

    /**
     * For each domain, the last transaction that was read: if the next one has no higher number,
     * nothing is proven.
     */
    private final Map<Long, Gtid> newest;

    private Gtid begun;

    Boundary(Map<Long, Gtid> open, Map<Long, Gtid> newest) {
      this.open = open;
      this.newest = newest;
    }

    @Override
    public void begin(Gtid gtid) {
      if (isComplete()) {
        pass();
      }
      begun = gtid;
    }

    @Override
    public void committed(BinlogPosition boundary) {
      if (begun == null || foreign().isPresent() || open.isEmpty()) {
        return;
      }
      Gtid last = newest.put(begun.domain(), begun);
      if (last != null && last.number() >= begun.number()) {
        found("%s after %s, out of order in domain %d".formatted(begun, last, begun.domain()));
      } else if (!open.containsKey(begun.domain())) {
        found(begun.toString());
      } else if (open.get(begun.domain()).equals(begun)) {
        open.remove(begun.domain());
      }
      begun = null;
    }

    @Override
    boolean isComplete() {
      return open.isEmpty();
    }

    @Override
    String missing() {
      return shown(open.values());
    }
  }
}
