package dev.sluice.connector.mariadb.capture;

import java.util.HexFormat;
import java.util.zip.CRC32;

/*
 * The body of GTID and ANONYMOUS_GTID: flags 1 | server 16 | number 8 | 2, as what follows is a logical
 * clock 1 | clock of the parent 8 | own clock 8 | microseconds since 1970 of the commit on this server 7,
 * whose highest bit says that those of the first commit follow | …
 */
/**
 * What MySQL's log says of a transaction where it begins. Immutable.
 *
 * @param name tells it from others at the same place of another history: its GTID, or without one
 *     its clock, and its time
 * @param commitMicros when it was committed, microseconds since 1970; 0 if it is not known
 */
record MysqlTransaction(String name, long commitMicros) {
  private static final int CLOCK = 2;
  private static final int WITH_TIME = 1 + 16 + 8 + 1 + 8 + 8 + 7;
  private static final long FIRST_COMMIT_FOLLOWS = 1L << 55;

  static MysqlTransaction read(LogEvent event) {
    LogBytes body = event.body();
    if (event.type() == EventType.MYSQL_TAGGED_GTID) {
      return new MysqlTransaction("tagged " + checksum(body), 0);
    }
    int begin = body.at();
    body.skip(1);
    String server = HexFormat.of().formatHex(body.take(16));
    long number = body.number(8);
    boolean timed = body.end() - begin >= WITH_TIME && body.next() == CLOCK;
    long clock = 0;
    long micros = 0;
    if (timed) {
      body.skip(8);
      clock = body.number(8);
      micros = body.number(7) & ~FIRST_COMMIT_FOLLOWS;
    }
    return new MysqlTransaction(
        event.type() == EventType.MYSQL_GTID
            ? "%s:%d at %d".formatted(server, number, micros)
            : "number %d at %d".formatted(clock, micros),
        micros);
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
  static boolean isWhole(String statement) {
    return !statement.equals("BEGIN")
        && !statement.equals("START TRANSACTION")
        && !statement.startsWith("XA START")
        && !statement.startsWith("XA BEGIN");
  }
}
