package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.AwaitedGtids;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.GtidSet;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.position.MysqlGtid;
import dev.sluice.connector.mariadb.capture.position.MysqlTransaction;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The set of transactions that a target has, as in MySQL's {@code gtid_executed}. Immutable. */
record MysqlNamedGtids(String set) implements NamedGtids {
  private static final String TAGGED =
      "(:[a-zA-Z_][a-zA-Z0-9_]{0,31})?(:[0-9]{1,18}(-[0-9]{1,18})?)+";
  private static final String ONE =
      "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(" + TAGGED + ")+";
  private static final Pattern FORM = Pattern.compile(ONE + "(," + ONE + ")*");
  private static final Pattern RANGE = Pattern.compile(":([0-9]+)(?:-([0-9]+))?(?=[:,]|$)");

  static Optional<MysqlNamedGtids> parse(String text) {
    // The server has names of tags in lower case.
    String list = text.replaceAll("\\s", "").toLowerCase(Locale.ROOT);
    return FORM.matcher(list).matches()
            && RANGE.matcher(list).results().allMatch(MysqlNamedGtids::rises)
        ? Optional.of(new MysqlNamedGtids(GtidSet.parse(list).toString()))
        : Optional.empty();
  }

  private static boolean rises(MatchResult range) {
    long first = Long.parseLong(range.group(1));
    return first > 0 && (range.group(2) == null || Long.parseLong(range.group(2)) >= first);
  }

  private GtidSet all() {
    return GtidSet.parse(set);
  }

  @Override
  public Optional<String> unfit(LogServer server) {
    Optional<String> unnamed = unfitToStop(server);
    if (unnamed.isPresent()) {
      return unnamed;
    }
    GtidSet unknown = all().without(GtidSet.parse(server.executed()));
    if (!unknown.isEmpty()) {
      return Optional.of("it has not executed " + unknown);
    }
    GtidSet gone = GtidSet.parse(server.purged()).without(all());
    return gone.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "its log has no file with %s any more, which is not among them".formatted(gone));
  }

  @Override
  public String before(String file, LogBeginnings beginnings, LogServer server) {
    return setBefore(file, beginnings, server).toString();
  }

  /**
   * The transactions before a file. Those of a backup from which the server was created are only
   * among the purged ones.
   */
  private static GtidSet setBefore(String file, LogBeginnings beginnings, LogServer server) {
    return beginnings.setBefore(file).addAll(GtidSet.parse(server.purged()));
  }

  @Override
  public Optional<GtidBoundary> from(String file, LogBeginnings beginnings, LogServer server) {
    GtidSet before = setBefore(file, beginnings, server);
    return before.without(all()).isEmpty()
        ? Optional.of(new Boundary(all(), before))
        : Optional.empty();
  }

  @Override
  public Optional<String> unfitToStop(LogServer server) {
    return server.gtidMode().equals("ON")
        ? Optional.empty()
        : Optional.of(
            "gtid_mode is %s: its log may have transactions without a GTID, which no set names"
                .formatted(server.gtidMode()));
  }

  /** The transactions that are not there may still come: replicas may commit in another order. */
  @Override
  public AwaitedGtids awaited(String file, LogBeginnings beginnings, LogServer server) {
    return new Awaited(all().without(setBefore(file, beginnings, server)));
  }

  private static final class Awaited implements AwaitedGtids {
    private final GtidSet wanted;
    private final GtidSet read = new GtidSet();

    /** How many of them were not read yet. */
    private long left;

    Awaited(GtidSet wanted) {
      this.wanted = wanted;
      this.left = wanted.size();
    }

    @Override
    public void read(MysqlTransaction transaction) {
      if (transaction.gtid().filter(wanted::contains).filter(read::add).isPresent()) {
        left--;
      }
    }

    @Override
    public boolean isEmpty() {
      return left == 0;
    }
  }

  @Override
  public String toString() {
    return set;
  }

  static final class Boundary extends GtidBoundary {
    private final GtidSet wanted;
    private final GtidSet read;

    /** How many of them were not read yet. */
    private long left;

    private MysqlTransaction begun;

    Boundary(GtidSet wanted, GtidSet before) {
      this.wanted = wanted;
      this.read = before;
      this.left = wanted.without(before).size();
    }

    @Override
    public void begin(MysqlTransaction transaction) {
      if (isComplete() && !isPassed()) {
        pass();
        if (transaction.gtid().isEmpty()) {
          found("without a GTID");
        }
      }
      begun = transaction;
    }

    @Override
    public void committed(BinlogPosition boundary) {
      if (begun == null || foreign().isPresent() || isComplete()) {
        return;
      }
      Optional<MysqlGtid> gtid = begun.gtid();
      if (gtid.filter(wanted::contains).isEmpty()) {
        found(gtid.map(MysqlGtid::toString).orElse("without a GTID before " + boundary));
      } else if (read.add(gtid.get())) {
        left--;
      }
      begun = null;
    }

    @Override
    boolean isComplete() {
      return left == 0;
    }

    @Override
    String missing() {
      return wanted.without(read).toString();
    }
  }
}
