package dev.sluice.connector.mariadb.capture.position;

import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.capture.stream.LogEvent;

/*
 * The body of a GTID: number 8 | domain 4 | flags 1 | of a group commit its number 8 | of XA its name
 * | more flags 1, if there are some. With binlog_alter_two_phase an ALTER is there twice: where it
 * began, which is behind no change of it, and where it is done or given up.
 */
/**
 * What MariaDB's log says of a transaction where it begins. Immutable.
 *
 * @param standalone whether it is one statement, of DDL
 * @param altersNothing whether that statement is in the log again elsewhere, or was given up
 */
public record MariadbTransaction(Gtid gtid, boolean standalone, boolean altersNothing) {
  private static final int STANDALONE = 1;
  private static final int GROUP_COMMIT = 2;

  /** Of a transaction of XA: its name follows. */
  private static final int XA = 0x40 | 0x80;

  /** START ALTER and ROLLBACK ALTER of a server with binlog_alter_two_phase. */
  private static final int ALTERS_NOTHING = 2 | 8;

  public static MariadbTransaction read(LogEvent event) {
    LogBytes body = event.body();
    long number = body.number(8);
    long domain = body.number(4);
    int flags = body.next();
    if ((flags & GROUP_COMMIT) != 0) {
      body.skip(8);
    }
    return new MariadbTransaction(
        new Gtid(domain, event.server(), number),
        (flags & STANDALONE) != 0,
        (flags & XA) == 0 && body.hasMore() && (body.next() & ALTERS_NOTHING) != 0);
  }

  /** Its GTID, by which it is told from others. */
  public String name() {
    return gtid.domain() + "-" + gtid.server() + "-" + Long.toUnsignedString(gtid.number());
  }
}
