package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * XA transactions whose PREPARE was read and that have no changes of captured tables, so that their
 * commit does not matter. Kept longer than a capture, since the next one may begin after a PREPARE
 * and read its COMMIT. A transaction is kept after its end, which may be read again. Threadsafe.
 */
public final class EmptyPreparations {
  /** The maximum number; the oldest are forgotten. So many are seldom prepared at the same time. */
  private static final int KEPT = 10_000;

  private final boolean ofNoTables;

  private final Set<String> known =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > KEPT;
                }
              }));

  public EmptyPreparations() {
    this(false);
  }

  private EmptyPreparations(boolean ofNoTables) {
    this.ofNoTables = ofNoTables;
  }

  /** For a capture without tables: no transaction changes any of its tables. */
  static EmptyPreparations ofNoTables() {
    return new EmptyPreparations(true);
  }

  /**
   * Adds one.
   *
   * @param prepared the event of its PREPARE, from behind the first byte
   */
  void add(LogBytes prepared) {
    String xid = xid(prepared);
    // Added as the newest, also if its id is used again.
    known.remove(xid);
    known.add(xid);
  }

  /** As a statement in the log writes it, in upper case. */
  private static String xid(LogBytes prepared) {
    long format = prepared.number(4);
    int globalLength = (int) prepared.number(4);
    int branchLength = (int) prepared.number(4);
    HexFormat hex = HexFormat.of().withUpperCase();
    return "X'%s',X'%s',%d"
        .formatted(
            hex.formatHex(prepared.take(globalLength)),
            hex.formatHex(prepared.take(branchLength)),
            format);
  }

  /**
   * Whether a transaction is one of them.
   *
   * @param xid as a statement in the log writes it, in upper case
   */
  boolean has(String xid) {
    return ofNoTables || known.contains(xid);
  }
}
