package dev.sluice.engine.validate;

import dev.sluice.config.TableId;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows in which both sides differed at one look, each with its version on either side: a row
 * that has the same versions at a later look was not touched in between. Owned by the thread that
 * compares.
 */
public final class DifferingRows {
  /** Changes with each change of a row, and is told apart by partition. */
  static final String VERSION = "r.tableoid::text || '/' || r.xmin::text || '/' || r.ctid::text";

  /** Of one table; enough to tell whether it differs at all. */
  private static final int KEPT_AT_MOST = 100_000;

  private final Map<TableId, OfTable> tables = new HashMap<>();

  /** The rows of a table; empty where none differed. */
  public OfTable of(TableId table) {
    return tables.getOrDefault(table, new OfTable(true));
  }

  OfTable of(TableId table, boolean keyed) {
    return tables.computeIfAbsent(table, name -> new OfTable(keyed));
  }

  /** Where the version of a line begins: its last field. */
  static int version(byte[] line) {
    int at = line.length;
    while (at > 0 && line[at - 1] != '\t') {
      at--;
    }
    return at;
  }

  /** Those of one table. Owned as the whole is. */
  public static final class OfTable {
    private final boolean keyed;
    private final Map<String, String> versions = new HashMap<>();
    private boolean complete = true;

    private OfTable(boolean keyed) {
      this.keyed = keyed;
    }

    /** Whether rows are told apart by a key; else by all that they have. */
    public boolean isKeyed() {
      return keyed;
    }

    /** Whether all are here: not where there are too many. */
    public boolean isComplete() {
      return complete;
    }

    /** Both sides' versions of each row, by its key. */
    public Map<String, String> versions() {
      return versions;
    }

    /**
     * One more.
     *
     * @param source the line; null where the source has no such row
     */
    void add(byte[] source, byte[] target, int keyFields) {
      if (versions.size() >= KEPT_AT_MOST) {
        complete = false;
        return;
      }
      String both = versionText(source) + " " + versionText(target);
      String key = keyText(source != null ? source : target, keyFields);
      versions.put(keyed ? key : key + both, both);
    }

    private static String versionText(byte[] line) {
      return line == null ? "-" : text(line, version(line), line.length);
    }

    private static String keyText(byte[] line, int keyFields) {
      int fields = 0;
      int end = 0;
      while (end < line.length && (line[end] != '\t' || ++fields < keyFields)) {
        end++;
      }
      return text(line, 0, end);
    }

    private static String text(byte[] line, int from, int to) {
      return new String(line, from, to - from, StandardCharsets.ISO_8859_1);
    }
  }
}
