package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.connector.mariadb.capture.stream.EventType;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;

/*
 * The body of GTID and ANONYMOUS_GTID: flags 1 | server 16 | number 8 | 2, as what follows is a logical
 * clock 1 | clock of the parent 8 | own clock 8 | microseconds since 1970 of the commit on this server 7,
 * whose highest bit says that those of the first commit follow | …
 *
 * That of one with a tag, in packed numbers: version | size | … | and then fields, each after its number:
 * 0 flags | 1 the server, 16 numbers | 2 number | 3 length and tag | 4, 5 clocks | 6 microseconds of the commit
 * on this server | 7 those of the first commit, if they are others | …
 */
/**
 * What the first event of a transaction in MySQL's log says. Immutable.
 *
 * @param name distinguishes it from a transaction at the same place of another history: its GTID,
 *     or without one its logical clock, and its time
 * @param commitMicros when it was committed, microseconds since 1970; 0 if it is not known
 * @param gtid empty if it is anonymous
 * @param firstCommitMicros when it was committed on its first server; 0 if it is not known
 */
public record MysqlTransaction(
    String name, long commitMicros, Optional<MysqlGtid> gtid, long firstCommitMicros) {
  private static final int CLOCK = 2;
  private static final int WITH_TIME = 1 + 16 + 8 + 1 + 8 + 8 + 7;
  private static final long FIRST_COMMIT_FOLLOWS = 1L << 55;

  private static final int SERVER = 1;
  private static final int NUMBER = 2;
  private static final int TAG = 3;
  private static final int COMMIT = 6;
  private static final int FIRST_COMMIT = 7;

  public static MysqlTransaction read(LogEvent event) {
    LogBytes body = event.body();
    if (event.type() == EventType.MYSQL_TAGGED_GTID) {
      return tagged(body);
    }
    int begin = body.at();
    body.skip(1);
    UUID server = new UUID(GtidSet.backwards(body), GtidSet.backwards(body));
    long number = body.number(8);
    boolean timed = body.end() - begin >= WITH_TIME && body.next() == CLOCK;
    long clock = 0;
    long micros = 0;
    long first = 0;
    if (timed) {
      body.skip(8);
      clock = body.number(8);
      long sent = body.number(7);
      micros = sent & ~FIRST_COMMIT_FOLLOWS;
      first = micros == sent ? micros : body.number(7);
    }
    return event.type() == EventType.MYSQL_GTID
        ? new MysqlTransaction(
            "%s:%d at %d".formatted(server.toString().replace("-", ""), number, micros),
            micros,
            Optional.of(new MysqlGtid(server, "", number)),
            first)
        : new MysqlTransaction(
            "number %d at %d".formatted(clock, micros), micros, Optional.empty(), first);
  }

  private static MysqlTransaction tagged(LogBytes body) {
    final String name = "tagged " + checksum(body);
    for (int header = 0; header < 3; header++) {
      packed(body);
    }
    UUID server = null;
    long number = 0;
    String tag = "";
    long micros = 0;
    long first = 0;
    while (body.hasMore() && first == 0) {
      int field = (int) packed(body);
      if (field > FIRST_COMMIT) {
        break;
      }
      switch (field) {
        case SERVER -> server = new UUID(packedBytes(body), packedBytes(body));
        case NUMBER -> number = packed(body) >>> 1;
        case TAG -> tag = body.text((int) packed(body));
        case COMMIT -> micros = packed(body);
        case FIRST_COMMIT -> first = packed(body);
        default -> packed(body);
      }
    }
    if (server == null || number == 0) {
      throw new IllegalArgumentException("a transaction without a GTID");
    }
    return new MysqlTransaction(
        name, micros, Optional.of(new MysqlGtid(server, tag, number)), first == 0 ? micros : first);
  }

  /** Eight bytes, each a packed number, the highest first. */
  private static long packedBytes(LogBytes body) {
    long bytes = 0;
    for (int i = 0; i < 8; i++) {
      bytes = bytes << 8 | packed(body);
    }
    return bytes;
  }

  /**
   * A number of one to nine bytes: the lowest bits of the first one that are set say how many
   * follow.
   */
  static long packed(LogBytes body) {
    int first = body.next();
    int more = Integer.numberOfTrailingZeros(~first);
    if (more >= 8) {
      return body.number(8);
    }
    // Behind seven bits the whole first byte is taken.
    int kept = Math.max(0, 7 - more);
    return (more == 0 ? 0 : body.number(more)) << kept | first >>> more + 1;
  }

  private static String checksum(LogBytes body) {
    CRC32 sum = new CRC32();
    sum.update(body.array(), body.at(), body.end() - body.at());
    return Long.toHexString(sum.getValue());
  }

  /**
   * Whether a transaction has only this statement, which is its first one.
   *
   * @param statement in upper case
   */
  public static boolean isWhole(String statement) {
    return !statement.equals("BEGIN")
        && !statement.equals("START TRANSACTION")
        && !statement.startsWith("XA START")
        && !statement.startsWith("XA BEGIN");
  }
}
